"""A dispatch as a host would cause it, told in full instead of carried out: what ``simulate`` reports about.

Nothing is counted and no fault is logged: both are done by the hook process alone (:mod:`.hook`).
"""

from __future__ import annotations

from .dispatch import LAST, Dispatch, module_of
from .jsontext import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn


def told(work: Dispatch, payload: bytes) -> dict[str, Any]:
    """What comes of ``payload``, as JSON values: ``stdout``, ``stderr`` and ``exit_status`` of the hook process, the
    ``verdict`` and ``why`` of its reply, and what led there."""
    try:
        reply = work.answer(payload)
    except Exception as fault:  # noqa: BLE001 - as in a hook process
        work.faults.append(("internal", type(fault).__name__))
        reply = _said_so_far(work)
    return _told(work, reply)


def _said_so_far(work: Dispatch) -> Any:
    try:
        return work.reply()
    except Exception:  # noqa: BLE001
        return None


def _told(work: Dispatch, reply: Any) -> dict[str, Any]:
    assert work.record is not None
    if reply is None:
        stdout, code = (work.module or module_of(work.record, work.host)).neutral(work.event)
        said = {"stdout": stdout, "stderr": "", "exit_status": code, "verdict": "none", "why": ""}
    else:
        said = {
            "stdout": reply.stdout,
            "stderr": reply.stderr,
            "exit_status": reply.exit_code,
            "verdict": reply.verdict,
            "why": reply.why,
        }
    return {
        **said,
        "caller": work.caller,
        "muted": work.muted,
        "tool": work.tool,
        "matched": list(work.matched),
        "faults": [list(fault) for fault in work.faults],
        "responses": {str(index): said for index, said in work.responses.items() if index < LAST},
    }


def main(data_root: str) -> NoReturn:
    """In a process of its own: a request in a line of JSON on standard input, behind it the payload as it is."""
    from .author import reply_descriptors
    from .process import leave, read_input, write

    line, _, payload = read_input().partition(b"\n")
    request = loads(line)

    def give_up() -> None:
        """What there is so far, as the hook process would say it; its handler goes on regardless."""
        write(reply_descriptors()[0], dumps(_told(work, _said_so_far(work))) + "\n")
        leave(0)

    work = Dispatch(request["host"], request["event"], request["connector"], data_root, give_up=give_up)
    work.record = request["record"]
    answer = dumps(told(work, payload)) + "\n"
    write(reply_descriptors()[0], answer)  # a handler may have moved them
    from .handlers import farewell
    from .limits import set_limit

    set_limit(1.0, lambda: leave(0))
    farewell()
    leave(0)

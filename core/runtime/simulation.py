"""A dispatch as a host would cause it, told in full instead of carried out: what ``simulate`` reports about.

Nothing is counted and no fault is logged: both are done by the hook process alone (:mod:`.hook`).
"""

from __future__ import annotations

from .dispatch import LAST, Dispatch
from .jsontext import dumps, loads
from .neutral import module_of

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
        reply = work.said_so_far()
    return _told(work, reply)


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
    from .process import leave, read_input, say

    line, _, payload = read_input().partition(b"\n")
    request = loads(line)
    if request["surface"] == "statusline":
        _draw(request, payload, data_root)

    def give_up() -> None:
        """What there is so far, as the hook process would say it; its handler goes on regardless."""
        say(dumps(_told(work, work.said_so_far())) + "\n")
        leave(0)

    work = Dispatch(request["host"], request["event"], request["connector"], data_root, give_up=give_up)
    work.record = request["record"]
    say(dumps(told(work, payload)) + "\n")
    _say_farewell()


def _draw(request: dict[str, Any], payload: bytes, data_root: str) -> NoReturn:
    from .process import say
    from .statusline import rendered_statusline

    text, faults = rendered_statusline(
        request["host"], request["connector"], data_root, payload, record=request["record"]
    )
    say(dumps({"text": text, "faults": [list(fault) for fault in faults]}) + "\n")
    _say_farewell()


def _say_farewell() -> NoReturn:
    """What the end of a process does for code that ran in it."""
    from .handlers import say_farewell
    from .process import leave

    say_farewell(0)
    leave(0)

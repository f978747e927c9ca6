"""Answers of programs: commands of a definition, and Python handlers whose Python is another one.

Loaded where an entry is one of these.
"""

from __future__ import annotations

from .answers import AnswerError
from .author import EndedError, FailedError, UnavailableError, answer_here, limited, log_of, seconds_left
from .commands import OutputError, run_program
from .jsontext import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .author import Work
    from .commands import Finished

_THERE = """\
import sys
sys.pycache_prefix = sys.argv[1] + "/cache/handlers"
sys.path.insert(0, sys.argv[2])
from agent_connector.runtime.handler_process import main
main(sys.argv[1])
"""


def program_answer(dispatch: Work, entry: dict[str, Any], index: int, event: dict[str, Any]) -> Any:
    """What a command answers to the normalized event. Raises :class:`AnswerError`, :class:`EndedError`,
    :class:`UnavailableError`."""
    return _response_in(run_entry(dispatch, entry, index, dumps(event).encode()))


def _response_in(done: Finished) -> Any:
    if not done.stdout.strip():
        if done.code:
            raise EndedError(f"ended with {done.code}")
        return None
    try:
        answer = loads(done.stdout)
    except ValueError:
        raise AnswerError(f"answered what is no JSON (and ended with {done.code})") from None
    # A program that failed may still forbid something; it may not grant or change anything.
    if done.code and not (isinstance(answer, dict) and answer.get("decision") in ("deny", "ask")):
        raise EndedError(f"ended with {done.code}")
    return answer


def run_entry(
    dispatch: Work, entry: dict[str, Any], index: int, data: bytes, *, keep_stderr: bool = False
) -> Finished:
    """Run an entry's command with ``data`` on its input. Raises :class:`UnavailableError`, :class:`AnswerError`."""
    try:
        done = _started(dispatch, entry, entry["command"], data, keep_stderr=keep_stderr)
    except OSError as fault:
        raise UnavailableError from fault
    dispatch.mark(index, broken=False)
    return done


def _started(
    dispatch: Work, entry: dict[str, Any], command: list[str], data: bytes, *, keep_stderr: bool = False
) -> Finished:
    try:
        return run_program(command, data, seconds_left(dispatch, entry), log_of(dispatch), keep_stderr=keep_stderr)
    except OutputError as fault:
        raise AnswerError(str(fault)) from None


def answer_of_other_python(dispatch: Work, entry: dict[str, Any], index: int, event: dict[str, Any]) -> Any:
    """A handler of another Python: in a process of that one (:mod:`.handler_process`)."""
    assert dispatch.record is not None
    python = dispatch.record["python"]
    request = {
        "kind": dispatch.kind,
        "host": dispatch.caller,
        "name": dispatch.event,
        "connector": dispatch.connector,
        "python": python,
        "entry": entry,
        "index": index,
        "event": event,
    }
    site = __file__.replace("\\", "/").rsplit("/", 3)[0]
    data = dumps(request).encode()
    done = None
    for executable in dict.fromkeys((python["executable"], python["base"])):
        try:
            done = _started(dispatch, entry, [executable, "-I", "-S", "-c", _THERE, dispatch.data_root, site], data)
            break
        except OSError as fault:
            cause = fault
    if done is None:
        raise UnavailableError from cause
    try:
        answer = loads(done.stdout)
    except ValueError:
        raise EndedError(f"the handler's Python ended with {done.code}") from None
    dispatch.faults += [(word, where) for word, where in answer["faults"]]
    if "failed" in answer:
        raise FailedError(answer["failed"])
    return answer["answer"]


def answer_request(dispatch: Work, request: dict[str, Any]) -> str:
    """In the other Python's process: the answer to what :func:`answer_of_other_python` asks, as JSON."""
    entry, index = request["entry"], request["index"]

    def work() -> str:
        answer = answer_here(dispatch, entry, index, request["event"])
        try:
            return dumps(answer.to_dict() if hasattr(answer, "to_dict") else answer)
        except ValueError:
            raise AnswerError("answered what JSON cannot say") from None

    if dispatch.kind == "action":
        from .action import failure_in, keep_trace

        try:
            said = work()
        except BaseException as fault:  # noqa: BLE001 - whatever it is, the person is told
            keep_trace(dispatch.data_root, dispatch.connector, fault)
            return f'{{"answer":null,"faults":{dumps(dispatch.faults)},"failed":{dumps(failure_in(fault))}}}'
    else:
        said = limited(dispatch, entry, index, work, failed="null")
    return f'{{"answer":{said},"faults":{dumps(dispatch.faults)}}}'

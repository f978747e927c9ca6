"""Running what an author wrote on behalf of a dispatch: Python functions and programs, limited and out of the way.

Loaded where an entry is no static response.
"""

from __future__ import annotations

import sys
from time import monotonic

from .answers import AnswerError
from .dispatch import event_text
from .hook_log import handler_key, mark, open_output
from .jsontext import dumps, loads
from .limits import LateError, clear_limit, set_limit
from .process import system
from .reply import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from .commands import Finished
    from .dispatch import Dispatch

_MATCHING_MS = 1000
"""What an expression of a static response may take."""
_started: list[float] = []
"""When this process began to run an author's code: all of it together has the time the host gives."""


class UnavailableError(Exception):
    """What should answer cannot be started at all."""


class EndedError(Exception):
    """A program, or a handler in a process of its own, ended as one that failed."""


def limited(dispatch: Dispatch, entry: dict[str, Any], index: int, work: Callable[[], Any], *, failed: Any) -> Any:
    """What ``work`` answers within the entry's time; ``failed`` for whatever goes wrong, which becomes a fault."""
    key = handler_key(dispatch.caller, dispatch.event, index)
    seconds = _seconds_left(entry)
    try:
        set_limit(seconds, lambda: _give_up(dispatch, index))
        try:
            answer = work()
        finally:
            clear_limit()
    except LateError:
        dispatch.faults.append(("timeout", str(index)))
    except UnavailableError as fault:
        mark(dispatch.data_root, dispatch.connector, key, broken=True)
        dispatch.faults.append(("unavailable", _where(index, fault.__cause__ or fault)))
    except (AnswerError, EndedError) as fault:
        dispatch.faults.append(("bad-answer", f"{index}: {fault}"))
    except SystemExit as fault:
        dispatch.faults.append(("exit", _where(index, fault)))
    except BaseException as fault:  # noqa: BLE001 - whatever an author's code does, the host hears "no opinion"
        dispatch.faults.append(("raised", _where(index, fault)))
        _show(fault)
    else:
        return answer
    return failed


def _give_up(dispatch: Dispatch, index: int) -> None:
    clear_limit()
    dispatch.faults.append(("timeout", f"{index}: went on regardless"))
    dispatch.give_up()


def _seconds_left(entry: dict[str, Any]) -> float:
    now = monotonic()
    if not _started:
        _started.append(now)
    own = float(entry.get("timeout_ms", _MATCHING_MS)) / 1000
    together = float(entry.get("together_ms", entry.get("timeout_ms", _MATCHING_MS))) / 1000
    return max(min(own, _started[0] + together - now), 0.001)


def _where(index: int, fault: BaseException) -> str:
    """Which entry, the exception's kind and the last line of it: never its message, which may hold anything."""
    frame, line = fault.__traceback__, ""
    while frame is not None:
        name = frame.tb_frame.f_code.co_filename.replace("\\", "/").rpartition("/")[2]
        line = f" at {name}:{frame.tb_lineno}"
        frame = frame.tb_next
    return f"{index}: {type(fault).__name__}{line}"


def _show(fault: BaseException) -> None:
    """The traceback, for the author, where his handlers' output goes (if that has been redirected)."""
    if _redirected:
        sys.__excepthook__(type(fault), fault, fault.__traceback__)


# --- output ----------------------------------------------------------------------------------------------------

_redirected: list[int] = []


def _protect_output(dispatch: Dispatch) -> int:
    """From now on standard output and error are the handlers' log; what they were is kept for the reply alone, and
    no child inherits it: a host that waits for their end must not wait for a child's child."""
    log = _log_of(dispatch)
    if not _redirected:
        kept = system.dup(1), system.dup(2)  # not inheritable
        system.dup2(log, 1)
        system.dup2(log, 2)
        _redirected.extend(kept)
    return log


def _log_of(dispatch: Dispatch) -> int:
    if dispatch.output < 0:
        try:
            dispatch.output = open_output(dispatch.data_root, dispatch.connector)
        except OSError:
            dispatch.output = system.open("nul" if sys.platform == "win32" else "/dev/null", system.O_WRONLY)
    return dispatch.output


def reply_descriptors() -> tuple[int, int]:
    """Where the host listens: standard output and error, or what they were before they were given to handlers."""
    return (_redirected[0], _redirected[1]) if _redirected else (1, 2)


# --- answers ---------------------------------------------------------------------------------------------------


def answer_of(dispatch: Dispatch, entry: dict[str, Any], index: int, event: dict[str, Any]) -> Any:
    """What the entry's function or program answers. Raises :class:`UnavailableError`, :class:`EndedError`,
    :class:`AnswerError`, and whatever an author's function does."""
    if entry["kind"] == "python":
        return _python(dispatch, entry, index, event)
    done = _program(dispatch, entry, index, event_text(event))
    return _response_in(done)


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


def _python(dispatch: Dispatch, entry: dict[str, Any], index: int, event: dict[str, Any]) -> Any:
    record = dispatch.record
    assert record is not None
    if record["python"]["tag"] == python_tag():
        return _python_here(dispatch, entry, index, event)
    return _python_there(dispatch, entry, index, event)


def _python_here(dispatch: Dispatch, entry: dict[str, Any], index: int, event: dict[str, Any]) -> Any:
    function = _loaded_here(dispatch, entry, index)
    from .event import Event
    from .handlers import call, flush

    try:
        return call(function, Event(event))
    finally:
        flush()


def _loaded_here(dispatch: Dispatch, entry: dict[str, Any], index: int) -> Callable[[Any], Any]:
    from .handlers import UnloadableError, load_handler, prepare

    assert dispatch.record is not None
    _protect_output(dispatch)
    prepare(dispatch.record["python"], dispatch.data_root)
    try:
        function = load_handler(entry["handler"], dispatch.connector)
    except UnloadableError as fault:
        _show(fault.cause)
        raise UnavailableError from fault.cause
    key = handler_key(dispatch.caller, dispatch.event, index)
    mark(dispatch.data_root, dispatch.connector, key, broken=False)
    _note_change(dispatch, entry, index)
    return function


def _note_change(dispatch: Dispatch, entry: dict[str, Any], index: int) -> None:
    """Say once that a handler is not what was installed: its bytecode is made anew only when it has changed."""
    from .user_code import compiled_now, digest

    source = compiled_now(entry["handler"]["file"])
    if source is not None and digest(source) != entry["digest"]:
        dispatch.faults.append(("changed", str(index)))


def _python_there(dispatch: Dispatch, entry: dict[str, Any], index: int, event: dict[str, Any]) -> Any:
    """A handler of another Python: in a process of that one (:mod:`.handler_process`)."""
    assert dispatch.record is not None
    python = dispatch.record["python"]
    request = {
        "host": dispatch.caller,
        "name": dispatch.event,
        "connector": dispatch.connector,
        "python": python,
        "entry": entry,
        "index": index,
        "event": event,
    }
    script = __file__.replace("\\", "/").rpartition("/")[0] + "/handler_process.py"
    data = dumps(request).encode()
    done = None
    for executable in dict.fromkeys((python["executable"], python["base"])):
        try:
            done = _started_program(dispatch, entry, [executable, "-I", "-S", "-B", script, dispatch.data_root], data)
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
    return answer["answer"]


def answer_request(dispatch: Dispatch, request: dict[str, Any]) -> str:
    """In the other Python's process: the answer to what :func:`_python_there` asks, as JSON."""
    entry, index = request["entry"], request["index"]

    def work() -> str:
        answer = _python_here(dispatch, entry, index, request["event"])
        try:
            return dumps(answer.to_dict() if hasattr(answer, "to_dict") else answer)
        except ValueError:
            raise AnswerError("answered what JSON cannot say") from None

    said: str = limited(dispatch, entry, index, work, failed="null")
    return f'{{"answer":{said},"faults":{dumps(dispatch.faults)}}}'


def _program(
    dispatch: Dispatch, entry: dict[str, Any], index: int, data: bytes, *, keep_stderr: bool = False
) -> Finished:
    try:
        done = _started_program(dispatch, entry, entry["command"], data, keep_stderr=keep_stderr)
    except OSError as fault:
        raise UnavailableError from fault
    mark(dispatch.data_root, dispatch.connector, handler_key(dispatch.caller, dispatch.event, index), broken=False)
    return done


def _started_program(
    dispatch: Dispatch, entry: dict[str, Any], command: list[str], data: bytes, *, keep_stderr: bool = False
) -> Finished:
    from .commands import OutputError, run_program

    try:
        return run_program(command, data, _seconds_left(entry), _log_of(dispatch), keep_stderr=keep_stderr)
    except OutputError as fault:
        raise AnswerError(str(fault)) from None


def native_reply(
    dispatch: Dispatch, entry: dict[str, Any], index: int, event: dict[str, Any], data: bytes
) -> Reply | None:
    """What a native hook says, as it says it; ``None`` for nothing."""

    def work() -> Reply | None:
        if entry["kind"] == "command":
            done = _program(dispatch, entry, index, data, keep_stderr=True)
            if not done.stdout and not done.stderr and not done.code:
                return None
            stdout, stderr = (text.decode("utf-8", "surrogateescape") for text in (done.stdout, done.stderr))
            return Reply(stdout, stderr, done.code if done.code >= 0 else 1)
        answer = _python(dispatch, entry, index, event)
        if answer is None:
            return None
        if isinstance(answer, str):
            return Reply(answer)
        try:
            return Reply(dumps(answer.to_dict() if hasattr(answer, "to_dict") else answer))
        except ValueError:
            raise AnswerError("answered what JSON cannot say") from None

    reply: Reply | None = limited(dispatch, entry, index, work, failed=None)
    return reply


# --- handlers that cannot run ----------------------------------------------------------------------------------


def still_broken(dispatch: Dispatch, keys: list[str]) -> Iterator[str]:
    """One line for the model about the handlers (see :func:`.hook_log.unloadable`) that still cannot be started."""
    broken = [key for key in keys if not _mended(dispatch, key)]
    if broken:
        events = ", ".join(dict.fromkeys(key.split(".")[1] for key in broken))
        yield (
            f"agent-connector: a hook of the connector {dispatch.connector} does not run ({events}): it cannot be "
            f"loaded, so whatever it guards is not guarded. `agent-connector doctor` says why."
        )


def _mended(dispatch: Dispatch, key: str) -> bool:
    """Whether what was marked can be started again, or is not wanted any more."""
    entry, index = _entry_of(dispatch, key)
    if entry is None:
        mark(dispatch.data_root, dispatch.connector, key, broken=False)
        return True
    if entry["kind"] == "command":
        mended = _is_there(entry["command"][0])
    elif dispatch.record is not None and dispatch.record["python"]["tag"] == python_tag():
        before = len(dispatch.faults)
        mended = bool(
            limited(dispatch, entry, index, lambda: bool(_loaded_here(dispatch, entry, index)), failed=False)
        )
        del dispatch.faults[before:]  # told when it was needed
    else:
        mended = False  # it is told mended by running the next time
    if mended:
        mark(dispatch.data_root, dispatch.connector, key, broken=False)
    return mended


def _entry_of(dispatch: Dispatch, key: str) -> tuple[dict[str, Any] | None, int]:
    assert dispatch.record is not None
    host = dispatch.record["hosts"].get(key.split(".")[0], {"events": {}, "native": {}})
    for event, entries in (*host["events"].items(), *host["native"].items()):
        for index, entry in enumerate(entries):
            if handler_key(key.split(".")[0], event, index) == key and entry["kind"] != "static":
                return entry, index
    return None, 0


def _is_there(program: str) -> bool:
    from .process import variable

    if "/" in program or "\\" in program:
        return bool(system.access(program, 1))
    separator = ";" if sys.platform == "win32" else ":"
    return any(system.access(f"{folder}/{program}", 1) for folder in variable("PATH").split(separator))


def python_tag() -> str:
    """Which bytecode and extension modules this interpreter takes."""
    return f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}"

"""Running what an author wrote for a dispatch or an errand: limited in time, its output out of the host's way.

Loaded where an entry is no static response; programs are in :mod:`.programs`.
"""

from __future__ import annotations

import sys
from time import monotonic

from .answers import AnswerError
from .hook_log import mark, open_output
from .limits import LateError, clear_limit, set_limit
from .process import heard_at, leave, system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeAlias

    from .dispatch import Dispatch
    from .errand import Errand

    Work: TypeAlias = Dispatch | Errand

_MATCHING_MS = 1000
"""What an expression of a static response may take."""


class UnavailableError(Exception):
    """What should answer cannot be started at all."""


class EndedError(Exception):
    """A program, or a handler in a process of its own, ended as one that failed."""


class FailedError(Exception):
    """What an action ended with in a process of its own, in words for the person who asked for it."""


def limited(
    dispatch: Work, entry: dict[str, Any], index: int, work: Callable[[], Any], *, failed: Any, key: str = ""
) -> Any:
    """What ``work`` answers within the entry's time; ``failed`` for whatever goes wrong, which becomes a fault.

    ``key``: under which it is marked if it cannot be started, where that is not told by event and index.
    """
    seconds = seconds_left(dispatch, entry)
    try:
        if dispatch.live is not None:
            answer = dispatch.live.within(seconds, work)
        else:
            set_limit(seconds, lambda: _give_up(dispatch, index))
            try:
                answer = work()
            finally:
                clear_limit()
    except LateError:
        dispatch.faults.append(("timeout", str(index)))
    except UnavailableError as fault:
        if key:
            mark(dispatch.data_root, dispatch.connector, key, broken=True)
        else:
            dispatch.mark(index, broken=True)
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


def _give_up(dispatch: Work, index: int) -> None:
    dispatch.faults.append(("timeout", f"{index}: went on regardless"))
    dispatch.give_up()


def seconds_left(dispatch: Work, entry: dict[str, Any]) -> float:
    """What the entry may still take: its own time, and no more than is left of what the host gives us."""
    now = monotonic()
    if dispatch.started is None:
        dispatch.started = now
    own = float(entry.get("timeout_ms", _MATCHING_MS)) / 1000
    together = float(entry.get("together_ms", entry.get("timeout_ms", _MATCHING_MS))) / 1000
    return max(min(own, dispatch.started + together - now), 0.001)


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
    if heard_at[0] != 1:
        sys.__excepthook__(type(fault), fault, fault.__traceback__)


# --- output ----------------------------------------------------------------------------------------------------


def protect_output(dispatch: Work) -> None:
    """From now on standard output and error are the handlers' log; what they were is kept for the reply alone, and
    no child has it: a host that waits for their end must not wait for a child's child."""
    log = log_of(dispatch)
    if heard_at[0] != 1:
        return
    kept = system.dup(1), system.dup(2)  # not inheritable
    system.dup2(log, 1)
    system.dup2(log, 2)
    heard_at[:] = kept
    if sys.platform != "win32":
        system.register_at_fork(after_in_child=_fall_silent)


def _fall_silent() -> None:
    """In a process that an author's code forked: it is not the one that the host listens to."""
    for descriptor in heard_at:
        try:  # noqa: SIM105 - contextlib costs half an interpreter's start
            system.close(descriptor)
        except OSError:  # the author's code was there before
            pass
    heard_at[:] = -1, -1


def _speak_before_the_end(dispatch: Work, index: int) -> None:
    """``os._exit`` of an author's code ends this process at once: what there is to say is said first."""

    def said_and_ended(code: int) -> None:
        if heard_at[0] >= 0:
            dispatch.faults.append(("exit", f"{index}: os._exit"))
            dispatch.give_up()
        leave(code)

    end_by(said_and_ended)


def end_by(function: Callable[[int], object]) -> None:
    """Put ``function`` in the place of ``os._exit``."""
    for module in (system, sys.modules.get("os")):
        if module is not None:
            module._exit = function  # type: ignore[attr-defined]


def log_of(dispatch: Work) -> int:
    """The descriptor of the connector's handlers' log; of nothing, where that cannot be opened."""
    if dispatch.output < 0:
        try:
            dispatch.output = open_output(dispatch.data_root, dispatch.connector)
        except OSError:
            dispatch.output = system.open("nul" if sys.platform == "win32" else "/dev/null", system.O_WRONLY)
    return dispatch.output


# --- answers ---------------------------------------------------------------------------------------------------


def answer_of(dispatch: Work, entry: dict[str, Any], index: int, event: dict[str, Any]) -> Any:
    """What the entry's function or program answers. Raises :class:`UnavailableError`, :class:`EndedError`,
    :class:`AnswerError`, and whatever an author's function does."""
    if entry["kind"] == "python":
        return python_answer(dispatch, entry, index, event)
    from .programs import program_answer

    return program_answer(dispatch, entry, index, event)


def python_answer(dispatch: Work, entry: dict[str, Any], index: int, event: dict[str, Any]) -> Any:
    record = dispatch.record
    assert record is not None
    if dispatch.live is not None or record["python"]["tag"] == python_tag():
        return answer_here(dispatch, entry, index, event)
    from .programs import answer_of_other_python

    return answer_of_other_python(dispatch, entry, index, event)


def answer_here(dispatch: Work, entry: dict[str, Any], index: int, event: dict[str, Any]) -> Any:
    """What a Python handler answers in this very process."""
    function = loaded_here(dispatch, entry, index)
    dispatch.mark(index, broken=False)
    from .handlers import call, flush

    try:
        return call(function, dispatch.handed(event))
    finally:
        flush()
        if heard_at[0] < 0:  # a fork that came back instead of ending itself
            leave(0)


def loaded_here(dispatch: Work, entry: dict[str, Any], index: int) -> Callable[[Any], Any]:
    """A Python handler, ready to be called in this process. Raises :class:`UnavailableError`."""
    if dispatch.live is not None:
        live: Callable[[Any], Any] = dispatch.live.function(entry, index)
        return live
    from .handlers import UnloadableError, load_handler, prepare

    assert dispatch.record is not None
    protect_output(dispatch)
    if dispatch.kind != "action":  # whose exit code is a person's to read
        _speak_before_the_end(dispatch, index)
    prepare(dispatch.record["python"], dispatch.data_root)
    try:
        function = load_handler(entry["handler"], dispatch.connector)
    except UnloadableError as fault:
        _show(fault.cause)
        raise UnavailableError from fault.cause
    _note_change(dispatch, entry, index)
    return function


def _note_change(dispatch: Work, entry: dict[str, Any], index: int) -> None:
    """Say once that a handler is not what was installed: its bytecode is made anew only when it has changed."""
    from .user_code import compiled_now, digest

    source = compiled_now(entry["handler"]["file"])
    if source is not None and digest(source) != entry["digest"]:
        dispatch.faults.append(("changed", str(index)))


def python_tag() -> str:
    """Which bytecode and extension modules this interpreter takes."""
    return f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}"

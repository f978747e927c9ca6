"""A process that stands by while a copy of it runs an author's Python, and speaks if that never gets to.

A crash in C, a kill, ``os.execv`` or a closed pipe end a process together with what it was going to say. What was
decided without any code is said all the same. Loaded where an entry in Python runs beside static responses; a fork
costs too much to pay it for every handler.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # not signal, which makes enums of its numbers; no stubs

from .author import seconds_left
from .limits import GRACE_SECONDS, LateError, clear_limit, set_limit
from .process import leave, passed_on, say, system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .dispatch import Dispatch

_ENDED_BY = ("SIGTERM", "SIGHUP")
_CHUNK = 65536


def goes_on_in_a_copy(dispatch: Dispatch, waiting: list[tuple[int, dict[str, Any]]]) -> bool:
    """Whether this is the process that is to run the entries: a copy of the one that called.

    The caller itself ends as the copy does, with its reply; ``False`` is returned to it where the copy gave none.
    """
    ours, its = system.pipe()
    try:
        pid = system.fork()
    except OSError:  # no process can be had: as without one
        system.close(ours)
        system.close(its)
        return True
    if pid == 0:
        system.dup2(its, 1)
        system.close(its)
        system.close(ours)
        passed_on.append(True)
        return True
    system.close(its)
    seconds = max(seconds_left(dispatch, entry) for _, entry in waiting)
    reply = _reply_from(ours, seconds + 3 * GRACE_SECONDS)
    if reply is None:
        _kill(pid)
    code = system.waitstatus_to_exitcode(system.waitpid(pid, 0)[1])
    if reply is not None:
        say(*reply)
        leave(reply[1])
    places = ", ".join(str(index) for index, entry in waiting if entry["kind"] == "python")
    how = f"signal {-code}" if code < 0 else f"code {code}"
    dispatch.faults.append(("exit", f"{places}: the process ended with {how} before it could answer"))
    return False


def _reply_from(descriptor: int, seconds: float) -> tuple[str, int] | None:
    """What the copy says, with its exit code; ``None`` where it ends, or takes longer, before all of it is there."""
    for name in _ENDED_BY:
        _signal.signal(getattr(_signal, name), _late)
    data = b""
    set_limit(seconds, lambda: None)
    try:
        while True:
            head, _, body = data.partition(b"\n")
            if body or data.endswith(b"\n"):
                length, code = map(int, head.split())
                if len(body) >= length:
                    return body[:length].decode("utf-8", "surrogateescape"), code
            chunk = system.read(descriptor, _CHUNK)
            if not chunk:
                return None
            data += chunk
    except (LateError, KeyboardInterrupt, ValueError):
        return None
    finally:
        clear_limit()
        for name in _ENDED_BY:
            _signal.signal(getattr(_signal, name), _signal.SIG_DFL)


def _late(_number: int, _frame: object) -> None:
    raise LateError


def _kill(pid: int) -> None:
    try:  # noqa: SIM105 - contextlib costs half an interpreter's start
        system.kill(pid, 9)
    except OSError:  # it has ended
        pass

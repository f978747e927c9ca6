"""The time an author's code may take inside a hook process. Loaded where there is such code to run."""

from __future__ import annotations

import _thread
import sys

if sys.platform != "win32":
    import _signal  # type: ignore[import-not-found]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

GRACE_SECONDS = 0.25
"""How long code that is told to stop may clean up before the process ends without it."""


class LateError(BaseException):
    """The time is up. Not an ``Exception``: a handler that catches those must not swallow it."""


_running: list[_thread.LockType] = []
"""Locked as long as a limit is set: its watcher waits for it."""


def set_limit(seconds: float, give_up: Callable[[], object]) -> None:
    """Raise :class:`LateError` in what runs after ``seconds``; where that is not heeded, call ``give_up`` a little
    later, in another thread.

    Code in C may wait for something without ever returning to the interpreter, which alone raises anything.
    """
    clear_limit()
    lock = _thread.allocate_lock()
    lock.acquire()
    _running.append(lock)

    def watch() -> None:
        if not lock.acquire(timeout=seconds + GRACE_SECONDS):
            give_up()

    _thread.start_new_thread(watch, ())
    if sys.platform != "win32":
        _signal.signal(_signal.SIGALRM, _ring)
        _signal.setitimer(_signal.ITIMER_REAL, max(seconds, 0.001))
        # And if it computes in C and lets no other thread run, the system ends it.
        _signal.signal(_signal.SIGVTALRM, _signal.SIG_DFL)
        _signal.setitimer(_signal.ITIMER_VIRTUAL, seconds + 2 * GRACE_SECONDS)


def _ring(_number: int, _frame: object) -> None:
    raise LateError


def clear_limit() -> None:
    if sys.platform != "win32":
        _signal.setitimer(_signal.ITIMER_REAL, 0)
        _signal.setitimer(_signal.ITIMER_VIRTUAL, 0)
    while _running:
        _running.pop().release()

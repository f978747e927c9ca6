"""The time an author's code may take inside a hook process. Loaded where there is such code to run."""

from __future__ import annotations

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


def set_limit(seconds: float, give_up: Callable[[], object]) -> None:
    """Raise :class:`LateError` in what runs after ``seconds``; where that is ignored, call ``give_up``."""
    if sys.platform == "win32":
        _watch_on_windows(seconds, give_up)
        return
    told: list[bool] = []

    def ring(_number: int, _frame: object) -> None:
        if told:
            give_up()
        told.append(True)
        raise LateError

    _signal.signal(_signal.SIGALRM, ring)
    # Code in C that never returns to the interpreter hears no signal handler: the system ends it.
    _signal.signal(_signal.SIGVTALRM, _signal.SIG_DFL)
    _signal.setitimer(_signal.ITIMER_VIRTUAL, seconds + 2 * GRACE_SECONDS)
    _signal.setitimer(_signal.ITIMER_REAL, max(seconds, 0.001), GRACE_SECONDS)


def clear_limit() -> None:
    if sys.platform == "win32":
        _windows_watch.clear()
    else:
        _signal.setitimer(_signal.ITIMER_REAL, 0)
        _signal.setitimer(_signal.ITIMER_VIRTUAL, 0)


_windows_watch: list[object] = []
"""The mark of the limit that counts; an older one's watcher finds that it is not there any more."""


def _watch_on_windows(seconds: float, give_up: Callable[[], object]) -> None:
    import _thread
    from time import sleep

    token = object()
    _windows_watch[:] = [token]

    def watch() -> None:
        sleep(seconds)
        if token in _windows_watch:
            give_up()

    _thread.start_new_thread(watch, ())

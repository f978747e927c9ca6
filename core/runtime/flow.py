"""One direction of a conversation: bytes of a host for its server, or the other way."""

from __future__ import annotations

import select

from .process import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

CHUNK = 65536
WIDE = 1 << 20
"""Bytes that pipes are let hold; the most that a program without special rights may ask for."""


class Flow:
    """One direction: what was read from ``source`` is written to ``sink``."""

    __slots__ = (
        "blocking",
        "ended",
        "made_non_blocking",
        "passed",
        "rest",
        "said",
        "sink",
        "source",
        "waiting",
        "widened",
    )

    def __init__(self, source: int, sink: int) -> None:
        self.source = source
        self.sink = sink
        self.said: Callable[[bytes], None] | None = None
        """Told what was handed on."""
        self.passed: Callable[[bytes], bytes] | None = None
        """What of the bytes is handed on, where not all of them are."""
        self.rest: Callable[[], bytes] | None = None
        """What it still holds back, when there is nothing more to come."""
        self.waiting: memoryview | None = None
        self.ended = False
        """Whether nothing more comes; what waits is still to be written."""
        self.made_non_blocking = False
        """Whether it is to be made blocking again: others may write to the same pipe after us."""
        self.widened = False
        """Whether much has come at once before."""
        self.blocking = not self._may_be_non_blocking()

    def _may_be_non_blocking(self) -> bool:
        """Only pipes and sockets that nobody else writes to: the server may have standard error on the same one, and
        a terminal stays what it is made for everybody who uses it."""
        try:
            if not _is_pipe(self.sink) or (self.sink == 1 and _same_file(1, 2)):
                return False
            self.made_non_blocking = system.get_blocking(self.sink)
            system.set_blocking(self.sink, False)
        except OSError:
            return False
        return True

    def leave(self) -> None:
        """Leave the sink as it was found."""
        if self.made_non_blocking and self.sink >= 0:
            self.made_non_blocking = False
            try:  # noqa: SIM105 - contextlib is not loaded here
                system.set_blocking(self.sink, True)
            except OSError:
                pass

    def read(self) -> bool:
        """Take what is there and hand it on; ``False`` at the end of it."""
        try:
            data = system.read(self.source, CHUNK)
        except BlockingIOError:
            return True
        except OSError:
            data = b""
        if not data:
            self.ended = True
            data = self.rest() if self.rest is not None else b""
            return bool(data) and self.give(data) and self.waiting is not None
        if len(data) == CHUNK and not self.widened:
            self.widened = True
            _widen(self.source, self.sink)
        if self.passed is not None:
            data = self.passed(data)
        return self.give(data)

    def give(self, data: bytes) -> bool:
        """Hand ``data`` on, behind what waits; ``False`` where nobody reads it any more."""
        if not data:
            return True
        if self.waiting is not None:
            self.waiting = memoryview(bytes(self.waiting) + data)
            return True
        written = 0 if self.blocking else self._written(data)
        if written < 0:
            return False
        if written < len(data):
            self.waiting = memoryview(data)[written:]
        if self.said is not None:
            self.said(data)
        return True

    def write(self) -> bool:
        """Hand on more of what waits; ``False`` where nobody reads it any more, or all is said."""
        assert self.waiting is not None
        written = self._written(self.waiting)
        if written < 0:
            return False
        self.waiting = self.waiting[written:] or None
        return self.waiting is not None or not self.ended

    def _written(self, data: bytes | memoryview) -> int:
        if self.blocking:
            data = _promised(data)
        try:
            return system.write(self.sink, data)
        except BlockingIOError:
            return 0
        except OSError:
            return -1


def _widen(*pipes: int) -> None:
    """Let pipes hold more, where long lines come: each time one is full costs a change of processes. What is no pipe,
    or may not grow, stays as it is."""
    import fcntl

    for pipe in pipes:
        try:  # noqa: SIM105 - contextlib is not loaded here
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, WIDE)
        except (OSError, AttributeError):
            pass


def _promised(data: bytes | memoryview) -> bytes:
    """What ``poll`` promised room for. Whole lines where they are no longer than that: what others write to the same
    pipe must not end up in the middle of one."""
    piece = bytes(data[: select.PIPE_BUF])
    return piece[: piece.rfind(b"\n") + 1] or piece


def _is_pipe(descriptor: int) -> bool:
    """Or a socket. Raises ``OSError``."""
    return system.fstat(descriptor).st_mode & 0o170000 in (_PIPE, _SOCKET)


def _same_file(one: int, other: int) -> bool:
    """Raises ``OSError``."""
    first, second = system.fstat(one), system.fstat(other)
    return (first.st_dev, first.st_ino) == (second.st_dev, second.st_ino)


_PIPE, _SOCKET = 0o010000, 0o140000
"""File types, as ``stat`` has them."""

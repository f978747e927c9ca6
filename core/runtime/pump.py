"""Bytes between a host and its server, as they are: one thread, forwarded first and looked at after.

``poll`` with reads of 64 KiB is the fastest way there is in Python (no lock passes between threads, and larger reads
are allocated anew each time). A direction whose reader is slow is not read until what waits was written, so nothing
piles up here and neither side can block the other.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # no stubs
import select

from .process import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Protocol

    from .child import Child

    class Side(Protocol):
        """Something else that waits for a descriptor: it is served when the pump is."""

        def wishes(self) -> tuple[int, int, float]:
            """(descriptor or -1, ``poll`` events, seconds after which it is called anyway or a negative number)."""

        def ready(self) -> None: ...


CHUNK = 65536
_HANDED_ON = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")


class Flow:
    """One direction: what was read from ``source`` is written to ``sink``."""

    __slots__ = ("blocking", "ended", "passed", "rest", "said", "sink", "source", "waiting")

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
        self.blocking = not _made_non_blocking(sink)

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
        try:
            # Where writing may block, no more is written than ``poll`` promised room for.
            return system.write(self.sink, data[: select.PIPE_BUF] if self.blocking else data)
        except BlockingIOError:
            return 0
        except OSError:
            return -1


def _made_non_blocking(descriptor: int) -> bool:
    """Only pipes and sockets that nobody else writes to: the server may have standard error on the same one, and a
    terminal stays what it is made for everybody who uses it."""
    try:
        ours = system.fstat(descriptor)
        if ours.st_mode & 0o170000 not in (_PIPE, _SOCKET):
            return False
        if descriptor == 1:
            errors = system.fstat(2)
            if (ours.st_dev, ours.st_ino) == (errors.st_dev, errors.st_ino):
                return False
        system.set_blocking(descriptor, False)
    except OSError:
        return False
    return True


_PIPE, _SOCKET = 0o010000, 0o140000
"""File types, as ``stat`` has them."""


class Pump:
    """Runs until the server has ended and all it said was handed on."""

    has_sides = True

    def __init__(self, child: Child) -> None:
        self.child = child
        self.side: Side | None = None
        self.status: int | None = None
        """How the server ended, as ``waitpid`` tells it."""
        self.to_server = Flow(0, child.stdin)
        self.to_client = Flow(child.stdout, 1)
        self._poll = select.poll()
        self._registered: dict[int, int] = {}
        self._side_at = -1
        self._signals = self._hear_signals()
        system.set_blocking(child.stdout, False)

    def run(self) -> int:
        """The server's exit status."""
        poll = self._poll
        self._watch(self._signals, select.POLLIN)
        self._settle(self.to_server)
        self._settle(self.to_client)
        self._reap()  # it may have ended before its end could be heard
        while self.status is None:
            timeout = self._side_wishes()
            for descriptor, _ in poll.poll(timeout):
                if descriptor == self._signals:
                    self._heard()
                elif descriptor == self.to_server.source and self.to_server.waiting is None:
                    self._turn(self.to_server)
                elif descriptor == self.to_client.source and self.to_client.waiting is None:
                    self._turn(self.to_client)
                elif descriptor == self.to_server.sink:
                    self._turn(self.to_server)
                elif descriptor == self.to_client.sink:
                    self._turn(self.to_client)
            if self.side is not None:
                self.side.ready()
        self._drain()
        return self.status

    # --- the two directions ------------------------------------------------------------------------------------

    def _turn(self, flow: Flow) -> None:
        waited = flow.waiting is not None
        if not (flow.write() if waited else flow.read()):
            self._shut(flow)
        elif waited or flow.waiting is not None:
            self._settle(flow)

    def _settle(self, flow: Flow) -> None:
        """Listen for what the flow can do next."""
        waiting = flow.waiting is not None
        self._watch(flow.source, 0 if waiting else select.POLLIN)
        self._watch(flow.sink, select.POLLOUT if waiting else 0)

    def _shut(self, flow: Flow) -> None:
        """Let both neighbours know: the one that writes to us, and the one that reads from us."""
        self._watch(flow.source, 0)
        self._watch(flow.sink, 0)
        for descriptor in (flow.source, flow.sink):
            if descriptor <= 1:
                _point_to_nothing(descriptor)
            else:
                system.close(descriptor)
        flow.source = flow.sink = -1
        flow.waiting = None

    def _drain(self) -> None:
        """The server has ended: hand on what it left in its pipe. What its own children may still say there is not
        waited for, as nobody would wait for it without us."""
        flow = self.to_client
        while flow.sink >= 0:
            if flow.waiting is not None:
                _until_writable(flow.sink)
                going = flow.write()
            else:
                going = _has_more(flow.source) and flow.read()
            if not going:
                return

    def say(self, data: bytes) -> None:
        """Tell the client something in the server's place."""
        if self.to_client.sink >= 0 and not self.to_client.give(data):
            self._shut(self.to_client)
        self._settle(self.to_client)

    def _watch(self, descriptor: int, events: int) -> None:
        if descriptor < 0 or self._registered.get(descriptor, 0) == events:
            return
        if events:
            self._poll.register(descriptor, events)
            self._registered[descriptor] = events
        else:
            self._poll.unregister(descriptor)
            del self._registered[descriptor]

    # --- beside them -------------------------------------------------------------------------------------------

    def _side_wishes(self) -> int | None:
        if self.side is None:
            return None
        descriptor, events, seconds = self.side.wishes()
        if descriptor != self._side_at:
            self._watch(self._side_at, 0)
            self._side_at = descriptor
        self._watch(descriptor, events)
        return None if seconds < 0 else int(seconds * 1000) + 1

    def _hear_signals(self) -> int:
        heard, told = system.pipe()
        system.set_blocking(heard, False)
        system.set_blocking(told, False)
        _signal.set_wakeup_fd(told, warn_on_full_buffer=False)
        _signal.signal(_signal.SIGCHLD, _noted)
        for name in _HANDED_ON:
            number = getattr(_signal, name)
            if _signal.getsignal(number) != _signal.SIG_IGN:  # what the host wants ignored, the server ignores too
                _signal.signal(number, _noted)
        return heard

    def _heard(self) -> None:
        try:
            numbers = system.read(self._signals, CHUNK)
        except BlockingIOError:
            return
        for number in numbers:
            if number != _signal.SIGCHLD:
                try:  # noqa: SIM105 - contextlib is not loaded here
                    system.kill(self.child.pid, number)
                except OSError:
                    pass
        self._reap()

    def _reap(self) -> None:
        pid, status = system.waitpid(self.child.pid, system.WNOHANG)
        if pid:
            self.status = status


def _noted(_number: int, _frame: object) -> None:
    """Its number is in the pipe."""


def _point_to_nothing(descriptor: int) -> None:
    """Close, and keep the number from being given to something else."""
    nothing = system.open("/dev/null", system.O_RDWR)
    system.dup2(nothing, descriptor)
    system.close(nothing)


def _until_writable(descriptor: int) -> None:
    poll = select.poll()
    poll.register(descriptor, select.POLLOUT)
    poll.poll()


def _has_more(descriptor: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))

"""Bytes between a host and its server, as they are: one thread, forwarded first and looked at after.

``poll`` with reads of 64 KiB is the fastest way there is in Python (no lock passes between threads, and larger reads
are allocated anew each time). A direction whose reader is slow is not read until what waits was written, so nothing
piles up here and neither side can block the other.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # no stubs
import select
from time import monotonic

from .flow import CHUNK, Flow
from .process import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Protocol

    from .child import Child

    class Side(Protocol):
        """Something else that waits for a descriptor. While bytes come it is left alone, unless it is pressed."""

        @property
        def pressed(self) -> bool: ...

        def wishes(self) -> tuple[int, int, float]:
            """(descriptor or -1, ``poll`` events, seconds after which it is called anyway or a negative number)."""

        def ready(self) -> None: ...


_ITS_END = select.POLLHUP
"""For a pipe that is written to: whether anybody reads it. (``poll`` tells of that whatever it is asked.)"""
_HANDED_ON = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")
QUIET_MILLISECONDS = 20
"""Without a byte, after which a conversation pauses."""
GROUP_SECONDS = 1.0
"""After which the server is handed a signal that it may have been sent itself, if it is still there."""


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
        self._patience: int | None = None
        """Milliseconds after which the side is asked, though nothing came."""
        self._signals = self._hear_signals()
        self._late: list[int] = []
        """Signals that the server may have been sent itself."""
        self._late_at = 0.0
        system.set_blocking(child.stdout, False)

    def run(self) -> int:
        """The server's exit status."""
        poll = self._poll
        self._watch(self._signals, select.POLLIN)
        self._settle(self.to_server)
        self._settle(self.to_client)
        self._reap()  # it may have ended before its end could be heard
        while self.status is None:
            handed_on = False
            for descriptor, _ in poll.poll(self._timeout()):
                if descriptor == self._signals:
                    self._heard()
                elif descriptor == self.to_server.source and self.to_server.waiting is None:
                    self._turn(self.to_server)
                    handed_on = True
                elif descriptor == self.to_client.source and self.to_client.waiting is None:
                    self._turn(self.to_client)
                    handed_on = True
                elif descriptor == self.to_server.sink:
                    self._sink_told(self.to_server)
                    handed_on = True
                elif descriptor == self.to_client.sink:
                    self._sink_told(self.to_client)
                    handed_on = True
            if self._late and monotonic() >= self._late_at:
                self._hand_on_late()
            if self.side is not None:
                self._attend(self.side, handed_on=handed_on)
        self._drain()
        self.to_client.leave()
        return self.status

    # --- the two directions ------------------------------------------------------------------------------------

    def _turn(self, flow: Flow) -> None:
        waited = flow.waiting is not None
        if not (flow.write() if waited else flow.read()):
            self._shut(flow)
        elif waited or flow.waiting is not None:
            self._settle(flow)

    def _sink_told(self, flow: Flow) -> None:
        """There is room for more, or (that is always told) nobody reads it any more."""
        if flow.waiting is not None:
            self._turn(flow)
        else:
            self._shut(flow)

    def _settle(self, flow: Flow) -> None:
        """Listen for what the flow can do next."""
        waiting = flow.waiting is not None
        self._watch(flow.source, 0 if waiting else select.POLLIN)
        if waiting:
            self._watch(flow.sink, select.POLLOUT)
        else:
            self._watch(flow.sink, 0 if flow.blocking else _ITS_END)

    def _shut(self, flow: Flow) -> None:
        """Let both neighbours know: the one that writes to us, and the one that reads from us."""
        self._watch(flow.source, 0)
        self._watch(flow.sink, 0)
        flow.leave()
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

    def _timeout(self) -> int | None:
        """Milliseconds until there is something to do of one's own accord."""
        if not self._late:
            return self._patience
        left = int(max(0.0, self._late_at - monotonic()) * 1000) + 1
        return left if self._patience is None else min(self._patience, left)

    def _attend(self, side: Side, *, handed_on: bool) -> None:
        if handed_on and not side.pressed:
            # Asking it would cost as much as handing on did, on each of the two ways of a call.
            self._watch(self._side_at, 0)
            self._patience = QUIET_MILLISECONDS
            return
        side.ready()
        descriptor, events, seconds = side.wishes()
        if descriptor != self._side_at:
            self._watch(self._side_at, 0)
            self._side_at = descriptor
        self._watch(descriptor, events)
        self._patience = None if seconds < 0 else int(seconds * 1000) + 1

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
        self._reap()
        told = [number for number in numbers if number != _signal.SIGCHLD]
        if self.status is not None or not told:
            return
        if self._in_our_group():
            self._late += [number for number in told if number not in self._late]
            self._late_at = monotonic() + GROUP_SECONDS
        else:
            self._hand_on(told)

    def _in_our_group(self) -> bool:
        """Whether the server has heard a signal by itself, very likely: a host that starts us as the leader of a
        group of processes does so to signal them all. Two signals where one was sent would be taken for impatience
        by many servers."""
        ours = system.getpgrp()
        return ours == system.getpid() and ours == system.getpgid(self.child.pid)

    def _hand_on(self, numbers: list[int]) -> None:
        for number in numbers:
            try:  # noqa: SIM105 - contextlib is not loaded here
                system.kill(self.child.pid, number)
            except OSError:
                pass

    def _hand_on_late(self) -> None:
        late, self._late = self._late, []
        self._hand_on(late)

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

"""How a stream's events are answered that need an author's code: each by a copy of the process that serves it.

Copies are made of a nursery, where the connector has handlers in Python: a process that has loaded them once, and
does nothing but to make copies of itself. It is replaced when a file it loaded has changed. So a handler finds its
modules as they were loaded, whatever other calls did to them, as it does in a process of its own.
"""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # not signal, which makes enums of its numbers; no stubs
import select
from time import monotonic

from .dispatch import CodeNeededError
from .hook_log import log_fault
from .nursery import Nursery, become_worker
from .process import leave, system
from .stream import NOBODY, answer_without_code, changed_at, request_in, say_answer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from .stream import Connector, Request

MOST = 32
"""Copies at a time; further events wait for one of them to end."""
GRACE_SECONDS = 2.0
"""How long a copy may take beside the time of its code."""
_CHUNK = 1 << 16
_IDLE_MS = 1000


class Flight:
    """An event with a copy. ``source``: where its reply is read; ``sink``: where it is handed the payload, below 0
    once that is done; ``pid``: 0 until it says it."""

    __slots__ = ("begin", "data", "deadline", "pid", "request", "rest", "retried", "sink", "source", "wanted")

    def __init__(self, request: Request, deadline: float) -> None:
        self.request = request
        self.deadline = deadline
        self.rest = memoryview(request.payload)
        self.data = bytearray()
        self.begin, self.wanted = 0, -1
        self.pid = 0
        self.retried = False
        self.source = self.sink = -1

    def reply(self) -> str | None:
        """Once all of it is there: behind the process's number in a line of its own, length and code in another."""
        if self.wanted < 0:
            first = self.data.find(b"\n")
            second = self.data.find(b"\n", first + 1) if first >= 0 else -1
            if first >= 0:
                self.pid = int(self.data[:first])
            if second < 0:
                return None
            self.begin, self.wanted = second + 1, int(self.data[first + 1 : second].split()[0])
        if len(self.data) < self.begin + self.wanted:
            return None
        return self.data[self.begin : self.begin + self.wanted].decode("utf-8", "surrogateescape")


class Server:
    """Reads lines, hands them to copies, says what they answer."""

    def __init__(self, connector: Connector, argv: list[str]) -> None:
        self.connector = connector
        self.argv = argv
        self.nursery: Nursery | None = None
        self.barren = False
        """Whether this record's handlers cannot be loaded ahead."""
        self.flights: dict[int, Flight] = {}
        self.sinks: dict[int, Flight] = {}
        self.queue: list[Request] = []
        self.rest = bytearray()
        self.poll = select.poll()
        self.launcher = f"{connector.data_root}/bin/agent-connector"
        self.launched = changed_at(self.launcher)
        self.reading = True

    def serve(self) -> None:
        _signal.signal(_signal.SIGINT, _signal.SIG_IGN)  # the host's to heed; its end is ours
        _signal.signal(_signal.SIGTERM, lambda *_: self.end())
        self.poll.register(0, select.POLLIN)
        self.renew()
        while self.reading or self.flights or self.queue:
            self.step()
        if self.nursery is not None:
            self.nursery.close()

    def step(self) -> None:
        for descriptor, _ in self.poll.poll(self.patience()):
            if descriptor == 0:
                self.read()
            elif descriptor in self.flights:
                self.listen(self.flights[descriptor])
            elif descriptor in self.sinks:
                self.feed(self.sinks[descriptor])
            elif self.nursery is not None and descriptor == self.nursery.descriptor:
                self.hear_nursery(self.nursery)
        now = monotonic()
        for flight in [flight for flight in self.flights.values() if flight.deadline <= now]:
            self.give_up(flight)
        _reap()
        while self.queue and len(self.flights) < MOST:
            self.start(Flight(self.queue[0], self.deadline(self.queue.pop(0))))
        if self.reading and not (self.flights or self.queue or self.rest):
            self.refresh()

    def patience(self) -> int:
        """Milliseconds until something must be looked at."""
        if not self.flights:
            return -1
        left = min(flight.deadline for flight in self.flights.values()) - monotonic()
        return max(0, min(int(left * 1000) + 1, _IDLE_MS))

    # --- lines ---------------------------------------------------------------------------------------------------

    def read(self) -> None:
        try:
            data = system.read(0, _CHUNK)
        except OSError:
            data = b""
        if not data:
            self.reading = False
            self.poll.unregister(0)
            data = b"\n" if self.rest else b""
        *lines, last = data.split(b"\n")
        for line in lines:
            self.rest += line
            whole, self.rest = bytes(self.rest), bytearray()
            if whole.strip():
                self.take(whole)
        self.rest += last

    def take(self, line: bytes) -> None:
        request = request_in(line)
        if request is None:
            log_fault(self.connector.data_root, self.connector.id, self.connector.host, "", "bad-payload")
            say_answer(NOBODY, "")
            return
        if self.connector.look():
            self.renew()
        try:
            answer_without_code(self.connector, request)
        except CodeNeededError:
            self.queue.append(request)

    def refresh(self) -> None:
        """Where the launcher leads to another runtime by now, go on as that one: it reads the same input."""
        if changed_at(self.launcher) not in ((), self.launched):
            if self.nursery is not None:
                self.nursery.close()
            self.launched = changed_at(self.launcher)
            try:
                system.execv(self.launcher, [self.launcher, *self.argv[1:]])
            except OSError:
                self.renew()

    # --- copies --------------------------------------------------------------------------------------------------

    def deadline(self, request: Request) -> float:
        times = [
            entry.get("together_ms", entry.get("timeout_ms", 1000)) for entry in self.connector.entries(request.event)
        ]
        return monotonic() + max(times, default=0) / 1000 + GRACE_SECONDS

    def start(self, flight: Flight) -> None:
        its_input, flight.sink = system.pipe()
        flight.source, its_output = system.pipe()
        system.set_blocking(flight.sink, False)
        head = f"{flight.request.event}\n{flight.request.cwd}\n".encode("utf-8", "surrogateescape")
        flight.rest = memoryview(head + flight.request.payload)
        try:
            nursery = self.fitting_nursery()
            if nursery is None or not nursery.copy_for(its_input, its_output):
                self.copy_here(its_input, its_output)
        except OSError:  # no process can be had
            flight.deadline = 0.0
        system.close(its_input)
        system.close(its_output)
        self.flights[flight.source] = self.sinks[flight.sink] = flight
        self.poll.register(flight.source, select.POLLIN)
        self.poll.register(flight.sink, select.POLLOUT)
        self.feed(flight)

    def copy_here(self, its_input: int, its_output: int) -> None:
        if system.fork() == 0:
            become_worker(self.connector, its_input, its_output, ours=())

    def feed(self, flight: Flight) -> None:
        try:
            flight.rest = flight.rest[system.write(flight.sink, flight.rest[:_CHUNK]) :]
        except BlockingIOError:
            return
        except OSError:
            flight.rest = flight.rest[:0]
        if not flight.rest:
            self.poll.unregister(flight.sink)
            del self.sinks[flight.sink]
            system.close(flight.sink)
            flight.sink = -1

    def listen(self, flight: Flight) -> None:
        try:
            data = system.read(flight.source, _CHUNK)
        except OSError:
            data = b""
        flight.data += data
        reply = flight.reply()
        if reply is not None:
            self.land(flight)
            say_answer(flight.request, reply)
        elif not data:
            self.land(flight)
            if not flight.pid and not flight.retried and self.nursery is not None:
                self.abandon_nursery()
                again = Flight(flight.request, flight.deadline)
                again.retried = True
                self.start(again)
            else:
                answer_without_code(
                    self.connector, flight.request, ("exit", "the process ended before it could answer")
                )

    def give_up(self, flight: Flight) -> None:
        self.land(flight)
        if flight.pid:
            _kill(flight.pid)
        else:
            self.abandon_nursery()
        answer_without_code(self.connector, flight.request, ("timeout", "the process went on regardless"))

    def land(self, flight: Flight) -> None:
        self.poll.unregister(flight.source)
        del self.flights[flight.source]
        system.close(flight.source)
        if flight.sink >= 0:
            flight.rest = flight.rest[:0]
            self.poll.unregister(flight.sink)
            del self.sinks[flight.sink]
            system.close(flight.sink)

    # --- the nursery ---------------------------------------------------------------------------------------------

    def renew(self) -> None:
        """The record is another one: so are its handlers."""
        self.connector.look()
        if self.nursery is not None:
            self.drop_nursery()
        self.barren = False
        self.fitting_nursery()

    def fitting_nursery(self) -> Nursery | None:
        """One that has loaded what stands there now; ``None`` where nothing is to be loaded ahead."""
        if self.nursery is not None and self.nursery.is_outdated():
            self.drop_nursery()
        if self.nursery is None and not self.barren:
            self.nursery = Nursery.of(self.connector)
            self.barren = self.nursery is None
            if self.nursery is not None:
                self.poll.register(self.nursery.descriptor, select.POLLIN)
        return self.nursery

    def hear_nursery(self, nursery: Nursery) -> None:
        if not nursery.hear():
            self.abandon_nursery()

    def drop_nursery(self) -> None:
        if self.nursery is not None:
            self.poll.unregister(self.nursery.descriptor)
            self.nursery.close()
            self.nursery = None

    def abandon_nursery(self) -> None:
        """It ended, or does not get to it: every copy loads for itself what it needs."""
        self.drop_nursery()
        self.barren = True

    def end(self) -> None:
        """Told to end, it takes its copies along."""
        for flight in self.flights.values():
            if flight.pid:
                _kill(flight.pid)
        leave(0)


def serve(connector: Connector, argv: list[str]) -> None:
    Server(connector, argv).serve()


def _kill(pid: int) -> None:
    try:  # noqa: SIM105 - contextlib costs half an interpreter's start
        system.kill(pid, _signal.SIGTERM)  # so that it takes its programs along
    except OSError:
        pass


def _reap() -> None:
    try:
        while system.waitpid(-1, system.WNOHANG)[0]:
            pass
    except OSError:  # there is none
        pass

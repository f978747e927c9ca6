"""Handing what was said in a call to the counter: the one process of this data root that knows tokens.

The texts go through a private socket in memory, in pieces as it takes them, beside the pump's own work. What the
counter does not confirm in a moment is recorded here by its size alone, under the same number: what it counts later
takes that row's place, so that no call is lost or counted twice, whichever process is killed. Nothing here may ever
hold up the server.
"""

from __future__ import annotations

import select
from time import monotonic

from .jsontext import dumps
from .process import system
from .spool import append_row, shortened

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from .meter import Answered

SOCKET = "counter.sock"
"""In the telemetry folder, which is this process's working folder: the path of a socket must be short."""
WAITING_CAP = 1 << 21
"""Bytes that wait for the counter at most; what comes on top is recorded by its size."""
CROWDED = 3 << 18
"""Bytes that wait for the counter, from which on long lines are recorded by their size."""
URGENT = 1 << 18
"""Bytes that wait until it is quiet, but no longer than a row may stand in memory alone: in a burst of long lines
handing them over at once would halve the speed of those behind."""
CONNECT_SECONDS = 10.0
RETRY_SECONDS = 0.05
AGAIN_SECONDS = 60.0
"""How long a counter that could not be had is left alone."""
FAREWELL_SECONDS = 0.2
IMAGE_MOST = 1568
"""Tokens of an image whose size nobody looked at: the most that one costs, as a counter takes it, too."""
RECORDED_AFTER = 0.1
"""Seconds that a row may stand in memory alone. A counter that runs confirms in a few milliseconds."""
_PIECE = 65536


class Recorder:
    """Makes the rows of calls and adds them to the spool, by size alone. ``about``: what every row says (connector,
    host, session, …)."""

    def __init__(self, data_root: str, about: dict[str, Any], *, log_only: bool) -> None:
        self._data_root = data_root
        self._about = about
        self._log_only = log_only
        self._next = int.from_bytes(system.urandom(5), "big") << 23

    def row(self, done: Answered) -> dict[str, Any]:
        self._next += 1
        row = {
            "t": done.t,
            "u": self._next,
            "scope": "tool_defs" if done.call.is_list else "call",
            **self._about,
            "tool": done.call.tool,
            "client": done.client,
            "inb": done.call.requested,
            "outb": done.returned,
            "error": int(done.error),
            "ms": round(done.call.milliseconds, 3),
        }
        if done.binary:
            row["out"] = IMAGE_MOST
        return shortened({name: value for name, value in row.items() if value != ""})

    def record(self, row: dict[str, Any]) -> None:
        if row["scope"] == "call":  # what definitions cost is not told by their size in one answer
            append_row(self._data_root, row, log_only=self._log_only)

    def answered(self, done: Answered) -> None:
        self.record(self.row(done))


class CounterLink:
    """``start``: the words that start a counter. ``frame``: what every frame says besides its row. ``address``: the
    socket's, where this process's working folder is not the telemetry folder."""

    def __init__(self, recorder: Recorder, start: list[str], frame: dict[str, Any], address: str = SOCKET) -> None:
        self._recorder = recorder
        self._start_words = start
        self._frame = frame
        self._address = address
        self._socket: Any = None
        self._waiting: list[memoryview] = []
        self._size = 0
        self._unconfirmed: dict[int, dict[str, Any]] = {}
        self._unrecorded: dict[int, float] = {}
        """Those of them that stand nowhere yet -> when that is to change; oldest first."""
        self._heard = b""
        self._try_at = 0.0
        self._give_up_at = 0.0
        """When a connection that is wanted is wanted no more; 0 while none is."""
        self._counter = 0
        """Process id of a counter that we started."""
        self._started = False
        """Whether one was started for the connection that is wanted now."""

    def answered(self, done: Answered) -> None:
        if self._socket is not None and not self._unconfirmed:
            self.ready()  # a counter ends when it has had nothing to do: then another is started
        row = self._recorder.row(done)
        if done.call.request is None or done.result is None or not self._may_wait(done):
            self._recorder.record(row)
            return
        self._unconfirmed[row["u"]] = row
        self._unrecorded[row["u"]] = monotonic() + RECORDED_AFTER
        sizes = [done.call.requested, done.returned]
        header = dumps({"row": row, **self._frame, "parts": sizes}) + "\n"
        parts = [header.encode(), *done.call.request, *done.result]
        if sum(sizes) < _PIECE:
            parts = [b"".join(parts)]
        for part in parts:
            self._waiting.append(memoryview(part))
            self._size += len(part)
        if self._socket is None and not self._give_up_at:
            self._give_up_at = monotonic() + CONNECT_SECONDS

    def _may_wait(self, done: Answered) -> bool:
        left_alone = self._socket is None and not self._give_up_at and monotonic() < self._try_at
        return not left_alone and self._size + done.call.requested + done.returned <= WAITING_CAP

    # --- beside the pump ---------------------------------------------------------------------------------------

    @property
    def urgent(self) -> bool:
        """Whether it cannot wait until it is quiet."""
        return self._size > URGENT and next(iter(self._unrecorded.values()), 0.0) <= monotonic()

    def crowded(self) -> bool:
        return self._size > CROWDED

    @property
    def busy(self) -> bool:
        """Whether there is anything to send or to hear."""
        return bool(self._unconfirmed)

    def wishes(self) -> tuple[int, int, float]:
        due = next(iter(self._unrecorded.values()), 0.0)
        left = max(0.0, due - monotonic()) if due else -1.0
        if self._socket is not None:
            events = select.POLLIN | (select.POLLOUT if self._waiting else 0)
            return self._socket.fileno(), events, left
        return -1, 0, RETRY_SECONDS if self._give_up_at else left

    def ready(self) -> None:
        """Do what can be done without waiting."""
        self._move_on()
        now = monotonic()
        while self._unrecorded and next(iter(self._unrecorded.values())) <= now:
            self._record(next(iter(self._unrecorded)))

    def _record(self, number: int) -> None:
        del self._unrecorded[number]
        self._recorder.record(self._unconfirmed[number])

    def _move_on(self) -> None:
        if self._socket is None:
            if self._give_up_at and monotonic() >= self._try_at:
                self._connect()
            return
        try:
            self._hear()
            if self._waiting:
                self._send()
        except BlockingIOError:
            pass
        except OSError:
            self._lost()

    def _send(self) -> None:
        piece = self._waiting[0]
        sent = self._socket.send(piece[:_PIECE])
        self._size -= sent
        if sent == len(piece):
            del self._waiting[0]
        else:
            self._waiting[0] = piece[sent:]

    def _hear(self) -> None:
        """Take the counter's confirmations: the number of a row and a line's end."""
        try:
            data = self._socket.recv(_PIECE)
        except BlockingIOError:
            return
        if not data:
            raise ConnectionResetError
        *numbers, self._heard = (self._heard + data).split(b"\n")
        for number in numbers:
            if number.isdigit():
                self._unconfirmed.pop(int(number), None)
                self._unrecorded.pop(int(number), None)

    def _connect(self) -> None:
        import _socket

        self._try_at = monotonic() + RETRY_SECONDS
        self._reap()
        ours = _socket.socket(_socket.AF_UNIX, _socket.SOCK_STREAM)
        ours.settimeout(0)
        try:
            ours.connect(self._address)
        except OSError as error:
            ours.close()
            if monotonic() >= self._give_up_at:
                self._lost()
            elif not self._started and isinstance(error, FileNotFoundError | ConnectionRefusedError):
                self._start()
            return
        self._socket = ours
        self._give_up_at = 0.0
        self._started = False

    def _start(self) -> None:
        self._started = True
        nothing = [(system.POSIX_SPAWN_OPEN, number, "/dev/null", system.O_RDWR, 0) for number in (0, 1, 2)]
        words = self._start_words
        try:
            try:
                pid = system.posix_spawn(words[0], words, system.environ, file_actions=nothing, setsid=True)
            except NotImplementedError:
                pid = system.posix_spawn(words[0], words, system.environ, file_actions=nothing, setpgroup=0)
        except OSError:
            self._lost()
        else:
            self._counter = pid

    def _reap(self) -> None:
        if self._counter:
            try:
                ended, _ = system.waitpid(self._counter, system.WNOHANG)
            except OSError:
                ended = self._counter
            if ended:
                self._counter = 0

    def _lost(self) -> None:
        """There is no counter: what it has not confirmed is recorded by size. The next call tries again, later."""
        if self._socket is not None:
            self._socket.close()
            self._socket = None
        self._waiting, self._size, self._heard = [], 0, b""
        if self._unconfirmed:  # otherwise it ended because nobody needed it
            self._try_at = monotonic() + AGAIN_SECONDS
        self._record_all()
        self._give_up_at = 0.0
        self._started = False

    def _record_all(self) -> None:
        for number in tuple(self._unrecorded):
            self._record(number)
        self._unconfirmed.clear()

    def finish(self) -> None:
        """Before the end: a moment for the counter to take and confirm what it has; the rest is recorded by size, and
        what it counts after all takes that row's place."""
        deadline = monotonic() + FAREWELL_SECONDS
        while self._unconfirmed and (left := deadline - monotonic()) > 0:
            descriptor, events, seconds = self.wishes()
            poll = select.poll()
            if descriptor >= 0:
                poll.register(descriptor, events)
            elif seconds < 0:
                break
            poll.poll(int(min(left, RETRY_SECONDS) * 1000) + 1)
            self.ready()
        self._record_all()

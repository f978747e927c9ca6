"""The counter: the one process of a data root that holds the encoding, and counts for every proxy.

A proxy must stay small and fast, so it hands over what was said and this process, started by the first that needs
it, makes a row of numbers of it. It listens before it loads the encoding, ends by itself when nobody needs it, and
what it was handed stands in its memory alone: no content touches the disk.
"""

from __future__ import annotations

import os
import selectors
import socket
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from time import monotonic, time
from typing import NoReturn

from ..runtime.appending import add_line, make_folders
from ..runtime.process import data_root_of, leave, variable
from ..runtime.spool import VARIABLE, append_row
from .calibration import Calibration, from_environment
from .counting import call_row, definition_rows, definitions_label, generation
from .extraction import Definition, read_page
from .frames import Frame, Frames, MalformedError
from .tokens import Heuristic, O200kBase, Tokens

FOLDER = "telemetry"
SOCKET = "counter.sock"
"""In that folder, which is this process's working folder: the path of a socket must be short."""
LOCK = "counter.lock"
GENERATIONS = "telemetry/tool_defs"
FAULTS = "logs/counter.ndjson"

IDLE_SECONDS = 60.0
"""After which a counter without connections ends."""
SILENT_SECONDS = 600.0
"""After which it ends though proxies are connected: they start another when they need one."""
MOST_CONNECTIONS = 64
"""At once, each with one frame at most: of more, the one that was silent longest is hung up on."""
DEFINITIONS_CAP = 8 << 20
"""Characters of the definitions of one list that are kept until its last page came."""
_READ = 65536
_UNREAD_CAP = 65536
"""Bytes of confirmations that a proxy leaves unread before it is hung up on."""
_NICE = 15
_FAULTS_CAP = 1 << 20


def main(argv: list[str]) -> NoReturn:
    """``argv[0]`` is the entry's path inside the data root's runtime. Nobody hears what this process would say."""
    data_root = os.path.abspath(data_root_of(argv[0]))  # noqa: PTH100 - as the entry's own path has it
    try:
        if sys.platform != "win32" and variable(VARIABLE) != "0":
            _be_quiet()
            serve(data_root)
    except Exception as error:  # noqa: BLE001
        log_fault(data_root, error)
        leave(1)
    leave(0)


def _be_quiet() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    for descriptor in (0, 1, 2):
        os.dup2(nothing, descriptor)
    with suppress(OSError):
        os.setpriority(os.PRIO_PROCESS, 0, max(_NICE, os.getpriority(os.PRIO_PROCESS, 0)))


def log_fault(data_root: str, error: BaseException) -> None:
    """By its kind and place alone: a message could quote content."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    where = f"{Path(at.tb_frame.f_code.co_filename).name}:{at.tb_lineno}" if at is not None else ""
    line = {"t": int(time() * 1000), "fault": type(error).__name__, "where": where}
    add_line(data_root, FAULTS, line, cap=_FAULTS_CAP, rotate=True)


def serve(
    data_root: str,
    *,
    idle_seconds: float = IDLE_SECONDS,
    silent_seconds: float = SILENT_SECONDS,
    load: Callable[[], Tokens] = O200kBase,
) -> bool:
    """Count until nobody needs it; ``False`` at once where another process does already. Raises ``OSError``.

    Changes the working folder and the file mode mask of this process.
    """
    os.umask(0o077)
    make_folders(data_root, f"{FOLDER}/")
    os.chdir(f"{data_root}/{FOLDER}")
    lock = _elected()
    if lock is None:
        return False
    try:
        server = _Server(data_root, idle_seconds, silent_seconds)
        server.listen()
        try:
            server.tokens = load()
        except Exception as error:  # noqa: BLE001 - whatever an engine or a damaged file does: rows are still made
            log_fault(data_root, error)
        server.run()
    finally:
        os.close(lock)
    return True


def _elected() -> int | None:
    """The descriptor that holds the lock; ``None`` where another process has it. It ends with the process."""
    import fcntl

    descriptor = os.open(LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(descriptor)
        return None
    return descriptor


class _Connection:
    def __init__(self, accepted: socket.socket) -> None:
        self.socket = accepted
        self.frames = Frames()
        self.definitions: list[Definition] | None = None
        """Those of the pages that have come of a list; ``None`` where its beginning was missed or it is too long."""
        self.unsent = bytearray()
        self.heard_at = monotonic()


class _Server:
    """One thread: frames are counted in turn, as they come."""

    def __init__(self, data_root: str, idle_seconds: float, silent_seconds: float) -> None:
        self.tokens: Tokens = Heuristic()
        self._data_root = data_root
        self._calibration: Calibration = from_environment(data_root)
        self._idle_seconds = idle_seconds
        self._silent_seconds = silent_seconds
        self._selector = selectors.DefaultSelector()
        self._listener: socket.socket | None = None
        self._connections: set[_Connection] = set()
        self._busy_at = monotonic()

    def listen(self) -> None:
        """Whoever finds the socket finds it listening. One that was left behind is replaced: the lock is ours."""
        listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        listener.settimeout(0)
        beside = Path(f"{SOCKET}.new")
        beside.unlink(missing_ok=True)
        listener.bind(str(beside))
        beside.chmod(0o600)
        listener.listen(MOST_CONNECTIONS)
        beside.rename(SOCKET)
        self._listener = listener
        self._selector.register(listener, selectors.EVENT_READ)

    def run(self) -> None:
        self._busy_at = monotonic()
        while True:
            patience = self._silent_seconds if self._connections else self._idle_seconds
            events = self._selector.select(max(0.0, self._busy_at + patience - monotonic()))
            for key, mask in events:
                if key.fileobj is self._listener:
                    self._accept()
                elif key.data in self._connections:  # it was not hung up on in this very round
                    self._attend(key.data, mask)
                self._busy_at = monotonic()
            if not events and monotonic() >= self._busy_at + patience and self._ended():
                return

    def _ended(self) -> bool:
        """Stop listening, unless somebody came in the last moment."""
        assert self._listener is not None
        Path(SOCKET).unlink(missing_ok=True)
        before = set(self._connections)
        self._accept()
        self._selector.unregister(self._listener)
        self._listener.close()
        if self._connections <= before:
            for connection in tuple(self._connections):
                self._hang_up(connection)
            return True
        self._busy_at = monotonic()
        self.listen()
        return False

    def _accept(self) -> None:
        assert self._listener is not None
        while True:
            try:
                accepted, _ = self._listener.accept()
            except OSError:
                return
            if len(self._connections) >= MOST_CONNECTIONS:
                self._hang_up(min(self._connections, key=lambda connection: connection.heard_at))
            accepted.settimeout(0)
            connection = _Connection(accepted)
            self._connections.add(connection)
            self._selector.register(accepted, selectors.EVENT_READ, connection)

    def _hang_up(self, connection: _Connection) -> None:
        self._selector.unregister(connection.socket)
        connection.socket.close()
        self._connections.remove(connection)

    # --- frames ------------------------------------------------------------------------------------------------

    def _attend(self, connection: _Connection, mask: int) -> None:
        try:
            if mask & selectors.EVENT_READ:
                data = connection.socket.recv(_READ)
                if not data:
                    raise ConnectionResetError
                connection.heard_at = monotonic()
                connection.frames.feed(data)
                while (frame := connection.frames.next()) is not None:
                    self._take(connection, frame)
            self._confirm(connection)
        except BlockingIOError:
            pass
        except (OSError, MalformedError):
            self._hang_up(connection)
        except Exception as error:  # noqa: BLE001 - one proxy's frame must not end the counting for all
            log_fault(self._data_root, error)
            self._hang_up(connection)

    def _take(self, connection: _Connection, frame: Frame) -> None:
        """Write the frame's rows, then confirm it. Raises ``OSError`` where they cannot be written: the proxy, hung
        up on, takes them for unconfirmed."""
        if frame.row["scope"] == "tool_defs":
            self._take_page(connection, frame)
        else:
            row, texts = call_row(frame, self.tokens, self._ratio(frame))
            self._write(frame, row)
            self._sample(frame, texts)
        connection.unsent += b"%d\n" % frame.row["u"]

    def _write(self, frame: Frame, row: dict[str, object]) -> None:
        if not append_row(self._data_root, row, log_only=frame.log_only):
            raise OSError("the row could not be written")

    def _take_page(self, connection: _Connection, frame: Frame) -> None:
        """Keep a page of definitions; with the last one, write a row for each if they are others than before."""
        try:
            page = read_page(frame.request, frame.answer)
        except ValueError:  # an error, or no list: nothing to be told of
            connection.definitions = None
            return
        if page.first:
            connection.definitions = []
        if connection.definitions is None:
            return
        connection.definitions += [one for one in page.definitions if frame.offers(one.name)]
        if sum(len(definition.text) for definition in connection.definitions) > DEFINITIONS_CAP:
            connection.definitions = None
        elif page.last:
            definitions, connection.definitions = connection.definitions, None
            self._tell_definitions(frame, definitions)

    def _tell_definitions(self, frame: Frame, definitions: list[Definition]) -> None:
        ratio = self._ratio(frame)
        now = generation(definitions, definitions_label(frame.family, self.tokens, ratio))
        memory = Path(self._data_root, GENERATIONS, f"{frame.row['connector']}.{frame.row['host']}")
        with suppress(OSError):
            if memory.read_bytes() == now.encode():
                return
        for row in definition_rows(frame, definitions, self.tokens, ratio):
            self._write(frame, row)
        make_folders(self._data_root, f"{GENERATIONS}/")
        memory.write_bytes(now.encode())

    def _confirm(self, connection: _Connection) -> None:
        try:
            if connection.unsent:
                del connection.unsent[: connection.socket.send(connection.unsent)]
        except BlockingIOError:
            pass
        except OSError:  # it went away: what it said before is counted all the same
            connection.unsent.clear()
        if len(connection.unsent) > _UNREAD_CAP:
            raise ConnectionResetError
        wanted = selectors.EVENT_READ | (selectors.EVENT_WRITE if connection.unsent else 0)
        if self._selector.get_key(connection.socket).events != wanted:
            self._selector.modify(connection.socket, wanted, connection)

    # --- calibration -------------------------------------------------------------------------------------------

    def _ratio(self, frame: Frame) -> float | None:
        return self._calibration.ratio(frame.family) if frame.family == "anthropic" else None

    def _sample(self, frame: Frame, texts: tuple[str, ...]) -> None:
        if frame.calibrate and frame.family == "anthropic" and texts and self.tokens.source != "heuristic":
            text = max(texts, key=len)
            self._calibration.offer(text, lambda: self.tokens.count(text))

"""A process that has loaded a connector's handlers, and makes copies of itself that answer one event each.

One copy is always there and waits."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # not signal, which makes enums of its numbers; no stubs
import gc
import sys

from .jsontext import dumps, loads
from .process import heard_at, leave, passed_on, system
from .stream import changed_at

TYPE_CHECKING = False
if TYPE_CHECKING:
    from _socket import socket
    from collections.abc import Iterator
    from typing import Any, NoReturn

    from .dispatch import Dispatch
    from .stream import Connector

_NUMBER = 4
"""Bytes of a descriptor's number."""
_MOST_FILES = 256
"""Files that are looked at before each call, at most."""
_BEYOND = 1 << 12
"""Above all descriptors there are."""


class Nursery:
    """``descriptor``: where it tells what it has loaded."""

    __slots__ = ("_data", "_files", "_socket", "descriptor")

    def __init__(self, ours: socket) -> None:
        self._socket = ours
        self.descriptor = ours.fileno()
        self._data = b""
        self._files: list[tuple[str, tuple[int, ...]]] = []

    @classmethod
    def of(cls, connector: Connector) -> Nursery | None:
        """``None`` where no handler of the connector's runs in this Python, or no process can be had."""
        from .author import python_tag

        record = connector.record
        handlers = [entry["handler"] for entry in connector.entries() if entry["kind"] == "python"]
        if record is None or not handlers or record["python"]["tag"] != python_tag():
            return None
        import _socket

        ours, its = _socket.socketpair()
        try:
            child = system.fork()
        except OSError:
            return None
        if child == 0:
            ours.close()
            _Nurse(connector, its).serve(handlers)
        its.close()
        return cls(ours)

    def copy_for(self, its_input: int, its_output: int) -> bool:
        """Have a copy answer what comes from the one and answer into the other; whether that can be had."""
        import _socket

        ends = b"".join(end.to_bytes(_NUMBER, sys.byteorder) for end in (its_input, its_output))
        try:
            self._socket.sendmsg([b"."], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, ends)])
        except OSError:
            return False
        return True

    def hear(self) -> bool:
        """Take what it tells; whether it is still there."""
        try:
            data = self._socket.recv(1 << 16)
        except OSError:
            return False
        self._data += data
        if self._data.endswith(b"\n"):
            self._files = [(path, tuple(seen)) for path, seen in loads(self._data)]
            self._data = b""
        return bool(data)

    def is_outdated(self) -> bool:
        """Whether something it has loaded is not what stands there now."""
        return any(changed_at(path) != seen for path, seen in self._files)

    def close(self) -> None:
        """It ends when it hears that; its copies go on."""
        self._socket.close()


class _Nurse:
    """In the process itself."""

    def __init__(self, connector: Connector, its: socket) -> None:
        self.connector = connector
        self.socket = its

    def serve(self, handlers: list[dict[str, Any]]) -> NoReturn:
        try:
            _settle(self.socket.fileno())
            seen = {path: changed_at(path) for handler in handlers if (path := handler.get("file"))}
            self._load(handlers)
            self._tell(seen)
            gc.collect()
            gc.freeze()
            while self._one_more():
                _reap()
        except BaseException:  # noqa: BLE001, S110 - whoever asks it hears its end
            pass
        leave(0)

    def _one_more(self) -> bool:
        """Have one copy wait for the next event, made before there is any: making it takes as long as its work.
        Whether it was given one."""
        heard, told = system.pipe()
        if system.fork() == 0:
            self._wait(told)
        system.close(told)
        given = system.read(heard, 1)
        system.close(heard)
        return bool(given)

    def _wait(self, told: int) -> NoReturn:
        try:
            self._go_through()
            ends = self._asked()
        except BaseException:  # noqa: BLE001 - as if there was nothing more to come
            ends = ()
        if not ends:
            leave(0)
        system.write(told, b".")
        become_worker(self.connector, *ends, ours=(self.socket.fileno(), told))

    def _go_through(self) -> None:
        """Once without an event: what is touched then is this process's own already when there is one."""
        record = self.connector.record
        own = record["hosts"][self.connector.host] if record is not None else {"events": ()}
        for event in own["events"]:
            work = self.connector.dispatch(event, "left out")
            work.answer(b"{}")

    def _load(self, handlers: list[dict[str, Any]]) -> None:
        """Whatever fails here fails again where it is needed, and is told there."""
        from . import answers, event, limits, spool  # noqa: F401 - for the copies
        from .author import log_of
        from .handlers import UnloadableError, load_handler, prepare
        from .neutral import module_of

        connector = self.connector
        assert connector.record is not None
        module_of(connector.record, connector.host)
        work = connector.dispatch("", "run")
        log = log_of(work)
        system.dup2(log, 1)
        system.dup2(log, 2)
        prepare(connector.record["python"], connector.data_root)
        for handler in handlers:
            try:
                load_handler(handler, connector.id)
            except UnloadableError:
                continue
        self._note_changes(work)

    def _note_changes(self, work: Dispatch) -> None:
        """As a hook process says it of a handler that it had to compile anew; once."""
        from .hook_log import log_fault
        from .user_code import _compiled, compiled_now, digest

        connector = self.connector
        assert connector.record is not None
        for event, entries in connector.record["hosts"][connector.host]["events"].items():
            for index, entry in enumerate(entries):
                source = compiled_now(entry["handler"].get("file", "")) if entry["kind"] == "python" else None
                if source is not None and digest(source) != entry["digest"]:
                    log_fault(work.data_root, work.connector, work.host, event, "changed", str(index))
        _compiled.clear()

    def _tell(self, seen: dict[str, tuple[int, ...]]) -> None:
        for path in self._files():
            if len(seen) < _MOST_FILES:
                seen.setdefault(path, changed_at(path))
        self.socket.sendall((dumps([[path, list(at)] for path, at in seen.items()]) + "\n").encode())

    def _files(self) -> Iterator[str]:
        """Of the author's own folders: what else is installed changes with an upgrade, which makes a record anew."""
        assert self.connector.record is not None
        folders = tuple(f"{folder.rstrip('/')}/" for folder in self.connector.record["python"]["folders"])
        for module in list(sys.modules.values()):
            path = getattr(module, "__file__", None)
            if isinstance(path, str) and path.startswith(folders):
                yield path

    def _asked(self) -> tuple[int, ...]:
        """The ends of the pipes of the next event; nothing when there will be none."""
        import _socket

        data, more, _, _ = self.socket.recvmsg(1, _socket.CMSG_SPACE(2 * _NUMBER))
        numbers = b"".join(part for _, _, part in more)
        ends = [numbers[at : at + _NUMBER] for at in range(0, len(numbers), _NUMBER)]
        return tuple(int.from_bytes(end, sys.byteorder) for end in ends) if data else ()


def _settle(kept: int) -> None:
    """Let go of everything that is the server's: as long as somebody else holds an end of a pipe, nobody hears the
    other one's end."""
    nothing = system.open("/dev/null", system.O_RDWR)
    for number in (0, 1, 2):
        system.dup2(nothing, number)
    _close_all(but=(kept,))
    for number in (_signal.SIGINT, _signal.SIGTERM):
        _signal.signal(number, _signal.SIG_DFL)
    _signal.signal(_signal.SIGINT, _signal.SIG_IGN)


def _close_all(but: tuple[int, ...]) -> None:
    start = 3
    for kept in sorted(number for number in but if number >= start):
        system.closerange(start, kept)
        start = kept + 1
    system.closerange(start, max(start, _BEYOND))


def become_worker(connector: Connector, its_input: int, its_output: int, *, ours: tuple[int, ...]) -> NoReturn:
    """Be what a hook process is: the event on standard input, the reply on standard output. ``ours``: descriptors of
    the process this one is a copy of; without any, all but the three are closed."""
    from .hook import answer

    for number in (_signal.SIGINT, _signal.SIGTERM):
        _signal.signal(number, _signal.SIG_DFL)
    nothing = system.open("/dev/null", system.O_RDWR)
    for end, number in ((its_input, 0), (its_output, 1), (nothing, 2)):
        system.dup2(end, number)
    if ours:
        for number in (*ours, its_input, its_output, nothing):
            system.close(number)
    else:
        _close_all(but=())
    heard_at[:] = 1, 2
    passed_on.append(True)
    system.write(1, b"%d\n" % system.getpid())
    event, cwd = _line(), _line()
    if cwd:
        try:  # noqa: SIM105 - contextlib costs half an interpreter's start
            system.chdir(cwd)
        except OSError:
            pass
    answer(lambda: connector.dispatch(event, "run"), connector.host, event, ("", 0))


def _line() -> str:
    """Byte by byte: what follows is not ours to take."""
    data = b""
    while (byte := system.read(0, 1)) not in (b"\n", b""):
        data += byte
    return data.decode("utf-8", "surrogateescape")


def _reap() -> None:
    try:
        while system.waitpid(-1, system.WNOHANG)[0]:
            pass
    except OSError:  # there is none
        pass

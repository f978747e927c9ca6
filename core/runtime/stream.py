"""``hook <host> --stream --connector <id>``: the child that a module inside a host asks about each event.

A line of JSON in, a line of JSON out, in whatever order they are done::

    {"id": 7, "event": "PreToolUse", "cwd": "/project", "payload": {...}}
    {"id": 7, "reply": {...}}

``payload`` comes last; ``reply`` is what the host's ``format`` says, ``null`` for no opinion, and is not there at all
where the payload cannot be read: the module, which knows more of the event, then says what holds without any code.
What needs no code is answered here. Everything else is answered by a copy of this process (:mod:`.workers`), which is
to one event what a hook process is: it has its own limits, and what it does to itself it does to nobody else. Nothing
but answers is written to standard output. It ends behind the last answer when its input ends.
"""

from __future__ import annotations

import gc
import sys
from time import monotonic

from .dispatch import CodeNeededError, Dispatch
from .hook import leave_behind
from .jsontext import dumps, loads
from .own_files import read_record
from .process import data_root_of, leave, system, value_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, NoReturn

    from .reply import Reply

_CHUNK = 1 << 16
_PAYLOAD = b',"payload":'
"""Begins what is handed on as it is. Inside a text of JSON its quotes would be escaped."""


class Request:
    """What one line asks. ``number`` is its id, as JSON."""

    __slots__ = ("cwd", "event", "number", "payload", "started")

    def __init__(self, number: str, event: str, cwd: str, payload: bytes) -> None:
        self.number = number
        self.event = event
        self.cwd = cwd
        self.payload = payload
        self.started = monotonic()


def request_in(line: bytes) -> Request | None:
    """``None`` for a line that asks nothing. The payload may be anything: who answers says what is wrong with it."""
    at = line.find(_PAYLOAD)
    try:
        head = loads(line[:at] + b"}" if at >= 0 else line)
    except ValueError:
        return None
    if not isinstance(head, dict) or not isinstance(head.get("event"), str):
        return None
    payload = (
        line[at + len(_PAYLOAD) :].rstrip().removesuffix(b"}") if at >= 0 else dumps(head.get("payload")).encode()
    )
    cwd = head.get("cwd")
    return Request(dumps(head.get("id")), head["event"], cwd if isinstance(cwd, str) else "", payload)


class Connector:
    """Whose events these are: its record as it stands, read anew when it changes."""

    __slots__ = ("_seen", "data_root", "host", "id", "record")

    def __init__(self, host: str, connector: str, data_root: str) -> None:
        self.host = host
        self.id = connector
        self.data_root = data_root
        self.record: dict[str, Any] | None = None
        self._seen: tuple[int, ...] = ()

    def look(self) -> bool:
        """Whether the record is another one than before; it is ``None`` where it cannot be had."""
        seen = changed_at(f"{self.data_root}/connectors/{self.id}/hooks.json")
        if seen == self._seen:
            return False
        self._seen = seen
        try:
            self.record = read_record(self.data_root, self.id, "hooks")
        except ValueError:  # a dispatch says so
            self.record = None
        return True

    def entries(self, event: str = "") -> list[dict[str, Any]]:
        """Of one event in this host, else of all."""
        own = self.record["hosts"].get(self.host) if self.record else None
        kinds = (own["events"], own["native"]) if own else ()
        return [entry for kind in kinds for name in kind for entry in kind[name] if event in ("", name)]

    def dispatch(self, event: str, code: Literal["run", "needed", "left out"]) -> Dispatch:
        work = Dispatch(self.host, event, self.id, self.data_root)
        work.code = code
        work.record = self.record
        return work


def changed_at(path: str) -> tuple[int, ...]:
    """Told apart by this: what stands in a file. Nothing for one that is not there."""
    try:
        found = system.stat(path)
    except OSError:
        return ()
    return found.st_mtime_ns, found.st_size, found.st_ino


def answer_without_code(connector: Connector, request: Request, *faults: tuple[str, str]) -> None:
    """Answer with what the definition itself says. Without ``faults``, raises :class:`CodeNeededError` where that is
    not all there is to say; with some, they are why it must do."""
    work = connector.dispatch(request.event, "left out" if faults else "needed")
    work.faults += faults
    reply: Reply | None = None
    try:
        reply = work.answer(request.payload)
    except CodeNeededError:
        raise
    except Exception as fault:  # noqa: BLE001 - as in a hook process
        work.faults.append(("internal", type(fault).__name__))
        reply = work.said_so_far()
    text = reply.stdout if reply is not None else ""
    if reply is None and work.partial:
        _say(f'{{"id":{request.number}}}\n')
    else:
        say_answer(request, text)
    leave_behind(work, reply, (len(request.payload), len(text)), request.started)


def say_answer(request: Request, text: str) -> None:
    """``text``: as the host's ``format`` or a native hook says it; the latter may say anything."""
    try:
        reply = dumps(loads(text.encode("utf-8", "surrogateescape"))) if text.strip() else "null"
    except ValueError:
        reply = dumps(text)
    _say(f'{{"id":{request.number},"reply":{reply}}}\n')


NOBODY = Request("null", "", "", b"")
"""Whoever wrote a line that asks nothing."""


def _say(line: str) -> None:
    data = memoryview(line.encode())
    try:
        while data:
            data = data[system.write(1, data) :]
    except OSError:  # nobody listens any more; the end of the input says the same
        pass


def main(argv: list[str]) -> NoReturn:
    """``argv`` as the launcher hands it on."""
    gc.enable()  # a hook process makes no garbage that counts; this one lives on
    connector = Connector(argv[2], value_of("--connector", argv), data_root_of(argv[0]))
    if sys.platform == "win32":
        from .stream_windows import serve
    else:
        from .workers import serve
    serve(connector, argv)
    leave(0)

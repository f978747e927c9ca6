"""Measuring a Python MCP server from inside, for servers over HTTP, which no proxy of ours sees."""

from __future__ import annotations

import atexit
import os
import queue
import select
import sys
import threading
from collections.abc import Awaitable, Callable
from time import monotonic, time
from typing import Any, TypeVar

from ..errors import UsageError
from ..machine import Machine
from ..runtime.counter_link import FAREWELL_SECONDS, SOCKET, CounterLink, Recorder
from ..runtime.lines import END, LINE_CAP, Line
from ..runtime.meter import Answered, Call, is_binary
from ..runtime.own_files import is_id, read_record
from ..runtime.process import variable
from ..runtime.project_key import project_key
from ..runtime.serving import SESSION_VARIABLE
from ..runtime.spool import VARIABLE

Server = TypeVar("Server")
_SOCKET_PATH_MOST = 100
"""Bytes: what every system takes as the path of a socket."""
_COUNTER = "import sys; from agent_connector.telemetry.counter import serve; serve(sys.argv[1])"


def measure(server: Server, *, connector: str = "", host: str = "", family: str = "generic") -> Server:
    """Have every tool call of ``server`` counted as ``serve`` counts those of a server it starts; returns ``server``.

    ``server`` is an ``mcp.server.MCPServer`` (or a low-level one) of the SDK's second version. ``connector``: the id
    under which its calls are reported, by default the server's name in lower case with dashes. ``host``: the host
    that calls, where it is always the same one; ``family``: ``openai``, ``anthropic`` or ``generic``, by which tokens
    are labelled. Where that connector is installed on this machine, what its definition says of telemetry holds here
    too. Nothing leaves the machine, and nothing that was said is written down. Raises :class:`UsageError` for a
    server without middleware, or a name that makes no id.
    """
    chain = getattr(server, "middleware", None)
    if not isinstance(chain, list):
        raise UsageError(f"{type(server).__name__} takes no middleware", hint="measure() needs a server of mcp 2.x")
    name = connector or _as_id(str(getattr(server, "name", "")))
    if not is_id(name):
        raise UsageError(f"{name!r} is no connector id", hint='name it: measure(server, connector="acme-db")')
    data_root = str(Machine.current().data_root)
    record = _record(data_root, name)
    if variable(VARIABLE) != "0" and record.get("telemetry", True):
        chain.append(_Recording(data_root, name, host, family, record).around)
    return server


def _record(data_root: str, connector: str) -> dict[str, Any]:
    """What install wrote for proxies, where the connector is installed here."""
    try:
        return read_record(data_root, connector, "serve") or {}
    except (OSError, ValueError):  # it is damaged, and doctor says so
        return {}


def _as_id(name: str) -> str:
    return "-".join("".join(letter if letter.isalnum() else " " for letter in name.lower()).split())


class _Recording:
    """Times each call where it happens; makes its row on a thread of its own."""

    def __init__(self, data_root: str, connector: str, host: str, family: str, record: dict[str, Any]) -> None:
        log_only = record.get("log_only", False)
        about = {
            "connector": connector,
            "host": host,
            "session": variable(SESSION_VARIABLE) or f"run-{os.urandom(8).hex()}",
            "project": project_key(os.getcwd()),  # noqa: PTH109 - as text
        }
        recorder = Recorder(data_root, about, log_only=log_only)
        address = f"{data_root}/telemetry/{SOCKET}"
        self._link: CounterLink | None = None
        if sys.platform != "win32" and len(os.fsencode(address)) <= _SOCKET_PATH_MOST:
            words = [sys.executable, "-c", _COUNTER, data_root]
            self._link = CounterLink(recorder, words, {"family": family, "log_only": log_only}, address)
        self._recorder = recorder
        self._methods = {"tools/call", "tools/list"} if record.get("tool_defs", True) else {"tools/call"}
        self._finished: queue.SimpleQueue[Callable[[], Answered] | None] = queue.SimpleQueue()
        self._thread: threading.Thread | None = None

    async def around(self, context: Any, call_next: Callable[[Any], Awaitable[Any]]) -> Any:
        """The middleware: whatever happens in here, the server answers as without it."""
        if context.request_id is None or context.method not in self._methods:
            return await call_next(context)
        began = monotonic()
        try:
            result = await call_next(context)
        except Exception as error:
            self._note(context, began, {"error": {"code": 0, "message": str(error)}})
            raise
        self._note(context, began, {"result": result})
        return result

    def _note(self, context: Any, began: float, outcome: dict[str, Any]) -> None:
        milliseconds = (monotonic() - began) * 1000
        method, params, client = context.method, context.params, _client_of(context)

        def made() -> Answered:
            request = _line({"jsonrpc": "2.0", "id": 0, "method": method, "params": dict(params or {})})
            answer = _line({"jsonrpc": "2.0", "id": 0, **{key: _plain(value) for key, value in outcome.items()}})
            call = Call(
                str((params or {}).get("name", "")), [request], len(request), began, is_list=method == "tools/list"
            )
            call.milliseconds = milliseconds
            failed = "error" in outcome or _plain(outcome["result"]).get("isError") is True
            line = Line([answer], answer[:END], answer[-END:], len(answer))
            return Answered(
                call,
                line.parts if len(request) + line.size <= LINE_CAP else None,
                line.size,
                error=failed,
                client=client,
                t=int(time() * 1000),
                binary=is_binary(line),
            )

        self._finished.put(made)
        if self._thread is None:
            self._thread = threading.Thread(target=self._work, name="agent-connector-measure", daemon=True)
            self._thread.start()
            atexit.register(self._end)

    def _work(self) -> None:
        while True:
            try:
                made = self._finished.get(timeout=_PAUSE if self._link is not None and self._link.busy else None)
            except queue.Empty:
                self._attend()
                continue
            if made is None:
                break
            try:
                done = made()
            except Exception:  # noqa: BLE001, S112 - what cannot be written as JSON is not counted
                continue
            (self._link or self._recorder).answered(done)
            self._attend()
        if self._link is not None:
            self._link.finish()

    def _attend(self) -> None:
        """Send and hear what can be without waiting long."""
        link = self._link
        if link is None:
            return
        link.ready()
        for _ in range(_ROUNDS):
            descriptor, events, _ = link.wishes()
            if descriptor < 0 or not link.busy:
                return
            poll = select.poll()
            poll.register(descriptor, events)
            if not poll.poll(_PAUSE * 1000):
                return
            link.ready()

    def _end(self) -> None:
        self._finished.put(None)
        if self._thread is not None:
            self._thread.join(FAREWELL_SECONDS * 5)


_PAUSE = 0.05
_ROUNDS = 1000


def _plain(value: Any) -> Any:
    """A result as the wire has it."""
    if hasattr(value, "model_dump"):
        return value.model_dump(by_alias=True, mode="json", exclude_none=True)
    return value


def _line(message: dict[str, Any]) -> bytes:
    from ..runtime.jsontext import dumps

    return dumps(message).encode()


def _client_of(context: Any) -> str:
    params = getattr(context.session, "client_params", None)
    name = getattr(getattr(params, "client_info", None), "name", "")
    return str(name)[:100]

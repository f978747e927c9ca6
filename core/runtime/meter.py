"""Which tool calls a server was asked, and when each was answered: told from the lines of both sides.

Works by id alone, in whatever protocol era: who the client is may come in ``initialize`` or with every request. What
the person is asked in the middle of a call (``input_required`` and the request that brings the answers) makes one
call of several rounds. What is not understood is not measured; it was forwarded long before it came here.
"""

from __future__ import annotations

from time import monotonic, time

from .envelope import message_at
from .jsontext import dumps, loads
from .lines import Lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .lines import Line

READ_WHOLE = 16384
"""Bytes up to which a line is read here, in a quarter of a millisecond; of a longer one the ends are looked at."""
_OPEN_ROUNDS = 64
"""Calls that wait for a person, at most: the oldest is given up."""


class Call:
    """One ``tools/call`` (or ``tools/list``) on its way. ``milliseconds``: of the rounds before this one."""

    __slots__ = ("arguments", "began", "is_list", "milliseconds", "request", "requested", "tool")

    def __init__(
        self, tool: str, request: bytes | None, requested: int, *, arguments: object = None, is_list: bool = False
    ) -> None:
        self.tool = tool
        self.arguments = arguments
        """By which the request that brings a person's answers is known as the same call."""
        self.request = request
        self.requested = requested
        """Bytes of the request's line."""
        self.is_list = is_list
        self.began = monotonic()
        self.milliseconds = 0.0


class Answered:
    """A finished call. ``result`` is ``None`` where its line was too long to keep, or where there is none."""

    __slots__ = ("call", "client", "error", "result", "returned", "t")

    def __init__(self, call: Call, result: bytes | None, returned: int, *, error: bool, client: str) -> None:
        self.call = call
        self.result = result
        self.returned = returned
        self.error = error
        self.client = client
        self.t = int(time() * 1000)


class Meter:
    """``answered`` is handed every finished call; ``lists``: whether the lists of tools are wanted, too."""

    def __init__(self, answered: Callable[[Answered], None], *, lists: bool) -> None:
        self._answered = answered
        self._lists = lists
        self._from_client = Lines()
        self._from_server = Lines()
        self._from_server.keep = False
        self._pending: dict[str, Call] = {}
        self._asking: dict[tuple[str, str], Call] = {}
        """(tool, arguments) -> a call whose answer asked for something."""
        self.client = ""
        """What the host calls itself."""

    def client_said(self, data: bytes) -> None:
        for line in self._from_client.feed(data):
            for message, whole in _messages(line):
                self._request(message, whole, line.size)
        self._from_server.keep = bool(self._pending)

    def server_said(self, data: bytes) -> None:
        for line in self._from_server.feed(data):
            for message, whole in _messages(line):
                self._response(message, whole, line.size)
        self._from_server.keep = bool(self._pending)

    def ended(self) -> None:
        """The server is gone: what is still waiting was never answered."""
        for call in self._pending.values():
            if not call.is_list:
                self._finish(call, None, 0, error=True)
        self._pending.clear()

    # --- the client's lines ------------------------------------------------------------------------------------

    def _request(self, message: dict[str, Any], whole: bytes | None, size: int) -> None:
        method = message.get("method")
        if not isinstance(method, str):
            return
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        self._note_client(params)
        if method == "notifications/cancelled":
            self._cancelled(params)
        elif method == "tools/call" and "id" in message:
            self._pending[_key(message["id"])] = self._call(params, whole, size)
        elif method == "tools/list" and "id" in message and self._lists:
            self._pending[_key(message["id"])] = Call("", whole, size, is_list=True)

    def _call(self, params: dict[str, Any], whole: bytes | None, size: int) -> Call:
        name = params.get("name")
        tool = name if isinstance(name, str) else ""
        arguments = params.get("arguments")
        if "requestState" in params or "inputResponses" in params:
            asked = self._asking.pop((tool, _key(arguments)), None)
            if asked is not None:
                asked.began = monotonic()
                return asked
        return Call(tool, whole, size, arguments=arguments)

    def _note_client(self, params: dict[str, Any]) -> None:
        meta = params.get("_meta")
        told = params.get("clientInfo")
        if told is None and isinstance(meta, dict):
            told = meta.get("io.modelcontextprotocol/clientInfo")
        if isinstance(told, dict) and isinstance(told.get("name"), str):
            self.client = told["name"][:100]

    def _cancelled(self, params: dict[str, Any]) -> None:
        call = self._pending.pop(_key(params.get("requestId")), None)
        if call is not None and not call.is_list:
            self._finish(call, None, 0, error=True)

    # --- the server's lines ------------------------------------------------------------------------------------

    def _response(self, message: dict[str, Any], whole: bytes | None, size: int) -> None:
        if "method" in message or not ("result" in message or "error" in message):
            return
        call = self._pending.pop(_key(message.get("id")), None)
        if call is None:
            return
        result = message.get("result")
        asks = isinstance(result, dict) and result.get("resultType") == "input_required"
        if asks and not call.is_list:
            call.milliseconds += (monotonic() - call.began) * 1000
            self._asking[call.tool, _key(call.arguments)] = call
            if len(self._asking) > _OPEN_ROUNDS:
                del self._asking[next(iter(self._asking))]
            return
        error = "error" in message or (isinstance(result, dict) and result.get("isError") is True)
        self._finish(call, whole, size, error=error)

    def _finish(self, call: Call, result: bytes | None, size: int, *, error: bool) -> None:
        call.milliseconds += (monotonic() - call.began) * 1000
        self._answered(Answered(call, result, size, error=error, client=self.client))


def _key(value: object) -> str:
    """Ids 1 and "1" are two."""
    try:
        return dumps(value)
    except ValueError:
        return ""


def _messages(line: Line) -> list[tuple[dict[str, Any], bytes | None]]:
    """(the message, its bytes) of a line: one, or those of a batch. Of a long one only the ends are known."""
    if line.whole is not None and line.size <= READ_WHOLE:
        try:
            value = loads(line.whole)
        except ValueError:
            return []
        if isinstance(value, dict):
            return [(value, line.whole)]
        if isinstance(value, list):
            return [(item, dumps(item).encode()) for item in value if isinstance(item, dict)]
        return []
    members = message_at(line.head, line.tail)
    return [(members, line.whole)] if members else []

"""Which tool calls a server was asked, and when each was answered: told from the lines of both sides.

Works by id alone, in whatever protocol era: who the client is may come in ``initialize`` or with every request. What
the person is asked in the middle of a call (``input_required`` and the request that brings the answers) makes one
call of several rounds. What is not understood is not measured; it was forwarded long before it came here.
"""

from __future__ import annotations

from time import monotonic, time

from .envelope import id_key, message_at
from .jsontext import dumps, loads
from .lines import LINE_CAP, Lines

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .lines import Line

READ_WHOLE = 16384
"""Bytes up to which a line is read here, in a quarter of a millisecond; of others the ends are looked at."""
SOON = 1 << 18
"""Bytes that may wait to be looked at until it is quiet."""
FULL = 1 << 16
"""Bytes that were read at once, as much as can be: more are waiting, nobody does, and memory that is kept is memory
that has to be found anew for the next ones."""
_RUN = 1024
"""Bytes of base64 at either end of a long line by which it is known to be no text."""
_BASE64 = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/="
_OPEN_ROUNDS = 64
"""Calls that wait for a person, at most: the oldest is given up."""


class Call:
    """One ``tools/call`` (or ``tools/list``) on its way. ``began``: in this process's clock. ``milliseconds``: of the
    rounds before this one."""

    __slots__ = ("arguments", "began", "is_list", "milliseconds", "request", "requested", "tool")

    def __init__(
        self, tool: str, request: list[bytes] | None, requested: int, began: float, *, is_list: bool = False
    ) -> None:
        self.tool = tool
        self.request = request
        """The request's line, in parts."""
        self.requested = requested
        """Bytes of the request's line."""
        self.began = began
        self.is_list = is_list
        self.arguments: object = None
        """By which the request that brings a person's answers is known as the same call."""
        self.milliseconds = 0.0


class Answered:
    """A finished call. ``result``: the answer's line in parts, ``None`` where it was too long to keep, or never came.
    ``binary``: whether nearly all of it is base64. ``t``: milliseconds since 1970."""

    __slots__ = ("binary", "call", "client", "error", "result", "returned", "t")

    def __init__(
        self,
        call: Call,
        result: list[bytes] | None,
        returned: int,
        *,
        error: bool,
        client: str,
        t: int,
        binary: bool = False,
    ) -> None:
        self.call = call
        self.result = result
        self.returned = returned
        self.error = error
        self.binary = binary
        self.client = client
        self.t = t


class Meter:
    """``answered`` is handed every finished call; ``lists``: whether the lists of tools are wanted, too; ``crowded``
    says whether more than a short line could not be counted now, so that it is not worth keeping.

    What was said is noted with its time, and looked at when it is quiet (:meth:`catch_up`) or when much has come up.
    """

    def __init__(
        self, answered: Callable[[Answered], None], *, lists: bool, crowded: Callable[[], bool] = lambda: False
    ) -> None:
        self._answered = answered
        self._lists = lists
        self._crowded = crowded
        self._from_client = Lines()
        self._from_server = Lines()
        self._noted: list[tuple[float, bool, bytes]] = []
        """(when, whether the client said it, what): as it was handed on, as cutting it into lines would keep the
        answer waiting."""
        self._size = 0
        self._pending: dict[str, Call] = {}
        self._asking: dict[tuple[str, str], Call] = {}
        """(tool, arguments) -> a call whose answer asked for something."""
        self.last = 0.0
        """When something was said last."""
        self.client = ""
        """What the host calls itself."""

    def client_said(self, data: bytes) -> None:
        self._note(data, by_client=True)

    def server_said(self, data: bytes) -> None:
        self._note(data, by_client=False)

    def _note(self, data: bytes, *, by_client: bool) -> None:
        self.last = monotonic()
        self._noted.append((self.last, by_client, data))
        self._size += len(data)
        if self._size > SOON or len(data) >= FULL:
            self.catch_up()

    @property
    def behind(self) -> bool:
        """Whether something waits to be looked at."""
        return bool(self._noted)

    def catch_up(self) -> None:
        noted, self._noted, self._size = self._noted, [], 0
        for moment, by_client, data in noted:
            lines = self._from_client if by_client else self._from_server
            lines.kept = READ_WHOLE if self._crowded() else LINE_CAP
            for line in lines.feed(data):
                self._look_at(line, moment, by_client=by_client)

    def _look_at(self, line: Line, moment: float, *, by_client: bool) -> None:
        if not by_client and not self._pending:
            return
        for message, parts in _messages(line):
            if by_client:
                self._request(message, parts, line.size, moment)
            else:
                self._response(message, parts, line, moment)

    def ended(self) -> None:
        """The server is gone: what is still waiting was never answered."""
        self.catch_up()
        for call in self._pending.values():
            if not call.is_list:
                self._finish(call, None, 0, monotonic(), error=True)
        self._pending.clear()

    # --- the client's lines ------------------------------------------------------------------------------------

    def _request(self, message: dict[str, Any], parts: list[bytes] | None, size: int, moment: float) -> None:
        method = message.get("method")
        if not isinstance(method, str):
            return
        params = message.get("params")
        params = params if isinstance(params, dict) else {}
        self._note_client(params)
        if method == "notifications/cancelled":
            self._cancelled(params, moment)
        elif method == "tools/call" and "id" in message:
            self._pending[id_key(message["id"])] = self._call(params, parts, size, moment)
        elif method == "tools/list" and "id" in message and self._lists:
            self._pending[id_key(message["id"])] = Call("", parts, size, moment, is_list=True)

    def _call(self, params: dict[str, Any], parts: list[bytes] | None, size: int, moment: float) -> Call:
        name = params.get("name")
        tool = name if isinstance(name, str) else ""
        arguments = params.get("arguments")
        if "requestState" in params or "inputResponses" in params:
            asked = self._asking.pop((tool, _key(arguments)), None)
            if asked is not None:
                asked.began = moment
                return asked
        call = Call(tool, parts, size, moment)
        call.arguments = arguments
        return call

    def _note_client(self, params: dict[str, Any]) -> None:
        meta = params.get("_meta")
        told = params.get("clientInfo")
        if told is None and isinstance(meta, dict):
            told = meta.get("io.modelcontextprotocol/clientInfo")
        if isinstance(told, dict) and isinstance(told.get("name"), str):
            self.client = told["name"][:100]

    def _cancelled(self, params: dict[str, Any], moment: float) -> None:
        call = self._pending.pop(id_key(params.get("requestId")), None)
        if call is not None and not call.is_list:
            self._finish(call, None, 0, moment, error=True)

    # --- the server's lines ------------------------------------------------------------------------------------

    def _response(self, message: dict[str, Any], parts: list[bytes] | None, line: Line, moment: float) -> None:
        if "method" in message or not ("result" in message or "error" in message):
            return
        call = self._pending.pop(id_key(message.get("id")), None)
        if call is None:
            return
        result = message.get("result")
        asks = isinstance(result, dict) and result.get("resultType") == "input_required"
        if asks and not call.is_list:
            call.milliseconds += (moment - call.began) * 1000
            self._asking[call.tool, _key(call.arguments)] = call
            if len(self._asking) > _OPEN_ROUNDS:
                del self._asking[next(iter(self._asking))]
            return
        error = "error" in message or (isinstance(result, dict) and result.get("isError") is True)
        self._finish(call, parts, line.size, moment, error=error, binary=is_binary(line))

    def _finish(
        self,
        call: Call,
        result: list[bytes] | None,
        size: int,
        moment: float,
        *,
        error: bool,
        binary: bool = False,
    ) -> None:
        call.milliseconds += (moment - call.began) * 1000
        t = int((time() - (monotonic() - moment)) * 1000)
        self._answered(Answered(call, result, size, error=error, client=self.client, t=t, binary=binary))


def _key(value: object) -> str:
    try:
        return dumps(value)
    except ValueError:
        return ""


def is_binary(line: Line) -> bool:
    """Whether the ends of a long line run out in base64: then it is an image, a sound or a file, and its size says
    nothing of what it costs."""
    if line.size <= READ_WHOLE:
        return False
    inner = line.head[-_RUN:] + line.tail[:_RUN]
    return not inner.translate(None, _BASE64)


def _messages(line: Line) -> list[tuple[dict[str, Any], list[bytes] | None]]:
    """(the message, its bytes) of a line: one, or those of a batch. Of a long one only the ends are known."""
    if line.parts is not None and line.size <= READ_WHOLE:
        try:
            value = loads(line.whole)
        except ValueError:  # NaN, too deep, other bytes: whom it was sent to may understand it
            value = message_at(line.head, line.tail)
        if isinstance(value, dict):
            return [(value, line.parts)] if value else []
        if isinstance(value, list):
            return [(item, [dumps(item).encode()]) for item in value if isinstance(item, dict)]
        return []
    members = message_at(line.head, line.tail)
    return [(members, line.parts)] if members else []

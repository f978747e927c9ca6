"""A definition's choice of tools, kept here for hosts that have no such setting of their own.

Only where there is a choice do lines wait until they are whole, and only the answers to ``tools/list`` and the calls
of a tool that is left out are changed.
"""

from __future__ import annotations

from .envelope import id_key, message_at
from .jsontext import dumps, loads
from .lines import END

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

_REFUSED = -32602
"""Invalid params: what servers answer for a tool they do not have."""
_DIGITS = 4000
"""Of a number that is read: Python refuses more than 4,300."""


class Held:
    """The beginning of a line whose end has not come yet."""

    __slots__ = ("_parts",)

    def __init__(self) -> None:
        self._parts: list[bytes] = []

    def lines(self, data: bytes) -> list[bytes]:
        """The lines that ``data`` completes, each with its end."""
        first, newline, rest = data.partition(b"\n")
        self._parts.append(first + newline)
        if not newline:
            return []
        *others, last = rest.split(b"\n")
        found = [b"".join(self._parts), *(line + b"\n" for line in others)]
        self._parts = [last] if last else []
        return found

    def rest(self) -> bytes:
        rest, self._parts = b"".join(self._parts), []
        return rest


class ToolFilter:
    """``include`` and ``exclude`` are names or patterns with ``*`` and ``?``, as in the definition.

    ``answer`` takes what the client is told in the server's place; it is called between two lines of the server's.
    """

    def __init__(self, include: list[str], exclude: list[str], answer: Callable[[bytes], None]) -> None:
        self._include = include
        self._exclude = exclude
        self._answer = answer
        self._answers = b""
        """What could not be said yet, because the server is in the middle of a line."""
        self._in_line = False
        self._lists: set[str] = set()
        """Ids of ``tools/list`` requests on their way."""
        self._client = Held()
        self._server = Held()

    def shows(self, tool: str) -> bool:
        return is_chosen(tool, self._include, self._exclude)

    def from_client(self, data: bytes) -> bytes:
        """What of it goes to the server, so far."""
        return b"".join(map(self._asked, self._client.lines(data)))

    def from_server(self, data: bytes) -> bytes:
        """What of it goes to the client, so far."""
        if self._lists:
            data = b"".join(map(self._shown, self._server.lines(data)))
        elif held := self._server.rest():
            data = held + data
        if self._answers and (end := data.find(b"\n") + 1):
            data = data[:end] + self._answers + data[end:]
            self._answers = b""
        if data:
            self._in_line = not data.endswith(b"\n")
        return data

    def rest_of_client(self) -> bytes:
        """What came without a line's end, at the end of the stream."""
        return self._client.rest()

    def rest_of_server(self) -> bytes:
        return self._server.rest()

    def _asked(self, line: bytes) -> bytes:
        if b"tools/" not in line and b"\\" not in line:  # a method may be written with escapes
            return line
        try:
            value = loads(line)
        except ValueError:  # the server may understand it
            value = _leniently(line)
        messages = value if isinstance(value, list) else [value]
        refused = [message for message in messages if self._refuses(message)]
        if not refused:
            return line
        answers = [_refusal(message) for message in refused if "id" in message]
        if answers:
            self._say(_line(answers if isinstance(value, list) else answers[0]))
        others = [message for message in messages if message not in refused]
        return _line(others) if others else b""

    def _refuses(self, message: Any) -> bool:
        if not isinstance(message, dict):
            return False
        if message.get("method") == "tools/list" and "id" in message:
            self._lists.add(id_key(message["id"]))
        return message.get("method") == "tools/call" and not self.shows(_tool_of(message))

    def _say(self, answer: bytes) -> None:
        if self._in_line:
            self._answers += answer
        else:
            self._answer(answer)

    def _shown(self, line: bytes) -> bytes:
        try:
            value = loads(line)
        except ValueError:
            return line
        changed = False
        for message in value if isinstance(value, list) else [value]:
            if isinstance(message, dict) and "method" not in message and "id" in message:
                key = id_key(message["id"])
                if key in self._lists:
                    self._lists.discard(key)
                    changed |= self._cut(message.get("result"))
        return _line(value) if changed else line

    def _cut(self, result: Any) -> bool:
        tools = result.get("tools") if isinstance(result, dict) else None
        if not isinstance(tools, list):
            return False
        kept = [tool for tool in tools if not isinstance(tool, dict) or self.shows(str(tool.get("name", "")))]
        result["tools"] = kept
        return len(kept) < len(tools)


def is_chosen(tool: str, include: Sequence[str], exclude: Sequence[str]) -> bool:
    return any(fits(tool, pattern) for pattern in include) and not any(fits(tool, pattern) for pattern in exclude)


def fits(name: str, pattern: str) -> bool:
    """Whether a pattern with ``*`` (anything) and ``?`` (one character) describes the whole name; case counts."""
    if "[" in pattern:  # a set of characters: rare, and worth no code of ours
        from fnmatch import fnmatchcase

        return fnmatchcase(name, pattern)
    at = place = 0
    star, covered = -1, 0
    while at < len(name):
        wanted = pattern[place : place + 1]
        if wanted == "*":
            star, covered = place, at
            place += 1
        elif wanted in ("?", name[at]) and wanted:
            at += 1
            place += 1
        elif star >= 0:  # let the last star cover one more
            covered += 1
            at, place = covered, star + 1
        else:
            return False
    return not pattern[place:].strip("*")


def _leniently(line: bytes) -> Any:
    """What NaN, endless numbers and other bytes do not hide; what is too deep for that shows its ends."""
    import json

    try:
        return json.loads(line.decode("utf-8", "surrogateescape"), parse_int=_number)
    except (ValueError, RecursionError):
        return message_at(line[:END], line[-END:])


def _number(digits: str) -> int | None:
    return int(digits) if len(digits) <= _DIGITS else None


def _tool_of(message: dict[str, Any]) -> str:
    params = message.get("params")
    name = params.get("name") if isinstance(params, dict) else None
    return name if isinstance(name, str) else ""


def _refusal(message: dict[str, Any]) -> dict[str, Any]:
    text = f"Tool {_tool_of(message)!r} is not offered here: the connector's definition leaves it out"
    return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": _REFUSED, "message": text}}


def _line(value: Any) -> bytes:
    try:
        return dumps(value).encode() + b"\n"
    except ValueError:  # read leniently
        import json

        return json.dumps(value).encode() + b"\n"

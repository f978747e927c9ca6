"""What the ends of a long JSON-RPC line tell without reading all of it.

Some write ``id`` first, some last; what stands in between may be megabytes. Only what is certain is told: what stands
before the first value that is an object or a list, and what directly precedes the last brace.
"""

from __future__ import annotations

from .jsontext import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_SPACE = b" \t\r\n"
_HOLDERS = ("params", "result", "error")
"""The members of a JSON-RPC message that have no plain value; it has one of them."""


def id_key(value: object) -> str:
    """By which a request and its answer are told to belong together: ids 1 and "1" are two, 1 and 1.0 are one, as is
    a number that is too long for the server's own kind."""
    try:
        if isinstance(value, int | float) and not isinstance(value, bool):
            return repr(float(value))
        return dumps(value)
    except (ValueError, OverflowError):
        return ""


def message_at(head: bytes, tail: bytes) -> dict[str, Any]:
    """What can be told of a message (the bytes at both its ends are given): its members with plain values, and of the
    first that has no plain value, as far as they stand at its ends, the members with plain values."""
    members, name, within = _from_head(head)
    others, before = _from_tail(tail)
    for other, value in others.items():
        members.setdefault(other, value)
    if name:
        inner, _, _ = _from_head(within)
        if name in _HOLDERS:
            for other, value in _from_tail(before)[0].items():
                inner.setdefault(other, value)
        members[name] = inner
    return members


def _from_head(head: bytes) -> tuple[dict[str, Any], str, bytes]:
    """(plain members, the name of the first that is not plain or ``""``, what begins there)."""
    members: dict[str, Any] = {}
    rest = head.lstrip(_SPACE)
    if not rest.startswith(b"{"):
        return members, "", b""
    rest = rest[1:].lstrip(_SPACE)
    while rest.startswith(b'"'):
        name, rest = _string(rest)
        rest = rest.lstrip(_SPACE)
        if not name or not rest.startswith(b":"):
            break
        rest = rest[1:].lstrip(_SPACE)
        if rest[:1] in (b"{", b"["):
            return members, name, rest
        value, rest = _plain(rest)
        if value is None:
            break
        members[name] = value
        rest = rest.lstrip(_SPACE)
        if not rest.startswith(b","):
            break
        rest = rest[1:].lstrip(_SPACE)
    return members, "", b""


def _string(text: bytes) -> tuple[str, bytes]:
    end = text.find(b'"', 1)
    while end > 0 and text[end - 1 : end] == b"\\":  # good enough: a name that ends in a backslash is none of ours
        end = text.find(b'"', end + 1)
    if end < 0:
        return "", b""
    try:
        return str(loads(text[: end + 1])), text[end + 1 :]
    except ValueError:
        return "", b""


def _plain(text: bytes) -> tuple[Any, bytes]:
    if text.startswith(b'"'):
        value, rest = _string(text)
        return (value or None), rest
    length = 0
    while length < len(text) and text[length : length + 1] not in (b",", b"}", b" ", b"\t", b"\r"):
        length += 1
    if length == len(text):
        return None, b""
    try:
        return loads(text[:length]), text[length:]
    except ValueError:
        return None, b""


def _from_tail(tail: bytes) -> tuple[dict[str, Any], bytes]:
    """(members with plain values right before the last brace, what stands before them)."""
    found: dict[str, Any] = {}
    rest = tail.rstrip(_SPACE)
    if not rest.endswith(b"}"):
        return found, b""
    rest = rest[:-1].rstrip(_SPACE)
    while rest[-1:] not in (b"}", b"]", b""):
        start = max(rest.rfind(b',"'), rest.rfind(b', "'))
        if start < 0:
            break
        try:
            member = loads(b"{" + rest[start + 1 :] + b"}")
        except ValueError:
            break
        if len(member) != 1:
            break
        found.update(member)
        rest = rest[:start].rstrip(_SPACE)
    return found, rest

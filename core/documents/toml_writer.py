"""JSON values -> TOML text. What TOML cannot say (null, integers beyond 64 bits) is a :class:`ProofError`."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

from ..errors import ProofError
from .base import Place

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPED = re.compile(r'[\x00-\x1f\x7f"\\]')
_SHORT_ESCAPES = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", '"': '\\"', "\\": "\\\\"}
_INT64 = range(-(2**63), 2**63)


def write_key(path: Place) -> str:
    """A dotted key, each part quoted only where it must be."""
    return ".".join(part if _BARE_KEY.fullmatch(part) else write_string(part) for part in path)


def write_string(text: str) -> str:
    """A basic string on one line."""
    if any("\ud800" <= mark <= "\udfff" for mark in text):
        raise ProofError("the text holds half of a surrogate pair, which no UTF-8 file can hold")
    return '"' + _ESCAPED.sub(lambda mark: _SHORT_ESCAPES.get(mark[0]) or f"\\u{ord(mark[0]):04X}", text) + '"'


def write_inline(value: Any) -> str:
    """The value on one line, tables as inline tables."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return write_string(value)
        case int():
            if value not in _INT64:
                raise ProofError(f"{value} does not fit the 64 bits of a TOML integer")
            return str(value)
        case float():
            return _write_float(value)
        case dict():
            members = ", ".join(write_member((key,), item) for key, item in _members(value))
            return f"{{ {members} }}" if members else "{}"
        case list() | tuple():
            return "[" + ", ".join(map(write_inline, value)) + "]"
        case None:
            raise ProofError("TOML has no null")
    raise ProofError(f"TOML has no value of type {type(value).__name__}")


def _write_float(value: float) -> str:
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return repr(value)


def write_member(keys: Place, value: Any) -> str:
    """``key = value``, of a line or inside an inline table."""
    return f"{write_key(keys)} = {write_inline(value)}"


def write_tables(path: Place, value: Any, newline: str) -> str:
    """``[path]`` with its key lines, subtables and arrays of tables; ``[[path]]`` for each item of a list.

    Without a final line break.
    """
    return (newline * 2).join(newline.join(lines) for lines in _sections(path, value))


def write_leaf_table(path: Place, value: Any, newline: str) -> str:
    """``[path]`` up to the last key, which becomes its only line."""
    return newline.join((f"[{write_key(path[:-1])}]", write_member(path[-1:], value)))


def _sections(path: Place, value: Any) -> Iterator[list[str]]:
    if isinstance(value, list):
        for item in value:
            yield from _section(path, item, f"[[{write_key(path)}]]")
    else:
        yield from _section(path, value, f"[{write_key(path)}]")


def _section(path: Place, table: dict[str, Any], header: str) -> Iterator[list[str]]:
    members = list(_members(table))
    yield [header, *(write_member((key,), item) for key, item in members if not has_header(item))]
    for key, item in members:
        if has_header(item):
            yield from _sections((*path, key), item)


def has_header(value: Any) -> bool:
    """Whether the value is written under headers of its own: a table or an array of tables."""
    return isinstance(value, dict) or (
        isinstance(value, list) and bool(value) and all(isinstance(item, dict) for item in value)
    )


def _members(table: dict[Any, Any]) -> Iterator[tuple[str, Any]]:
    for key, item in table.items():
        if not isinstance(key, str):
            raise ProofError(f"a key must be text, not {key!r}")
        yield key, item

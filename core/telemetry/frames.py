"""What a proxy hands to the counter: one line of JSON, then the bytes of a request and of its answer.

{"row": {…}, "family": "openai", "calibrate": false, "log_only": false, "parts": [n, m]}\\n, n bytes, m bytes

A definition's choice of tools stands beside the parts: ``"include": [pattern, ...], "exclude": [pattern, ...]``.
"""

from __future__ import annotations

import json
import re
from typing import Any, get_args

from ..runtime.tool_filter import is_chosen
from ..values import frozen
from .modalities import Family

HEADER_CAP = 65536
PART_CAP = 2 << 20
"""Bytes of a line that is counted; a longer one is told by its size alone."""

_TEXTS = ("connector", "host", "tool", "session", "project", "client")
_NUMBERS = ("t", "u", "inb", "outb", "ms", "error")
_SCOPES = ("call", "tool_defs")
_FAMILIES = get_args(Family)
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._-]{0,127}")


class MalformedError(ValueError):
    """These bytes are no frame."""


@frozen
class Frame:
    """``row`` has the spool's keys and no others; ``connector`` and ``host`` are in it and may become a file's name.
    ``log_only``: the row belongs to the connector's own log. ``include``, ``exclude``: which of the server's tools
    a model is told of in this host."""

    row: dict[str, Any]
    family: Family
    calibrate: bool
    log_only: bool
    request: bytes
    answer: bytes
    include: tuple[str, ...] = ("*",)
    exclude: tuple[str, ...] = ()

    def offers(self, tool: str) -> bool:
        return is_chosen(tool, self.include, self.exclude)


class Frames:
    """Cuts a connection's bytes into frames. At most one frame and one read of bytes are held."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._header: dict[str, Any] | None = None
        self._parts = (0, 0)

    def feed(self, data: bytes) -> None:
        self._bytes += data

    def next(self) -> Frame | None:
        """The next whole frame; ``None`` where more bytes are needed. Raises :class:`MalformedError`."""
        if self._header is None:
            end = self._bytes.find(b"\n", 0, HEADER_CAP)
            if end < 0:
                if len(self._bytes) >= HEADER_CAP:
                    raise MalformedError("the header has no end")
                return None
            self._header = _header(bytes(self._bytes[:end]))
            self._parts = _parts(self._header.get("parts"))
            del self._bytes[: end + 1]
        size = sum(self._parts)
        if len(self._bytes) < size:
            return None
        request, answer = bytes(self._bytes[: self._parts[0]]), bytes(self._bytes[self._parts[0] : size])
        frame = _frame(self._header, request, answer)
        del self._bytes[:size]
        self._header = None
        return frame


def _header(line: bytes) -> dict[str, Any]:
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        raise MalformedError("the header is no JSON") from None
    if not isinstance(header, dict):
        raise MalformedError("the header is no object")
    return header


def _parts(value: Any) -> tuple[int, int]:
    if not (isinstance(value, list) and len(value) == 2 and all(type(size) is int for size in value)):
        raise MalformedError("parts must be two numbers")
    if not all(0 <= size <= PART_CAP for size in value):
        raise MalformedError(f"a part has at most {PART_CAP} bytes")
    return value[0], value[1]


def _frame(header: dict[str, Any], request: bytes, answer: bytes) -> Frame:
    family = header.get("family", "generic")
    if family not in _FAMILIES:
        raise MalformedError("the family is not known")
    row = _row(header.get("row"))
    return Frame(
        row,
        family,
        header.get("calibrate") is True,
        header.get("log_only") is True,
        request,
        answer,
        _patterns(header.get("include", ["*"])),
        _patterns(header.get("exclude", [])),
    )


def _patterns(value: Any) -> tuple[str, ...]:
    if not (isinstance(value, list) and all(isinstance(pattern, str) for pattern in value)):
        raise MalformedError("a choice of tools must be a list of names")
    return tuple(value)


def _row(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or value.get("scope") not in _SCOPES:
        raise MalformedError("the row is of no known scope")
    row = {"scope": value["scope"]}
    row |= {key: value[key] for key in _TEXTS if isinstance(value.get(key), str)}
    row |= {key: value[key] for key in _NUMBERS if type(value.get(key)) in (int, float)}
    if type(row.get("u")) is not int or not 0 <= row["u"] < 1 << 63:
        raise MalformedError("the row has no number of its own")
    if not all(_NAME.fullmatch(row.get(key, "")) for key in ("connector", "host")):
        raise MalformedError("connector and host must be names")
    return row

"""TOML text -> its meaning as JSON values, or where it breaks.

``tomllib`` decides. What it refuses and tomlkit accepts is TOML 1.1 (line breaks in inline tables, ``\\e``, times
without seconds), which the running Python may not know yet; tomlkit costs 40 ms to import, so it is asked last.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from datetime import date, datetime, time
from typing import Any

from ..errors import DocumentError

BOM = "\ufeff"

_POSITION = re.compile(r" \(at (?:line (?P<line>\d+), column (?P<column>\d+)|end of document)\)$")


def decode(data: bytes) -> tuple[str, str]:
    """The byte order mark (or nothing) and the text behind it. Raises :class:`DocumentError` for bytes not UTF-8."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        line, column = _end_of(data[: error.start].decode("utf-8"))
        raise DocumentError("not UTF-8 text", line=line, column=column) from None
    return (BOM, text[1:]) if text.startswith(BOM) else ("", text)


def read_meaning(text: str) -> dict[str, Any]:
    """The document as JSON values; dates and times as RFC 3339 text. Raises :class:`DocumentError`."""
    try:
        return _table_as_json(tomllib.loads(text))
    except RecursionError:
        raise DocumentError("nested too deeply to be read") from None
    except ValueError as error:
        newer = _read_newer(text)
        if newer is None:
            raise _located(str(error), text) from None
        return newer


def _read_newer(text: str) -> dict[str, Any] | None:
    from tomlkit import parse
    from tomlkit.exceptions import TOMLKitError

    try:
        # tomllib reads CRLF in multi-line strings as LF; both readers must mean the same.
        return _table_as_json(parse(text.replace("\r\n", "\n")).unwrap())
    except (TOMLKitError, ValueError, RecursionError):
        return None


def _located(message: str, text: str) -> DocumentError:
    found = _POSITION.search(message)
    if found is None:
        return DocumentError(message)
    if found["line"]:
        line, column = int(found["line"]), int(found["column"])
    else:
        line, column = _end_of(text)
    return DocumentError(message[: found.start()], line=line, column=column)


def _end_of(text: str) -> tuple[int, int]:
    return text.count("\n") + 1, len(text) - text.rfind("\n")


def _table_as_json(table: Mapping[str, Any]) -> dict[str, Any]:
    return {key: _as_json(item) for key, item in table.items()}


def _as_json(value: Any) -> Any:
    if isinstance(value, dict):
        return _table_as_json(value)
    if isinstance(value, list):
        return [_as_json(item) for item in value]
    if isinstance(value, (datetime, date, time)):
        return value.isoformat()
    return value

"""Whole TOML files of ours, written from JSON values. (Edits of a user's TOML never pass here.)"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_ESCAPED = re.compile('[\\\\"\x00-\x1f\x7f]')
_ESCAPED_IN_LINES = re.compile('\\\\|"(?="")|"$|[\x00-\x08\x0b-\x1f\x7f]')
_SHORT = {"\\": "\\\\", '"': '\\"', "\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r"}


def toml_text(table: Mapping[str, Any]) -> str:
    """One ``key = value`` a line; ``None`` is left out, nested objects become inline tables.

    Raises TypeError for what is not a JSON value.
    """
    return "".join(
        f"{_key(key)} = {_value(value, prose=True)}\n" for key, value in table.items() if value is not None
    )


def _key(key: str) -> str:
    return key if _BARE_KEY.fullmatch(key) else _string(key)


def _value(value: Any, *, prose: bool = False) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _lines(value) if prose and "\n" in value else _string(value)
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return json.dumps(value).replace("NaN", "nan").replace("Infinity", "inf")
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_value(item) for item in value) + "]"
    if isinstance(value, Mapping):
        members = [f"{_key(key)} = {_value(item)}" for key, item in value.items() if item is not None]
        return "{ " + ", ".join(members) + " }" if members else "{}"
    raise TypeError(f"TOML has no value for {type(value).__name__}")


def _string(text: str) -> str:
    return '"' + _ESCAPED.sub(_escape, text) + '"'


def _lines(text: str) -> str:
    """A text of several lines, as such. The line end after the opening quotes is not part of it."""
    return '"""\n' + _ESCAPED_IN_LINES.sub(_escape, text) + '"""'


def _escape(match: re.Match[str]) -> str:
    return _SHORT.get(match[0]) or f"\\u{ord(match[0]):04x}"

"""JSON values -> YAML text that every reader takes the same way, be it of YAML 1.1 or 1.2."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, Final

from ..errors import ProofError
from ..values import frozen

_PLAIN = re.compile(r"[A-Za-z_/][\w./-]*(?:://[\w./-]+)?", re.ASCII)
"""Text that nobody takes for anything else: no indicators, no blanks, no look of a number or a date."""
_WORDS: Final = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
_UNPRINTABLE = re.compile("[\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]")
_SURROGATE = re.compile("[\ud800-\udfff]")


@frozen
class Style:
    newline: str = "\n"
    unit: int = 2
    """Spaces by which a mapping in a mapping is indented."""
    dash: int = 2
    """Spaces by which the dashes of a sequence are indented below their key."""
    quoted: bool = False
    """Whether every text has quotes: between brackets that may have to be JSON."""


def member_text(key: str, value: Any, indent: int, style: Style) -> str:
    """``key: value`` in block style, each line but the first with a line break in front; none at the end."""
    return style.newline.join(_member(key, value, indent, style))


def item_text(item: Any, indent: int, style: Style) -> str:
    return style.newline.join(_item(item, indent, style))


def inside_text(value: Any, indent: int, style: Style) -> str:
    """What stands behind a colon: on its line, or on lines below the key at ``indent``."""
    lines = list(_inside(value, indent, style))
    return f" {inline(value, style)}" if not lines else style.newline + style.newline.join(lines)


def inline(value: Any, style: Style) -> str:
    """The value on one line."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case str():
            return _string(value, quoted=style.quoted)
        case int():
            return str(value)
        case float():
            return _float(value)
        case dict():
            return "{" + ", ".join(f"{_key(key, style)}: {inline(item, style)}" for key, item in value.items()) + "}"
        case list() | tuple():
            return "[" + ", ".join(inline(item, style) for item in value) + "]"
    raise ProofError(f"YAML has no value of type {type(value).__name__}")


def inline_member(key: str, value: Any, style: Style) -> str:
    return f"{_key(key, style)}: {inline(value, style)}"


def _member(key: Any, value: Any, indent: int, style: Style) -> Iterator[str]:
    head = f"{' ' * indent}{_key(key, style)}:"
    lines = list(_inside(value, indent, style))
    if lines:
        yield head
        yield from lines
    else:
        yield f"{head} {inline(value, style)}"


def _inside(value: Any, indent: int, style: Style) -> Iterator[str]:
    """Lines of a value below its key; none for what fits on the key's line."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from _member(key, item, indent + style.unit, style)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _item(item, indent + style.dash, style)


def _item(item: Any, indent: int, style: Style) -> Iterator[str]:
    dash = f"{' ' * indent}- "
    if not isinstance(item, dict) or not item:
        yield dash + inline(item, style)
        return
    lines = [line for key, value in item.items() for line in _member(key, value, indent + 2, style)]
    yield dash + lines[0][indent + 2 :]
    yield from lines[1:]


def _key(key: Any, style: Style) -> str:
    if not isinstance(key, str):
        raise ProofError(f"a key must be text, not {key!r}")
    return _string(key, quoted=style.quoted)


def _string(text: str, *, quoted: bool) -> str:
    if not quoted and _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    if _SURROGATE.search(text):
        raise ProofError("the text holds half of a surrogate pair, which no UTF-8 file can hold")
    written = json.dumps(text, ensure_ascii=False)
    return _UNPRINTABLE.sub(lambda mark: f"\\u{ord(mark[0]):04x}", written)


def _float(value: float) -> str:
    if math.isnan(value):
        return ".nan"
    if math.isinf(value):
        return ".inf" if value > 0 else "-.inf"
    written = repr(value)
    mantissa, e, exponent = written.partition("e")
    return written if not e or "." in mantissa else f"{mantissa}.0e{exponent}"  # YAML 1.1 wants the point

"""What can be told of a payload that cannot be read as a whole: too deep, cut off, no UTF-8, a number out of range.

What restrains a tool must not depend on what a model puts into the tool's input, so static denies and asks go by
this. Loaded for such a payload alone.
"""

from __future__ import annotations

import re

from .jsontext import BOM, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

# Nothing of it ever looks back: a payload may be large, and made to be slow.
_TOKEN = re.compile(r'[\s,:]*+(?:("[^"\\]*+(?:\\.[^"\\]*+)*+")|([\[{])|([\]}])|([^\s,:"\[\]{}]++))', re.DOTALL)
_TO_NEXT_BRACKET = re.compile(r'(?:[^"\[\]{}]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+', re.DOTALL)


def outline(data: bytes) -> dict[str, Any] | None:
    """The texts, numbers and words at the top level of an object, as far as it can be followed; empty objects and
    lists where others stand. ``None`` for what does not begin as an object."""
    text = data.removeprefix(BOM).decode("utf-8", "replace").lstrip()
    if not re.match(r'\{\s*"', text):
        return None
    found: dict[str, Any] = {}
    values = _top_level(text)
    for key, _ in values:
        value = next(values, None)
        if value is None or not isinstance(key, str):
            break
        if value[1]:
            found[key] = value[0]
    return found


def _top_level(text: str) -> Iterator[tuple[Any, bool]]:
    """(value, whether it can be told) of each key and each value, in turn."""
    position = 1
    while token := _TOKEN.match(text, position):
        position = token.end()
        if token[3]:
            return
        if token[2]:
            yield ({} if token[2] == "{" else []), True
            position = _behind(text, position)
            continue
        try:
            yield loads((token[1] or token[4]).encode("utf-8", "replace")), True
        except ValueError:
            yield None, False


def _behind(text: str, position: int) -> int:
    """Where what was opened before ``position`` is closed again; the end where it is not."""
    depth = 1
    while depth:
        skipped = _TO_NEXT_BRACKET.match(text, position)
        position = skipped.end() if skipped else position
        if position >= len(text) or text[position] == '"':  # a text that is not closed
            return len(text)
        depth += 1 if text[position] in "[{" else -1
        position += 1
    return position

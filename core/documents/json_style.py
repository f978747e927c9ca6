"""How a file writes its JSON, found from what stands around an edit, and new values written the same way."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from typing import Any, Final, TypeVar

from ..errors import ProofError
from ..values import frozen
from .json_scan import Container
from .json_text import first_newline, gap_tokens, has_newline, line_indent

_INDENT = re.compile(r"[ \t]+(?=\S)")
_LINES_TO_LOOK_AT: Final = 500
Found = TypeVar("Found")
_SURROGATE = re.compile("[\ud800-\udfff]")


@frozen
class Style:
    newline: str = "\n"
    unit: str = "  "
    """One level of indentation."""
    colon: str = ": "
    comma: str = ", "
    """Between members on one line."""
    padding: str = ""
    """Inside the braces of an object on one line."""
    trailing_comma: bool = False
    """Behind the last member where each has its line."""


def detect(text: str, around: Sequence[Container]) -> Style:
    """The style at a place; ``around`` are the containers to learn from, outermost first."""
    nearest_first = [container for container in reversed(around) if container.members]
    colon = _first(_colon(text, container) for container in nearest_first) or ": "
    return Style(
        newline=_first(_newline(text, container) for container in nearest_first)
        or first_newline(text, 0, len(text))
        or "\n",
        unit=_unit(text, nearest_first),
        colon=colon,
        comma=_first(_comma(text, container) for container in nearest_first) or ("," if colon == ":" else ", "),
        padding=_first(_padding(text, container) for container in nearest_first) or "",
        trailing_comma=_first(_trailing(text, container) for container in nearest_first) or False,
    )


def lines_indent(text: str, container: Container) -> str | None:
    """The indentation of the last member that begins a line; ``None`` if all stand on the line of the bracket."""
    members = container.members
    for at in reversed(range(len(members))):
        before = members[at - 1].end if at else container.start
        if has_newline(text, before, members[at].start):
            return line_indent(text, members[at].start)
    return None


def render(value: Any, style: Style, indent: str | None) -> str:
    """``value`` as JSON text without a final newline: one line if ``indent`` is ``None``, otherwise each member on
    its line, one unit deeper than ``indent``. Raises :class:`ProofError` for what JSON cannot say."""
    try:
        text = _render(value, style, indent)
    except (TypeError, ValueError, RecursionError) as error:
        raise ProofError(f"the value cannot be written as JSON: {error}") from None
    return _SURROGATE.sub(lambda lone: f"\\u{ord(lone[0]):04x}", text)


def render_member(key: str, value: Any, style: Style, indent: str | None) -> str:
    return f"{render(key, style, None)}{style.colon}{render(value, style, indent)}"


def _render(value: Any, style: Style, indent: str | None) -> str:
    deeper = None if indent is None else indent + style.unit
    if isinstance(value, dict) and value:
        pairs = [f"{_key(key)}{style.colon}{_render(item, style, deeper)}" for key, item in value.items()]
        return _wrapped("{", pairs, "}", style, indent)
    if isinstance(value, list) and value:
        return _wrapped("[", [_render(item, style, deeper) for item in value], "]", style, indent)
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _key(key: Any) -> str:
    if not isinstance(key, str):
        raise TypeError(f"the key {key!r} is not a string")
    return json.dumps(key, ensure_ascii=False)


def _wrapped(opening: str, parts: list[str], closing: str, style: Style, indent: str | None) -> str:
    if indent is None:
        padding = style.padding if opening == "{" else ""
        return f"{opening}{padding}{style.comma.join(parts)}{padding}{closing}"
    line = style.newline + indent + style.unit
    last = "," if style.trailing_comma else ""
    return f"{opening}{line}{f',{line}'.join(parts)}{last}{style.newline}{indent}{closing}"


def _first(findings: Iterable[Found | None]) -> Found | None:
    return next((found for found in findings if found is not None), None)


def _newline(text: str, container: Container) -> str | None:
    last = container.members[-1]
    before = container.members[-2].end if len(container.members) > 1 else container.start
    return first_newline(text, before, last.start) or first_newline(text, container.start, container.end) or None


def _unit(text: str, nearest_first: Sequence[Container]) -> str:
    for container in nearest_first:
        outer, inner = line_indent(text, container.start), lines_indent(text, container)
        if inner is not None and inner.startswith(outer):
            return inner[len(outer) :]
    return _first_indent(text) or "  "


def _first_indent(text: str) -> str:
    """The indentation of the first of some lines that has one."""
    start = 0
    for _ in range(_LINES_TO_LOOK_AT):
        start = text.find("\n", start) + 1
        if not start:
            break
        if indent := _INDENT.match(text, start):
            return indent[0]
    return ""


def _colon(text: str, container: Container) -> str | None:
    last = container.members[-1]
    between = text[last.key_end : last.value_start]
    return between if between in (":", ": ", " : ", " :") else None


def _comma(text: str, container: Container) -> str | None:
    pairs = zip(container.members, container.members[1:], strict=False)
    between = [text[left.end : right.start] for left, right in pairs]
    return next((found for found in between if found in (",", ", ")), None)


def _padding(text: str, container: Container) -> str | None:
    if text[container.start] != "{" or has_newline(text, container.start, container.end):
        return None
    return " " if text[container.start + 1] == " " else ""


def _trailing(text: str, container: Container) -> bool | None:
    if lines_indent(text, container) is None:
        return None
    return any(token.kind == "," for token in gap_tokens(text, container.members[-1].end, container.end - 1))

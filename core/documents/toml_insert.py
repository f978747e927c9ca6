"""Where something new goes in a TOML text, and in which form.

What is inserted is spliced in at the end of a line's content and carries its own line breaks in front, so that
cutting it out again, at any time and in any order, gives back what stood there.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from .base import Place
from .toml_places import BLANK, Layout, Splice, Whereabouts
from .toml_scanner import (
    Brackets,
    after_comments,
    brackets,
    comment_block,
    content_end,
    line_start,
    newline_near,
    skip_gap,
)
from .toml_writer import has_header, write_leaf_table, write_member, write_tables

_COMMENT_BEHIND = re.compile(r"[ \t]*(?P<comma>,?)[ \t]*#[^\r\n]*")


def insertions(layout: Layout, parent: Place, rest: Place, value: Any) -> Iterator[list[Splice]]:
    """Ways to put ``value`` at ``parent + rest``, the best one first; ``parent`` exists, what is below does not."""
    if not parent:
        put = _new_section if _needs_section(rest, value) else _root_line
        yield [put(layout, rest, value)]
        return
    found = layout.find(parent)
    table, prefix = inline_table(layout, found)
    if table is not None:
        source = write_member((*prefix, rest[0]), _wrapped(rest[1:], value))
        yield into_brackets(layout.text, table, source)
        return
    section, lines = [_new_section(layout, parent + rest, value)], list(_lines(layout, found, rest, value))
    yield from [section, *lines] if _needs_section(rest, value) else [*lines, section]


def opens_header(layout: Layout, parent: Place, rest: Place, value: Any) -> bool:
    """Whether ``parent`` exists only through its subtables, so that a line in it needs the header ``[parent]``."""
    if not parent or _needs_section(rest, value):
        return False
    found = layout.find(parent)
    return found.explicit is None and not found.lines and found.inside is None


def _needs_section(rest: Place, value: Any) -> bool:
    return len(rest) > 1 or has_header(value)


def _wrapped(keys: Place, value: Any) -> Any:
    for key in reversed(keys):
        value = {key: value}
    return value


# --- sections ---------------------------------------------------------------------------------------------------


def _new_section(layout: Layout, place: Place, value: Any) -> Splice:
    text = layout.text
    headers = has_header(value)
    anchor = _end_of_file(text) if headers and isinstance(value, list) else _end_of_group(layout, place)
    write = write_tables if headers else write_leaf_table
    return _paragraph(text, anchor, write(place, value, newline_near(text, anchor)))


def new_element(layout: Layout, array: Place, item: dict[str, Any]) -> Splice:
    """``[[array]]`` behind the last element there is."""
    last = layout.last_below(array)
    assert last is not None, "the array has elements"
    anchor = after_comments(layout.text, last.content_end)
    return _paragraph(layout.text, anchor, write_tables(array, [item], newline_near(layout.text, anchor)))


def _paragraph(text: str, anchor: int, source: str) -> Splice:
    """A blank line and ``source`` behind ``anchor``. A blank text is replaced: its root origin keeps it."""
    newline = newline_near(text, anchor)
    if not text.strip(BLANK):
        return Splice(0, len(text), source + newline)
    return Splice(anchor, anchor, newline * 2 + source)


def _end_of_group(layout: Layout, place: Place) -> int:
    for depth in range(len(place) - 1, 0, -1):
        last = layout.last_below(place[:depth])
        if last is not None:
            return after_comments(layout.text, last.content_end)
    return _end_of_file(layout.text)


def _end_of_file(text: str) -> int:
    """The content end of the last line that is not blank."""
    return content_end(text, len(text.rstrip(BLANK)))


# --- key lines --------------------------------------------------------------------------------------------------


def _lines(layout: Layout, found: Whereabouts, rest: Place, value: Any) -> Iterator[list[Splice]]:
    """A key line in the parent's own section, or a dotted one beside those that the parent is made of."""
    inner = _wrapped(rest[1:], value)
    if found.explicit is not None:
        yield [_line(layout.text, found.explicit.content_end, rest[:1], inner)]
    elif found.lines:
        _, member, depth = found.lines[-1]
        yield [_line(layout.text, member.end, (*member.keys[:depth], rest[0]), inner)]


def _line(text: str, anchor: int, keys: Place, value: Any) -> Splice:
    return Splice(anchor, anchor, newline_near(text, anchor) + write_member(keys, value))


def _root_line(layout: Layout, rest: Place, value: Any) -> Splice:
    """Behind the last line of the root, else above the first header."""
    text = layout.text
    if layout.root.members:
        return _line(text, layout.root.content_end, rest, value)
    source = write_member(rest, value)
    if len(layout.sections) == 1:
        return _paragraph(text, _end_of_file(text), source)
    heading = comment_block(text, line_start(text, len(text) - len(text.lstrip(BLANK))))
    if heading is not None:
        return _paragraph(text, heading, source)
    return Splice(0, 0, source + newline_near(text, 0) * 2)


# --- arrays and inline tables -----------------------------------------------------------------------------------


def inline_table(layout: Layout, found: Whereabouts) -> tuple[Brackets | None, Place]:
    """The inline table that ``found`` is, or is made of by dotted members that begin with the returned keys."""
    exact = found.exact
    if exact is not None:
        return brackets(layout.text, exact.value), ()
    if found.inside is not None:
        return found.inside.brackets, found.inside.members[0].keys[: found.inside.depth]
    return None, ()


def into_brackets(text: str, outer: Brackets, source: str) -> list[Splice]:
    """``source`` as the last member, in the layout of the members there are."""
    if not outer.members:
        return [_first_member(text, outer, source)]
    last = outer.members[-1].end
    indent = _indent_of(text, outer)
    separator = " " if indent is None else newline_near(text, outer.interior) + indent
    behind = _COMMENT_BEHIND.match(text, last)
    comma_later = text[skip_gap(text, last)] == ","
    if behind is None or indent is None or (comma_later and not behind["comma"]):
        return [Splice(last, last, f",{separator}{source}")]
    # A comment behind the last member stays with it.
    if comma_later:
        return [Splice(behind.end(), behind.end(), f"{separator}{source},")]
    return [Splice(last, last, ","), Splice(behind.end(), behind.end(), separator + source)]


def _first_member(text: str, outer: Brackets, source: str) -> Splice:
    interior = text[outer.interior : outer.close]
    if "\n" not in interior:
        braces = text[outer.interior - 1] == "{"
        return Splice(outer.interior, outer.close, f" {source} " if braces else source)
    end = outer.interior + len(interior.rstrip(BLANK))
    indent = text[line_start(text, outer.close) : outer.close] + "  "
    return Splice(end, end, newline_near(text, outer.interior) + indent + source)


def _indent_of(text: str, outer: Brackets) -> str | None:
    """The blanks before the last member where it begins a line of its own, else ``None``."""
    start = outer.members[-1].start
    before = text[line_start(text, start) : start]
    return before if not before.strip(BLANK) and line_start(text, start) >= outer.interior else None

"""What is cut out of a TOML text when something goes, and what stands in the place of something replaced.

The mirror of ``toml_insert``: a cut takes the line breaks in front that the insertion brought along.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from ..errors import ProofError
from .base import Place
from .toml_places import BLANK, Layout, Splice
from .toml_scanner import (
    Brackets,
    Section,
    after_line,
    brackets,
    content_end,
    line_above,
    line_start,
    newline_near,
    skip_gap,
)
from .toml_writer import has_header, write_inline, write_key, write_tables

_BLANKS = re.compile(rf"[{BLANK}]*")
_UP_TO_LAST_COMMENT = re.compile(r"[\s\S]*#[^\r\n]*")


class Block(NamedTuple):
    """Lines to cut. ``with_gap``: the blank line in front goes too, if there is one."""

    start: int
    end: int
    with_gap: bool


def removal(layout: Layout, place: Place, blank: str | None) -> list[Splice]:
    """Cuts for everything at ``place``; of several members of one inline table only the last is cut.

    ``blank`` is the blank text that we replaced when we began the file, else ``None``.
    """
    found = layout.find(place)
    if found.inside is not None:
        return without_member(layout.text, found.inside.brackets, found.inside.members[-1].start)
    gone = {line.member.start for line in found.lines}
    root_is_left = any(member.start not in gone for member in layout.root.members)
    blocks = [
        Block(line.member.start, line.member.end, line.section is layout.root and not root_is_left)
        for line in found.lines
    ]
    return _cuts(layout.text, blocks + section_blocks(layout, found.sections), blank)


def element_removal(layout: Layout, array: Place, index: int, blank: str | None) -> list[Splice]:
    """Cuts for one element of an array of tables, its subtables included."""
    return _cuts(layout.text, section_blocks(layout, layout.elements(array)[index]), blank)


def item_removal(layout: Layout, array: Place, index: int) -> list[Splice]:
    """Cuts for one item of an array between brackets."""
    outer = bracketed(layout, array)
    assert outer is not None, "an array without headers has brackets"
    return without_member(layout.text, outer, outer.members[index].start)


def header_removal(layout: Layout, table: Place, blank: str | None) -> list[Splice]:
    """Cuts for ``[table]`` alone, if no key stands under it; comments stay."""
    header = layout.find(table).explicit
    if header is None or header.members:
        return []
    return _cuts(layout.text, [Block(header.start, header.end, with_gap=True)], blank)


def bracketed(layout: Layout, place: Place) -> Brackets | None:
    """The array or inline table whose brackets hold all of ``place``."""
    exact = layout.find(place).exact
    return None if exact is None or layout.text[exact.value] not in "[{" else brackets(layout.text, exact.value)


def section_blocks(layout: Layout, sections: Iterable[Section]) -> list[Block]:
    """Lines of the sections, from each first header to the last line that means something."""
    return [Block(run[0].start, run[-1].content_end, with_gap=True) for run in layout.runs(sections)]


# --- lines ------------------------------------------------------------------------------------------------------


def _cuts(text: str, blocks: list[Block], blank: str | None) -> list[Splice]:
    return [_cut(text, block, blank) for block in _joined(text, sorted(blocks))]


def _joined(text: str, blocks: list[Block]) -> list[Block]:
    """The blocks, with those as one that only blank lines stand between."""
    joined: list[Block] = []
    for block in blocks:
        if joined and not text[joined[-1].end : block.start].strip(BLANK):
            joined[-1] = joined[-1]._replace(end=block.end)
        else:
            joined.append(block)
    return joined


def _cut(text: str, block: Block, blank: str | None) -> Splice:
    start = line_start(text, block.start)
    if blank is not None and _blank_until(text, 0) >= start:
        return Splice(0, after_line(text, block.end), blank)
    above = line_above(text, start)
    if above is None:
        return _cut_at_top(text, block)
    above_start, above_end = above
    if block.with_gap and above_start > 0 and _is_blank_line(text, above_start):
        above_end = content_end(text, line_start(text, above_start - 1))
    return Splice(above_end, block.end)


def _cut_at_top(text: str, block: Block) -> Splice:
    """With nothing in front, the line break behind goes, and the gap behind."""
    below = after_line(text, block.end)
    if block.with_gap and below < len(text) and _is_blank_line(text, below):
        below = after_line(text, below)
    return Splice(0, below)


def _is_blank_line(text: str, start: int) -> bool:
    return _blank_until(text, start) >= content_end(text, start)


def _blank_until(text: str, start: int) -> int:
    blanks = _BLANKS.match(text, start)
    assert blanks is not None, "matches nothing too"
    return blanks.end()


# --- arrays and inline tables -----------------------------------------------------------------------------------


def without_member(text: str, outer: Brackets, start: int) -> list[Splice]:
    """Cuts for the member at ``start``, with the comma that it needs no longer; comments stay."""
    index = next(index for index, member in enumerate(outer.members) if member.start == start)
    end = outer.members[index].end
    comma = _comma_after(text, end)
    if index == 0 and len(outer.members) > 1:
        follower = outer.members[1].start
        assert comma is not None, "another member follows"
        return [Splice(start, comma + 1 if "#" in text[end:follower] else follower)]
    before = outer.members[index - 1].end if index else outer.interior
    comment = _UP_TO_LAST_COMMENT.match(text, before, start)
    if comment is None:
        return [Splice(before, comma + 1 if index == 0 and comma is not None else end)]
    if index == 0 or comma is not None:
        return [Splice(comment.end(), end if comma is None else comma + 1)]
    comma_before = _comma_after(text, before)
    assert comma_before is not None, "a member follows"
    return [Splice(comma_before, comma_before + 1), Splice(comment.end(), end)]


def _comma_after(text: str, end: int) -> int | None:
    position = skip_gap(text, end)
    return position if text[position] == "," else None


def interior_restored(text: str, outer: Brackets, interior: str) -> list[Splice]:
    """What stood between the brackets before our first member, unless somebody's comment stands there now."""
    now = text[outer.interior : outer.close]
    return [] if "#" in now else [Splice(outer.interior, outer.close, interior)]


# --- replacement ------------------------------------------------------------------------------------------------


def replacement(layout: Layout, place: Place, value: Any) -> list[Splice] | None:
    """``value`` in the very place of what stands at ``place``, or ``None`` where its form does not fit there."""
    found = layout.find(place)
    exact = found.exact
    if exact is not None:
        return [Splice(exact.value, exact.value_end, write_inline(value))]
    if found.inside is not None or found.lines or not has_header(value):
        return None
    if isinstance(value, list) != any(section.path == place and section.is_element for section in found.sections):
        return None
    return _sections_replaced(layout, found.sections, place, value)


def item_replacement(layout: Layout, array: Place, index: int, value: Any) -> list[Splice]:
    """``value`` in the place of one item of an array, whatever the array is made of."""
    outer = bracketed(layout, array)
    if outer is not None:
        member = outer.members[index]
        return [Splice(member.start, member.end, write_inline(value))]
    if not isinstance(value, dict):
        raise ProofError(f"{write_key(array)} is an array of tables, and takes nothing else")
    return _sections_replaced(layout, layout.elements(array)[index], array, [value])


def _sections_replaced(layout: Layout, sections: list[Section], place: Place, value: Any) -> list[Splice]:
    """``value`` under headers of its own where the first of ``sections`` stands; the others go."""
    text = layout.text
    first, *others = _joined(text, sorted(section_blocks(layout, sections)))
    source = write_tables(place, value, newline_near(text, first.start))
    return [Splice(first.start, first.end, source), *_cuts(text, others, None)]

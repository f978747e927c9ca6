"""Where text goes in and comes out of a YAML file.

In block style what is inserted are whole lines behind the last line of the container, its comments included; they
bring their own line break in front. Taking an entry out removes exactly its lines. Between brackets an entry brings
its comma in front. An empty container (``{}``, ``[]``, or nothing behind the colon) gives way to lines; what stood
there is kept by whoever asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from ..errors import ProofError
from .toml_places import Splice
from .yaml_meaning import is_absent
from .yaml_scan import (
    Entry,
    Node,
    Scan,
    after_break,
    before_break,
    column,
    line_end,
    line_start,
    newline_near,
)
from .yaml_writer import Style, inline, inline_member, inside_text, item_text, member_text

BY_HAND: Final = "nothing was written; please make this edit by hand"
_BLANK: Final = " \t\r\n"


# --- style ------------------------------------------------------------------------------------------------------


def style_at(scan: Scan, route: Sequence[Node], position: int) -> Style:
    """How the file writes, learnt from the containers of ``route`` first, then from all others."""
    nearest = [*reversed(route), *scan.nodes()]
    unit = next(_steps(scan.text, nearest, "map"), 2)
    return Style(
        newline=newline_near(scan.text, position),
        unit=unit,
        dash=next(_steps(scan.text, nearest, "list"), unit),
        quoted=_quotes_keys(route),
    )


def _steps(text: str, nodes: Sequence[Node], kind: str) -> Iterator[int]:
    """By how many spaces containers of this kind are indented below their keys."""
    for node in nodes:
        outer = entries_column(text, node)
        if node.kind != "map" or outer is None:
            continue
        for entry in node.entries:
            inner = entries_column(text, entry.value) if entry.value.kind == kind else None
            if inner is not None and inner >= outer + (kind == "map"):
                yield inner - outer


def _quotes_keys(route: Sequence[Node]) -> bool:
    return any(entry.key is not None and entry.key.style == '"' for node in route for entry in node.entries[-1:])


def entries_column(text: str, node: Node) -> int | None:
    """In which column the entries of a block begin, if they stand on lines of their own."""
    return None if node.flow or not node.entries else column(text, node.entries[0].start)


# --- insertion --------------------------------------------------------------------------------------------------


def root_insertion(scan: Scan, key: str, value: Any) -> list[Splice]:
    """The first member of a document that is blank, or has only comments and markers."""
    text = scan.text
    style = Style(newline=newline_near(text, 0))
    member = member_text(key, value, 0, style)
    before = text[: scan.limit].rstrip(_BLANK)
    if not text.strip(_BLANK):
        return [Splice(0, len(text), member + style.newline)]
    if not before:
        raise ProofError("nothing can be put in front of the document's end marker", hint=BY_HAND)
    end = line_end(text, len(before))
    return [Splice(end, end, newline_near(text, len(before)) + member)]


def insertion(scan: Scan, route: Sequence[Node], key: str | None, value: Any) -> list[Splice]:
    """A new last entry of the last container of ``route``, which has entries; an item if ``key`` is ``None``."""
    container = route[-1]
    last = container.entries[-1]
    style = style_at(scan, route, last.start)
    if container.flow:
        return [_behind_flow_entry(scan.text, container, _inline(key, value, style), style)]
    indent = own_lines(scan.text, container)
    deeper = container.kind == "list" and len(route) > 1 and entries_column(scan.text, route[-2]) == indent
    written = item_text(value, indent, style) if key is None else member_text(key, value, indent, style)
    return [_lines_behind(scan.text, last.end, indent + deeper, written, style)]


def filling(scan: Scan, route: Sequence[Node], entry: Entry, value: Any) -> list[Splice]:
    """``value`` in place of the empty container that is the value of ``entry`` in the last node of ``route``."""
    start, end = slot(scan, entry)
    style = style_at(scan, route, entry.start)
    if route[-1].flow:
        return [Splice(start, end, f" {inline(value, style)}")]
    indent = own_lines(scan.text, route[-1])
    written = inside_text(value, indent, style).removeprefix(style.newline)
    return [Splice(start, end), _lines_behind(scan.text, end, indent + 1, written, style)]


def root_filling(scan: Scan, key: str, value: Any) -> list[Splice]:
    """The first member of a document that is ``{}``."""
    assert scan.root is not None
    style = Style(newline=newline_near(scan.text, scan.root.start))
    alone = column(scan.text, scan.root.start) == 0 and not scan.text[
        scan.root.end : line_end(scan.text, scan.root.end)
    ].strip(_BLANK)
    written = member_text(key, value, 0, style) if alone else "{" + inline_member(key, value, style) + "}"
    return [Splice(scan.root.start, scan.root.end, written)]


def replacement(scan: Scan, route: Sequence[Node], entry: Entry, value: Any) -> list[Splice]:
    """``value`` in place of what stands behind the key of ``entry``."""
    if entry.mark is None:
        raise ProofError("the key stands there without a colon", hint=BY_HAND)
    style = style_at(scan, route, entry.start)
    if route[-1].flow:
        return [Splice(entry.mark, entry.end, f" {inline(value, style)}")]
    indent = own_lines(scan.text, route[-1])
    return [Splice(entry.mark, last_line_end(scan.text, entry), inside_text(value, indent, style))]


def item_replacement(scan: Scan, route: Sequence[Node], index: int, value: Any) -> list[Splice]:
    """``value`` in place of an item of the last container of ``route``."""
    entry = route[-1].entries[index]
    style = style_at(scan, route, entry.start)
    if route[-1].flow:
        return [Splice(entry.start, entry.end, inline(value, style))]
    indent = own_lines(scan.text, route[-1])
    start = line_start(scan.text, entry.start)
    if column(scan.text, entry.start) is None:
        raise ProofError("it does not begin a line of its own", hint=BY_HAND)
    return [Splice(start, last_line_end(scan.text, entry), item_text(value, indent, style))]


def slot(scan: Scan, entry: Entry) -> tuple[int, int]:
    """From behind the colon to the end of an empty value."""
    if entry.mark is None:
        raise ProofError("the key stands there without a colon", hint=BY_HAND)
    end = entry.mark if is_absent(entry.value) else entry.value.end
    if "#" in scan.text[entry.mark : end]:
        raise ProofError("a comment stands in the empty container", hint=BY_HAND)
    return entry.mark, end


def own_lines(text: str, container: Node) -> int:
    """The column of the entries. Raises :class:`ProofError` where they do not begin lines of their own."""
    found = entries_column(text, container)
    if found is None:
        raise ProofError("its entries do not begin lines of their own", hint=BY_HAND)
    return found


def _lines_behind(text: str, end: int, indent: int, written: str, style: Style) -> Splice:
    """The lines behind what ends at ``end`` and the comments below it that are indented at least as deep."""
    position = end if _at_line_start(text, end) else line_end(text, end)
    for comment in _comments_below(text, position, indent):
        position = comment
    if _at_line_start(text, position):
        return Splice(position, position, written + style.newline)
    return Splice(position, position, style.newline + written)


def _comments_below(text: str, position: int, indent: int) -> Iterator[int]:
    """The ends of the comment lines below, up to one that is less indented or anything that is no comment."""
    start = position if _at_line_start(text, position) else after_break(text, position)
    while start < len(text):
        end = line_end(text, start)
        line = text[start:end].strip(" \t")
        if line.startswith("#") and text.index("#", start) - start >= indent:
            yield end
        elif line:
            return
        start = after_break(text, end)


def _at_line_start(text: str, position: int) -> bool:
    return position > 0 and text[position - 1] in "\r\n"


def _inline(key: str | None, value: Any, style: Style) -> str:
    return inline(value, style) if key is None else inline_member(key, value, style)


def _behind_flow_entry(text: str, container: Node, written: str, style: Style) -> Splice:
    last = container.entries[-1]
    if "#" in text[last.end : container.end]:
        raise ProofError("a comment stands behind the last entry between the brackets", hint=BY_HAND)
    indent = column(text, last.start)
    on_lines = indent is not None and line_start(text, last.start) > container.start
    lead = f",{style.newline}{' ' * (indent or 0)}" if on_lines else ", "
    return Splice(last.end, last.end, lead + written)


# --- removal ----------------------------------------------------------------------------------------------------


def cut(scan: Scan, container: Node, index: int) -> list[Splice]:
    """Take out one of several entries, or the lines of the only one."""
    if container.flow:
        return _cut_flow(scan.text, container, index)
    entry = container.entries[index]
    if column(scan.text, entry.start) is None:
        raise ProofError("it does not begin a line of its own", hint=BY_HAND)
    start, end = line_start(scan.text, entry.start), line_end(scan.text, last_line_end(scan.text, entry))
    if start == 0:
        return [Splice(0, after_break(scan.text, end))]
    return [Splice(before_break(scan.text, start), end)]


def last_line_end(text: str, entry: Entry) -> int:
    """The entry's end, never behind the break of its last line."""
    return before_break(text, entry.end) if _at_line_start(text, entry.end) else entry.end


def _cut_flow(text: str, container: Node, index: int) -> list[Splice]:
    entries = container.entries
    entry = entries[index]
    if index:
        before = entries[index - 1].end
        if "#" in text[before : entry.start]:
            comma = text.index(",", before)
            _not_in_comment(text, before, comma)
            return [Splice(comma, comma + 1), Splice(entry.start, entry.end)]
        return [Splice(before, entry.end)]
    follower = entries[1].start
    if "#" not in text[entry.end : follower]:
        return [Splice(entry.start, follower)]
    comma = text.index(",", entry.end)
    _not_in_comment(text, entry.end, comma)
    return [Splice(entry.start, comma + 1)]


def _not_in_comment(text: str, start: int, position: int) -> None:
    if "#" in text[start:position]:
        raise ProofError("a comment stands in front of the comma", hint=BY_HAND)


def has_comment_beside(scan: Scan, parent: Entry | None, container: Node) -> bool:
    """Whether a comment of somebody's stands in a container with one entry: such a container is not taken away."""
    text, only = scan.text, container.entries[0]
    before = text[container.start if parent is None else parent.mark or parent.start : only.start]
    if "#" in before:
        return True
    if container.flow:
        return "#" in text[only.end : container.end]
    indent = entries_column(text, container)
    end = line_end(text, last_line_end(text, only))
    return bool(indent) and parent is not None and any(_comments_below(text, end, indent or 0))

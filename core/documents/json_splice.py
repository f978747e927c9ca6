"""Where bytes go in and come out: the splices that insert a member or item and those that take it out again.

What is inserted last into a container stands behind the previous member and what belongs to its line, and brings its
own comma: in front of itself, or behind where the container has a trailing comma. Taking a member out removes exactly
that, wherever the member stands by then; so any number of insertions can be undone in any order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from .json_scan import Container, Member, Scan
from .json_style import Style, detect, lines_indent, render, render_member
from .json_text import BOM, Token, first_newline, gap_tokens, has_newline, is_blank, last_newline, line_indent

Splice = tuple[int, int, str]
"""Replace ``text[start:end]``."""

_BLANK_LINE_REST = re.compile(r"[ \t]*+(?:[\r\n]|\Z)")


def spliced(data: bytes, text: str, splices: list[Splice]) -> bytes:
    """``data`` with the splices of its decoded ``text``."""
    pieces: list[bytes] = []
    copied, offset, position = 0, *_first_offset(data, text, min(splices)[0])
    for start, end, replacement in sorted(splices):
        offset += len(text[position:start].encode())
        pieces += (data[copied:offset], replacement.encode())
        offset += len(text[start:end].encode())
        copied, position = offset, end
    return b"".join([*pieces, data[copied:]])


def _first_offset(data: bytes, text: str, position: int) -> tuple[int, int]:
    """The byte offset of a character, and the character; counted from the nearer end of the text."""
    if text.isascii():
        return len(data) - len(text) + position, position
    if position > len(text) // 2:
        return len(data) - len(text[position:].encode()), position
    bom = len(BOM) if data.startswith(BOM) else 0
    return bom + len(text[:position].encode()), position


def insert(scan: Scan, route: Sequence[Container], key: str | None, value: Any, *, nested: bool) -> list[Splice]:
    """Put a member (an item if ``key`` is ``None``) at the end of the last container of ``route``.

    ``nested``: ``value`` are containers that we create on the way, so the neighbours are no model for it.
    """
    container = route[-1]
    if container.members:
        return _insert_behind(scan, route, key, value, nested=nested)
    style = detect(scan.text, route)
    inside = (container.start + 1, container.end - 1)
    indent = line_indent(scan.text, container.start)
    on_lines = _opens_on_lines(scan.text, route)
    comments = [token for token in gap_tokens(scan.text, *inside) if token.kind != ","]
    if comments:
        return [_behind_comment(scan.text, comments[-1], container, style, key, value)]
    if not on_lines:
        padding = style.padding if key is not None else ""
        return [(*inside, f"{padding}{_written(key, value, style, None)}{padding}")]
    deeper = indent + style.unit
    member = _written(key, value, style, deeper) + ("," if style.trailing_comma else "")
    return [(*inside, f"{style.newline}{deeper}{member}{style.newline}{indent}")]


def insert_root(text: str, value: dict[str, Any]) -> list[Splice]:
    """The root object of a document that is blank, or has only comments."""
    style = Style(newline=first_newline(text, 0, len(text)) or "\n")
    root = render(value, style, "")
    comments = list(gap_tokens(text, 0, len(text)))
    if comments:
        return [(comments[-1].end, comments[-1].end, style.newline + root)]
    return [(0, len(text), root + style.newline)]


def replace_value(scan: Scan, route: Sequence[Container], member: Member, value: Any) -> list[Splice]:
    old = scan.enter(member)
    if old and old.members:
        style = detect(scan.text, (*route, old))
        on_lines = has_newline(scan.text, old.start, old.end)
    else:
        style, on_lines = detect(scan.text, route), lines_indent(scan.text, route[-1]) is not None
    indent = line_indent(scan.text, member.start) if on_lines else None
    return [(member.value_start, member.end, render(value, style, indent))]


def cut(text: str, container: Container, index: int) -> list[Splice]:
    """Take the member at ``index`` out, with the comma that came with it. Comments stay."""
    members = container.members
    member = members[index]
    gap_start = members[index - 1].end if index else container.start + 1
    gap_end = members[index + 1].start if index + 1 < len(members) else container.end - 1
    before = list(gap_tokens(text, gap_start, member.start))
    comma = _comma_of(gap_tokens(text, member.end, gap_end))
    if index == 0 and len(members) > 1 and not before and _on_one_line(text, container, member, gap_end):
        return [(member.start, gap_end, "")]
    splices: list[Splice] = []
    if comma:
        splices.append((comma.start, comma.end, ""))
    elif index:
        separator = _comma_of(before)
        assert separator is not None  # the text parses, so there is one between two members
        splices.append((separator.start, separator.end, ""))
    behind = comma.end if comma and comma.start == member.end else member.end
    return [*splices, (_left_edge(text, before, gap_start, member.start, behind), member.end, "")]


def cut_root(text: str, root: Container) -> list[Splice]:
    """Take the whole root out of a document that had none."""
    before = list(gap_tokens(text, 0, root.start))
    return [(_left_edge(text, before, 0, root.start, root.end), root.end, "")]


def blank_but_for(text: str, container: Container) -> bool:
    """Whether the only member of ``container`` is all there is in it: no comment stands beside it."""
    (member,) = container.members
    beside = (*gap_tokens(text, container.start + 1, member.start), *gap_tokens(text, member.end, container.end - 1))
    return all(token.kind == "," for token in beside)


def has_comment_inside_key(text: str, member: Member) -> bool:
    """Whether a comment stands between the key and its value."""
    return any(gap_tokens(text, member.key_end, member.value_start))


def interior(text: str, container: Container) -> str:
    return text[container.start + 1 : container.end - 1]


def blank_outside(text: str, root: Container) -> bool:
    return is_blank(text[: root.start]) and is_blank(text[root.end :])


def _insert_behind(
    scan: Scan, route: Sequence[Container], key: str | None, value: Any, *, nested: bool
) -> list[Splice]:
    text, container = scan.text, route[-1]
    last = container.members[-1]
    model = None if nested else _model(scan, container, value)
    style = detect(text, (*route, model) if model else route)
    behind = list(gap_tokens(text, last.end, container.end - 1))
    comma = _comma_of(behind)
    anchor, ends_line = _end_of_line_comments(text, comma.end if comma else last.end, behind)
    found = lines_indent(text, container)
    on_lines = found is not None
    indent = line_indent(text, container.start) + style.unit if found is None else found
    lead = style.newline + indent if on_lines or ends_line else style.comma.removeprefix(",")
    one_line = not on_lines or (model is not None and not has_newline(text, model.start, model.end))
    member = _written(key, value, style, None if one_line else indent)
    if comma:
        return [(anchor, anchor, f"{lead}{member},")]
    if anchor == last.end:
        return [(anchor, anchor, f",{lead}{member}")]
    return [(last.end, last.end, ","), (anchor, anchor, lead + member)]


def _written(key: str | None, value: Any, style: Style, indent: str | None) -> str:
    return render(value, style, indent) if key is None else render_member(key, value, style, indent)


def _model(scan: Scan, container: Container, value: Any) -> Container | None:
    """The last neighbour of the same kind that has members."""
    for member in reversed(container.members):
        if member.value and type(member.value) is type(value) and isinstance(value, (dict, list)):
            return scan.enter(member)
    return None


def _end_of_line_comments(text: str, position: int, tokens: Sequence[Token]) -> tuple[int, bool]:
    """Behind the comments that stand on the line of ``position``, and whether the last one ends the line."""
    ends_line = False
    for token in tokens:
        if token.kind == "," or token.start < position:
            continue
        if ends_line or has_newline(text, position, token.start):
            break
        position, ends_line = token.end, token.kind == "//"
    return position, ends_line


def _behind_comment(
    text: str, comment: Token, container: Container, style: Style, key: str | None, value: Any
) -> Splice:
    """The first member of a container that holds only comments: nothing but itself is written."""
    on_lines = comment.kind == "//" or has_newline(text, container.start, container.end)
    if not on_lines:
        return (comment.end, comment.end, f" {_written(key, value, style, None)}")
    outer = line_indent(text, container.start)
    indent = outer + style.unit
    member = _written(key, value, style, indent) + ("," if style.trailing_comma else "")
    return (comment.end, comment.end, style.newline + indent + member)


def _opens_on_lines(text: str, route: Sequence[Container]) -> bool:
    """Whether a container without members shall get lines of its own."""
    container = route[-1]
    if len(route) == 1 or has_newline(text, container.start, container.end):
        return True
    return has_newline(text, route[-2].start, container.start)


def _comma_of(tokens: Iterable[Token]) -> Token | None:
    return next((token for token in tokens if token.kind == ","), None)


def _on_one_line(text: str, container: Container, member: Member, right: int) -> bool:
    """Whether ``member`` stands right behind the bracket, and the next one right behind it."""
    behind = text[member.end : right]
    return not has_newline(text, container.start, member.start) and behind.strip(" \t") == ","


def _left_edge(text: str, before: Sequence[Token], gap_start: int, start: int, behind: int) -> int:
    """From where to cut what begins at ``start``: its line end, or one blank on its line, is what came with it.

    More blanks, and blank lines further up, are not what an insertion wrote.
    """
    left = before[-1].end if before else gap_start
    newline = last_newline(text, left, start)
    if newline > left:
        return newline
    if before and before[-1].kind == "//" and not _BLANK_LINE_REST.match(text, behind):
        return start  # what follows must not slip into the comment
    return left if newline == left else max(left, start - 1)

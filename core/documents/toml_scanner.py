"""Where things stand in a TOML text: headers, key lines and the members of arrays and inline tables, as offsets.

Only texts that a TOML parser has accepted are scanned, so nothing here judges: it finds. Offsets count characters
of the text without its byte order mark. The *end of a line's content* is the position of its line break.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from .base import Place

_KEY_PART = r"""(?:[A-Za-z0-9_-]+|"(?:[^"\\\n]++|\\.)*"|'[^'\n]*')"""
_KEY = rf"{_KEY_PART}(?:[ \t]*\.[ \t]*{_KEY_PART})*"
_STRING = (
    r'"""(?:[^"\\]++|\\[\s\S]|"(?!""))*"{3,5}'
    r"|'''(?:[^']++|'(?!''))*'{3,5}"
    r'|"(?:[^"\\\n]++|\\.)*"'
    r"|'[^'\n]*'"
)

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_.-]+")
_KEY_PARTS = re.compile(_KEY_PART)
_LINE = re.compile(rf"[ \t]*(?:(?P<open>\[\[?)[ \t]*(?P<header>{_KEY})[ \t]*\]\]?|(?P<key>{_KEY})[ \t]*=[ \t]*)")
_MEMBER_KEY = re.compile(rf"(?P<key>{_KEY})[ \t]*=[ \t]*")
_SCALAR = re.compile(rf"{_STRING}|[^\s,#\[\]{{}}](?:[^,#\[\]{{}}\r\n]*[^\s,#\[\]{{}}])?")
_INSIDE_BRACKETS = re.compile(rf"(?:[^\[\]{{}}\"'#]++|{_STRING}|#[^\n]*)*")
_GAP = re.compile(r"(?:[ \t\r\n]++|#[^\n]*)*")
_ESCAPE = re.compile(r"\\(?:u([0-9A-Fa-f]{4})|U([0-9A-Fa-f]{8})|x([0-9A-Fa-f]{2})|(.))")
_SHORT_ESCAPES = {"b": "\b", "t": "\t", "n": "\n", "f": "\f", "r": "\r", "e": "\x1b"}


class Member(NamedTuple):
    """``keys = value``, a key line or a member of an inline table; an item of an array has no keys.

    ``end`` is the end of the line's content for a key line, and the value's end inside brackets.
    """

    keys: Place
    start: int
    value: int
    value_end: int
    end: int


class Section:
    """A header with its key lines; the first section of every text is the root's and has no header.

    ``array`` is the path of the outermost array of tables that the section stands in, or ``None``.
    """

    __slots__ = ("array", "end", "is_element", "members", "path", "start")

    def __init__(self, path: Place, start: int, end: int, *, is_element: bool, array: Place | None) -> None:
        self.path = path
        self.start = start
        self.end = end
        self.is_element = is_element
        self.array = array
        self.members: list[Member] = []

    @property
    def content_end(self) -> int:
        """Where the last line that means something ends; comments after it belong to nobody yet."""
        return self.members[-1].end if self.members else self.end


class Brackets(NamedTuple):
    """An array or inline table; ``interior`` to ``close`` is what stands between the brackets."""

    interior: int
    close: int
    members: list[Member]


def scan(text: str) -> list[Section]:
    """All sections in the order of the text, the root's first."""
    section = Section((), 0, 0, is_element=False, array=None)
    sections = [section]
    arrays: set[Place] = set()
    position = _GAP.match(text).end()  # type: ignore[union-attr]  # matches the empty text too
    while position < len(text):
        line = _LINE.match(text, position)
        assert line is not None, "the text was accepted by a parser"
        if line["header"] is not None:
            path, is_element = split_key(line["header"]), line["open"] == "[["
            end = content_end(text, line.end())
            array = _array_around(path, arrays, is_element=is_element)
            section = Section(path, line.start("open"), end, is_element=is_element, array=array)
            sections.append(section)
        else:
            value_end = skip_value(text, line.end())
            end = content_end(text, value_end)
            section.members.append(Member(split_key(line["key"]), line.start("key"), line.end(), value_end, end))
        position = skip_gap(text, end)
    return sections


def _array_around(path: Place, arrays: set[Place], *, is_element: bool) -> Place | None:
    if arrays:
        for length in range(1, len(path) + 1):
            if path[:length] in arrays:
                return path[:length]
    if is_element:
        arrays.add(path)
        return path
    return None


def brackets(text: str, start: int) -> Brackets:
    """The members of the array or inline table that opens at ``start``."""
    keyed = text[start] == "{"
    members = []
    position = skip_gap(text, start + 1)
    while text[position] not in "]}":
        keys: Place = ()
        value = position
        if keyed:
            key = _MEMBER_KEY.match(text, position)
            assert key is not None, "the text was accepted by a parser"
            keys, value = split_key(key["key"]), key.end()
        end = skip_value(text, value)
        members.append(Member(keys, position, value, end, end))
        position = skip_gap(text, end)
        if text[position] == ",":
            position = skip_gap(text, position + 1)
    return Brackets(start + 1, position, members)


def skip_value(text: str, start: int) -> int:
    """The end of the value that starts at ``start``."""
    if text[start] not in "[{":
        scalar = _SCALAR.match(text, start)
        assert scalar is not None, "the text was accepted by a parser"
        return scalar.end()
    depth, position = 1, start + 1
    while depth:
        position = _INSIDE_BRACKETS.match(text, position).end()  # type: ignore[union-attr]  # matches nothing too
        depth += 1 if text[position] in "[{" else -1
        position += 1
    return position


def skip_gap(text: str, start: int) -> int:
    """Past blanks, line breaks and comments."""
    return _GAP.match(text, start).end()  # type: ignore[union-attr]  # matches the empty text too


def split_key(source: str) -> Place:
    """``a."b.c"`` -> ``("a", "b.c")``."""
    if _PLAIN_KEY.fullmatch(source):
        return tuple(source.split("."))
    return tuple(_plain_key(part) for part in _KEY_PARTS.findall(source))


def _plain_key(part: str) -> str:
    if part[0] == "'":
        return part[1:-1]
    return _ESCAPE.sub(_unescape, part[1:-1]) if part[0] == '"' else part


def _unescape(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2] or escape[3]
    return chr(int(code, 16)) if code else _SHORT_ESCAPES.get(escape[4], escape[4])


def line_start(text: str, position: int) -> int:
    return text.rfind("\n", 0, position) + 1


def content_end(text: str, position: int) -> int:
    """The end of the content of the line that ``position`` is on."""
    end = text.find("\n", position)
    if end < 0:
        return len(text)
    return end - 1 if end > position and text[end - 1] == "\r" else end


def after_line(text: str, position: int) -> int:
    """Past the line break of the line that ``position`` is on."""
    end = text.find("\n", position)
    return len(text) if end < 0 else end + 1


def line_above(text: str, start: int) -> tuple[int, int] | None:
    """Start and content end of the line above the one that starts at ``start``."""
    if start == 0:
        return None
    above = line_start(text, start - 1)
    return above, content_end(text, above)


def comment_block(text: str, start: int) -> int | None:
    """The content end of the comment lines that begin with the line at ``start``.

    ``None`` if there are none, or if they touch the header below them: then they belong to that header.
    """
    last = None
    while start < len(text):
        end = content_end(text, start)
        line = text[start:end].strip(" \t")
        if not line.startswith("#"):
            return None if line else last
        last, start = end, after_line(text, end)
    return last


def after_comments(text: str, end: int) -> int:
    """From a line's content end to that of the comment block directly below it, if there is one."""
    below = comment_block(text, after_line(text, end))
    return end if below is None else below


def newline_near(text: str, position: int) -> str:
    """The line break that ends the line at ``position``; for the last line the one before it."""
    end = text.find("\n", position)
    if end < 0:
        end = text.rfind("\n", 0, position)
    return "\r\n" if end > 0 and text[end - 1] == "\r" else "\n"

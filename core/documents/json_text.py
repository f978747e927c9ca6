"""JSON text below the level of values: bytes to text, comments, positions, errors.

Comments and trailing commas are not removed but blanked to the same length, so that every offset into the blanked
copy is an offset into the original.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from ..errors import DocumentError

BOM: Final = b"\xef\xbb\xbf"

_STRING = r'"(?:[^"\\]++|\\.)*+"'
_COMMENT = r"//[^\r\n]*+|/\*.*?\*/"
_NEXT_COMMENT = re.compile(rf'((?:[^"/]++|{_STRING}|/(?![/*]))*+)({_COMMENT})', re.DOTALL)
_NEXT_TRAILING_COMMA = re.compile(rf'(?:[^",]++|{_STRING}|,(?![ \t\r\n]*+[}}\]]))*+,', re.DOTALL)
_GAP_TOKEN = re.compile(rf"{_COMMENT}|,", re.DOTALL)
# The closing quote is optional here: a string that does not end is passed over once, not tried from each quote in it.
_CONSTANT = re.compile(rf"{_STRING}?+|(-?Infinity|NaN)", re.DOTALL)
_BRACKET = re.compile(rf"{_STRING}?+|[\[{{]|[\]}}]", re.DOTALL)
_NEWLINE = re.compile(r"\r\n|\n|\r")
_BLANK = " \t\r\n"


@dataclass(frozen=True, slots=True)
class Token:
    """A comma or a comment between values."""

    start: int
    end: int
    kind: str
    """The first two characters: ``,``, ``//`` or ``/*``."""


def decode(data: bytes) -> str:
    """The text without its BOM. Raises :class:`DocumentError` for anything but UTF-8."""
    body = data.removeprefix(BOM)
    if body.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise DocumentError("the file is UTF-16; only UTF-8 can be edited", line=1, column=1)
    try:
        return body.decode("utf-8")
    except UnicodeDecodeError as error:
        before = body[: error.start].decode("utf-8")
        raise unparsable(before, len(before), "a byte that is not UTF-8") from None


def is_blank(text: str) -> bool:
    return not text.strip(_BLANK)


def unparsable(text: str, offset: int, reason: str) -> DocumentError:
    """The error for a character offset, as line and column (from 1)."""
    line, start = 1, 0
    for newline in _NEWLINE.finditer(text, 0, offset):
        line, start = line + 1, newline.end()
    return DocumentError(reason, line=line, column=offset - start + 1)


def blanked(text: str) -> str:
    """``text`` with comments and trailing commas as spaces, same length; what is no comment stays for the parser."""
    return _without_trailing_commas(_without_comments(text))


def gap_tokens(text: str, start: int, end: int) -> Iterator[Token]:
    """Commas and comments of a stretch of text between two values."""
    for match in _GAP_TOKEN.finditer(text, start, end):
        yield Token(match.start(), match.end(), match[0][:2])


def find_constant(text: str) -> int:
    """Where ``NaN`` or ``Infinity`` stands outside strings."""
    return next((match.start() for match in _CONSTANT.finditer(text) if match[1]), 0)


def find_deepest(text: str) -> int:
    """Where the brackets are nested deepest."""
    depth = deepest = where = 0
    for match in _BRACKET.finditer(text):
        if match[0] in "[{":
            depth += 1
            if depth > deepest:
                deepest, where = depth, match.start()
        elif match[0] in "]}":
            depth -= 1
    return where


def line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def line_indent(text: str, offset: int) -> str:
    """The white space that the line of ``offset`` begins with."""
    line = text[line_start(text, offset) : offset]
    return line[: len(line) - len(line.lstrip(" \t"))]


def has_newline(text: str, start: int, end: int) -> bool:
    return text.find("\n", start, end) >= 0 or text.find("\r", start, end) >= 0


def first_newline(text: str, start: int, end: int) -> str:
    """The first line end as it is written there, ``""`` if there is none."""
    feed, carriage = text.find("\n", start, end), text.find("\r", start, end)
    if carriage < 0 or 0 <= feed < carriage:
        return "\n" if feed >= 0 else ""
    return "\r\n" if feed == carriage + 1 else "\r"


def last_newline(text: str, start: int, end: int) -> int:
    """Where the last line end begins, -1 if there is none."""
    feed, carriage = text.rfind("\n", start, end), text.rfind("\r", start, end)
    return carriage if 0 <= carriage == feed - 1 or carriage > feed else feed


def _without_comments(text: str) -> str:
    pieces: list[str] = []
    position = 0
    while match := _NEXT_COMMENT.match(text, position):
        pieces.append(match[1])
        pieces.append(" " * len(match[2]))
        position = match.end()
    pieces.append(text[position:])
    return "".join(pieces)


def _without_trailing_commas(text: str) -> str:
    pieces: list[str] = []
    position = 0
    while match := _NEXT_TRAILING_COMMA.match(text, position):
        comma = match.end() - 1
        # A comma that follows no value is an error, not a trailing comma; the parser shall see it.
        follows_value = _last_before(text, comma) not in ("", "[", "{", ",", ":")
        pieces.append(text[position:comma])
        pieces.append(" " if follows_value else ",")
        position = match.end()
    pieces.append(text[position:])
    return "".join(pieces)


def _last_before(text: str, offset: int) -> str:
    """The last character before ``offset`` that is not blank, ``""`` at the beginning."""
    while offset and text[offset - 1] in _BLANK:
        offset -= 1
    return text[offset - 1] if offset else ""

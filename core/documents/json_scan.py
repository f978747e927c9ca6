"""JSON text to values, with the spans of the members near the root.

Values are read by the interpreter's C scanner, which validates them and tells where they end, and the members of the
root one by one; so one pass gives the meaning of the whole text and the spans of its large parts. An edit enters
the small part it is about once more.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from json import JSONDecodeError, JSONDecoder
from typing import Any, Final, NoReturn

from .collector import collector_paused
from .json_text import blanked, find_constant, find_deepest, unparsable

_TOO_DEEP: Final = "nested too deeply"
_MANY: Final = 32
_LARGE: Final = 2048
"""From that many characters per member on, reading members one by one costs next to nothing."""

_skip_blank = re.compile(r"[ \t\r\n]*+").match
_colon = re.compile(r"[ \t\r\n]*+:[ \t\r\n]*+").match
_separator = re.compile(r"[ \t\r\n]*+([,\]}])[ \t\r\n]*+").match


@dataclass(slots=True, eq=False, repr=False)
class Member:
    """One key with its value, or one item (``key`` is ``None``). Offsets into the text; ``end`` is exclusive.

    ``start`` is where the key begins (for an item: the value).
    """

    key: str | None
    start: int
    key_end: int
    value_start: int
    end: int
    value: Any
    inside: Container | None = None
    """The value's own members, once somebody looked."""


@dataclass(slots=True, eq=False, repr=False)
class Container:
    """An object or array: from its opening bracket to just behind the closing one."""

    start: int
    end: int
    members: list[Member]
    value: Any


@dataclass(slots=True, eq=False, repr=False)
class Scan:
    """A text that parses. ``clean`` is the text with what strict JSON does not know blanked.

    ``root`` is ``None`` for an empty document and for one whose root is no object.
    """

    text: str
    clean: str
    root: Container | None
    value: Any
    empty: bool = False

    def enter(self, member: Member) -> Container | None:
        """The members of a member's value; ``None`` for a scalar."""
        if member.inside is None and self.clean[member.value_start] in "{[":
            try:
                with collector_paused():
                    member.inside = _container(self.clean, member.value_start)
            except RecursionError:  # the stack is deeper by now than when the whole was read
                raise unparsable(self.text, member.value_start, _TOO_DEEP) from None
        return member.inside


def scan(text: str, *, comments: bool) -> Scan:
    """Parse ``text``. Raises :class:`DocumentError`."""
    try:
        return _scan(text, text)
    except _NotJsonError as error:
        if not comments:
            raise unparsable(text, error.offset, _explained(text, error, comments=False)) from None
    clean = blanked(text)
    try:
        return _scan(text, clean)
    except _NotJsonError as error:
        raise unparsable(text, error.offset, _explained(clean, error, comments=True)) from None


class _NotJsonError(Exception):
    def __init__(self, reason: str, offset: int) -> None:
        super().__init__(reason)
        self.reason = reason
        self.offset = offset


class _ConstantError(Exception):
    """Not a ValueError, so that no handler for those takes it."""


def _refuse_constant(name: str) -> NoReturn:
    raise _ConstantError(name)


def _any_int(digits: str) -> int | float:
    """Beyond the interpreter's limit of digits a number means what it means to every host: a double."""
    try:
        return int(digits)
    except ValueError:
        return float(digits)


_DECODER: Final = JSONDecoder(parse_constant=_refuse_constant)
_PATIENT_DECODER: Final = JSONDecoder(parse_constant=_refuse_constant, parse_int=_any_int)


def _scan(text: str, clean: str) -> Scan:
    try:
        with collector_paused():
            return _document(text, clean)
    except _ConstantError as error:
        raise _NotJsonError(f"{error} is not JSON", find_constant(clean)) from None
    except RecursionError:
        raise _NotJsonError(_TOO_DEEP, find_deepest(clean)) from None


def _document(text: str, clean: str) -> Scan:
    start = _after_blank(clean, 0)
    if start == len(clean):
        return Scan(text, clean, None, {}, empty=True)
    root = _object(clean, start, peek=True) if clean[start] == "{" else None
    value, end = (root.value, root.end) if root else _value(clean, start)
    rest = _after_blank(clean, end)
    if rest != len(clean):
        raise _NotJsonError("something follows the end of the document", rest)
    return Scan(text, clean, root, value)


def _container(clean: str, start: int) -> Container:
    container = _object(clean, start) if clean[start] == "{" else _array(clean, start)
    assert container is not None  # only a peek gives up
    return container


def _object(clean: str, start: int, *, peek: bool = False, give_up: bool = False) -> Container | None:
    """``peek``: keep the spans inside the members too, where they are large enough to be worth it."""
    members: list[Member] = []
    value: dict[str, Any] = {}
    index = _after_blank(clean, start + 1)
    if clean.startswith("}", index):
        return Container(start, index + 1, members, value)
    while True:
        if not clean.startswith('"', index):
            raise _NotJsonError("a key in double quotes is expected", index)
        key, key_end = _value(clean, index)
        colon = _colon(clean, key_end)
        if colon is None:
            raise _NotJsonError("a colon is expected", _after_blank(clean, key_end))
        value_start = colon.end()
        look_inside = peek and clean.startswith("{", value_start) and not _small(len(members), value_start - start)
        inside = _object(clean, value_start, give_up=True) if look_inside else None
        item, end = (inside.value, inside.end) if inside else _value(clean, value_start)
        members.append(Member(key, index, key_end, value_start, end, item, inside))
        value[key] = item
        index, closed = _after_member(clean, end, "}")
        if closed:
            return Container(start, index, members, value)
        if give_up and len(members) == _MANY and _small(len(members), index - start):
            return None


def _small(members: int, length: int) -> bool:
    """Whether reading members one by one is a waste: there are many, and they are short."""
    return members >= _MANY and length < members * _LARGE


def _array(clean: str, start: int) -> Container:
    members: list[Member] = []
    value: list[Any] = []
    index = _after_blank(clean, start + 1)
    if clean.startswith("]", index):
        return Container(start, index + 1, members, value)
    while True:
        item, end = _value(clean, index)
        members.append(Member(None, index, index, index, end, item))
        value.append(item)
        index, closed = _after_member(clean, end, "]")
        if closed:
            return Container(start, index, members, value)


def _after_member(clean: str, end: int, closing: str) -> tuple[int, bool]:
    """Where the next member begins, or the offset behind the closing bracket."""
    separator = _separator(clean, end)
    if separator is None or separator[1] not in (",", closing):
        raise _NotJsonError(f"a comma or {closing} is expected", _after_blank(clean, end))
    return (separator.end(1), True) if separator[1] == closing else (separator.end(), False)


def _value(clean: str, index: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(clean, index)
    except JSONDecodeError as error:
        raise _NotJsonError(error.msg, error.pos) from None
    except ValueError:
        return _PATIENT_DECODER.raw_decode(clean, index)


def _after_blank(clean: str, index: int) -> int:
    match = _skip_blank(clean, index)
    assert match is not None  # the pattern matches the empty string
    return match.end()


def _explained(clean: str, error: _NotJsonError, *, comments: bool) -> str:
    """The reason in the words of somebody who looks at the file."""
    at = error.offset
    if at >= len(clean.rstrip(" \t\r\n")):
        return "the file ends too early"
    if clean.startswith(("//", "/*"), at):
        return "a comment that does not end" if comments else "a comment, which strict JSON does not have"
    if clean[at] in "}]" and clean[:at].rstrip(" \t\r\n").endswith(","):
        return (
            "a comma before a closing bracket, which strict JSON does not have" if not comments else "a stray comma"
        )
    reason = error.reason.removesuffix(" at").removesuffix(" starting")
    return reason if reason.startswith(("NaN", "Infinity")) else reason[:1].lower() + reason[1:]

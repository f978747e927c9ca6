"""The editor of TOML files: see :mod:`.base` for its promise.

What stands where comes from ``toml_scanner``, what it means from ``toml_meaning``. Each edit is a few splices of the
text; it is read again before it is handed out, and must then mean what the old text meant plus exactly what was
asked for, so a splice that TOML forbids in some odd layout becomes a :class:`ProofError` and not a broken file.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import DocumentError, ProofError
from .base import MISSING, Document, Edited, Origin, Place, same_value
from .elements import element_of, remove_element, set_element, value_at
from .toml_insert import insertions, into_brackets, new_element, opens_header
from .toml_meaning import decode, read_meaning
from .toml_places import BLANK, Layout, Splice, apply
from .toml_remove import (
    bracketed,
    element_removal,
    header_removal,
    interior_restored,
    item_removal,
    item_replacement,
    removal,
    replacement,
)
from .toml_writer import write_inline, write_key


class TomlDocument:
    """Made by :meth:`parse`. The values it hands out are its own: read them, never change them."""

    __slots__ = ("_layout", "_mark", "_meaning", "_text", "data")

    def __init__(self, data: bytes, mark: str, text: str, meaning: dict[str, Any]) -> None:
        self.data = data
        self._mark = mark
        self._text = text
        self._meaning = meaning
        self._layout: Layout | None = None

    @classmethod
    def parse(cls, data: bytes) -> TomlDocument:
        """Raises :class:`DocumentError` with line and column for bytes that are no TOML."""
        mark, text = decode(data)
        return cls(data, mark, text, read_meaning(text))

    def value(self) -> Any:
        return self._meaning

    def get(self, place: Place) -> Any:
        return value_at(self._meaning, place)

    # --- set and append -----------------------------------------------------------------------------------------

    def set(self, place: Place, value: Any) -> Edited:
        if (element := element_of(place)) is not None:
            return set_element(self, element, value)
        parent = self._deepest(place)
        before = self.get(place)
        if before is MISSING:
            return Edited(self._inserted(parent, place, value), self._origins(parent, place, value))
        return Edited(self if same_value(before, value) else self._replaced(place, value))

    def append(self, place: Place, item: Any) -> Edited:
        parent = self._deepest(place)
        items = self.get(place)
        if items is MISSING:
            created = Origin(place, created=True)
            document = self._inserted(parent, place, [item])
            return Edited(document, (*self._origins(parent, place, [item]), created))
        if not isinstance(items, list):
            raise ProofError(f"{write_key(place)} is {_kind(items)}, not an array: nothing can be appended")
        expected = _with(self._meaning, place, [*items, item])
        layout = self.layout
        outer = bracketed(layout, place)
        if outer is None:
            if not isinstance(item, dict):
                raise ProofError(f"{write_key(place)} is an array of tables: {_kind(item)} cannot be appended")
            return Edited(self._spliced([new_element(layout, place, item)])._proven(expected, place))
        document = self._spliced(into_brackets(layout.text, outer, write_inline(item)))._proven(expected, place)
        return Edited(document, () if items else (self._filled(place),))

    def _inserted(self, parent: Place, place: Place, value: Any) -> TomlDocument:
        """The first way to put ``value`` there that TOML allows and that means it."""
        expected = _with(self._meaning, place, value)
        refusal = ProofError(f"{write_key(place)} cannot be put anywhere")
        for splices in insertions(self.layout, parent, place[len(parent) :], value):
            try:
                return self._spliced(splices)._proven(expected, place)
            except ProofError as error:
                refusal = error
        raise refusal

    def _replaced(self, place: Place, value: Any) -> TomlDocument:
        splices = replacement(self.layout, place, value)
        if splices is not None:
            return self._spliced(splices)._proven(_with(self._meaning, place, value), place)
        cleared = self._without(place, None)
        return cleared._inserted(cleared._deepest(place), place, value)

    def _origins(self, parent: Place, place: Place, value: Any) -> tuple[Origin, ...]:
        """What ``parent`` was, if it was empty, and the containers between it and ``place``, outermost first."""
        origins = [Origin((), created=False, interior=self.data)] if not self._text.strip(BLANK) else []
        if parent and not self.get(parent) and bracketed(self.layout, parent) is not None:
            origins.append(self._filled(parent))
        elif opens_header(self.layout, parent, place[len(parent) :], value):
            origins.append(Origin(parent, created=True))
        origins += [Origin(place[:depth], created=True) for depth in range(len(parent) + 1, len(place))]
        return tuple(origins)

    def _filled(self, place: Place) -> Origin:
        """What the empty array or inline table at ``place`` is."""
        outer = bracketed(self.layout, place)
        assert outer is not None, "asked for brackets only"
        return Origin(place, created=False, interior=self._text[outer.interior : outer.close].encode())

    # --- remove -------------------------------------------------------------------------------------------------

    def remove(self, place: Place, origins: Mapping[Place, Origin]) -> Document:
        if (element := element_of(place)) is not None:
            return remove_element(self, element, origins)
        self._deepest(place)
        if self.get(place) is MISSING:
            raise ProofError(f"nothing stands at {write_key(place)}")
        return self._without(place, _blank_before(origins))._tidied(place[:-1], origins)

    def replace_item(self, place: Place, item: Any, value: Any) -> TomlDocument:
        items, index = self._item(place, item)
        expected = _with(self._meaning, place, [*items[:index], value, *items[index + 1 :]])
        return self._spliced(item_replacement(self.layout, place, index, value))._proven(expected, place)

    def remove_item(self, place: Place, item: Any, origins: Mapping[Place, Origin]) -> TomlDocument:
        items, index = self._item(place, item)
        if bracketed(self.layout, place) is not None:
            splices = item_removal(self.layout, place, index)
        else:
            splices = element_removal(self.layout, place, index, _blank_before(origins))
        expected = _with(self._meaning, place, items[:index] + items[index + 1 :])
        return self._spliced(splices)._proven(expected, place)._tidied(place, origins)

    def _item(self, place: Place, item: Any) -> tuple[list[Any], int]:
        """The array at ``place``, and the index of its last item that equals ``item``."""
        self._deepest(place)
        items = self.get(place)
        if not isinstance(items, list):
            raise ProofError(f"{write_key(place)} is {_kind(items)}, not an array: it has no items")
        found = [index for index, other in enumerate(items) if same_value(other, item)]
        if not found:
            raise ProofError(f"no such item stands in {write_key(place)}")
        return items, found[-1]

    def _without(self, place: Place, blank: str | None) -> TomlDocument:
        document = self
        while document.get(place) is not MISSING:
            splices = removal(document.layout, place, blank)
            if not splices:
                raise ProofError(f"{write_key(place)} cannot be cut out")
            document = document._spliced(splices)
        return document._proven(_less(self._meaning, place), place[:-1])

    def _tidied(self, container: Place, origins: Mapping[Place, Origin]) -> TomlDocument:
        """Containers undone from ``container`` outwards, as far as they are empty and were ours to fill."""
        document, blank = self, _blank_before(origins)
        for depth in range(len(container), 0, -1):
            place = container[:depth]
            left, origin = document.get(place), origins.get(place)
            if left is MISSING:
                continue
            if origin is None:
                break
            if origin.created and (left or bracketed(document.layout, place) is None):
                smaller = document._spliced(header_removal(document.layout, place, blank))
                document = smaller._proven(document._meaning, place)
            elif origin.created:
                document = document._without(place, blank)
            elif not left:
                document = document._restored(place, origin)
            if document.get(place) is not MISSING:
                break
        if blank is not None and not document._text.strip(BLANK):
            return document._spliced([Splice(0, len(document._text), blank)])
        return document

    def _restored(self, place: Place, origin: Origin) -> TomlDocument:
        outer = bracketed(self.layout, place)
        if outer is None:
            return self
        splices = interior_restored(self._text, outer, origin.interior.decode())
        return self._spliced(splices)._proven(self._meaning, place)

    # --- shared -------------------------------------------------------------------------------------------------

    @property
    def layout(self) -> Layout:
        if self._layout is None:
            self._layout = Layout.of(self._text)
        return self._layout

    def _deepest(self, place: Place) -> Place:
        """The deepest table on the way to ``place`` that exists."""
        if not place:
            raise ProofError("the whole document is no place to edit")
        node = self._meaning
        for depth, key in enumerate(place[:-1]):
            if key not in node:
                return place[:depth]
            node = node[key]
            if not isinstance(node, dict):
                raise ProofError(f"{write_key(place[: depth + 1])} is {_kind(node)}, not a table")
        return place[:-1]

    def _spliced(self, splices: Iterable[Splice]) -> TomlDocument:
        text = apply(self._text, splices)
        try:
            meaning = read_meaning(text)
        except DocumentError as error:
            raise ProofError(f"the edited file would not be valid TOML: {error}") from None
        return TomlDocument((self._mark + text).encode(), self._mark, text, meaning)

    def _proven(self, expected: dict[str, Any], container: Place) -> TomlDocument:
        """This document, if it means ``expected``; ``container`` and those around it may be gone where empty."""
        for depth in range(len(container), 0, -1):
            place = container[:depth]
            if self.get(place) is MISSING and value_at(expected, place) in ({}, []):
                expected = _less(expected, place)
        try:
            proven = same_value(self._meaning, expected)
        except RecursionError:
            raise ProofError("the values are nested too deeply to be compared") from None
        if not proven:
            raise ProofError(f"the edit of {write_key(container)} would change something else as well")
        return self


def _with(table: dict[str, Any], place: Place, value: Any) -> dict[str, Any]:
    """A copy of ``table`` with ``value`` at ``place``; what is beside the way is shared."""
    inner = value if len(place) == 1 else _with(table.get(place[0], {}), place[1:], value)
    return {**table, place[0]: inner}


def _less(table: dict[str, Any], place: Place) -> dict[str, Any]:
    """A copy of ``table`` without ``place``."""
    if len(place) > 1:
        return {**table, place[0]: _less(table[place[0]], place[1:])}
    return {key: value for key, value in table.items() if key != place[0]}


def _blank_before(origins: Mapping[Place, Origin]) -> str | None:
    """The blank text that the file was before us, if it was."""
    root = origins.get(())
    return None if root is None else decode(root.interior)[1]


def _kind(value: Any) -> str:
    match value:
        case bool():
            return "a boolean"
        case dict():
            return "a table"
        case list():
            return "an array"
        case str():
            return "a string"
        case None:
            return "null"
    return "nothing" if value is MISSING else "a number"

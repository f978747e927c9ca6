"""The byte-preserving editor of YAML files: see :mod:`.base` for its promise.

``yaml_scan`` says what stands where, ``yaml_meaning`` what it means, ``yaml_splice`` what an edit writes. Where a
value is shared by aliases or comes through a merge key, where brackets and comments leave no safe place, an edit is a
:class:`ProofError`: such a file is edited by hand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from ..errors import DocumentError, ProofError
from .base import MISSING, Document, Edited, Origin, Place, same_value
from .elements import element_of, remove_element, set_element, spelled, value_at
from .json import a_kind, kind_of
from .json_text import BOM, decode
from .toml_places import Splice, apply
from .yaml_meaning import is_absent, is_merge, is_null, key_of, meaning
from .yaml_scan import Entry, Node, Scan, scan
from .yaml_splice import (
    BY_HAND,
    cut,
    filling,
    has_comment_beside,
    insertion,
    item_replacement,
    replacement,
    root_filling,
    root_insertion,
    slot,
)

_EMPTY: Final = {"map": " {}", "list": " []"}
_UNREAD: Final = object()


class _Route(NamedTuple):
    """The way to a place, as far as it exists: each node, and the entry it is the value of (none for the root)."""

    nodes: list[Node]
    entries: list[Entry]

    @property
    def parent(self) -> Entry | None:
        return self.entries[-1] if self.entries else None


class YamlDocument:
    """Made by :meth:`parse`. The values it hands out are its own: read them, never change them."""

    __slots__ = ("_found", "_meaning", "data")

    def __init__(self, data: bytes) -> None:
        self.data = data
        self._found: Scan | None = None
        self._meaning: Any = _UNREAD

    @classmethod
    def parse(cls, data: bytes) -> YamlDocument:
        """Raises :class:`DocumentError` with line and column for what is no YAML, holds more than one document or
        has a key twice. Blank files and files of comments are empty documents."""
        document = cls(data)
        document.value()
        return document

    def value(self) -> Any:
        if self._meaning is _UNREAD:
            try:
                self._meaning = meaning(self._scan)
            except RecursionError:
                raise DocumentError("nested too deeply to be read") from None
        return self._meaning

    def get(self, place: Place) -> Any:
        return value_at(self.value(), place)

    # --- set and append -----------------------------------------------------------------------------------------

    def set(self, place: Place, value: Any) -> Edited:
        if not place:
            raise ProofError("the whole document cannot be replaced, only what stands in it")
        if (element := element_of(place)) is not None:
            return set_element(self, element, value)
        route = self._route(place[:-1])
        if len(route.entries) == len(place) - 1 and (entry := self._entry(route, place)) is not None:
            if same_value(self.get(place), value):
                return Edited(self)
            return Edited(self._with(replacement(self._scan, route.nodes, entry, value)))
        return self._create(route, place, value, last_container=place[:-1])

    def append(self, place: Place, item: Any) -> Edited:
        route = self._route(place, last="list")
        if len(route.entries) < len(place) or not route.nodes:
            return self._create(route, place, [item], last_container=place)
        if route.nodes[-1].entries:
            return Edited(self._with(insertion(self._scan, route.nodes, None, item)))
        return self._filled(route, place, [item], ())

    def _create(self, route: _Route, place: Place, value: Any, *, last_container: Place) -> Edited:
        """Insert what of ``place`` is missing below the last container of ``route``."""
        depth = len(route.entries)
        existing, (key, *deeper) = place[:depth], place[depth:]
        created = tuple(
            Origin(last_container[:length], created=True) for length in range(depth + 1, len(last_container) + 1)
        )
        for inner in reversed(deeper):
            value = {inner: value}
        if not route.nodes:
            splices = root_insertion(self._scan, key, value)
            return Edited(self._with(splices), (self._root_origin(), *created))
        if route.nodes[-1].entries:
            return Edited(self._with(insertion(self._scan, route.nodes, key, value)), created)
        if not existing:
            return Edited(self._with(root_filling(self._scan, key, value)), (self._root_origin(), *created))
        return self._filled(route, existing, {key: value}, created)

    def _filled(self, route: _Route, place: Place, value: Any, created: tuple[Origin, ...]) -> Edited:
        entry = route.entries[-1]
        start, end = slot(self._scan, entry)
        origin = Origin(place, created=False, interior=self._scan.text[start:end].encode())
        return Edited(self._with(filling(self._scan, route.nodes[:-1], entry, value)), (origin, *created))

    def _root_origin(self) -> Origin:
        return Origin((), created=False, interior=self.data)

    # --- remove -------------------------------------------------------------------------------------------------

    def remove(self, place: Place, origins: Mapping[Place, Origin]) -> Document:
        if (element := element_of(place)) is not None:
            return remove_element(self, element, origins)
        route = self._route(place[:-1])
        entry = self._entry(route, place) if place and len(route.entries) == len(place) - 1 else None
        if entry is None:
            raise ProofError(f"nothing stands at {spelled(place)}")
        return self._without(route, place[:-1], route.nodes[-1].entries.index(entry), origins)

    def remove_item(self, place: Place, item: Any, origins: Mapping[Place, Origin]) -> YamlDocument:
        route, index = self._item(place, item)
        return self._without(route, place, index, origins)

    def replace_item(self, place: Place, item: Any, value: Any) -> YamlDocument:
        route, index = self._item(place, item)
        return self._with(item_replacement(self._scan, route.nodes, index, value))

    def _item(self, place: Place, item: Any) -> tuple[_Route, int]:
        """The way to the array at ``place``, and the index of its last item that equals ``item``."""
        route = self._route(place, last="list")
        if len(route.entries) < len(place) or not route.nodes:
            raise ProofError(f"nothing stands at {spelled(place)}")
        items = self.get(place) or []
        index = next((at for at in reversed(range(len(items))) if same_value(items[at], item)), None)
        if index is None:
            raise ProofError(f"the array at {spelled(place)} has no such item")
        return route, index

    def _without(self, route: _Route, place: Place, index: int, origins: Mapping[Place, Origin]) -> YamlDocument:
        """Take the entry out of the container at ``place``, which ``route`` leads to."""
        container, origin = route.nodes[-1], origins.get(place)
        if len(container.entries) > 1:
            return self._with(cut(self._scan, container, index))
        if not place:
            return self._without_root_entry(container, origin)
        parent = route.entries[-1]
        outer = _Route(route.nodes[:-1], route.entries[:-1])
        if origin is not None and origin.created and not has_comment_beside(self._scan, parent, container):
            return self._without(outer, place[:-1], outer.nodes[-1].entries.index(parent), origins)
        if parent.mark is None:
            raise ProofError("the key stands there without a colon", hint=BY_HAND)
        before = _EMPTY[container.kind] if origin is None or origin.created else decode(origin.interior)
        if container.flow:
            return self._with([Splice(parent.mark, container.end, before)])
        return self._with([Splice(parent.mark, parent.mark, before), *cut(self._scan, container, index)])

    def _without_root_entry(self, root: Node, origin: Origin | None) -> YamlDocument:
        """The root has become empty: give back what stood there before us."""
        before = scan(decode(origin.interior)) if origin else None
        was = before.text[before.root.start : before.root.end] if before and before.root else ""
        if root.flow:
            return self._with([Splice(root.start, root.end, was or "{}")])
        (lines,) = cut(self._scan, root, 0)
        if was:
            return self._with([Splice(root.entries[0].start, root.end, was)])
        rest = self._with([lines])
        if before and origin and not (before.text.strip() or rest._scan.text.strip()):
            return YamlDocument(origin.interior)
        return rest

    # --- where things stand -------------------------------------------------------------------------------------

    @property
    def _scan(self) -> Scan:
        if self._found is None:
            self._found = scan(decode(self.data))
        return self._found

    def _route(self, place: Place, *, last: str = "map") -> _Route:
        """The containers from the root to ``place``, as far as they exist; no node for an empty document."""
        root = self._scan.root
        if root is None or is_absent(root):
            return _Route([], [])
        if root.kind != "map":
            raise ProofError(f"the root is {a_kind(kind_of(self.value()))}, not an object")
        if not place and last == "list":
            raise ProofError("the root is an object, not an array")
        route = _Route([root], [])
        for depth in range(1, len(place) + 1):
            entry = self._entry(route, place[:depth])
            if entry is None:
                break
            wanted = last if depth == len(place) else "map"
            self._must_hold(entry.value, wanted, place[:depth])
            route.nodes.append(entry.value)
            route.entries.append(entry)
        return route

    def _must_hold(self, node: Node, wanted: str, place: Place) -> None:
        if node.kind == "alias":
            raise ProofError(f"{spelled(place)} is an alias: what it stands for stands elsewhere too", hint=BY_HAND)
        empty = node.bare and is_null(node)
        if node.kind != wanted and not empty:
            expected = "an object" if wanted == "map" else "an array"
            raise ProofError(f"{spelled(place)} holds {a_kind(kind_of(self.get(place)))}, not {expected}")
        if not node.entries and not node.bare:
            raise ProofError(f"{spelled(place)} is empty, with an anchor or a tag", hint=BY_HAND)

    def _entry(self, route: _Route, place: Place) -> Entry | None:
        """The member of the last container of ``route`` that ``place`` names."""
        if not route.nodes:
            return None
        text = self._scan.text
        for entry in route.nodes[-1].entries:
            key = entry.key
            if key is not None and not is_merge(key) and key.kind != "alias" and key_of(text, key) == place[-1]:
                return entry
        if self.get(place) is not MISSING:
            raise ProofError(f"{spelled(place)} comes from elsewhere (<< or an alias)", hint=BY_HAND)
        return None

    def _with(self, splices: Sequence[Splice]) -> YamlDocument:
        mark = BOM if self.data.startswith(BOM) else b""
        return YamlDocument(mark + apply(self._scan.text, splices).encode())

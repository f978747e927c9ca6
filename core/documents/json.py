"""The byte-preserving editor of JSON and JSONC.

The text is scanned once for meaning and spans (``json_scan``), edits are splices of it (``json_splice``) in the
file's own style (``json_style``). Values of the user's are never written again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from ..errors import DocumentError, ProofError
from .base import Document, Edited, Origin, Place, same_value
from .elements import element_of, remove_element, set_element, spelled, value_at
from .json_scan import Container, Member, Scan, scan
from .json_splice import (
    Splice,
    blank_but_for,
    blank_outside,
    cut,
    cut_root,
    has_comment_inside_key,
    insert,
    insert_root,
    interior,
    replace_value,
    spliced,
)
from .json_text import decode, is_blank, unparsable

_KINDS: Final = ((dict, "object"), (list, "array"), (str, "string"))


class JsonDocument:
    """An immutable view of a JSON file's bytes; see :class:`~agent_connector.documents.base.Document`."""

    __slots__ = ("_comments", "_data", "_scan")

    def __init__(self, data: bytes, *, comments: bool) -> None:
        """For :meth:`parse` and edits: bytes that are not looked at before somebody asks what they mean."""
        self._data = data
        self._comments = comments
        self._scan: Scan | None = None

    @classmethod
    def parse(cls, data: bytes, *, comments: bool) -> JsonDocument:
        """``comments``: JSONC, which also takes trailing commas. Empty and blank files are empty documents.

        Raises :class:`DocumentError` with line and column for whatever does not parse.
        """
        document = cls(data, comments=comments)
        document._scanned()
        return document

    @property
    def data(self) -> bytes:
        return self._data

    def value(self) -> Any:
        """The meaning of the whole document; shared, so not to be changed. An empty document is an empty object."""
        return self._scanned().value

    def get(self, place: Place) -> Any:
        return value_at(self.value(), place)

    def set(self, place: Place, value: Any) -> Edited:
        if not place:
            raise ProofError("the whole document cannot be replaced, only what stands in it")
        if (element := element_of(place)) is not None:
            return set_element(self, element, value)
        route = self._route(place[:-1])
        if len(route) == len(place):
            member = self._member(route[-1], place[-1])
            if member is not None:
                if same_value(member.value, value):
                    return Edited(self)
                return Edited(self._with(replace_value(self._scanned(), route, member, value)))
        return self._create(route, place, value, last_container=place[:-1])

    def append(self, place: Place, item: Any) -> Edited:
        route = self._route(place, last="array")
        if len(route) <= len(place):
            return self._create(route, place, [item], last_container=place)
        origins = self._first_filled(place, route[-1])
        return Edited(self._with(insert(self._scanned(), route, None, item, nested=False)), origins)

    def remove(self, place: Place, origins: Mapping[Place, Origin]) -> Document:
        if (element := element_of(place)) is not None:
            return remove_element(self, element, origins)
        route = self._route(place[:-1]) if place else []
        member = self._member(route[-1], place[-1]) if len(route) == len(place) and place else None
        if member is None:
            raise ProofError(f"nothing stands at {spelled(place)}")
        return self._without(route, place, route[-1].members.index(member), origins)

    def remove_item(self, place: Place, item: Any, origins: Mapping[Place, Origin]) -> JsonDocument:
        route, index = self._item(place, item)
        return self._without(route, (*place, ""), index, origins)

    def replace_item(self, place: Place, item: Any, value: Any) -> JsonDocument:
        route, index = self._item(place, item)
        return self._with(replace_value(self._scanned(), route, route[-1].members[index], value))

    def _item(self, place: Place, item: Any) -> tuple[list[Container], int]:
        """The way to the array at ``place``, and the index of its last item that equals ``item``."""
        route = self._route(place, last="array")
        if len(route) <= len(place):
            raise ProofError(f"nothing stands at {spelled(place)}")
        items = route[-1].members
        index = next((at for at in reversed(range(len(items))) if same_value(items[at].value, item)), None)
        if index is None:
            raise ProofError(f"the array at {spelled(place)} has no such item")
        return route, index

    @property
    def _text(self) -> str:
        return self._scanned().text

    def _scanned(self) -> Scan:
        if self._scan is None:
            self._scan = scan(decode(self._data), comments=self._comments)
        return self._scan

    def _route(self, place: Place, *, last: str = "object") -> list[Container]:
        """The containers from the root to ``place``, as far as they exist; none for an empty document."""
        scanned = self._scanned()
        if scanned.empty:
            return []
        if scanned.root is None:
            raise ProofError(f"the root is {a_kind(kind_of(scanned.value))}, not an object")
        if not place and last == "array":
            raise ProofError("the root is an object, not an array")
        route = [scanned.root]
        for depth, key in enumerate(place, 1):
            member = self._member(route[-1], key)
            if member is None:
                break
            expected = last if depth == len(place) else "object"
            inside = scanned.enter(member)
            if inside is None or kind_of(member.value) != expected:
                raise ProofError(
                    f"{spelled(place[:depth])} holds {a_kind(kind_of(member.value))}, not {a_kind(expected)}"
                )
            route.append(inside)
        return route

    def _member(self, container: Container, key: str) -> Member | None:
        found = [member for member in container.members if member.key == key]
        if len(found) > 1:
            raise unparsable(self._text, found[1].start, f"the key {key!r} stands here for the second time")
        return found[0] if found else None

    def _create(self, route: list[Container], place: Place, value: Any, *, last_container: Place) -> Edited:
        """Insert what of ``place`` is missing below the last container of ``route``."""
        existing = place[: max(len(route) - 1, 0)]
        missing = place[len(existing) :]
        created = tuple(
            Origin(last_container[:depth], created=True)
            for depth in range(len(existing) + 1, len(last_container) + 1)
        )
        for key in reversed(missing[1:]):
            value = {key: value}
        if not route:
            splices = insert_root(self._text, {missing[0]: value})
            return Edited(self._with(splices), (Origin((), created=False, interior=self._data), *created))
        splices = insert(self._scanned(), route, missing[0], value, nested=bool(created))
        return Edited(self._with(splices), (*self._first_filled(existing, route[-1]), *created))

    def _first_filled(self, place: Place, container: Container) -> tuple[Origin, ...]:
        """The origin of a container that was empty so far. One with comments in it needs none: they stay."""
        between = interior(self._text, container)
        if container.members or not is_blank(between):
            return ()
        return (Origin(place, created=False, interior=between.encode() if place else self._data),)

    def _without(
        self, route: Sequence[Container], place: Place, index: int, origins: Mapping[Place, Origin]
    ) -> JsonDocument:
        container, parent = route[-1], place[:-1]
        if len(container.members) > 1 or not blank_but_for(self._text, container):
            return self._with(cut(self._text, container, index))
        if not parent:
            return self._without_root_member(container, origins.get(()))
        origin = origins.get(parent)
        outer = route[-2].members
        at = next(at for at, member in enumerate(outer) if member.inside is container)
        if origin is not None and origin.created and not has_comment_inside_key(self._text, outer[at]):
            return self._without(route[:-1], parent, at, origins)
        before = decode(origin.interior) if origin else ""
        return self._with([(container.start + 1, container.end - 1, before)])

    def _without_root_member(self, root: Container, origin: Origin | None) -> JsonDocument:
        """The root has become empty: give back what stood there before us."""
        if origin is None:
            return self._with([(root.start + 1, root.end - 1, "")])
        try:
            before = scan(decode(origin.interior), comments=self._comments)
        except DocumentError as error:
            raise ProofError(f"what was recorded of the file before us does not parse: {error.message}") from None
        if before.root is not None:
            return self._with([(root.start + 1, root.end - 1, interior(before.text, before.root))])
        if blank_outside(self._text, root) and is_blank(before.text):
            return JsonDocument(origin.interior, comments=self._comments)
        return self._with(cut_root(self._text, root))

    def _with(self, splices: list[Splice]) -> JsonDocument:
        return JsonDocument(spliced(self._data, self._text, splices), comments=self._comments)


def kind_of(value: Any) -> str:
    """The JSON name of a value's type."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    return next((name for kind, name in _KINDS if isinstance(value, kind)), "number")


def a_kind(kind: str) -> str:
    """The name of a type with its article."""
    if kind == "null":
        return "null"
    return f"{'an' if kind[0] in 'ao' else 'a'} {kind}"

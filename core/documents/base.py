"""What every editor of a config file offers, and the words they share.

A document is an immutable view of a file's bytes. An edit returns a new document whose bytes are a splice of the
old ones: everything outside the touched span is untouched, byte for byte. Editors know nothing of files, hosts or
ledgers.

The promise that makes uninstall exact: for any documents and places, in any order of removal,

    doc.set(place, value).document.remove(place, origins).data == doc.data

where ``origins`` are the containers that the edits reported. It holds by construction: what is inserted carries its
own separator in front, and what a container looked like before the first insertion is kept in its ``Origin``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Protocol

from ..values import frozen

Place = tuple[str, ...]
"""Keys from the root down. An array is a place too; its items are found by value, or by name where the last part is
``[key=name]`` (see :mod:`.elements`)."""


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING: Final = _Missing()
"""What :meth:`Document.get` answers where nothing stands; distinct from a null."""


@frozen
class Origin:
    """What a container was before we first put something into it.

    ``created``: it did not exist, so it goes when it is empty again. Otherwise it existed and was empty, and
    ``interior`` are the bytes that stood between its brackets (for the root: the whole file). A container that
    already had members needs no origin.
    """

    place: Place
    created: bool
    interior: bytes = b""


@frozen
class Edited:
    document: Document
    origins: tuple[Origin, ...] = ()
    """Containers that this edit created or was the first to fill, outermost first."""


class Document(Protocol):
    """See the module's text for the promise. Every method raises :class:`ProofError` with the reason (wrong type on
    the way, a place that cannot be spliced) when the edit cannot be made, never a half-made document."""

    @property
    def data(self) -> bytes: ...

    def value(self) -> Any:
        """The meaning of the whole document, as JSON values (dates of TOML as their text)."""

    def get(self, place: Place) -> Any:
        """The meaning at ``place``, or :data:`MISSING`. ``place`` runs through objects, and may end in an element."""

    def set(self, place: Place, value: Any) -> Edited:
        """Insert ``value`` at ``place``, creating containers on the way, or replace the value that stands there."""

    def append(self, place: Place, item: Any) -> Edited:
        """Add ``item`` at the end of the array at ``place``, creating it on the way."""

    def remove(self, place: Place, origins: Mapping[Place, Origin]) -> Document:
        """Remove the member at ``place``; then undo containers that became empty, as their origins say."""

    def remove_item(self, place: Place, item: Any, origins: Mapping[Place, Origin]) -> Document:
        """Remove the last item of the array at ``place`` that equals ``item`` by value; then as :meth:`remove`."""

    def replace_item(self, place: Place, item: Any, value: Any) -> Document:
        """``value`` in the place of the last item of the array at ``place`` that equals ``item`` by value."""


def same_value(left: Any, right: Any) -> bool:
    """Deep equality as JSON sees it: ``1`` is not ``true``, ``1`` is ``1.0``, NaN equals itself."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(same_value(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(same_value, left, right))
    return bool(left == right) or (left != left and right != right)

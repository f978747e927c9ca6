"""Places that end in an element of an array, found by its name: ``("mcp_servers", "[name=acme]")``.

Some hosts keep in a list what others keep under keys. Such an element is a thing of its own, as a member of an object
is: it is looked up, put, replaced and removed by its name, and its neighbours stay as they are.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from ..errors import ProofError
from .base import MISSING, Document, Edited, Origin, Place, same_value

_ELEMENT = re.compile(r"\[(?P<key>[A-Za-z_]\w*)=(?P<name>.+)\]", re.ASCII | re.DOTALL)


class Element(NamedTuple):
    """The element of the array at ``array`` whose ``key`` is ``name``."""

    array: Place
    key: str
    name: str

    def index_in(self, items: Sequence[Any]) -> int | None:
        """Raises :class:`ProofError` where several are called so: which of them is meant, nobody can tell."""
        found = [index for index, item in enumerate(items) if self.names(item)]
        if len(found) > 1:
            raise ProofError(f"several elements of {spelled(self.array)} are called {self.name}")
        return found[0] if found else None

    def names(self, item: Any) -> bool:
        return isinstance(item, dict) and item.get(self.key) == self.name


def element_part(key: str, name: str) -> str:
    """The last part of a place that is an element of an array."""
    return f"[{key}={name}]"


def element_of(place: Place) -> Element | None:
    """The element that ``place`` is; ``None`` for any other place."""
    found = _ELEMENT.fullmatch(place[-1]) if place else None
    return Element(place[:-1], found["key"], found["name"]) if found else None


def value_at(root: Any, place: Place) -> Any:
    """What stands at ``place`` of a document that means ``root``, or :data:`MISSING`. Of several elements that are
    called alike the first."""
    element = element_of(place)
    value = root
    for key in place if element is None else element.array:
        if not isinstance(value, dict) or key not in value:
            return MISSING
        value = value[key]
    if element is None:
        return value
    return next((item for item in value if element.names(item)), MISSING) if isinstance(value, list) else MISSING


def set_element(document: Document, element: Element, value: Any) -> Edited:
    """:meth:`Document.set` for an element: in the place of the one of its name, else behind the last."""
    if not element.names(value):
        raise ProofError(f"the element would not be called {element.name} ({element.key})")
    items = _items(document, element)
    index = element.index_in(items)
    if index is None:
        return document.append(element.array, value)
    if same_value(items[index], value):
        return Edited(document)
    return Edited(document.replace_item(element.array, items[index], value))


def remove_element(document: Document, element: Element, origins: Mapping[Place, Origin]) -> Document:
    """:meth:`Document.remove` for an element."""
    items = _items(document, element)
    index = element.index_in(items)
    if index is None:
        raise ProofError(f"no element of {spelled(element.array)} is called {element.name}")
    return document.remove_item(element.array, items[index], origins)


def _items(document: Document, element: Element) -> list[Any]:
    """The array; a wrong type on the way to it is told by whoever edits it."""
    items = document.get(element.array)
    return items if isinstance(items, list) else []


def spelled(place: Place) -> str:
    """A place as people write it: ``mcp_servers[name=acme]``."""
    element = element_of(place)
    if element is not None:
        return f"{spelled(element.array)}{place[-1]}"
    return ".".join(place) or "the root"

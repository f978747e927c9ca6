"""Nodes of a YAML text -> JSON values, as the core schema of YAML 1.2 has it.

Merge keys (``<<``) are merged, aliases followed. A key that is no text stands under its own spelling; a tag of the
user's own changes nothing. Plain ``yes`` and ``on`` are texts, as in 1.2.
"""

from __future__ import annotations

import math
import re
from typing import Any, Final

from .json_text import unparsable
from .yaml_scan import Node, Scan

_MOST_VALUES: Final = 1_000_000
"""Aliases of aliases can stand for more values than any machine holds."""

_KNOWN: Final = frozenset(f"tag:yaml.org,2002:{name}" for name in ("null", "bool", "int", "float"))
_NULL: Final = frozenset({"", "~", "null", "Null", "NULL"})
_BOOLEANS: Final = {
    word: value for word, value in (("true", True), ("false", False)) for word in (word, word.title(), word.upper())
}
_INT = re.compile(r"[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE = re.compile(r"(?P<sign>[-+]?)\.(?:inf|Inf|INF)")
_NAN: Final = frozenset({".nan", ".NaN", ".NAN"})
_LONGEST_INT: Final = 4000


def meaning(scan: Scan) -> Any:
    """The document's value; a stream without one means an empty object.

    Raises :class:`DocumentError` for a key that stands twice in one mapping, and for aliases that name nothing, name
    what they stand in, or stand for too much.
    """
    if scan.root is None or is_absent(scan.root):
        return {}
    return _Reader(scan.text).value(scan.root)[0]


def is_absent(node: Node) -> bool:
    """Nothing is written where a value could be."""
    return node.plain and node.bare and not node.text


def is_null(node: Node) -> bool:
    return node.plain and node.text in _NULL


def key_of(text: str, key: Node) -> str:
    """What a place calls this key."""
    if key.kind == "scalar":
        return key.text
    return text[key.start : key.end]


def is_merge(key: Node) -> bool:
    return key.plain and key.text == "<<"


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._anchors: dict[str, tuple[Any, int]] = {}

    def value(self, node: Node) -> tuple[Any, int]:
        """The node's value, and of how many values it consists."""
        if node.kind == "alias":
            return self._aliased(node)
        if node.kind == "scalar":
            found: tuple[Any, int] = (_scalar(node), 1)
        else:
            if node.anchor:
                self._anchors.pop(node.anchor, None)
            found = self._object(node) if node.kind == "map" else self._array(node)
        if found[1] > _MOST_VALUES:
            raise unparsable(self._text, node.start, "the aliases in here stand for too many values")
        if node.anchor:
            self._anchors[node.anchor] = found
        return found

    def _aliased(self, node: Node) -> tuple[Any, int]:
        if node.anchor not in self._anchors:
            raise unparsable(self._text, node.start, f"the alias *{node.anchor} stands for nothing above it")
        return self._anchors[node.anchor]

    def _array(self, node: Node) -> tuple[list[Any], int]:
        found = [self.value(entry.value) for entry in node.entries]
        return [value for value, _ in found], 1 + sum(size for _, size in found)

    def _object(self, node: Node) -> tuple[dict[str, Any], int]:
        own: dict[str, Any] = {}
        merged: dict[str, Any] = {}
        size = 1
        for entry in node.entries:
            key = entry.key
            assert key is not None, "a mapping's entries have keys"
            if key.kind in ("map", "list") or key.anchor:
                self.value(key)  # an alias below may name it
            value, inside = self.value(entry.value)
            size += inside
            sources = value if isinstance(value, list) else [value]
            if is_merge(key) and all(isinstance(source, dict) for source in sources):
                for source in sources:
                    merged = {**source, **merged}
                continue
            name = self._name(key)
            if name in own:
                raise unparsable(self._text, entry.start, f"the key {name!r} stands here for the second time")
            own[name] = value
        return {**merged, **own}, size

    def _name(self, key: Node) -> str:
        if key.kind == "alias":
            value = self._aliased(key)[0]
            return value if isinstance(value, str) else key_of(self._text, key)
        return key_of(self._text, key)


def _scalar(node: Node) -> Any:
    if node.tag in _KNOWN or node.plain:
        return resolved(node.text)
    return node.text


def resolved(text: str) -> Any:
    """What a plain scalar means."""
    if text in _NULL:
        return None
    if text in _BOOLEANS:
        return _BOOLEANS[text]
    if _INT.fullmatch(text) and len(text) < _LONGEST_INT:
        return int(text, 0) if text[1:2] in ("o", "x") else int(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    if infinite := _INFINITE.fullmatch(text):
        return float(f"{infinite['sign']}inf")
    return math.nan if text in _NAN else text

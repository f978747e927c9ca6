"""YAML text -> a tree of nodes with their places in the text.

ruamel.yaml reads the events; what it does not tell (where a member's colon or an item's dash stands, where a block
really ends) is read from the text between them. Nothing is resolved here: see ``yaml_meaning``.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from ..errors import DocumentError
from .json_text import unparsable

NEWLINES = "\r\n"
_GAP = re.compile(r"(?:[\s\ufeff]+|#[^\r\n]*)*")
_PROPERTY = re.compile(r"[&!]\S*")
_DEEPEST = 256
"""More could not be told the meaning of either, and the parser's time grows with the third power of the depth."""
_BLOCK_HEADER = re.compile(r"[|>](?P<signs>[-+0-9]*)[ \t]*(?:#.*)?$")


@dataclass(slots=True, eq=False)
class Node:
    """``start`` includes anchor and tag; ``end`` is behind the last character that means something."""

    kind: Literal["scalar", "map", "list", "alias"]
    start: int
    end: int
    flow: bool = False
    anchor: str = ""
    """What an anchor calls this node; of an alias, what it stands for."""
    tag: str = ""
    text: str = ""
    """Of a scalar."""
    style: str = ""
    """Of a scalar: a quote, ``|``, ``>``, or nothing for a plain one."""
    entries: list[Entry] = field(default_factory=list)

    @property
    def plain(self) -> bool:
        return self.kind == "scalar" and not (self.style or self.tag)

    @property
    def bare(self) -> bool:
        """Whether no anchor and no tag says more of it."""
        return not (self.anchor or self.tag)


@dataclass(slots=True, eq=False)
class Entry:
    """A member of a mapping, or an item of a sequence (``key`` is ``None``)."""

    start: int
    key: Node | None
    value: Node
    mark: int | None
    """Behind the colon or the dash; ``None`` where there is none."""

    @property
    def end(self) -> int:
        return max(self.value.end, self.mark or 0, self.key.end if self.key else 0)


@dataclass(slots=True, eq=False)
class Scan:
    text: str
    root: Node | None
    """``None``: the stream holds no document."""
    limit: int
    """Where the document ends: the end of the text, or its ``...``."""

    def nodes(self) -> Iterator[Node]:
        """Every node, each before what is in it."""
        waiting = [self.root] if self.root else []
        while waiting:
            node = waiting.pop()
            yield node
            for entry in reversed(node.entries):
                waiting += [entry.value, *([entry.key] if entry.key else [])]


def scan(text: str) -> Scan:
    """Raises :class:`DocumentError` with line and column for what is no YAML, or more than one document."""
    root: Node | None = None
    limit = len(text)
    documents = 0
    open_nodes: list[_Open] = []
    for name, event in _events(text):
        start, end = event.start_mark.index, event.end_mark.index
        if name == "DocumentStartEvent":
            documents += 1
            if documents > 1:
                raise unparsable(text, start, "a second document begins here, and only one can be edited")
        elif name == "DocumentEndEvent" and event.explicit:
            limit = start
        elif name in ("MappingStartEvent", "SequenceStartEvent"):
            kind: Literal["map", "list"] = "map" if name == "MappingStartEvent" else "list"
            node = Node(kind, start, end, flow=bool(event.flow_style), anchor=event.anchor or "", tag=_tag(event))
            open_nodes.append(_Open(node, text))
            if len(open_nodes) > _DEEPEST:
                raise DocumentError("nested too deeply to be read")
        elif name in ("MappingEndEvent", "SequenceEndEvent"):
            done = open_nodes.pop().node
            done.end = end if done.flow else done.entries[-1].end if done.entries else done.end
            root = _put(done, open_nodes) or root
        elif name == "ScalarEvent":
            scalar = Node(
                "scalar",
                start,
                end,
                anchor=event.anchor or "",
                tag=_tag(event),
                text=event.value,
                style=event.style or "",
            )
            if scalar.style in ("|", ">"):
                scalar.end = _block_scalar_end(text, scalar)
            root = _put(scalar, open_nodes) or root
        elif name == "AliasEvent":
            root = _put(Node("alias", start, end, anchor=event.anchor), open_nodes) or root
    return Scan(text, root, limit)


@dataclass(slots=True, eq=False)
class _Open:
    """A collection whose end is not reached yet."""

    node: Node
    text: str
    key: Node | None = None

    def take(self, node: Node) -> None:
        if self.node.kind == "list":
            self.node.entries.append(self._item(node))
        elif self.key is None:
            self.key = node
        else:
            colon = skip_gap(self.text, self.key.end)
            mark = colon + 1 if self.text[colon : colon + 1] == ":" else None
            self.node.entries.append(Entry(self._start_of(self.key), self.key, node, mark))
            self.key = None

    @property
    def _behind(self) -> int:
        """Where the next entry may begin."""
        return self.node.entries[-1].end if self.node.entries else self.node.start

    def _start_of(self, key: Node) -> int:
        """The key, or the question mark in front of it."""
        before = self.text[self._behind : key.start].rstrip()
        return self._behind + len(before) - 1 if before.endswith("?") else key.start

    def _item(self, node: Node) -> Entry:
        if self.node.flow:
            return Entry(node.start, None, node, None)
        position = skip_gap(self.text, self._behind)
        while not self.node.entries and (found := _PROPERTY.match(self.text, position)):
            position = skip_gap(self.text, found.end())
        if self.text[position : position + 1] != "-":
            return Entry(node.start, None, node, None)
        return Entry(position, None, node, position + 1)


def _put(node: Node, open_nodes: list[_Open]) -> Node | None:
    """The node, if it is the root."""
    if not open_nodes:
        return node
    open_nodes[-1].take(node)
    return None


def _events(text: str) -> Iterator[tuple[str, Any]]:
    from ruamel.yaml import YAML
    from ruamel.yaml.error import MarkedYAMLError, YAMLError

    try:
        for event in YAML(typ="safe", pure=True).parse(text):
            yield type(event).__name__, event
    except MarkedYAMLError as error:
        reason = " ".join(part for part in (error.context, error.problem) if part)
        mark = error.problem_mark or error.context_mark
        raise unparsable(text, mark.index if mark else 0, reason) from None
    except RecursionError:
        raise DocumentError("nested too deeply to be read") from None
    except (YAMLError, ValueError, OverflowError, LookupError, AttributeError) as error:
        raise unparsable(text, getattr(error, "position", 0) or 0, f"is not valid YAML: {error}") from None


def _tag(event: Any) -> str:
    return str(event.tag) if event.tag else ""


def _block_scalar_end(text: str, scalar: Node) -> int:
    """Blank lines below belong to it only where its header says so (``+``)."""
    header = _BLOCK_HEADER.search(text, scalar.start, line_end(text, scalar.start))
    if header and "+" in header["signs"]:
        return scalar.end
    return scalar.start + len(text[scalar.start : scalar.end].rstrip())


# --- lines ------------------------------------------------------------------------------------------------------


def skip_gap(text: str, position: int) -> int:
    """Behind blanks, line breaks and comments."""
    found = _GAP.match(text, position)
    assert found is not None, "matches nothing too"
    return found.end()


def line_start(text: str, position: int) -> int:
    return max(text.rfind(mark, 0, position) for mark in NEWLINES) + 1


def line_end(text: str, position: int) -> int:
    """Where the line's break begins, or the end of the text."""
    return min(found if (found := text.find(mark, position)) >= 0 else len(text) for mark in NEWLINES)


def after_break(text: str, position: int) -> int:
    """Behind the line break that begins at ``position``, if one does."""
    if text.startswith("\r\n", position):
        return position + 2
    return position + (text[position : position + 1] in ("\r", "\n"))


def before_break(text: str, position: int) -> int:
    """In front of the line break that ends at ``position``."""
    return position - (2 if text.endswith("\r\n", 0, position) else 1)


def column(text: str, position: int) -> int | None:
    """How many spaces stand in front on the line; ``None`` if anything else does."""
    before = text[line_start(text, position) : position]
    return None if before.strip(" ") else len(before)


def newline_near(text: str, position: int) -> str:
    """The line break that the line at ``position`` ends with, or the one before it, or the first of the text."""
    for at in (line_end(text, position), before_break(text, line_start(text, position))):
        if 0 <= at < len(text):
            return text[at : after_break(text, at)] or "\n"
    return "\n"

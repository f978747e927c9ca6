"""Which headers, lines and members of inline tables a place of the meaning comes from, and splices to edit them.

One table can come from several: ``[a]`` with its ``[a.b]``, dotted lines ``a.b = 1`` in the root, an inline table.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import NamedTuple

from .base import Place
from .toml_scanner import Brackets, Member, Section, brackets, scan

BLANK = " \t\r\n"


class Splice(NamedTuple):
    start: int
    end: int
    text: str = ""


def apply(text: str, splices: Iterable[Splice]) -> str:
    """The text with every splice made. Overlapping ones are made as one, with the first's text."""
    parts: list[str] = []
    position = 0
    for start, end, new in sorted(splices):
        if start >= position:
            parts += (text[position:start], new)
        position = max(position, end)
    parts.append(text[position:])
    return "".join(parts)


class Line(NamedTuple):
    """A key line at or below a place; ``depth`` of its keys lead to the place."""

    section: Section
    member: Member
    depth: int


class Inside(NamedTuple):
    """Members of one inline table at or below a place; ``depth`` of their keys lead to the place."""

    brackets: Brackets
    members: list[Member]
    depth: int


class Whereabouts(NamedTuple):
    """Everything that one place is made of."""

    place: Place
    sections: list[Section]
    lines: list[Line]
    inside: Inside | None

    @property
    def explicit(self) -> Section | None:
        """The section of the header ``[place]``."""
        for section in self.sections:
            if section.path == self.place and not section.is_element:
                return section
        return None

    @property
    def exact(self) -> Member | None:
        """The member whose value is the place's value, if one line or inline member holds all of it."""
        if self.inside is not None:
            found = [member for member in self.inside.members if len(member.keys) == self.inside.depth]
        else:
            found = [line.member for line in self.lines if len(line.member.keys) == line.depth]
        return found[0] if found else None


class Layout(NamedTuple):
    """A text and where things stand in it; the text holds no byte order mark."""

    text: str
    sections: list[Section]

    @classmethod
    def of(cls, text: str) -> Layout:
        return cls(text, scan(text))

    @property
    def root(self) -> Section:
        return self.sections[0]

    def find(self, place: Place) -> Whereabouts:
        """``place`` runs through tables only and is not the root."""
        sections: list[Section] = []
        lines: list[Line] = []
        inside: Inside | None = None
        for section in self.sections:
            depth = len(section.path)
            if section.path[: len(place)] == place:
                sections.append(section)
            elif section.array is None and place[:depth] == section.path:
                rest = place[depth:]
                for member in section.members:
                    if member.keys[: len(rest)] == rest:
                        lines.append(Line(section, member, len(rest)))
                    elif rest[: len(member.keys)] == member.keys:
                        inside = self._find_inside(member, rest[len(member.keys) :])
        return Whereabouts(place, sections, lines, inside)

    def _find_inside(self, outer: Member, rest: Place) -> Inside:
        table = brackets(self.text, outer.value)
        for member in table.members:
            if len(member.keys) < len(rest) and rest[: len(member.keys)] == member.keys:
                return self._find_inside(member, rest[len(member.keys) :])
        return Inside(table, [member for member in table.members if member.keys[: len(rest)] == rest], len(rest))

    def elements(self, array: Place) -> list[list[Section]]:
        """The sections of each ``[[array]]`` element: its header and what follows for it, wherever that stands."""
        elements: list[list[Section]] = []
        for section in self.sections:
            if section.path[: len(array)] == array:
                if section.path == array:
                    elements.append([])
                elements[-1].append(section)
        return elements

    def runs(self, sections: Iterable[Section]) -> Iterator[list[Section]]:
        """The sections, in order, as groups that stand directly behind each other."""
        index = {id(section): position for position, section in enumerate(self.sections)}
        ordered = sorted((index[id(section)], section) for section in sections)
        for _, run in groupby(enumerate(ordered), lambda item: item[1][0] - item[0]):
            yield [section for _, (_, section) in run]

    def last_below(self, place: Place) -> Section | None:
        """The last section at or below ``place`` in the order of the text."""
        for section in reversed(self.sections):
            if section.path[: len(place)] == place:
                return section
        return None

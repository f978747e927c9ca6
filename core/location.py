"""Where a host keeps things, before machine, project and connector are known."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from pathlib import PurePath
from typing import Literal

from .machine import Machine, OperatingSystem
from .values import frozen
from .vocabulary import FormatId

NAME = "{name}"
"""In a place: the name the host knows this entry by."""
EVENT = "{event}"
"""In a place: the host's own name of a hook event."""
PROJECT = "{project}"
"""In a place or location: the project's absolute path."""


def element(key: str) -> str:
    """In a place, as its last part: the element of a list whose ``key`` is the name the host knows this entry by."""
    return f"[{key}={NAME}]"


def filled(at: tuple[str, ...], known: Mapping[str, str]) -> tuple[str, ...]:
    """A place with what is ``known`` filled in: whole parts by what they are called, the name inside a part too."""
    name = known.get(NAME, NAME)
    return tuple(known.get(part) or part.replace(NAME, name) for part in at)


@frozen
class Location:
    """A path before machine and project are known.

    ``root`` is ``home``, ``project``, ``config`` (XDG), ``appdata`` or ``absolute``; ``env`` names a variable that
    moves it: ``$env/env_parts`` where it is set. ``per_os`` replaces the location on one system. ``{name}`` may stand
    in parts where each entry has files of its own.
    """

    root: Literal["home", "project", "config", "appdata", "absolute"]
    parts: tuple[str, ...]
    env: str = ""
    env_parts: tuple[str, ...] = ()
    per_os: Mapping[OperatingSystem, Location] = field(default_factory=dict)

    def moved_by(self, variable: str, *parts: str) -> Location:
        return Location(self.root, self.parts, variable, parts, self.per_os)

    def below(self, *parts: str) -> Location:
        """What stands at ``parts`` inside this folder, wherever the folder is."""
        per_os = {system: other.below(*parts) for system, other in self.per_os.items()}
        return Location(self.root, (*self.parts, *parts), self.env, (*self.env_parts, *parts), per_os)

    def on(self, system: OperatingSystem, other: Location) -> Location:
        return Location(self.root, self.parts, self.env, self.env_parts, {**self.per_os, system: other})

    def of(self, name: str) -> Location:
        """The same of one entry: what it is called in place of ``{name}``."""

        def named(parts: tuple[str, ...]) -> tuple[str, ...]:
            return tuple(part.replace(NAME, name) for part in parts)

        per_os = {system: other.of(name) for system, other in self.per_os.items()}
        return Location(self.root, named(self.parts), self.env, named(self.env_parts), per_os)

    def resolve(self, machine: Machine, project: PurePath) -> PurePath:
        moved = machine.env_path(self.env) if self.env else None
        if moved is not None:  # a person's own word, on every system
            return moved.joinpath(*self.env_parts)
        if machine.os in self.per_os:
            return self.per_os[machine.os].resolve(machine, project)
        roots = {
            "home": machine.home,
            "project": project,
            "config": machine.config_home,
            "appdata": machine.app_data,
        }
        if self.root == "absolute":
            return machine.path(self.parts[0]).joinpath(*self.parts[1:])
        return roots[self.root].joinpath(*self.parts)


def home(*parts: str) -> Location:
    return Location("home", parts)


def project(*parts: str) -> Location:
    return Location("project", parts)


def absolute(*parts: str) -> Location:
    return Location("absolute", parts)


@frozen
class Place:
    """A place inside a config file: which file, which format, which keys."""

    location: Location
    format: FormatId
    at: tuple[str, ...] = ()

"""Commands, skills and subagents: files that are wholly ours, in the folder where the host looks for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath

from ..changes.model import Wanted
from ..host import ContentFiles, Note
from ..location import Location
from ..vocabulary import Scope, Surface
from .target import Desired, Target

_WORDS: Mapping[Surface, str] = {"commands": "slash commands", "skills": "skills", "subagents": "subagents"}


def desired_content(target: Target) -> Desired:
    return Desired.joined([_commands(target), _skills(target), _subagents(target)])


def _commands(target: Target) -> Desired:
    dialect = target.host.commands
    if not target.wants("commands"):
        return Desired()
    if dialect is None:
        return target.lacks("commands", _WORDS["commands"])
    desired = _placed(
        target, "commands", dialect.folders, (dialect.render(command) for command in target.connector.commands)
    )
    if not dialect.degraded or not desired.wanted:
        return desired
    return Desired.joined([Desired(changes=(target.say("commands", Note("info", dialect.degraded)),)), desired])


def _skills(target: Target) -> Desired:
    dialect = target.host.skills
    if not target.wants("skills"):
        return Desired()
    if dialect is None:
        return target.lacks("skills", _WORDS["skills"])
    return _placed(target, "skills", dialect.folders, (dialect.render(skill) for skill in target.connector.skills))


def _subagents(target: Target) -> Desired:
    dialect = target.host.subagents
    if not target.wants("subagents"):
        return Desired()
    if dialect is None:
        return target.lacks("subagents", _WORDS["subagents"])
    return _placed(
        target, "subagents", dialect.folders, (dialect.render(agent) for agent in target.connector.subagents)
    )


def _placed(
    target: Target, surface: Surface, folders: Mapping[Scope, Location], rendered: Iterable[ContentFiles]
) -> Desired:
    if target.scope not in folders:
        return target.lacks(surface, f"{target.scope} scope for {_WORDS[surface]}")
    folder = folders[target.scope].resolve(target.machine, target.project)
    wanted, changes = [], []
    for content in rendered:
        changes += [target.say(surface, note) for note in content.notes]
        for relative, text in content.files.items():
            path = folder / PurePath(relative)
            wanted.append(Wanted(target.host.id, surface, target.scope, path, "file", "file", (), text))
    return Desired(tuple(wanted), tuple(changes))

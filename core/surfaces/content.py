"""Commands, skills and subagents: files that are wholly ours, in the folder where the host looks for them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, cast

from ..changes.model import Wanted
from ..host import ContentDialect, Item, Note
from ..vocabulary import Surface
from .target import Desired, Target, commands_inside

if TYPE_CHECKING:
    from ..authoring.models import Command, Skill, Subagent

_WORDS: Mapping[Surface, str] = {"commands": "slash commands", "skills": "skills", "subagents": "subagents"}


def desired_content(target: Target) -> Desired:
    host, connector = target.host, target.connector
    return Desired.joined(
        [
            _desired(target, "commands", host.commands, connector.commands),
            _desired(target, "skills", host.skills, connector.skills),
            _desired(target, "subagents", host.subagents, connector.subagents),
        ]
    )


def _desired(
    target: Target, surface: Surface, dialect: ContentDialect[Item] | None, items: Iterable[Item]
) -> Desired:
    if not target.wants(surface):
        return Desired()
    if dialect is None:
        return target.lacks(surface, _WORDS[surface])
    if target.scope not in dialect.folders:
        return target.lacks(surface, f"{target.scope} scope for {_WORDS[surface]}")
    folder = dialect.folders[target.scope].resolve(target.machine, target.project)
    changes = [target.say(surface, Note("info", dialect.degraded))] if dialect.degraded else []
    wanted = []
    commands = []
    for item in items:
        named = cast("Command | Skill | Subagent", item)
        commands += [f"{line} (in {named.name})" for line in commands_inside(named.extra)]
        content = dialect.render(item)
        changes += [target.say(surface, note) for note in content.notes]
        for relative, text in content.files.items():
            path = folder / PurePath(relative)
            wanted.append(Wanted(target.host.id, surface, target.scope, path, "file", "file", (), text))
    return Desired(tuple(wanted), tuple(changes), tuple(commands))

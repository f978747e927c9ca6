"""Agent Skills: a folder per skill with ``SKILL.md`` and what it brings along."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from agent_connector.host import ContentDialect, ContentFiles, Note
from agent_connector.location import home, project

from .markdown import markdown
from .reports import content_drops

if TYPE_CHECKING:
    from agent_connector.authoring.models import Command, Skill

_PLACEHOLDER = re.compile(r"\$(?:ARGUMENTS|[0-9])")


def skill_folder(
    skill: Skill,
    frontmatter: Mapping[str, Any],
    *,
    beside: Mapping[str, str] | None = None,
    notes: Iterable[Note] = (),
) -> ContentFiles:
    """The skill's folder: name and description first, then ``frontmatter``, the author's ``extra`` winning.

    ``beside`` are files of the host's own inside the folder; a resource of the same path wins.
    """
    head = {"name": skill.name, "description": skill.description, **frontmatter, **skill.extra}
    files = {"SKILL.md": markdown(head, skill.body), **(beside or {}), **skill.resources}
    return ContentFiles({f"{skill.name}/{path}": text for path, text in files.items()}, tuple(notes))


def command_as_skill(command: Command, *, only_when_named: bool) -> ContentFiles:
    """A skill in place of a slash command, for hosts that have skills only. ``only_when_named``: whether the host has
    a key for "the user alone may start it"."""
    body = command.prompt
    if command.argument_hint or _PLACEHOLDER.search(body):
        hint = f" (expected: {command.argument_hint})" if command.argument_hint else ""
        body = (
            f"Arguments are what the user wrote after the skill's name{hint}. Below, `$ARGUMENTS` stands for all of "
            f"them, `$0`, `$1`, … for each in turn.\n\n{body}"
        )
    head = {
        "name": command.name,
        "description": command.description or f'Use when the user asks for "{command.name}".',
        "disable-model-invocation": True if only_when_named else None,
        **command.extra,
    }
    return ContentFiles({f"{command.name}/SKILL.md": markdown(head, body)})


def agents_skills(host: str) -> ContentDialect[Skill]:
    """The folders that many hosts read. What is written there is the same for all of them, so that one copy serves
    them all, and goes with the last."""

    def render(skill: Skill) -> ContentFiles:
        head = {"disable-model-invocation": True if skill.disable_model_invocation else None}
        return skill_folder(skill, head, notes=content_drops(host, skill))

    return ContentDialect({"user": home(".agents", "skills"), "project": project(".agents", "skills")}, render)

"""Agent Skills: a folder per skill with ``SKILL.md`` and what it brings along."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from agent_connector.host import ContentDialect, ContentFiles, Note
from agent_connector.location import home, project

from .markdown import markdown
from .reports import content_drops

if TYPE_CHECKING:
    from agent_connector.authoring.models import Skill


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


def agents_skills(host: str) -> ContentDialect[Skill]:
    """The folders that many hosts read. What is written there is the same for all of them, so that one copy serves
    them all, and goes with the last."""

    def render(skill: Skill) -> ContentFiles:
        head = {"disable-model-invocation": True if skill.disable_model_invocation else None}
        return skill_folder(skill, head, notes=content_drops(host, skill))

    return ContentDialect({"user": home(".agents", "skills"), "project": project(".agents", "skills")}, render)

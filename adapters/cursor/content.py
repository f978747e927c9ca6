"""Commands, skills and subagents of Cursor."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_connector.adapters.families.agent_skills import skill_folder
from agent_connector.adapters.families.markdown import markdown, one_line
from agent_connector.adapters.families.reports import content_drops, deny_drop, names
from agent_connector.host import ContentFiles

if TYPE_CHECKING:
    from agent_connector.authoring.models import Command, Skill, Subagent

_HOST = "Cursor"


def render_command(command: Command) -> ContentFiles:
    """The body alone: this host reads no frontmatter in commands."""
    notes = content_drops(_HOST, command)
    return ContentFiles({f"{command.name}.md": markdown({}, command.prompt)}, notes)


def render_skill(skill: Skill) -> ContentFiles:
    head = {"disable-model-invocation": True if skill.disable_model_invocation else None}
    return skill_folder(skill, head, notes=content_drops(_HOST, skill))


def render_subagent(subagent: Subagent) -> ContentFiles:
    """The host reads this frontmatter line by line, so a description is brought onto one line."""
    head = {
        "name": subagent.name,
        "description": one_line(subagent.description),
        "model": subagent.model or None,
        "readonly": True if subagent.readonly else None,
        "tools": names(subagent.tools.allow) or None,
        **subagent.extra,
    }
    return ContentFiles({f"{subagent.name}.md": markdown(head, subagent.prompt)}, deny_drop(_HOST, subagent))

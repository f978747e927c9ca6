"""Commands, skills and subagents ("droids") of Droid: Markdown with YAML frontmatter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_connector.adapters.families.agent_skills import skill_folder
from agent_connector.adapters.families.markdown import markdown
from agent_connector.adapters.families.reports import content_drops, deny_drop, no_key
from agent_connector.host import ContentFiles

if TYPE_CHECKING:
    from agent_connector.authoring.models import Command, Skill, Subagent

_HOST = "Droid"


def render_command(command: Command) -> ContentFiles:
    head = {
        "description": command.description or None,
        "argument-hint": command.argument_hint or None,
        **command.extra,
    }
    return ContentFiles({f"{command.name}.md": markdown(head, command.prompt)}, content_drops(_HOST, command))


def render_skill(skill: Skill) -> ContentFiles:
    head = {"disable-model-invocation": True if skill.disable_model_invocation else None}
    return skill_folder(skill, head, notes=content_drops(_HOST, skill))


def render_subagent(subagent: Subagent) -> ContentFiles:
    notes = list(deny_drop(_HOST, subagent))
    if subagent.readonly and not subagent.tools.allow:
        notes.append(no_key(_HOST, f'"it may only read" of "{subagent.name}"', "List its tools in tools.allow."))
    head = {
        "name": subagent.name,
        "description": subagent.description,
        "model": subagent.model or None,
        "tools": list(subagent.tools.allow) or None,
        **subagent.extra,
    }
    return ContentFiles({f"{subagent.name}.md": markdown(head, subagent.prompt)}, tuple(notes))

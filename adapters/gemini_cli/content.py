"""Commands, skills and subagents of Gemini CLI: commands are TOML, the others Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_connector.adapters.families.agent_skills import skill_folder
from agent_connector.adapters.families.markdown import markdown
from agent_connector.adapters.families.reports import content_drops, deny_drop, no_key
from agent_connector.adapters.families.toml_text import toml_text
from agent_connector.host import ContentFiles, Note

if TYPE_CHECKING:
    from agent_connector.authoring.models import Command, Skill, Subagent

_HOST = "Gemini CLI"


def render_command(command: Command) -> ContentFiles:
    """``{{args}}`` is all that stood behind the command's name; single arguments there are none."""
    table = {
        "description": command.description or None,
        "prompt": command.prompt.replace("$ARGUMENTS", "{{args}}"),
        **command.extra,
    }
    return ContentFiles({f"{command.name}.toml": toml_text(table)}, content_drops(_HOST, command))


def render_skill(skill: Skill) -> ContentFiles:
    notes = list(content_drops(_HOST, skill))
    if skill.disable_model_invocation:
        notes.append(no_key(_HOST, f'"only the user may start it" of "{skill.name}"'))
    return skill_folder(skill, {}, notes=notes)


def render_subagent(subagent: Subagent) -> ContentFiles:
    notes = list(deny_drop(_HOST, subagent))
    if subagent.readonly and not subagent.tools.allow:
        text = f'Gemini CLI has no read-only subagents: "{subagent.name}" has all tools'
        notes.append(Note("warn", text, fix="List the tools it may use in tools.allow."))
    head = {
        "name": subagent.name,
        "description": subagent.description,
        "tools": list(subagent.tools.allow) or None,
        "model": subagent.model or None,
        **subagent.extra,
    }
    return ContentFiles({f"{subagent.name}.md": markdown(head, subagent.prompt)}, tuple(notes))

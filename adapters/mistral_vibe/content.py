"""Commands and subagents of Mistral Vibe. A slash command is a skill there; a subagent is a TOML file."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_connector.adapters.families.agent_skills import command_as_skill
from agent_connector.adapters.families.reports import content_drops, no_key
from agent_connector.adapters.families.toml_text import toml_text
from agent_connector.host import ContentFiles

if TYPE_CHECKING:
    from agent_connector.authoring.models import Command, Subagent

_HOST = "Mistral Vibe"

COMMANDS_DEGRADED = "Mistral Vibe has no slash commands of one's own but skills: each becomes one, called as /name"


def render_command(command: Command) -> ContentFiles:
    """A skill that the user alone may start."""
    return ContentFiles(command_as_skill(command, only_when_named=True).files, content_drops(_HOST, command))


def render_subagent(subagent: Subagent) -> ContentFiles:
    notes = []
    if subagent.model and subagent.model != "inherit":
        notes.append(no_key(_HOST, f'the model "{subagent.model}" of "{subagent.name}"'))
    if subagent.readonly and not subagent.tools.allow:
        notes.append(no_key(_HOST, f'a subagent that only reads ("{subagent.name}")', "List its tools.", asked=True))
    table = {
        "agent_type": "subagent",
        "description": subagent.description,
        "enabled_tools": list(subagent.tools.allow) or None,
        "disabled_tools": list(subagent.tools.deny) or None,
        "instructions": subagent.prompt,
        **subagent.extra,
    }
    return ContentFiles({f"{subagent.name}.toml": toml_text(table)}, tuple(notes))

"""Skills and subagents of Codex. It has no slash commands of one's own any more: they become skills."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_connector.adapters.families.agent_skills import command_as_skill, skill_folder
from agent_connector.adapters.families.reports import content_drops, no_key, policy_drop
from agent_connector.adapters.families.toml_text import toml_text
from agent_connector.host import ContentFiles

if TYPE_CHECKING:
    from agent_connector.authoring.models import Command, Skill, Subagent

_HOST = "Codex"
_POLICY_FILE = "agents/openai.yaml"
_ONLY_WHEN_NAMED = "policy:\n  allow_implicit_invocation: false\n"
_ALIASES_OF_OTHERS = frozenset({"opus", "sonnet", "haiku"})
"""Model aliases that no Codex provider knows; a role with one could not start."""

COMMANDS_DEGRADED = "Codex has no slash commands of one's own: each becomes a skill, called as $name in a prompt"


def render_command(command: Command) -> ContentFiles:
    """A skill that is used when it is named, as a command would be."""
    skill = command_as_skill(command, only_when_named=False)
    files = {**skill.files, f"{command.name}/{_POLICY_FILE}": _ONLY_WHEN_NAMED}
    return ContentFiles(files, content_drops(_HOST, command))


def render_skill(skill: Skill) -> ContentFiles:
    beside = {_POLICY_FILE: _ONLY_WHEN_NAMED} if skill.disable_model_invocation else {}
    return skill_folder(skill, {}, beside=beside, notes=content_drops(_HOST, skill))


def render_subagent(subagent: Subagent) -> ContentFiles:
    notes = []
    model = subagent.model if subagent.model and subagent.model != "inherit" else None
    if model in _ALIASES_OF_OTHERS:
        notes.append(no_key(_HOST, f'the model alias "{model}" of "{subagent.name}"'))
        model = None
    notes += policy_drop(_HOST, subagent)
    table = {
        "name": subagent.name,
        "description": subagent.description,
        "model": model,
        "sandbox_mode": "read-only" if subagent.readonly else None,
        "developer_instructions": subagent.prompt,
        **subagent.extra,
    }
    return ContentFiles({f"{subagent.name}.toml": toml_text(table)}, tuple(notes))

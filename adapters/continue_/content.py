"""Commands and skills of Continue. What its command line has of one's own in files are skills."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_connector.adapters.families.agent_skills import command_as_skill, skill_folder
from agent_connector.adapters.families.reports import content_drops, no_key
from agent_connector.host import ContentFiles

if TYPE_CHECKING:
    from agent_connector.authoring.models import Command, Skill

_HOST = "Continue"

COMMANDS_DEGRADED = (
    "Continue's command line reads no commands from files: each becomes a skill, called as /skill-<name>"
)


def render_command(command: Command) -> ContentFiles:
    return ContentFiles(command_as_skill(command, only_when_named=False).files, content_drops(_HOST, command))


def render_skill(skill: Skill) -> ContentFiles:
    notes = list(content_drops(_HOST, skill))
    if skill.disable_model_invocation:
        notes.append(no_key(_HOST, f'"only the user may start it" of "{skill.name}"'))
    return skill_folder(skill, {}, notes=notes)

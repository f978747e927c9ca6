"""Commands, skills and subagents of Claude Code: Markdown with YAML frontmatter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_connector.adapters.families.agent_skills import skill_folder
from agent_connector.adapters.families.markdown import markdown
from agent_connector.adapters.families.reports import allowed, denied, names, no_key
from agent_connector.host import ContentFiles, Note

if TYPE_CHECKING:
    from agent_connector.authoring.models import Command, Skill, Subagent

_HOST = "Claude Code"
_WRITING_TOOLS = ("Edit", "Write", "NotebookEdit")


def render_command(command: Command) -> ContentFiles:
    head = {
        "description": command.description or None,
        "argument-hint": command.argument_hint or None,
        "allowed-tools": names(allowed(command)) or None,
        "model": command.model or None,
        "context": "fork" if command.subtask else None,
        **(command.extra or {}),
    }
    return ContentFiles({f"{command.name}.md": markdown(head, command.prompt)}, _undeniable(command))


def render_skill(skill: Skill) -> ContentFiles:
    head = {
        "allowed-tools": names(allowed(skill)) or None,
        "model": skill.model or None,
        "disable-model-invocation": True if skill.disable_model_invocation else None,
    }
    return skill_folder(skill, head, notes=_undeniable(skill))


def render_subagent(subagent: Subagent) -> ContentFiles:
    """``readonly`` takes the tools away that write files; a shell it is given can still write, which is said."""
    blocked = denied(subagent)
    if subagent.readonly:
        blocked = tuple(dict.fromkeys((*blocked, *_WRITING_TOOLS)))
    head = {
        "name": subagent.name,
        "description": subagent.description,
        "tools": names(allowed(subagent)) or None,
        "disallowedTools": names(blocked) or None,
        "model": subagent.model or None,
        **(subagent.extra or {}),
    }
    notes: tuple[Note, ...] = ()
    if subagent.readonly and "Bash" not in blocked and (not allowed(subagent) or "Bash" in allowed(subagent)):
        notes = (
            no_key(
                _HOST,
                f'read-only subagents: "{subagent.name}" is refused the tools that edit files and keeps the shell',
                fix='Add "Bash" to tools.deny to take the shell away too.',
            ),
        )
    return ContentFiles({f"{subagent.name}.md": markdown(head, subagent.prompt)}, notes)


def _undeniable(item: Command | Skill) -> tuple[Note, ...]:
    return (no_key(_HOST, f'denied tools of "{item.name}"', asked=True),) if denied(item) else ()

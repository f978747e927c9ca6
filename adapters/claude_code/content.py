"""Commands, skills and subagents of Claude Code: Markdown with YAML frontmatter."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_connector.adapters.families.agent_skills import skill_folder
from agent_connector.adapters.families.markdown import markdown
from agent_connector.adapters.families.reports import deny_drop, names
from agent_connector.adapters.families.subagents import blocked_tools
from agent_connector.host import ContentFiles, Note

if TYPE_CHECKING:
    from agent_connector.authoring.models import Command, Skill, Subagent

_HOST = "Claude Code"
_WRITING_TOOLS = ("Edit", "Write", "NotebookEdit")


def render_command(command: Command) -> ContentFiles:
    head = {
        "description": command.description or None,
        "argument-hint": command.argument_hint or None,
        "allowed-tools": names(command.tools.allow) or None,
        "model": command.model or None,
        "context": "fork" if command.subtask else None,
        **command.extra,
    }
    return ContentFiles({f"{command.name}.md": markdown(head, command.prompt)}, deny_drop(_HOST, command))


def render_skill(skill: Skill) -> ContentFiles:
    head = {
        "allowed-tools": names(skill.tools.allow) or None,
        "model": skill.model or None,
        "disable-model-invocation": True if skill.disable_model_invocation else None,
    }
    return skill_folder(skill, head, notes=deny_drop(_HOST, skill))


def render_subagent(subagent: Subagent) -> ContentFiles:
    """``readonly`` takes the tools away that write files; a shell it is given can still write, which is said."""
    blocked = blocked_tools(subagent, _WRITING_TOOLS)
    head = {
        "name": subagent.name,
        "description": subagent.description,
        "tools": names(subagent.tools.allow) or None,
        "disallowedTools": names(blocked) or None,
        "model": subagent.model or None,
        **subagent.extra,
    }
    notes: tuple[Note, ...] = ()
    if subagent.readonly and "Bash" not in blocked and (not subagent.tools.allow or "Bash" in subagent.tools.allow):
        text = f'Claude Code has no read-only subagents: "{subagent.name}" may not edit files but keeps the shell'
        notes = (Note("info", text, fix='Add "Bash" to tools.deny to take the shell away too.'),)
    return ContentFiles({f"{subagent.name}.md": markdown(head, subagent.prompt)}, notes)

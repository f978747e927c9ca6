"""Commands, skills and subagents as Claude Code has them: Markdown with YAML frontmatter."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from agent_connector.host import ContentDialect, ContentFiles, Note
from agent_connector.location import Location, project
from agent_connector.values import frozen
from agent_connector.vocabulary import Scope

from .agent_skills import skill_folder
from .markdown import markdown
from .reports import deny_drop, names
from .subagents import blocked_tools

if TYPE_CHECKING:
    from agent_connector.authoring.models import Command, Skill, Subagent

_WRITING_TOOLS = ("Edit", "Write", "NotebookEdit")


@frozen
class Content:
    commands: ContentDialect[Command]
    skills: ContentDialect[Skill]
    subagents: ContentDialect[Subagent]


def content(host: str, user: Location, folder: str) -> Content:
    """``user``: the host's folder in a home; ``folder``: what it is called in a project."""

    def folders(kind: str) -> dict[Scope, Location]:
        return {"user": user.below(kind), "project": project(folder, kind)}

    return Content(
        ContentDialect(folders("commands"), partial(_command, host)),
        ContentDialect(folders("skills"), partial(_skill, host)),
        ContentDialect(folders("agents"), partial(_subagent, host)),
    )


def _command(host: str, command: Command) -> ContentFiles:
    head = {
        "description": command.description or None,
        "argument-hint": command.argument_hint or None,
        "allowed-tools": names(command.tools.allow) or None,
        "model": command.model or None,
        "context": "fork" if command.subtask else None,
        **command.extra,
    }
    return ContentFiles({f"{command.name}.md": markdown(head, command.prompt)}, deny_drop(host, command))


def _skill(host: str, skill: Skill) -> ContentFiles:
    head = {
        "allowed-tools": names(skill.tools.allow) or None,
        "model": skill.model or None,
        "disable-model-invocation": True if skill.disable_model_invocation else None,
    }
    return skill_folder(skill, head, notes=deny_drop(host, skill))


def _subagent(host: str, subagent: Subagent) -> ContentFiles:
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
        text = f'{host} has no read-only subagents: "{subagent.name}" may not edit files but keeps the shell'
        notes = (Note("info", text, fix='Add "Bash" to tools.deny to take the shell away too.'),)
    return ContentFiles({f"{subagent.name}.md": markdown(head, subagent.prompt)}, notes)

"""Slash commands, subagents and memory of OpenCode."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_connector.adapters.families.agents_md import AGENTS_MD, targets_in
from agent_connector.adapters.families.markdown import markdown
from agent_connector.adapters.families.reports import no_key, policy_drop
from agent_connector.adapters.families.subagents import blocked_tools
from agent_connector.host import ContentFiles, Files, MemoryBlock, MemoryRequest, Note
from agent_connector.location import home

from .server import CONFIG_HOME

if TYPE_CHECKING:
    from agent_connector.authoring.models import Command, Subagent

_HOST = "OpenCode"
_WRITING_TOOLS = ("edit", "bash")
CLAUDE_MD = "CLAUDE.md"


def render_command(command: Command) -> ContentFiles:
    head = {
        "description": command.description or None,
        "model": _model(command.model),
        "subtask": True if command.subtask else None,
        **command.extra,
    }
    notes = (*_unknown_model(command), *policy_drop(_HOST, command))
    return ContentFiles({f"{command.name}.md": markdown(head, command.prompt)}, notes)


def render_subagent(subagent: Subagent) -> ContentFiles:
    """Its permissions are by tool, the last that fits counts; ``readonly`` denies edits and the shell."""
    allowed = {"*": "deny", **dict.fromkeys(subagent.tools.allow, "allow")} if subagent.tools.allow else {}
    permission = {**allowed, **dict.fromkeys(blocked_tools(subagent, _WRITING_TOOLS), "deny")}
    head = {
        "description": subagent.description,
        "mode": "subagent",
        "model": _model(subagent.model),
        "permission": permission or None,
        **subagent.extra,
    }
    return ContentFiles({f"{subagent.name}.md": markdown(head, subagent.prompt)}, _unknown_model(subagent))


def _model(name: str) -> str | None:
    """Models are called ``provider/model``; any other name is none that it knows."""
    return name if "/" in name else None


def _unknown_model(item: Command | Subagent) -> tuple[Note, ...]:
    if not item.model or _model(item.model) or item.model == "inherit":
        return ()
    fix = "OpenCode calls models provider/model."
    return (no_key(_HOST, f'the model "{item.model}" of "{item.name}"', fix),)


_in_project = targets_in(None, read=(AGENTS_MD, CLAUDE_MD))
_in_home = targets_in(CONFIG_HOME.below(AGENTS_MD))


def targets(request: MemoryRequest, files: Files) -> tuple[MemoryBlock, ...]:
    """A person's own ``AGENTS.md``, made where there is none, would hide what OpenCode reads in its place."""
    if request.scope != "user":
        return _in_project(request, files)
    (own,) = _in_home(request, files)
    claude = home(".claude", CLAUDE_MD).resolve(request.machine, request.project)
    return (own,) if files.exists(own.path) or not files.exists(claude) else (MemoryBlock(claude),)

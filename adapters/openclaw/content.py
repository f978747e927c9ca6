"""Content of OpenClaw: skills, which are its slash commands too, and the memory of its agent's workspace."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_connector.adapters.families.markdown import markdown
from agent_connector.adapters.families.reports import content_drops
from agent_connector.errors import AgentConnectorError
from agent_connector.host import ContentFiles, Files, MemoryBlock, MemoryRequest

from .server import CONFIG, HOST, OPENCLAW_HOME

if TYPE_CHECKING:
    from agent_connector.authoring.models import Command

COMMANDS_DEGRADED = "OpenClaw has no slash commands of one's own: each becomes a skill that only /<name> starts"


def render_command(command: Command) -> ContentFiles:
    """A skill stands in no prompt unless a person calls it; what is written behind its name comes with it."""
    head = {
        "name": command.name,
        "description": command.description or f'Use when the user asks for "{command.name}".',
        "disable-model-invocation": True,
        **command.extra,
    }
    body = command.prompt
    if "$ARGUMENTS" in body or command.argument_hint:
        hint = f" (expected: {command.argument_hint})" if command.argument_hint else ""
        body = f"`$ARGUMENTS` stands for what the user wrote behind the command's name{hint}.\n\n{body}"
    return ContentFiles({f"{command.name}/SKILL.md": markdown(head, body)}, content_drops(HOST, command))


def memory_targets(request: MemoryRequest, files: Files) -> tuple[MemoryBlock, ...]:
    """``AGENTS.md`` of the workspace, which ``agents.defaults.workspace`` may have moved."""
    workspace = OPENCLAW_HOME.below("workspace").resolve(request.machine, request.project)
    moved = _configured(request, files)
    return (MemoryBlock((request.machine.path(moved) if moved else workspace) / "AGENTS.md"),)


def _configured(request: MemoryRequest, files: Files) -> str:
    from agent_connector.documents.opening import open_document  # detecting a host reads no documents

    try:
        data = files.read(CONFIG.resolve(request.machine, request.project))
        found = open_document("jsonc", data).get(("agents", "defaults", "workspace")) if data else ""
    except AgentConnectorError:  # whoever writes into that file says so
        return ""
    return found if isinstance(found, str) else ""

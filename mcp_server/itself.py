"""agent-connector as a connector of its own: its MCP server, a skill and a slash command."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from agent_connector.machine import Machine
    from agent_connector.operations.requests import ConnectorSource

ID: Final = "agent-connector"

_SKILL_DESCRIPTION = (
    "Installs, inspects, updates and removes connectors (MCP servers, hooks, slash commands, skills, memory) "
    "in every AI coding agent on this machine: Claude Code, Codex, Cursor and others. Use it when somebody wants an "
    "MCP server set up or removed, in one agent or in all, or asks why a server, tool or hook does not work."
)

_STARTUP_TIMEOUT_MS = 30_000
"""The first start after an upgrade compiles the MCP library, which takes seconds on a slow disk."""


def definition(machine: Machine, version: str) -> dict[str, Any]:
    """A declarative definition, for :class:`~agent_connector.operations.requests.ConnectorSource`'s ``inline``.

    The server is started through the home launcher, so that it outlives the environment it was installed from. It is
    not wrapped for telemetry: measuring ourselves would start two processes for one.
    """
    return {
        "id": ID,
        "display_name": ID,
        "version": version,
        "server": {
            "transport": "stdio",
            "command": str(machine.launcher),
            "args": ["mcp"],
            "wrap_for_telemetry": False,
            "startup_timeout_ms": _STARTUP_TIMEOUT_MS,
        },
        # Two names: hosts without slash commands get the command as a skill, beside this one.
        "skills": [{"name": ID, "description": _SKILL_DESCRIPTION, "body": _prompt("skill.md")}],
        "commands": [
            {
                "name": "connectors",
                "description": "Show, install, repair or remove this machine's connectors",
                "argument_hint": "[what you want]",
                "prompt": _prompt("command.md"),
            }
        ],
    }


def up_to_date(source: ConnectorSource, machine: Machine, version: str) -> ConnectorSource:
    """``source``, but our own id gives the definition of the running version, not the recorded one."""
    from agent_connector.operations.requests import ConnectorSource

    return ConnectorSource(inline=definition(machine, version)) if source.id == ID and not source.path else source


def _prompt(name: str) -> str:
    from importlib.resources import files

    return (files("agent_connector.prompts") / name).read_text(encoding="utf-8")

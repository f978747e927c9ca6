"""How OpenHands spells a server entry: FastMCP's shape, ``${VAR}`` and ``${VAR:-default}`` expanded in all of it; one
that is not set stays as it is. A server gets nothing else of the environment."""

from __future__ import annotations

from agent_connector.adapters.families.mcp_json import McpJson, render_entry, shell_style
from agent_connector.host import Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, Place, home

PERSISTENCE = home(".openhands").moved_by("OPENHANDS_PERSISTENCE_DIR")

_HANDED_ON = frozenset({"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"})
"""Of its environment OpenHands gives a server these, or what Windows needs, and nothing else."""

_DIALECT = McpJson(
    host="OpenHands",
    spell=shell_style,
    type_key="transport",
    cwd_key="cwd",
    timeout_key="timeout",
    off=("enabled", False),
    hands_on=_HANDED_ON.__contains__,
)


def render(spec: ServerSpec) -> Rendered:
    return render_entry(_DIALECT, spec)


SERVER = ServerDialect(
    places={"user": Place(PERSISTENCE.below("mcp.json"), "json", ("mcpServers", NAME))},
    render=render,
    env_pass=False,
)

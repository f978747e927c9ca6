"""How Cline spells a server entry: flat, as its extension documents it and its command line (3.0.65) reads it too.

Nothing is resolved: ``${env:HOME}`` arrived at a server as it was written.
"""

from __future__ import annotations

from agent_connector.adapters.families.durations import seconds
from agent_connector.adapters.families.editors import USER_FOLDERS
from agent_connector.adapters.families.mcp_json import McpJson, literal_only, render_entry
from agent_connector.host import Copy, Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, Location, Place, home

CLINE_HOME = home(".cline")
STORAGES = tuple(folder.below("globalStorage", "saoudrizwan.claude-dev") for folder in USER_FOLDERS)
"""Where the extension keeps its things in each editor."""

_DIALECT = McpJson(
    host="Cline",
    spell=None,
    types={"stdio": "", "http": "streamableHttp", "sse": "sse"},
    timeout_key="timeout",
    time=seconds,
    off=("disabled", True),
    filter_fix="Switch tools off in Cline's list of MCP servers.",
)


def render(spec: ServerSpec) -> Rendered:
    return render_entry(_DIALECT, spec)


def _settings(folder: Location) -> Place:
    return Place(folder.below("settings", "cline_mcp_settings.json"), "json", ("mcpServers", NAME))


SERVER = ServerDialect(
    places={"user": _settings(CLINE_HOME.below("data"))},
    copies={"user": tuple(Copy(storage, _settings(storage)) for storage in STORAGES)},
    render=render,
    expresses=literal_only,
    has_cwd=False,
)

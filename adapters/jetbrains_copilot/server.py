"""How Copilot in JetBrains IDEs spells a server entry. The file behind its settings is known by reports only; what
its backend takes in an entry is from its source."""

from __future__ import annotations

from agent_connector.adapters.families.mcp_json import McpJson, literal_only, render_entry
from agent_connector.host import Note, Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, Place, home

PLUGIN_HOME = home(".config", "github-copilot", "intellij").on(
    "windows", home("AppData", "Local", "github-copilot", "intellij")
)

_DIALECT = McpJson(
    host="Copilot in JetBrains IDEs",
    spell=None,  # whether it resolves anything is not established
    cwd_key="cwd",
)


def render(spec: ServerSpec) -> Rendered:
    return render_entry(_DIALECT, spec)


SERVER = ServerDialect(
    places={"user": Place(PLUGIN_HOME.below("mcp.json"), "jsonc", ("servers", NAME))},
    render=render,
    expresses=literal_only,
    notes={
        "user": (
            Note(
                "info",
                "that JetBrains IDEs read this file is reported, not proven",
                fix="Look for the server under Settings, Tools, GitHub Copilot, MCP; add it there if it is missing.",
            ),
        ),
    },
)

"""How Copilot CLI spells a server entry. In a project it reads Claude Code's file, so the entry is one for both."""

from __future__ import annotations

from agent_connector.adapters.families.mcp_json import McpJson, exact_names, render_entry, shell_style
from agent_connector.host import Note, Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, Place, home, project

COPILOT_HOME = home(".copilot").moved_by("COPILOT_HOME")
TRUST = (
    "only in a folder that is trusted; headless runs (-p) skip them elsewhere without a word",
    "Start `copilot` in the project and trust the folder, or run `copilot -p … --trust-folder`.",
)

_DIALECT = McpJson(
    host="Copilot CLI",
    spell=shell_style,
    types={"stdio": "stdio", "http": "http", "sse": "sse"},
    timeout_key="timeout",
    include_key="tools",
    filter_fix="Copilot CLI knows exact names of tools that are shown only: list them in tools.include.",
)


def render(spec: ServerSpec) -> Rendered:
    return render_entry(_DIALECT, spec)


def chooses(include: tuple[str, ...], exclude: tuple[str, ...]) -> bool:
    return not exclude and exact_names(include, exclude)


SERVER = ServerDialect(
    places={
        "user": Place(COPILOT_HOME.below("mcp-config.json"), "json", ("mcpServers", NAME)),
        # With this one there, .github/mcp.json is not looked at.
        "project": Place(project(".mcp.json"), "json", ("mcpServers", NAME)),
    },
    render=render,
    has_cwd=False,
    chooses=chooses,
    notes={"project": (Note("info", f"Copilot CLI starts a project's servers {TRUST[0]}", fix=TRUST[1]),)},
)

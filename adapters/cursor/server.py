"""How Cursor spells a server entry. The host checks its whole file at once: one bad entry and it has no server."""

from __future__ import annotations

from agent_connector.adapters.families.mcp_json import McpJson, render_entry, shell_style
from agent_connector.adapters.families.whole_files import refused_for_shape
from agent_connector.host import Note, Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, Place, home, project
from agent_connector.references import EnvReference


def spell(reference: EnvReference) -> str:
    """``${env:VAR}`` has no default in this host; the shell's spelling has."""
    return f"${{env:{reference.name}}}" if reference.default is None else shell_style(reference)


_DIALECT = McpJson(
    host="Cursor",
    spell=spell,
    cwd_key="cwd",
)


def render(spec: ServerSpec) -> Rendered:
    rendered = refused_for_shape("cursor", "Cursor", render_entry(_DIALECT, spec))
    if rendered.value is None:
        return rendered
    if spec.transport == "stdio" and not spec.args and any(space in spec.command for space in " \t"):
        text = "Cursor splits a command that has no arguments at its spaces"
        return Rendered(rendered.value, (*rendered.notes, Note("warn", text, fix="Give the command an argument.")))
    return rendered


SERVER = ServerDialect(
    places={
        "user": Place(home(".cursor", "mcp.json"), "jsonc", ("mcpServers", NAME)),
        "project": Place(project(".cursor", "mcp.json"), "jsonc", ("mcpServers", NAME)),
    },
    render=render,
    notes={
        "project": (
            Note(
                "info",
                "Cursor asks for approval before it starts a project's server, and again when the entry changes",
                fix="Approve it in Cursor, or run `cursor-agent mcp enable <name>`.",
                gate=True,
            ),
        ),
    },
)

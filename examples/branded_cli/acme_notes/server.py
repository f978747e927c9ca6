"""The notes server: two tools over stdio, notes kept as long as it runs."""

from __future__ import annotations

from mcp.server.mcpserver import MCPServer
from mcp_types import ToolAnnotations

server = MCPServer("acme-notes", version="2.1.0")
notes: list[str] = []


@server.tool(
    annotations=ToolAnnotations(
        read_only_hint=False, destructive_hint=False, idempotent_hint=False, open_world_hint=False
    )
)
def remember(note: str) -> int:
    """Keep a note; the answer is how many there are."""
    notes.append(note)
    return len(notes)


@server.tool(
    annotations=ToolAnnotations(
        read_only_hint=True, destructive_hint=False, idempotent_hint=True, open_world_hint=False
    )
)
def recall(words: str = "") -> list[str]:
    """The notes that contain the words, or all notes."""
    return [note for note in notes if words.lower() in note.lower()]


if __name__ == "__main__":
    server.run("stdio")

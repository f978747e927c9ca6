"""Hosts that check a whole file at once: one wrong entry of ours, and nothing in it works any more."""

from __future__ import annotations

from agent_connector.host import Note, Rendered

from .mcp_json import shape_problem


def refused_for_shape(host_id: str, host: str, rendered: Rendered) -> Rendered:
    """``rendered``, or no entry at all and the reason, where an author's ``extra`` made it one the host refuses."""
    problem = shape_problem(rendered.value) if rendered.value is not None else ""
    if not problem:
        return rendered
    text = f"the server is not registered in {host}, which would refuse all servers for it: {problem}"
    note = Note("warn", text, fix=f"Correct it in platforms.{host_id}.extra.")
    return Rendered(None, (*rendered.notes, note))

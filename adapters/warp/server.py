"""How Warp spells a server entry: strict JSON, and ``${…}`` filled in over the text of the whole file.

One variable that is unset or empty and the host has no server of that file at all, so nothing of ours says ``${``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping

from agent_connector.adapters.families.mcp_json import McpJson, literal_only, render_entry
from agent_connector.host import Json, Note, Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, Place, home, project

_DIALECT = McpJson(
    host="Warp",
    spell=None,
    types={"stdio": "", "http": "", "sse": ""},
    cwd_key="working_directory",
    filter_fix="Switch tools off in Warp's settings under MCP servers.",
)
_VARIABLE = re.compile(r"\$\{([^}]*)\}")


def render(spec: ServerSpec) -> Rendered:
    rendered = render_entry(_DIALECT, spec)
    found = _VARIABLE.search(json.dumps(rendered.value)) if rendered.value is not None else None
    if found is None:
        return rendered
    text = f"the server is not registered in Warp, which would take {found[0]} in it for a variable"
    note = Note("warn", text, fix="Write it without ${…}, or start the server through a script that has it.")
    return Rendered(None, (*rendered.notes, note))


def faults(content: Json, env: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """What makes the host drop every server of the file."""
    for name in dict.fromkeys(_VARIABLE.findall(json.dumps(content, ensure_ascii=False))):
        if not env.get(name):
            yield f"because ${{{name}}} in it is not set", f"Set {name} where Warp starts, or write the value"


SERVER = ServerDialect(
    places={
        "user": Place(home(".warp", ".mcp.json"), "json", ("mcpServers", NAME)),
        "project": Place(project(".warp", ".mcp.json"), "json", ("mcpServers", NAME)),
    },
    render=render,
    expresses=literal_only,
    faults=faults,
    notes={
        "project": (
            Note(
                "info",
                "Warp never starts a project's server by itself",
                fix='Switch it on under "Detected from" in the MCP settings.',
                gate=True,
            ),
        ),
    },
)

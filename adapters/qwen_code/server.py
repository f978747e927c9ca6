"""How Qwen Code spells a server entry, and where its settings stand.

Files are JSON with comments. The key of an address says the transport: ``httpUrl`` for HTTP, ``url`` for SSE, and
no ``type`` changes that. ``$VAR`` and ``${VAR}`` are expanded in every string, a default is not understood.
"""

from __future__ import annotations

from agent_connector.adapters.families.mcp_json import (
    McpJson,
    exact_names,
    has_no_default,
    plain_style,
    render_without_defaults,
)
from agent_connector.host import Note, Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, Location, Place, home, project
from agent_connector.vocabulary import Scope

CONFIG_HOME = home(".qwen").moved_by("QWEN_HOME")
SETTINGS: dict[Scope, Location] = {
    "user": CONFIG_HOME.below("settings.json"),
    "project": project(".qwen", "settings.json"),
}


_DIALECT = McpJson(
    host="Qwen Code",
    spell=plain_style,
    types={"stdio": "", "http": "", "sse": ""},
    url_keys={"http": "httpUrl"},
    cwd_key="cwd",
    timeout_key="timeout",
    startup_key="discoveryTimeoutMs",
    include_key="includeTools",
    exclude_key="excludeTools",
)


def render(spec: ServerSpec) -> Rendered:
    return render_without_defaults(_DIALECT, spec)


SERVER = ServerDialect(
    places={scope: Place(location, "jsonc", ("mcpServers", NAME)) for scope, location in SETTINGS.items()},
    render=render,
    expresses=lambda _key, template: has_no_default(template),
    chooses=exact_names,
    notes={
        "project": (
            Note(
                "info",
                "Qwen Code asks before it starts a project's server, and again when the entry changes "
                "(headless runs do not ask)",
                fix="Run `qwen mcp approve <name>` in the project.",
                gate=True,
            ),
        ),
    },
)

"""How Qwen Code spells a server entry, and where its settings stand.

Files are JSON with comments. The key of an address says the transport: ``httpUrl`` for HTTP, ``url`` for SSE, and
no ``type`` changes that. ``$VAR`` and ``${VAR}`` are expanded in every string, a default is not understood.
"""

from __future__ import annotations

from agent_connector.adapters.families.mcp_json import McpJson, exact_names, render_entry
from agent_connector.host import Note, Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, Location, Place, home, project
from agent_connector.references import EnvReference, env_references
from agent_connector.vocabulary import Scope

CONFIG_HOME = home(".qwen").moved_by("QWEN_HOME")
SETTINGS: dict[Scope, Location] = {
    "user": CONFIG_HOME.below("settings.json"),
    "project": project(".qwen", "settings.json"),
}


def spell(reference: EnvReference) -> str:
    return f"${{{reference.name}}}"


def expresses(_key: str, template: str) -> bool:
    return all(reference.default is None for reference in env_references([template]))


_DIALECT = McpJson(
    host="Qwen Code",
    spell=spell,
    types={"stdio": "", "http": "", "sse": ""},
    url_keys={"http": "httpUrl"},
    cwd_key="cwd",
    timeout_key="timeout",
    startup_key="discoveryTimeoutMs",
    include_key="includeTools",
    exclude_key="excludeTools",
)


def render(spec: ServerSpec) -> Rendered:
    texts = [spec.command, *spec.args, spec.cwd, spec.url, *spec.env.values(), *spec.headers.values()]
    with_default = next((text for text in texts if not expresses("", text)), "")
    if not with_default:
        return render_entry(_DIALECT, spec)
    text = f"Qwen Code knows no defaults of variables, so the server is not registered there ({with_default})"
    fix = "Leave the default out, or have the wrapper resolve it (user scope, with the telemetry wrapper on)."
    return Rendered(None, (Note("warn", text, fix),))


SERVER = ServerDialect(
    places={scope: Place(location, "jsonc", ("mcpServers", NAME)) for scope, location in SETTINGS.items()},
    render=render,
    expresses=expresses,
    chooses=exact_names,
    notes={
        "project": (
            Note(
                "info",
                "Qwen Code asks before it starts a project's server, and again when the entry changes "
                "(headless runs do not ask)",
                fix="Run `qwen mcp approve <name>` in the project.",
            ),
        ),
    },
)

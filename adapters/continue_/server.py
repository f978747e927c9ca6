"""How Continue spells a server entry: an element of a list in YAML, ``${{ secrets.NAME }}`` from its environment."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from agent_connector.adapters.families.mcp_json import McpJson, literal_only, render_entry, render_without_defaults
from agent_connector.host import Json, Note, Rendered, ServerDialect, ServerSpec
from agent_connector.location import Place, element, home
from agent_connector.references import EnvReference

CONTINUE_HOME = home(".continue").moved_by("CONTINUE_GLOBAL_DIR")


def spell(reference: EnvReference) -> str:
    """Its command line takes the variable of its environment, then of ``.env`` files, for a secret of the name."""
    return f"${{{{ secrets.{reference.name} }}}}"


_DIALECT = McpJson(
    host="Continue",
    spell=spell,
    types={"stdio": "", "http": "streamable-http", "sse": "sse"},
    cwd_key="cwd",
    startup_key="connectionTimeout",
)

# One variable that is not set keeps every headless run from starting: what a server is started with, the wrapper
# resolves, which goes on without.
_STARTED = replace(_DIALECT, spell=None)


def render(spec: ServerSpec) -> Rendered:
    if spec.transport == "stdio":
        return render_entry(_STARTED, spec)
    rendered = render_without_defaults(_DIALECT, replace(spec, extra={}))
    if rendered.value is None:
        return rendered
    entry = {key: value for key, value in rendered.value.items() if key != "headers"}
    if "headers" in rendered.value:
        entry["requestOptions"] = {"headers": rendered.value["headers"]}
    return Rendered({**entry, **spec.extra}, rendered.notes)


def faults(content: Json, _env: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    for key in ("name", "version"):
        if not isinstance(content.get(key), str):
            yield f"because it has no {key}", f"Add a {key} at its top level, as text"
    servers = content.get("mcpServers")
    for server in servers if isinstance(servers, list) else ():
        if isinstance(server, dict) and not {"command", "url", "uses"} & server.keys():
            yield f"because of {server.get('name')}, which has neither command nor url", "Mend or remove that server"


SERVER = ServerDialect(
    places={"user": Place(CONTINUE_HOME.below("config.yaml"), "yaml", ("mcpServers", element("name")))},
    render=render,
    expresses=literal_only,
    absent=Note(
        "warn",
        "Continue has no config.yaml yet, and one without models would take the place of what it uses now",
        fix="Start `cn`, or Continue in an editor, and set up a model; then install again.",
    ),
    faults=faults,
    notes={
        "user": (
            Note("info", "Continue ends a headless run (`cn -p`) where any server of its config does not start"),
        )
    },
)

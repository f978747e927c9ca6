"""How Goose spells a server: an extension, its own words for command and environment, tools by a list of names."""

from __future__ import annotations

from dataclasses import replace

from agent_connector.adapters.families.durations import seconds
from agent_connector.adapters.families.mcp_json import (
    McpJson,
    exact_names,
    literal_only,
    plain_style,
    render_entry,
    render_without_defaults,
)
from agent_connector.adapters.families.reports import no_key, resolves_nothing
from agent_connector.host import Json, Note, Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, Location, Place, home
from agent_connector.references import env_references, has_reference

ROOT = "GOOSE_PATH_ROOT"
GOOSE_HOME = (
    Location("config", ("goose",))
    .on("macos", home(".config", "goose"))
    .on("windows", Location("appdata", ("Block", "goose", "config")))
    .moved_by(ROOT, "config")
)
CONFIG = GOOSE_HOME.below("config.yaml")

_NOT_SET = frozenset(
    {"PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "PYTHONPATH", "PYTHONHOME", "NODE_OPTIONS", "CLASSPATH"}
)
"""Of the variables that Goose does not let an extension set, those that people do set."""

_KEYS = {"command": "cmd", "env": "envs", "url": "uri"}

_STARTED = McpJson(
    host="Goose",
    spell=None,
    types={"stdio": "stdio", "http": "streamable_http"},
    timeout_key="timeout",
    time=seconds,
    off=("enabled", False),
    include_key="available_tools",
    filter_fix="Goose has a list of the tools it shows (tools.include), by exact name, and none of those it hides.",
)
_CALLED = replace(_STARTED, spell=plain_style)
"""Headers alone are filled in, from variables that the entry names."""


def render(spec: ServerSpec) -> Rendered:
    plain = replace(spec, startup_timeout_ms=None, extra={})
    if has_reference(spec.url):
        return Rendered(None, (resolves_nothing("Goose", f"url: {spec.url}", spec.transport),))
    stdio = spec.transport == "stdio"
    rendered = render_entry(_STARTED, plain) if stdio else render_without_defaults(_CALLED, plain)
    if rendered.value is None:
        return rendered
    written = {_KEYS.get(key, key): value for key, value in rendered.value.items() if key not in ("enabled", "type")}
    entry: dict[str, Json] = {"enabled": spec.enabled, "type": rendered.value["type"], "name": spec.name}
    entry |= {"description": "", **written}
    if named := _named_in_headers(spec):
        entry["env_keys"] = named
    return Rendered({**entry, **spec.extra}, (*rendered.notes, *_notes(spec)))


def _named_in_headers(spec: ServerSpec) -> list[str]:
    names = [reference.name for reference in env_references(spec.headers.values())]
    has_authorization = any(name.lower() == "authorization" for name in spec.headers)
    return list(dict.fromkeys([*names, *([spec.bearer_env] if spec.bearer_env and not has_authorization else [])]))


def _notes(spec: ServerSpec) -> tuple[Note, ...]:
    refused = [name for name in spec.env if name in _NOT_SET]
    notes = [no_key("Goose", f"the variable {name} of a server", asked=True) for name in refused]
    if spec.startup_timeout_ms is not None:
        notes.append(no_key("Goose", "the time-out of a server's start", "Its one time-out is for calls and start."))
    return tuple(notes)


def chooses(include: tuple[str, ...], exclude: tuple[str, ...]) -> bool:
    return not exclude and exact_names(include, exclude)


SERVER = ServerDialect(
    places={"user": Place(CONFIG, "yaml", ("extensions", NAME))},
    render=render,
    expresses=literal_only,
    has_cwd=False,
    chooses=chooses,
)

"""How Hermes Agent spells a server entry: ``${VAR}`` without defaults, times in seconds, tools by exact name."""

from __future__ import annotations

from dataclasses import replace

from agent_connector.adapters.families.durations import seconds
from agent_connector.adapters.families.mcp_json import McpJson, exact_names, render_entry, spelling
from agent_connector.host import Json, Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, Place, home
from agent_connector.references import EnvReference

HERMES_HOME = home(".hermes").on("windows", home("AppData", "Local", "hermes")).moved_by("HERMES_HOME")
CONFIG = HERMES_HOME.below("config.yaml")

_HANDED_ON = frozenset({"PATH", "HOME", "USER", "LANG", "LC_ALL", "TERM", "SHELL", "TMPDIR"})
"""Of its environment Hermes gives a server these, ``XDG_*`` and what Windows needs, and nothing else."""


def spell(reference: EnvReference) -> str | None:
    """A variable that is not set stays a literal ``${VAR}``; there are no defaults."""
    return f"${{{reference.name}}}" if reference.default is None else None


_DIALECT = McpJson(
    host="Hermes Agent",
    spell=spell,
    types={"stdio": "", "http": "", "sse": "sse"},
    type_key="transport",
    timeout_key="timeout",
    time=seconds,
    off=("enabled", False),
    include_key="include",
    exclude_key="exclude",
    filter_fix="Hermes Agent knows exact tool names only.",
    hands_on=lambda name: name in _HANDED_ON or name.startswith("XDG_"),
)


def render(spec: ServerSpec) -> Rendered:
    rendered = render_entry(_DIALECT, replace(_with_one_list(spec), startup_timeout_ms=None, extra={}))
    if rendered.value is None:
        return rendered
    entry = {key: value for key, value in rendered.value.items() if key not in ("include", "exclude")}
    if spec.startup_timeout_ms is not None:
        entry["connect_timeout"] = seconds(spec.startup_timeout_ms)
    tools: dict[str, Json] = {key: rendered.value[key] for key in ("include", "exclude") if key in rendered.value}
    if tools:
        entry["tools"] = tools
    return Rendered({**entry, **spec.extra}, rendered.notes)


def _with_one_list(spec: ServerSpec) -> ServerSpec:
    """Where tools are included, Hermes does not look at those excluded."""
    if "*" in spec.include or not chooses(spec.include, spec.exclude):
        return spec
    return replace(spec, include=tuple(name for name in spec.include if name not in spec.exclude), exclude=())


def chooses(include: tuple[str, ...], exclude: tuple[str, ...]) -> bool:
    """Exact names; an empty list of included ones would mean all."""
    return exact_names(include, exclude) and ("*" in include or bool(set(include) - set(exclude)))


def expresses(_key: str, template: str) -> bool:
    return spelling(_DIALECT, template) is not None


SERVER = ServerDialect(
    places={"user": Place(CONFIG, "yaml", ("mcp_servers", NAME))},
    render=render,
    expresses=expresses,
    env_pass=False,
    has_cwd=False,
    chooses=chooses,
)

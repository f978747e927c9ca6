"""How Pi spells a server entry, as of 1.6.0: JSON, references in ``env`` and ``headers`` only, times in seconds.

A value there that begins with ``!`` is a command whose output counts, ``$`` begins a variable, and one that is not
set keeps the server from starting. Without an ``exposure`` the model sees none of a server's tools.
"""

from __future__ import annotations

import re
from dataclasses import replace
from fnmatch import fnmatchcase

from agent_connector.adapters.families.durations import seconds
from agent_connector.adapters.families.mcp_json import McpJson, has_no_default, plain_style, render_without_defaults
from agent_connector.adapters.families.reports import filter_not_enforced, resolves_nothing
from agent_connector.adapters.families.tool_choices import starred_names
from agent_connector.host import Json, Note, Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, Place, home, project
from agent_connector.references import has_reference

HOST = "Pi"
PI_HOME = home(".pi", "agent").moved_by("PI_CODING_AGENT_DIR")
PROJECT_TRUST = Note(
    "info",
    "Pi reads a project's .pi folder only where it is trusted; headless runs skip it elsewhere without a word",
    fix="Start `pi` in the project and trust the folder (`/trust`), or run `pi --approve`.",
    gate=True,
)

_VERSION = Note("info", "Pi has servers since 1.0; npm gives a Node before 22.19 an older version, which has none")
_SPECIAL = re.compile(r"\$|^!")


def _escaped(text: str) -> str:
    return _SPECIAL.sub(lambda match: f"${match[0]}", text)


_DIALECT = McpJson(
    host=HOST,
    spell=plain_style,
    types={"stdio": "", "http": ""},
    literal=_escaped,
    cwd_key="cwd",
    timeout_key="timeout",
    time=seconds,
    off=("enabled", False),
)


def expresses(key: str, template: str) -> bool:
    return not has_reference(template) or (key != "" and has_no_default(template))


def render(spec: ServerSpec) -> Rendered:
    as_they_are = {"command": spec.command, "args": list(spec.args), "cwd": spec.cwd, "url": spec.url}
    unresolved = next(filter(has_reference, (spec.command, *spec.args, spec.cwd, spec.url)), "")
    if unresolved and spec.transport in _DIALECT.types:
        return Rendered(None, (resolves_nothing(HOST, unresolved, spec.transport),))
    rendered = render_without_defaults(_DIALECT, replace(spec, include=("*",), exclude=(), extra={}))
    if rendered.value is None:
        return rendered
    entry = {key: as_they_are.get(key, value) for key, value in rendered.value.items()}
    chosen = starred_names(spec.include, spec.exclude)
    exposed = _exposure(spec) if chosen else {"exposure": "direct"}
    untold = () if chosen else (filter_not_enforced(HOST, "Pi knows exact names and * in them."),)
    return Rendered({**entry, **exposed, **spec.extra}, (*rendered.notes, *untold))


def _exposure(spec: ServerSpec) -> dict[str, Json]:
    """Pi takes an exact name first, then the first pattern that fits: what is excluded must not be named exactly."""
    hidden = dict.fromkeys(spec.exclude, "hidden")
    shown = {
        name: "direct"
        for name in spec.include
        if name != "*" and not any(fnmatchcase(name, pattern) for pattern in spec.exclude)
    }
    exposure: dict[str, Json] = {"exposure": "direct" if "*" in spec.include else "hidden"}
    tools = hidden if "*" in spec.include else {**hidden, **shown}
    return {**exposure, "toolExposure": tools} if tools else exposure


SERVER = ServerDialect(
    places={
        "user": Place(PI_HOME.below("mcp.json"), "json", ("mcpServers", NAME)),
        "project": Place(project(".pi", "mcp.json"), "json", ("mcpServers", NAME)),
    },
    render=render,
    expresses=expresses,
    chooses=starred_names,
    notes={
        "user": (_VERSION,),
        "project": (_VERSION, PROJECT_TRUST),
    },
)

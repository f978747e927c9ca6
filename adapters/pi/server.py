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
from agent_connector.host import Json, Note, Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, Place, home, project
from agent_connector.references import has_reference

HOST = "Pi"
PI_HOME = home(".pi", "agent").moved_by("PI_CODING_AGENT_DIR")
TRUST = (
    "only in a folder that is trusted; headless runs skip it elsewhere without a word",
    "Start `pi` in the project and trust the folder (`/trust`), or run `pi --approve`.",
)

_VERSION = Note("info", "Pi has servers since 1.0; npm gives a Node before 22.19 an older version, which has none")
_SPECIAL = re.compile(r"\$|^!")
_EVERYTHING = ("*",)


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
    rendered = render_without_defaults(_DIALECT, replace(spec, include=_EVERYTHING, exclude=(), extra={}))
    if rendered.value is None:
        return rendered
    entry = {key: as_they_are.get(key, value) for key, value in rendered.value.items()}
    chosen = chooses(spec.include, spec.exclude)
    exposed = _exposure(spec) if chosen else {"exposure": "direct"}
    untold = () if chosen else (filter_not_enforced(HOST, "Pi knows exact names and * in them."),)
    return Rendered({**entry, **exposed, **spec.extra}, (*rendered.notes, *untold))


def chooses(include: tuple[str, ...], exclude: tuple[str, ...]) -> bool:
    return not any(char in name for name in (*include, *exclude) for char in "?[")


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
    chooses=chooses,
    notes={
        "user": (_VERSION,),
        "project": (_VERSION, Note("info", f"Pi starts a project's servers {TRUST[0]}", fix=TRUST[1])),
    },
)

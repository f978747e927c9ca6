"""How Crush spells a server entry: every value is expanded as a shell expands a here-document."""

from __future__ import annotations

import re

from agent_connector.adapters.families.durations import seconds
from agent_connector.adapters.families.mcp_json import McpJson, exact_names, render_entry, shell_style
from agent_connector.host import Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, Location, Place, home, project
from agent_connector.vocabulary import Scope

CRUSH_HOME = (
    Location("config", ("crush",)).on("windows", home("AppData", "Local", "crush")).moved_by("CRUSH_GLOBAL_CONFIG")
)
CONFIG: dict[Scope, Location] = {"user": CRUSH_HOME.below("crush.json"), "project": project(".crush.json")}
"""``crush.json`` of a project is read as well, and both are merged."""

_MEANT_LITERALLY = re.compile(r"[\\$`]")


def escaped(text: str) -> str:
    return _MEANT_LITERALLY.sub(lambda match: f"\\{match[0]}", text)


_DIALECT = McpJson(
    host="Crush",
    spell=shell_style,
    literal=escaped,
    timeout_key="timeout",
    time=seconds,
    off=("disabled", True),
    include_key="enabled_tools",
    exclude_key="disabled_tools",
    filter_fix="Crush knows exact tool names only.",
)


def render(spec: ServerSpec) -> Rendered:
    return render_entry(_DIALECT, spec)


SERVER = ServerDialect(
    places={scope: Place(location, "jsonc", ("mcp", NAME)) for scope, location in CONFIG.items()},
    render=render,
    has_cwd=False,
    chooses=exact_names,
)

"""Hook registrations of Cursor: flat entries in ``hooks.json``, and the status line of its command line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent_connector.adapters.families.durations import seconds
from agent_connector.adapters.families.matchers import NARROWED_EVENTS, portable
from agent_connector.host import HookDialect, HookFile, HookSpec, Json, Note, StatuslineDialect
from agent_connector.location import EVENT, Location, Place, home, project
from agent_connector.machine import OperatingSystem
from agent_connector.vocabulary import Shell

from .hooks import EVENTS, HOST_EVENTS

_SHELLS: dict[OperatingSystem, Shell] = {"linux": "sh", "macos": "sh", "windows": "powershell"}


def item(spec: HookSpec) -> Json:
    entry: dict[str, Json] = {"command": spec.command}
    if spec.matcher:
        entry["matcher"] = spec.matcher
    if spec.timeout_ms is not None:
        entry["timeout"] = seconds(spec.timeout_ms)
    return entry


def matcher(event: str, pattern: str) -> str:
    """Tools of servers are called ``MCP:<tool>`` here, without the server; subagents are matched by type.

    An unanchored JavaScript regex. A definition that names a server (``mcp__…``) cannot be told from others by it,
    so it is not narrowed; nor is one with a comment's marks, which the host would cut out of its file.
    """
    if event not in NARROWED_EVENTS or "mcp__" in pattern:
        return ""
    native = portable(pattern, bare_after="MCP:")
    return "" if "//" in native or "/*" in native else native


def native_events(event: str) -> bool:
    return event in HOST_EVENTS


def _file(location: Location) -> HookFile:
    return HookFile(Place(location, "jsonc", ("hooks", EVENT)), scaffold={"version": 1})


HOOKS = HookDialect(
    files={"user": (_file(home(".cursor", "hooks.json")),), "project": (_file(project(".cursor", "hooks.json")),)},
    events=EVENTS,
    item=item,
    matcher=matcher,
    shells=_SHELLS,
    native_events=native_events,
    notes={"project": (Note("info", "Cursor runs a project's hooks only in a workspace that is trusted"),)},
)


def statusline(command: str, options: Mapping[str, Any]) -> Json:
    del options
    return {"type": "command", "command": command}


STATUSLINE = StatuslineDialect(
    places={"user": Place(home(".cursor", "cli-config.json"), "json", ("statusLine",))},
    render=statusline,
    shells=_SHELLS,
)

"""Hook registrations of Cursor: flat entries in ``hooks.json``, and the status line of its command line."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from agent_connector.adapters.families.durations import seconds
from agent_connector.adapters.families.matchers import NARROWED_EVENTS, portable
from agent_connector.host import DEFAULT_HOOK_MS, HookDialect, HookFile, HookSpec, Json, Note, StatuslineDialect
from agent_connector.location import EVENT, Location, Place, home, project
from agent_connector.machine import OperatingSystem
from agent_connector.vocabulary import Shell

from .hooks import EVENTS, HOST_EVENTS
from .statusline import parse

_LONGEST = 3600
"""Seconds; the host warns of more."""

_SHELLS: dict[OperatingSystem, Shell] = {"linux": "sh", "macos": "sh", "windows": "powershell"}


def item(spec: HookSpec) -> Json:
    entry: dict[str, Json] = {"command": spec.command}
    if spec.matcher:
        entry["matcher"] = spec.matcher
    if spec.timeout_ms is not None:
        entry["timeout"] = min(seconds(spec.timeout_ms), _LONGEST)
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


def time_limit(_event: str, asked: int | None) -> int:
    """Milliseconds a hook is given; the host's own default is a minute."""
    return DEFAULT_HOOK_MS if asked is None else min(seconds(asked), _LONGEST) * 1000


def _faults(content: Json) -> Iterator[tuple[str, str]]:
    """The host (runtime 1.0.18) checks the file as a whole: one thing in it is wrong, and no hook of it is loaded."""
    version = content.get("version", 1)
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        yield "because of version, which is no whole number above 0", 'Write "version": 1'
    cut = next((text for text in _texts(content) if "//" in text or "/*" in text), "")
    if cut:
        yield f"because of {cut}: marks of a comment inside a text are cut out", "Write it without // and /*"
    hooks = content.get("hooks", {})
    if not isinstance(hooks, dict):
        yield "because of hooks, which is no object", "Make it an object of events"
        return
    unknown = ", ".join(sorted(hooks.keys() - set(HOST_EVENTS)))
    if unknown:
        yield f"because of hooks.{unknown}, which it does not know", "Take that event out of the file"
    for event in hooks.keys() & set(HOST_EVENTS):
        if fault := _fault(hooks[event]):
            yield f"because of hooks.{event}, {fault}", f"Mend or remove what stands under hooks.{event}"


def _fault(entries: Json) -> str:
    if not isinstance(entries, list):
        return "which is no list"
    for entry in entries:
        if not isinstance(entry, dict):
            return "where an element is no object"
        kind = entry.get("type", "command")
        if kind not in ("command", "prompt") or not isinstance(entry.get(kind), str):
            return "where an element has neither a command nor a prompt"
        timeout = entry.get("timeout", 1)
        if isinstance(timeout, bool) or not isinstance(timeout, int | float) or timeout <= 0:
            return "where a timeout is no number above 0"
        if not isinstance(entry.get("matcher", ""), str):
            return "where a matcher is no text"
    return ""


def _texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for item in [*value, *value.values()] if isinstance(value, dict) else value:
            yield from _texts(item)


def _file(location: Location) -> HookFile:
    return HookFile(Place(location, "jsonc", ("hooks", EVENT)), scaffold={"version": 1}, faults=_faults)


HOOKS = HookDialect(
    files={"user": (_file(home(".cursor", "hooks.json")),), "project": (_file(project(".cursor", "hooks.json")),)},
    events=EVENTS,
    item=item,
    matcher=matcher,
    shells=_SHELLS,
    time_limit=time_limit,
    native_events=native_events,
    notes={
        "project": (Note("info", "Cursor runs a project's hooks only in a workspace that is trusted", gate=True),)
    },
)


def statusline(command: str, options: Mapping[str, Any]) -> Json:
    del options
    return {"type": "command", "command": command}


STATUSLINE = StatuslineDialect(
    places={"user": Place(home(".cursor", "cli-config.json"), "json", ("statusLine",))},
    render=statusline,
    shells=_SHELLS,
    parse=parse,
)

"""Hook registrations of Mistral Vibe: ``[[hooks]]`` in a file of their own.

Each has a name, and of two with one name, in the person's file and the project's, only the project's runs. So what
is installed at both scopes answers once.
"""

from __future__ import annotations

import re

from agent_connector.adapters.families.durations import given, seconds
from agent_connector.adapters.families.matchers import TOOL_EVENTS, portable
from agent_connector.changes.shape import connector_of
from agent_connector.host import DEFAULT_HOOK_MS, HookDialect, HookFile, HookSpec, Json
from agent_connector.location import Place, project
from agent_connector.machine import OperatingSystem
from agent_connector.vocabulary import Shell

from .hooks import EVENTS
from .server import PROJECT_TRUST, VIBE_HOME

# On Windows a hook runs in the shell of the session: Git Bash where there is one.
_SHELLS: dict[OperatingSystem, Shell] = {"linux": "sh", "macos": "sh", "windows": "sh"}

_ENTRY = re.compile(r"--entry (?P<number>\d+)")


def item(spec: HookSpec) -> Json:
    which = _ENTRY.search(spec.command)
    number = f" {which['number']}" if which else ""
    entry: dict[str, Json] = {"name": f"{connector_of(spec.command)} {spec.event}{number}", "type": spec.native_event}
    if spec.matcher:
        entry["match"] = spec.matcher
    entry["command"] = spec.command
    if spec.timeout_ms is not None:
        entry["timeout"] = seconds(spec.timeout_ms)
    return entry


def matcher(event: str, pattern: str) -> str:
    """A Python regex that must match the whole of ``mcp_server.tool`` or of the tool's own name, in any case; dashes
    of names are ``_`` there. A definition that names a server (``mcp__…``) is not narrowed."""
    named = event not in TOOL_EVENTS or "mcp__" in pattern
    written = "" if named else portable(pattern, bare_after=r"\.", dash="[-_]")
    return f"re:.*(?:{written}).*" if written else ""


def time_limit(_event: str, asked: int | None) -> int:
    return DEFAULT_HOOK_MS if asked is None else given(asked)


HOOKS = HookDialect(
    files={
        "user": (HookFile(Place(VIBE_HOME.below("hooks.toml"), "toml", ("hooks",))),),
        "project": (HookFile(Place(project(".vibe", "hooks.toml"), "toml", ("hooks",))),),
    },
    events=EVENTS,
    item=item,
    matcher=matcher,
    shells=_SHELLS,
    committed_windows_shell="sh",
    native_events=frozenset(EVENTS.values()).__contains__,
    notes={"project": (PROJECT_TRUST,)},
    time_limit=time_limit,
    event_key="type",
)

"""Hook registrations of Crush: flat entries in the file that holds its servers too."""

from __future__ import annotations

from agent_connector.adapters.families.durations import given, seconds
from agent_connector.adapters.families.matchers import TOOL_EVENTS, portable
from agent_connector.host import HookDialect, HookFile, HookSpec, Json
from agent_connector.location import EVENT, Place
from agent_connector.machine import OperatingSystem
from agent_connector.vocabulary import Shell

from .hooks import EVENTS
from .server import CONFIG

_DEFAULT_MS = 30_000

# One and the same embedded shell on every system.
_SHELLS: dict[OperatingSystem, Shell] = {"linux": "sh", "macos": "sh", "windows": "sh"}


def item(spec: HookSpec) -> Json:
    entry: dict[str, Json] = {"matcher": spec.matcher} if spec.matcher else {}
    entry["command"] = spec.command
    if spec.timeout_ms is not None:
        entry["timeout"] = seconds(spec.timeout_ms)
    return entry


def matcher(event: str, pattern: str) -> str:
    """An unanchored regex on ``mcp_server_tool``. A definition that names a server (``mcp__…``) is not narrowed."""
    return "" if event not in TOOL_EVENTS or "mcp__" in pattern else portable(pattern, bare_after="_")


def native_events(event: str) -> bool:
    """The host reads names in any case and with underscores; one spelling is written."""
    return event in EVENTS.values()


def time_limit(_event: str, asked: int | None) -> int:
    return _DEFAULT_MS if asked is None else given(asked)


HOOKS = HookDialect(
    files={scope: (HookFile(Place(location, "jsonc", ("hooks", EVENT))),) for scope, location in CONFIG.items()},
    events=EVENTS,
    item=item,
    matcher=matcher,
    shells=_SHELLS,
    native_events=native_events,
    time_limit=time_limit,
)

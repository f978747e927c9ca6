"""Hook registrations of Copilot CLI, and the status line in its settings."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent_connector.adapters.families.copilot import SHELLS, hooks
from agent_connector.adapters.families.matchers import portable
from agent_connector.host import Json, StatuslineDialect
from agent_connector.location import Place

from .hooks import EVENTS, HOST_EVENTS
from .server import COPILOT_HOME, HOOK_TRUST
from .statusline import parse

_MATCHED = ("PreToolUse", "PostToolUse", "PostToolUseFailure")


def matcher(event: str, pattern: str) -> str:
    """A regex that must match the whole of ``server-tool``; one that names a server as ``mcp__…`` is not narrowed."""
    if event not in _MATCHED or "mcp__" in pattern:
        return ""
    native = portable(pattern, bare_after="-")
    return f".*(?:{native}).*" if native else ""


HOOKS = hooks(
    COPILOT_HOME,
    EVENTS,
    HOOK_TRUST,
    native_events=HOST_EVENTS,
    matcher=matcher,
    fails_closed=True,
)


def statusline(command: str, options: Mapping[str, Any]) -> Json:
    value: dict[str, Json] = {"type": "command", "command": command}
    if options.get("padding") is not None:
        value["padding"] = options["padding"]
    if options.get("refresh_interval") is not None:
        value["refreshInterval"] = options["refresh_interval"]
    return value


STATUSLINE = StatuslineDialect(
    places={"user": Place(COPILOT_HOME.below("settings.json"), "jsonc", ("statusLine",))},
    render=statusline,
    shells=SHELLS,
    parse=parse,
    options=("padding", "refresh_interval"),
)

"""What stands in Claude Code's ``settings.json``: hooks, the status line, patched keys. Strict JSON: the host ignores
the whole file, without a word in headless runs, when it does not parse or a value has the wrong type."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from agent_connector.adapters.families.durations import seconds
from agent_connector.adapters.families.matchers import NARROWED_EVENTS, portable
from agent_connector.adapters.families.nested_hooks import group
from agent_connector.host import (
    DEFAULT_HOOK_MS,
    ConfigPatchDialect,
    HookDialect,
    HookFile,
    HookSpec,
    Json,
    Note,
    StatuslineDialect,
)
from agent_connector.location import EVENT, Location, Place, project
from agent_connector.machine import OperatingSystem
from agent_connector.vocabulary import Scope, Shell

from .hooks import EVENTS
from .server import CONFIG_HOME

SETTINGS: dict[Scope, Location] = {
    "user": CONFIG_HOME.below("settings.json"),
    "local": project(".claude", "settings.local.json"),
    "project": project(".claude", "settings.json"),
}

SHELLS: dict[OperatingSystem, Shell] = {"linux": "sh", "macos": "sh", "windows": "sh"}
"""On Windows the host runs hooks and status lines in Git Bash."""


def _places(*at: str) -> dict[Scope, Place]:
    return {scope: Place(location, "json", at) for scope, location in SETTINGS.items()}


def hook_item(spec: HookSpec) -> Json:
    return group(spec) if spec.timeout_ms is None else group(spec, timeout=seconds(spec.timeout_ms))


def matcher(event: str, pattern: str) -> str:
    """Native tool names are ``mcp__<server>__<tool>`` or a built-in's; subagents are matched by type.

    A matcher of letters, digits, ``_`` and ``|`` alone is compared for equality, anything else is an unanchored
    JavaScript regex: so a bare tool name becomes a regex that is found inside the native name too.
    """
    return portable(pattern, bare_after="__") if event in NARROWED_EVENTS else ""


_AT_SESSION_END_MS = 1500


def time_limit(event: str, asked: int | None) -> int:
    """Milliseconds a hook is given: a session that ends waits for nothing that does not ask for it."""
    return asked or (_AT_SESSION_END_MS if event == "SessionEnd" else DEFAULT_HOOK_MS)


HOOKS = HookDialect(
    files={scope: (HookFile(place),) for scope, place in _places("hooks", EVENT).items()},
    events=EVENTS,
    item=hook_item,
    matcher=matcher,
    time_limit=time_limit,
    shells=SHELLS,
    notes={
        "project": (
            Note(
                "info",
                "Claude Code asks whether the folder is trusted before it runs a project's hooks "
                "(headless runs do not ask)",
            ),
        ),
    },
)


def statusline(command: str, options: Mapping[str, Any]) -> Json:
    value: dict[str, Json] = {"type": "command", "command": command}
    if options.get("refresh_interval") is not None:
        value["refreshInterval"] = options["refresh_interval"]
    return value


STATUSLINE = StatuslineDialect(
    places=_places("statusLine"), render=statusline, shells=SHELLS, options=("refresh_interval",)
)

_OTHER_SURFACES = (
    "hooks*",
    "mcpservers*",
    "statusline*",
    "enablemcpjsonservers*",
    "enabledmcpjsonservers*",
    "disabledmcpjsonservers*",
    "enableallprojectmcpservers*",
)
_SENSITIVE = (
    "permissions",
    "permissions.*",
    "allowedtools*",
    "disallowedtools*",
    "apikey*",
    "awsauthrefresh*",
    "awscredentialexport*",
    "gcpauthrefresh*",
    "forceloginmethod*",
    "forceloginorguuid*",
    "otelheadershelper*",
    "skip*prompt*",
    "sandbox*",
    "env.anthropic_*",
    "env.aws_*",
    "env.*_proxy",
    "env.*token*",
    "env.*key*",
    "env.*secret*",
    "env.*password*",
)


def refuses(key: str) -> str:
    """Why a connector may not set this settings key, or ``""``. Case does not matter: variables differ by system."""
    folded = key.casefold()
    if folded == "env":
        return "it would set the whole environment at once; name the variable: env.<NAME>"
    if any(fnmatchcase(folded, pattern) for pattern in _OTHER_SURFACES):
        return "a surface of its own sets this key (hooks, server, statusline)"
    if any(fnmatchcase(folded, pattern) for pattern in _SENSITIVE):
        return "it decides over permissions, logins or credentials"
    return ""


CONFIG_PATCH = ConfigPatchDialect(places=_places(), refuses=refuses)

"""What stands in Claude Code's ``settings.json``: hooks, the status line, patched keys. Strict JSON: the host ignores
the whole file, without a word in headless runs, when it does not parse or a value has the wrong type."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from agent_connector.adapters.families.claude_settings import SHELLS, hooks, settings_files
from agent_connector.adapters.families.durations import given
from agent_connector.adapters.families.nested_hooks import GroupRules, group_faults
from agent_connector.adapters.families.repositories import with_folders_above
from agent_connector.adapters.families.settings_keys import SENSITIVE_VARIABLES, refuser
from agent_connector.host import (
    DEFAULT_HOOK_MS,
    Blocker,
    ConfigPatchDialect,
    Grant,
    Json,
    Note,
    StatuslineDialect,
)
from agent_connector.location import NAME, PROJECT, Place
from agent_connector.vocabulary import Scope

from .hooks import EVENTS
from .server import CONFIG_HOME, MANAGED_SETTINGS, SERVER_APPROVAL, STATE
from .statusline import parse

SETTINGS = settings_files(CONFIG_HOME, ".claude")


def _places(*at: str) -> dict[Scope, Place]:
    return {scope: Place(location, "json", at) for scope, location in SETTINGS.items()}


_AT_SESSION_END_MS = 1500


def time_limit(event: str, asked: int | None) -> int:
    """Milliseconds a hook is given: a session that ends waits for nothing that does not ask for it."""
    if asked is None:
        return _AT_SESSION_END_MS if event == "SessionEnd" else DEFAULT_HOOK_MS
    return given(asked)


_RULES = GroupRules(
    types=("command", "http", "mcp_tool", "prompt", "agent"), events_are_lists=False, hooks_needed=True
)
"""As of 2.1.197, which passes over an event that is no list."""


def _faults(content: Json) -> Iterable[tuple[str, str]]:
    """2.1.197 ignores the whole file, and in headless runs without a word, where a hook has a wrong type."""
    yield from group_faults(content, tuple(EVENTS.values()), _RULES)


def _setting(key: str) -> tuple[Place, ...]:
    """The files that may hold a setting, the one that wins first."""
    return tuple(
        Place(location, "json", (key,))
        for location in (MANAGED_SETTINGS, SETTINGS["local"], SETTINGS["project"], SETTINGS["user"])
    )


_FOLDER = Blocker(
    (Place(STATE, "json", ("projects", PROJECT, "hasTrustDialogAccepted")),),
    blocks=lambda value: value is not True,
    text="Claude Code asks whether this folder is trusted before it runs its hooks: nobody said yes yet",
    fix="Start `claude` in the project and accept that the folder is trusted (headless runs do not ask)",
    scopes=frozenset({"project", "local"}),
    projects=with_folders_above,
    kind="question",
)

_FOLDER_NOTE = Note(
    "info",
    "Claude Code asks whether the folder is trusted before it runs a project's hooks (headless runs do not ask)",
    fix="Start `claude` in the project and accept that the folder is trusted.",
    gate=True,
)

_FOLDER_GRANT = Grant(
    _FOLDER.places[0],
    value=True,
    text="Claude Code then trusts the whole folder, other people's hooks and settings in it included",
    gate=_FOLDER,
    notes=(_FOLDER_NOTE,),
)

GRANTS = (
    _FOLDER_GRANT,
    replace(_FOLDER_GRANT, scopes=frozenset({"local"}), surfaces=frozenset({"hooks", "nativeHooks"})),
    # Listed there, a server of .mcp.json is approved, in a folder that is trusted (2.1.197, run).
    Grant(
        Place(SETTINGS["local"], "json", ("enabledMcpjsonServers",)),
        NAME,
        "Claude Code then starts this server of .mcp.json without asking",
        surfaces=frozenset({"server"}),
        kind="item",
        notes=(SERVER_APPROVAL,),
    ),
)

BLOCKERS = (
    Blocker(
        _setting("disableAllHooks"),
        blocks=lambda value: value is True,
        text="Claude Code runs no hook and no status line: disableAllHooks is set",
        fix="Take disableAllHooks out of that file",
        surfaces=frozenset({"hooks", "nativeHooks", "statusline"}),
    ),
    Blocker(
        (Place(MANAGED_SETTINGS, "json", ("allowManagedHooksOnly",)),),
        blocks=lambda value: value is True,
        text="Claude Code runs the hooks of your organisation only: allowManagedHooksOnly is set",
        fix="Ask whoever manages this machine to allow other hooks, or to register this one there",
    ),
    _FOLDER,
)


HOOKS = hooks(
    SETTINGS,
    EVENTS,
    faults=_faults,
    time_limit=time_limit,
    blockers=BLOCKERS,
    notes={"project": (_FOLDER_NOTE,)},
)


def statusline(command: str, options: Mapping[str, Any]) -> Json:
    value: dict[str, Json] = {"type": "command", "command": command}
    if options.get("refresh_interval") is not None:
        value["refreshInterval"] = options["refresh_interval"]
    return value


STATUSLINE = StatuslineDialect(
    places=_places("statusLine"), render=statusline, shells=SHELLS, parse=parse, options=("refresh_interval",)
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
    *(f"env.{pattern}" for pattern in SENSITIVE_VARIABLES),
)
_by_pattern = refuser(_OTHER_SURFACES, _SENSITIVE)


def refuses(key: str) -> str:
    """Why a connector may not set this settings key, or ``""``."""
    if key.casefold() == "env":
        return "it would set the whole environment at once; name the variable: env.<NAME>"
    return _by_pattern(key)


CONFIG_PATCH = ConfigPatchDialect(places=_places(), refuses=refuses)

"""What else stands in Qwen Code's ``settings.json``: hooks, the status line, patched keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent_connector.adapters.families.durations import seconds
from agent_connector.adapters.families.matchers import NARROWED_EVENTS, portable
from agent_connector.adapters.families.nested_hooks import group
from agent_connector.adapters.families.repositories import with_folders_above
from agent_connector.adapters.families.settings_keys import SENSITIVE_VARIABLES, refuser
from agent_connector.host import (
    DEFAULT_HOOK_MS,
    Blocker,
    ConfigPatchDialect,
    Grant,
    HookDialect,
    HookFile,
    HookSpec,
    Json,
    Note,
    StatuslineDialect,
)
from agent_connector.location import EVENT, PROJECT, Location, Place, absolute
from agent_connector.vocabulary import Scope

from .hooks import EVENTS
from .server import CONFIG_HOME, SETTINGS
from .statusline import parse

_SYSTEM_SETTINGS = (
    absolute("/etc", "qwen-code", "settings.json")
    .on("macos", absolute("/Library", "Application Support", "QwenCode", "settings.json"))
    .on("windows", absolute("C:\\ProgramData", "qwen-code", "settings.json"))
    .moved_by("QWEN_CODE_SYSTEM_SETTINGS_PATH")
)
"""What an organisation decides for everybody on the machine; it wins over all other settings."""

_READ_AS_MILLISECONDS = 1000
"""From this number on a hook's ``timeout`` is read as milliseconds, below it as seconds."""


def _places(*at: str) -> dict[Scope, Place]:
    return {scope: Place(location, "jsonc", at) for scope, location in SETTINGS.items()}


def item(spec: HookSpec) -> Json:
    if spec.timeout_ms is None:
        return group(spec)
    asked = seconds(spec.timeout_ms)
    return group(spec, timeout=asked if asked < _READ_AS_MILLISECONDS else asked * 1000)


def matcher(event: str, pattern: str) -> str:
    """Native tool names are ``mcp__<server>__<tool>`` or a built-in's; subagents are matched by type.

    Words of a list are compared for equality first; anything else is an unanchored JavaScript regex.
    """
    return portable(pattern, bare_after="__") if event in NARROWED_EVENTS else ""


def time_limit(_event: str, asked: int | None) -> int:
    """Milliseconds a hook is given; the host's own default is a minute."""
    return DEFAULT_HOOK_MS if asked is None else seconds(asked) * 1000


def _setting(*at: str) -> tuple[Place, ...]:
    """The files that may hold a setting, the one that wins first."""
    locations: tuple[Location, ...] = (_SYSTEM_SETTINGS, SETTINGS["project"], SETTINGS["user"])
    return tuple(Place(location, "jsonc", at) for location in locations)


_FOLDER = Blocker(
    # A folder's own entry decides, else whether folders are asked about at all; they are not by default.
    (
        Place(CONFIG_HOME.below("trustedFolders.json"), "jsonc", (PROJECT,)),
        Place(SETTINGS["user"], "jsonc", ("security", "folderTrust", "enabled")),
    ),
    blocks=lambda value: value is True or value == "DO_NOT_TRUST",
    text="Qwen Code does not trust this folder, so it runs no hook of its .qwen folder",
    fix="Start `qwen` in the project and trust the folder (/trust)",
    scopes=frozenset({"project"}),
    projects=with_folders_above,
    kind="question",
)

_FOLDER_NOTE = Note(
    "info", "Qwen Code runs a project's hooks only in a folder that is trusted", _FOLDER.fix, gate=True
)

FOLDER_GRANT = Grant(
    _FOLDER.places[0],
    "TRUST_FOLDER",
    "Qwen Code then runs the hooks of this project, other people's included",
    surfaces=frozenset({"hooks", "nativeHooks"}),
    gate=_FOLDER,
    notes=(_FOLDER_NOTE,),
)

BLOCKERS = (
    Blocker(
        _setting("disableAllHooks"),
        blocks=lambda value: value is True,
        text="Qwen Code runs no hook: disableAllHooks is set",
        fix="Take disableAllHooks out of that file",
    ),
    _FOLDER,
)

HOOKS = HookDialect(
    files={scope: (HookFile(place),) for scope, place in _places("hooks", EVENT).items()},
    events=EVENTS,
    item=item,
    matcher=matcher,
    time_limit=time_limit,
    blockers=BLOCKERS,
    notes={"project": (_FOLDER_NOTE,)},
)


_OPTIONS = {
    "refresh_interval": "refreshInterval",
    "respect_user_colors": "respectUserColors",
    "hide_context_indicator": "hideContextIndicator",
}


def statusline(command: str, options: Mapping[str, Any]) -> Json:
    said = {key: options[name] for name, key in _OPTIONS.items() if options.get(name) is not None}
    return {"type": "command", "command": command, **said}


# The first two lines of what is printed are shown.
STATUSLINE = StatuslineDialect(
    places=_places("ui", "statusLine"),
    render=statusline,
    shells=HOOKS.shells,
    parse=parse,
    options=tuple(_OPTIONS),
)

CONFIG_PATCH = ConfigPatchDialect(
    places=_places(),
    refuses=refuser(
        ("hooks*", "disableallhooks", "mcp", "mcp.*", "mcpservers*", "ui", "ui.statusline*", "$version"),
        (
            *("security*", "privacy*", "telemetry*", "tools*", "permissions*", "advanced*", "modelproviders*"),
            *("*auth*", "*trust*", "env", *(f"env.{pattern}" for pattern in SENSITIVE_VARIABLES)),
        ),
    ),
)

"""Hook registrations of Goose: a plugin for each connector. Of two plugins of one name, a project's hides the
person's, so connectors cannot share one."""

from __future__ import annotations

import json

from agent_connector.adapters.families.durations import given, seconds
from agent_connector.adapters.families.matchers import TOOL_EVENTS, portable
from agent_connector.adapters.families.nested_hooks import group
from agent_connector.host import Blocker, HookDialect, HookFile, HookSpec, Json
from agent_connector.location import EVENT, NAME, Location, Place, home, project
from agent_connector.machine import OperatingSystem
from agent_connector.vocabulary import Shell

from .hooks import EVENTS, HOST_EVENTS
from .server import CONFIG, ROOT

_DEFAULT_MS = 30_000
_PREFIX = "agent-connector-"
_PLUGIN = f"{_PREFIX}{NAME}"
_ABOUT = {"name": _PLUGIN, "version": "1.0.0", "description": f"Hooks of {NAME}, put here by agent-connector"}

# `sh -c` on every system.
_SHELLS: dict[OperatingSystem, Shell] = {"linux": "sh", "macos": "sh", "windows": "sh"}


def _file(plugins: Location) -> tuple[HookFile, ...]:
    plugin = plugins.below(_PLUGIN)
    return (
        HookFile(
            Place(plugin.below("hooks", "hooks.json"), "json", ("hooks", EVENT)),
            beside=((plugin.below("plugin.json"), json.dumps(_ABOUT, indent=2) + "\n"),),
        ),
    )


def item(spec: HookSpec) -> Json:
    return group(spec) if spec.timeout_ms is None else group(spec, timeout=seconds(spec.timeout_ms))


def matcher(event: str, pattern: str) -> str:
    """An unanchored Rust regex on ``server__tool``. A definition that names a server (``mcp__…``) is not narrowed."""
    return "" if event not in TOOL_EVENTS or "mcp__" in pattern else portable(pattern, bare_after="__")


def time_limit(_event: str, asked: int | None) -> int:
    return _DEFAULT_MS if asked is None else given(asked)


def _switched_off(plugins: Json) -> bool:
    """What stands there: each plugin's folder -> whether it is switched on, or the names of those that are not."""
    if isinstance(plugins, list):
        return any(isinstance(name, str) and name.startswith(_PREFIX) for name in plugins)
    found = plugins.items() if isinstance(plugins, dict) else ()
    return any(_PREFIX in path and isinstance(said, dict) and said.get("enabled") is False for path, said in found)


_OFF = "Goose runs no hooks of a plugin of ours: it is switched off"

HOOKS = HookDialect(
    files={
        "user": _file(home(".agents", "plugins").moved_by(ROOT, ".agents", "plugins")),
        "project": _file(project(".agents", "plugins")),
    },
    events=EVENTS,
    item=item,
    matcher=matcher,
    shells=_SHELLS,
    committed_windows_shell="sh",
    native_events=frozenset(HOST_EVENTS).__contains__,
    blockers=(
        Blocker((Place(CONFIG, "yaml", ("plugins",)),), _switched_off, _OFF, "Set its `enabled` there to true"),
        Blocker(
            (
                Place(project(".config", "goose", "settings.json"), "json", ("disabledPlugins",)),
                Place(
                    home(".config", "goose", "settings.json").moved_by(ROOT, ".config", "goose", "settings.json"),
                    "json",
                    ("disabledPlugins",),
                ),
            ),
            _switched_off,
            _OFF,
            "Take it out of disabledPlugins there",
        ),
    ),
    time_limit=time_limit,
)

"""OpenClaw's hooks are a plugin: a folder with a manifest. Some of them need the person's leave in its config.

Its own plugins are called by what they are about, as connectors are, so ours have a prefix.
"""

from __future__ import annotations

import json

from agent_connector.adapters.families.plugin_module import source
from agent_connector.host import DEFAULT_HOOK_MS, Blocker, Json, Note, plugin_hooks
from agent_connector.location import NAME, Place
from agent_connector.plugin import PluginDialect, PluginEntry, PluginSpec

from .hooks import CONVERSATION, EVENTS, HOST_EVENTS
from .server import CONFIG, OPENCLAW_HOME

_PREFIX = "agent-connector-"
_LONGEST_MS = 590_000


def files(spec: PluginSpec) -> dict[str, str]:
    manifest = {
        "id": f"{_PREFIX}{spec.name}",
        "name": f"{_PREFIX}{spec.name}",
        "description": f"Hooks of {spec.name}",
        "version": spec.version,
        "configSchema": {"type": "object", "additionalProperties": False},
    }
    folder = f"{_PREFIX}{spec.name}"
    return {
        f"{folder}/openclaw.plugin.json": f"{json.dumps(manifest, indent=2)}\n",
        f"{folder}/index.js": spec.module,
    }


def entry(spec: PluginSpec) -> Json:
    """Without one the plugin is listed as loaded, and no turn calls it. What is told of conversations needs leave."""
    leave = {"hooks": {"allowConversationAccess": True}} if spec.events & CONVERSATION else {}
    return {"enabled": True, **leave}


def _names_ours(value: Json) -> bool:
    return isinstance(value, list) and any(isinstance(one, str) and one.startswith(_PREFIX) for one in value)


_RELOAD = Note(
    "info",
    "A Gateway that is running loads a plugin's code anew only when told to",
    fix=f"Run `openclaw plugins reload {_PREFIX}<connector>`.",
)

HOOKS = plugin_hooks(
    PluginDialect(
        folders={"user": OPENCLAW_HOME.below("extensions")},
        files=files,
        source=source("agent_connector.adapters.openclaw"),
        entries={"user": (PluginEntry(Place(CONFIG, "jsonc", ("plugins", "entries", f"{_PREFIX}{NAME}")), entry),)},
    ),
    EVENTS,
    native_events=lambda event: event in HOST_EVENTS,
    time_limit=lambda _event, asked: min(asked or DEFAULT_HOOK_MS, _LONGEST_MS),
    blockers=(
        Blocker(
            (Place(CONFIG, "jsonc", ("plugins", "enabled")),),
            blocks=lambda value: value is False,
            text="OpenClaw loads no plugin: plugins.enabled is false",
            fix="Take plugins.enabled out of that file",
        ),
        Blocker(
            (Place(CONFIG, "jsonc", ("plugins", "allow")),),
            blocks=lambda value: isinstance(value, list) and not _names_ours(value),
            text="OpenClaw loads no plugin but those named in plugins.allow, and ours is not",
            fix=f"Add {_PREFIX}<connector> there",
        ),
        Blocker(
            (Place(CONFIG, "jsonc", ("plugins", "deny")),),
            blocks=_names_ours,
            text="plugins.deny keeps OpenClaw from loading a plugin of ours",
            fix=f"Take {_PREFIX}<connector> out of it",
        ),
    ),
    notes={"user": (_RELOAD,)},
)

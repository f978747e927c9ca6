"""OpenCode's hooks are a module in its folder of plugins. It waits for hooks as long as they take."""

from __future__ import annotations

from agent_connector.adapters.families.plugin_module import source
from agent_connector.host import DEFAULT_HOOK_MS, Note, plugin_hooks
from agent_connector.plugin import PluginDialect, PluginSpec

from .hooks import EVENTS, HOST_EVENTS
from .server import CONFIG_HOME, IN_PROJECT


def files(spec: PluginSpec) -> dict[str, str]:
    """It loads ``.js`` and ``.ts``, and nothing in folders below."""
    return {f"{spec.name}.js": spec.module}


_AT_START = Note("info", "OpenCode loads plugins when it starts", fix="Start it again.")

HOOKS = plugin_hooks(
    PluginDialect(
        folders={"user": CONFIG_HOME.below("plugin"), "project": IN_PROJECT.below("plugin")},
        files=files,
        source=source("agent_connector.adapters.opencode"),
    ),
    EVENTS,
    native_events=lambda event: event in HOST_EVENTS,
    time_limit=lambda _event, asked: asked or DEFAULT_HOOK_MS,
    notes={"user": (_AT_START,), "project": (_AT_START,)},
)

"""agent-connector: one definition of a connector, installed into every AI coding agent.

Names load when they are first used: a process that a host starts for one hook pays for nothing else.
"""

from __future__ import annotations

# Not typing.TYPE_CHECKING: importing typing costs more than everything else here.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from .authoring.api import (
        action,
        command,
        config_patch,
        create_connector_cli,
        define_connector,
        hook,
        memory,
        native_hook,
        skill,
        statusline,
        subagent,
    )
    from .authoring.definition import Connector
    from .authoring.raw import Definition
    from .errors import ConnectorConfigError, Problem
    from .introspection import capabilities_of, explain_hooks, hosts_supporting, surface_support
    from .response import Response
    from .runtime.event import Event
    from .runtime.host_context import HostCtx, StatuslineContext
    from .telemetry.middleware import measure
    from .telemetry.totals import ToolTotals

_HOMES = {
    "Connector": "authoring.definition",
    "ConnectorConfigError": "errors",
    "Definition": "authoring.raw",
    "Event": "runtime.event",
    "HostCtx": "runtime.host_context",
    "Problem": "errors",
    "Response": "response",
    "StatuslineContext": "runtime.host_context",
    "ToolTotals": "telemetry.totals",
    "action": "authoring.api",
    "capabilities_of": "introspection",
    "command": "authoring.api",
    "config_patch": "authoring.api",
    "create_connector_cli": "authoring.api",
    "define_connector": "authoring.api",
    "explain_hooks": "introspection",
    "hook": "authoring.api",
    "hosts_supporting": "introspection",
    "measure": "telemetry.middleware",
    "memory": "authoring.api",
    "native_hook": "authoring.api",
    "skill": "authoring.api",
    "statusline": "authoring.api",
    "subagent": "authoring.api",
    "surface_support": "introspection",
}

__all__ = [
    "Connector",
    "ConnectorConfigError",
    "Definition",
    "Event",
    "HostCtx",
    "Problem",
    "Response",
    "StatuslineContext",
    "ToolTotals",
    "action",
    "capabilities_of",
    "command",
    "config_patch",
    "create_connector_cli",
    "define_connector",
    "explain_hooks",
    "hook",
    "hosts_supporting",
    "measure",
    "memory",
    "native_hook",
    "skill",
    "statusline",
    "subagent",
    "surface_support",
]


def __getattr__(name: str) -> object:
    # ``__import__`` instead of importlib: a hook process with a Python handler passes here (floors: 1 ms saved).
    if name in _HOMES:
        return getattr(__import__(f"agent_connector.{_HOMES[name]}", fromlist=[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

"""agent-connector: one definition of a connector, installed into every AI coding agent.

Names load when they are first used: a process that a host starts for one hook pays for nothing else.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .authoring.api import (
        Connector,
        ConnectorConfigError,
        Response,
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

__all__ = [
    "Connector",
    "ConnectorConfigError",
    "Response",
    "action",
    "command",
    "config_patch",
    "create_connector_cli",
    "define_connector",
    "hook",
    "memory",
    "native_hook",
    "skill",
    "statusline",
    "subagent",
]


def __getattr__(name: str) -> object:
    # ``__import__`` instead of importlib: a hook process with a Python handler passes here (floors: 1 ms saved).
    if name in __all__:
        module = __import__("agent_connector.authoring.api", fromlist=[name])
        return getattr(module, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted(__all__)

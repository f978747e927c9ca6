"""Where a connector is called at the start of a session only to say which of its hooks do not run.

A handler that cannot be loaded answers nothing, so whatever it guards is not guarded. The model hears of it when the
next session begins, which takes a call of ours then, also where the author has no hook on that event.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from .neutral import hooks_module, load

if TYPE_CHECKING:
    from ..authoring.models import Connector
    from ..host import Host
    from .neutral import HooksModule

TOLD_AT = "SessionStart"
WHY = "tells the model when a hook of the connector cannot be loaded"


def tells_at_start(connector: Connector, host: Host) -> bool:
    """Whether the host calls the connector at the start of a session for that alone: code of the connector's runs
    there, its author has no hook on the event, and what is said then reaches the model."""
    dialect = host.hooks
    if dialect is None or TOLD_AT not in dialect.events or connector.hooks_for(host.id).get(TOLD_AT):
        return False
    return _runs_code(connector, host) and _gives_context(host.id)


def _runs_code(connector: Connector, host: Host) -> bool:
    dialect = host.hooks
    assert dialect is not None
    hooks = connector.hooks_for(host.id)
    if any(hook.kind != "static" for event in hooks if event in dialect.events for hook in hooks[event]):
        return True
    native = connector.native_hooks_for(host.id) if host.native_hooks else {}
    return any(definitions and dialect.native_events(event) for event, definitions in native.items())


def _gives_context(host_id: str) -> bool:
    try:
        module = light_module(host_id)
        reply = module.format(TOLD_AT, {"decision": "context", "additional_context": "."}, {})  # type: ignore[attr-defined]  # of every host's
    except (ImportError, AttributeError):
        return False
    return bool(reply.verdict == "honored")


def light_module(host_id: str) -> HooksModule:
    """The module that answers a host's hooks, also of another package's host. Raises ``ImportError``."""
    try:
        return hooks_module(host_id)
    except ImportError:
        from .distributions import hooks_modules

        return load(hooks_modules().get(host_id, ""))

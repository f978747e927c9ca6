"""Hook registrations in nested groups: ``{"matcher": …, "hooks": [{"type": "command", …}]}``."""

from __future__ import annotations

from agent_connector.host import HookSpec, Json


def group(spec: HookSpec, **handler: Json) -> Json:
    """One group with one handler; ``handler`` are keys of this host beside type and command."""
    entry = {"hooks": [{"type": "command", "command": spec.command, **handler}]}
    return {"matcher": spec.matcher, **entry} if spec.matcher else entry


def commands_of(item: Json) -> tuple[str, ...]:
    """All command lines in a group, for every system; nothing for what is not a group."""
    handlers = item.get("hooks") if isinstance(item, dict) else None
    if not isinstance(handlers, list):
        return ()
    return tuple(
        handler[key]
        for handler in handlers
        if isinstance(handler, dict)
        for key in ("command", "command_windows")
        if isinstance(handler.get(key), str)
    )

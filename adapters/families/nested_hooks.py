"""Hook registrations in nested groups: ``{"matcher": …, "hooks": [{"type": "command", …}]}``."""

from __future__ import annotations

from agent_connector.host import HookSpec, Json


def group(spec: HookSpec, **handler: Json) -> Json:
    """One group with one handler; ``handler`` are keys of this host beside type and command."""
    entry = {"hooks": [{"type": "command", "command": spec.command, **handler}]}
    return {"matcher": spec.matcher, **entry} if spec.matcher else entry

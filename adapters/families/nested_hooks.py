"""Hook registrations in nested groups: ``{"matcher": …, "hooks": [{"type": "command", …}]}``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from agent_connector.host import HookSpec, Json


def group(spec: HookSpec, **handler: Json) -> Json:
    """One group with one handler; ``handler`` are keys of this host beside type and command."""
    entry = {"hooks": [{"type": "command", "command": spec.command, **handler}]}
    return {"matcher": spec.matcher, **entry} if spec.matcher else entry


def group_faults(
    content: Json, events: Sequence[str], *, types: Sequence[str] = (), whole_seconds: bool = False
) -> Iterator[tuple[str, str]]:
    """What is no group under an event the host knows, for hosts that then refuse the whole file: (why, what to do).

    ``types``: all that a handler may be; empty where the host takes any. ``whole_seconds``: no others are taken.
    """
    hooks = content.get("hooks", {})
    if not isinstance(hooks, dict):
        yield "because of hooks, which is no object", "Make it an object of events, or take it out"
        return
    for event in hooks.keys() & set(events):
        fault = _fault(hooks[event], types, int if whole_seconds else int | float)
        if fault:
            yield f"because of hooks.{event}, {fault}", f"Mend or remove what stands under hooks.{event}"


def _fault(groups: Json, types: Sequence[str], number: Any) -> str:
    if not isinstance(groups, list):
        return "which is no list"
    for group in groups:
        if not isinstance(group, dict) or not isinstance(group.get("hooks", []), list):
            return "where an element is no group of hooks"
        if not isinstance(group.get("matcher", ""), str | None):
            return "where a matcher is no text"
        for handler in group.get("hooks", []):
            if not isinstance(handler, dict) or not isinstance(handler.get("type"), str):
                return "where a handler has no type"
            if types and handler["type"] not in types:
                return f"where a handler has the type {handler['type']}"
            if handler["type"] == "command" and not isinstance(handler.get("command"), str):
                return "where a handler has no command"
            if not _is_time(handler.get("timeout"), number):
                return "where a timeout is no number"
    return ""


def _is_time(value: Json, number: Any) -> bool:
    return value is None or (isinstance(value, number) and not isinstance(value, bool) and value >= 0)

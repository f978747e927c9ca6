"""Hook registrations in nested groups: ``{"matcher": …, "hooks": [{"type": "command", …}]}``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agent_connector.host import HookSpec, Json
from agent_connector.values import frozen


def group(spec: HookSpec, **handler: Json) -> Json:
    """One group with one handler; ``handler`` are keys of this host beside type and command."""
    entry = {"hooks": [{"type": "command", "command": spec.command, **handler}]}
    return {"matcher": spec.matcher, **entry} if spec.matcher else entry


@frozen
class GroupRules:
    """How strictly a host reads its hooks: for what of it the whole file is refused. ``types``: all that a handler
    may be; empty where the host takes any."""

    types: tuple[str, ...] = ()
    whole_seconds: bool = False
    events_are_lists: bool = True
    hooks_needed: bool = False
    """Whether a group without ``hooks`` is refused."""


def group_faults(content: Json, events: Sequence[str], rules: GroupRules) -> Iterator[tuple[str, str]]:
    """What is no group under an event the host knows, where it then refuses the whole file: (why, what to do)."""
    hooks = content.get("hooks", {})
    if not isinstance(hooks, dict):
        if rules.events_are_lists:
            yield "because of hooks, which is no object", "Make it an object of events, or take it out"
        return
    for event in events:
        if event in hooks and (fault := _fault(hooks[event], rules)):
            yield f"because of hooks.{event}, {fault}", f"Mend or remove what stands under hooks.{event}"


def _fault(groups: Json, rules: GroupRules) -> str:
    if not isinstance(groups, list):
        return "which is no list" if rules.events_are_lists else ""
    for group in groups:
        if not isinstance(group, dict):
            return "where an element is no group of hooks"
        handlers = group.get("hooks", None if rules.hooks_needed else [])
        if not isinstance(handlers, list):
            return "where a group has no list of hooks"
        if not isinstance(group.get("matcher", ""), str | None):
            return "where a matcher is no text"
        if fault := next((fault for handler in handlers if (fault := _handler_fault(handler, rules))), ""):
            return fault
    return ""


def _handler_fault(handler: Json, rules: GroupRules) -> str:
    if not isinstance(handler, dict) or not isinstance(handler.get("type"), str):
        return "where a handler has no type"
    if rules.types and handler["type"] not in rules.types:
        return f"where a handler has the type {handler['type']}"
    if handler["type"] == "command" and not isinstance(handler.get("command"), str):
        return "where a handler has no command"
    timeout = handler.get("timeout")
    number = int if rules.whole_seconds else int | float
    if timeout is not None and (isinstance(timeout, bool) or not isinstance(timeout, number) or timeout < 0):
        return "where a timeout is no number of seconds"
    return ""

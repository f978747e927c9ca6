"""Lifecycle hooks: their models and rules."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Literal

from pydantic import Field

from ..response import RESPONSE_FIELDS
from .events import HOOK_EVENTS, INPUT_EVENTS, OUTPUT_EVENTS
from .fields import JsonObject, Model, Text, Texts, Whole
from .findings import Finding, Path, did_you_mean
from .handlers import Handler, program_findings

HandlerKind = Literal["python", "command", "static"]


class HookDefinition(Model):
    """What to do on an event: call ``handler``, run ``command`` (any language: the event as JSON on its stdin, the
    response as JSON on its stdout), or answer with the response fields written right here.
    """

    matcher: Annotated[Text, Field(json_schema_extra={"format": "regex"})] = ""
    """Regular expression on the tool name, or on the agent type for subagent events; all unless given."""
    timeout_ms: Annotated[Whole | None, Field(json_schema_extra={"minimum": 1})] = None
    """Milliseconds the hook may take."""
    handler: Handler | None = None
    """A function: "module:function" or "./file.py:function"."""
    command: Texts | None = None
    """A program and its arguments."""
    decision: Literal["allow", "deny", "modify", "context", "ask"] | None = None
    reason: Text | None = None
    """Shown to the model or the user."""
    updated_input: JsonObject | None = None
    """What the tool gets instead."""
    additional_context: Text | None = None
    """What the model shall know."""
    updated_output: Text | None = None
    """What the tool is said to have answered."""

    @property
    def kind(self) -> HandlerKind:
        if self.handler is not None:
            return "python"
        return "command" if self.command is not None else "static"

    @property
    def response(self) -> dict[str, Any]:
        """The static response: the fields that are said, by name."""
        said = {name: getattr(self, name) for name in RESPONSE_FIELDS}
        return {name: value for name, value in said.items() if value is not None}


class NativeHook(Model):
    """A hook on a host's own event: the raw payload in, the returned value out as it is. The host filters."""

    matcher: Text = ""
    """In the host's own syntax, written as it is."""
    handler: Handler | None = None
    command: Texts | None = None

    @property
    def kind(self) -> HandlerKind:
        return "python" if self.handler is not None else "command"


Hooks = dict[Text, tuple[HookDefinition, ...]]
NativeHooks = dict[Text, tuple[NativeHook, ...]]


def hooks_findings(hooks: Mapping[str, tuple[HookDefinition, ...]], at: Path) -> Iterator[Finding]:
    for event, definitions in hooks.items():
        if event not in HOOK_EVENTS:
            yield Finding(
                (*at, event) if event else at,
                "is not one of the events that hosts share" if event else "needs an event",
                did_you_mean(event, HOOK_EVENTS) or "a host's own events go under platforms.<host>.native_hooks",
            )
        for index, definition in enumerate(definitions):
            yield from _hook_findings(definition, event, (*at, event, index))


def _hook_findings(hook: HookDefinition, event: str, at: Path) -> Iterator[Finding]:
    kinds = [hook.handler is not None, hook.command is not None, bool(hook.response)]
    if sum(kinds) != 1:
        yield Finding(
            at,
            "needs exactly one of handler, command, or a response (decision, reason, …)",
            "" if any(kinds) else 'for example decision = "ask" with a reason',
        )
    yield from _matcher_findings(hook.matcher, at)
    yield from program_findings(hook.command, at)
    if hook.timeout_ms is not None and hook.timeout_ms <= 0:
        yield Finding((*at, "timeout_ms"), "must be a positive number of milliseconds")
    if hook.kind == "static":
        yield from _response_findings(hook, event, at)


def _matcher_findings(matcher: str, at: Path) -> Iterator[Finding]:
    try:
        re.compile(matcher)
    except (re.error, OverflowError, RecursionError) as fault:
        hint = "leave matcher out to match everything" if matcher.strip() == "*" else ""
        yield Finding((*at, "matcher"), f"is not a valid regular expression: {fault}", hint)


def _response_findings(hook: HookDefinition, event: str, at: Path) -> Iterator[Finding]:
    if hook.decision is None and set(hook.response) <= {"reason"}:
        if hook.response:
            yield Finding((*at, "decision"), "is required beside a reason")
        return
    if hook.decision == "modify" and hook.updated_input is None:
        yield Finding((*at, "updated_input"), 'is required for decision "modify"')
    if hook.updated_input is not None:
        if hook.decision not in (None, "modify"):
            yield Finding((*at, "updated_input"), 'goes with decision "modify" only')
        if event in HOOK_EVENTS and event not in INPUT_EVENTS:
            yield Finding((*at, "updated_input"), f"is possible on {' and '.join(INPUT_EVENTS)} only")
    if hook.decision == "context" and hook.additional_context is None:
        yield Finding((*at, "additional_context"), 'is required for decision "context"')
    if hook.updated_output is not None and event in HOOK_EVENTS and event not in OUTPUT_EVENTS:
        yield Finding((*at, "updated_output"), f"is possible on {' and '.join(OUTPUT_EVENTS)} only")


def native_hooks_findings(hooks: Mapping[str, tuple[NativeHook, ...]], at: Path) -> Iterator[Finding]:
    for event, definitions in hooks.items():
        if event in HOOK_EVENTS:
            yield Finding((*at, event), "is an event that hosts share", "declare it under hooks")
        elif not event.strip() or not event.isprintable():
            yield Finding((*at, event), "is not the name of an event")
        for index, definition in enumerate(definitions):
            place = (*at, event, index)
            if (definition.handler is None) == (definition.command is None):
                yield Finding(place, "needs exactly one of handler and command")
            yield from program_findings(definition.command, place)


def settled(hook: HookDefinition) -> HookDefinition:
    """The hook with its static decision said out loud."""
    if hook.kind != "static" or hook.decision is not None:
        return hook
    implied = "modify" if hook.updated_input is not None else "context" if hook.additional_context else "allow"
    return hook.model_copy(update={"decision": implied})

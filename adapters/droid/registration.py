"""Hook registrations of Droid: the bare map of events in ``hooks.json``, or ``hooks`` in ``settings.json`` where it
is in use already (event by event the former replaces the latter)."""

from __future__ import annotations

from agent_connector.adapters.families.durations import seconds
from agent_connector.adapters.families.matchers import NARROWED_EVENTS, portable
from agent_connector.adapters.families.nested_hooks import group
from agent_connector.host import DEFAULT_HOOK_MS, Blocker, HookDialect, HookFile, HookSpec, Json
from agent_connector.location import EVENT, Location, Place, project

from .hooks import EVENTS, HOST_EVENTS
from .server import FACTORY

_PROJECT = project(".factory")


def item(spec: HookSpec) -> Json:
    return group(spec) if spec.timeout_ms is None else group(spec, timeout=seconds(spec.timeout_ms))


def matcher(event: str, pattern: str) -> str:
    """Native tool names are ``<server>___<tool>`` or a built-in's, matched by a regex."""
    return portable(pattern, bare_after="___") if event in NARROWED_EVENTS else ""


def native_events(event: str) -> bool:
    return event in HOST_EVENTS


def time_limit(_event: str, asked: int | None) -> int:
    """Milliseconds a hook is given; the host's own default is a minute."""
    return DEFAULT_HOOK_MS if asked is None else seconds(asked) * 1000


def _files(folder: Location) -> tuple[HookFile, ...]:
    return (
        HookFile(Place(folder.below("hooks.json"), "jsonc", (EVENT,))),
        HookFile(Place(folder.below("settings.json"), "jsonc", ("hooks", EVENT))),
    )


def _switch(folder: Location) -> tuple[Place, ...]:
    return (
        Place(folder.below("hooks.json"), "jsonc", ("hooksDisabled",)),
        Place(folder.below("settings.json"), "jsonc", ("hooks", "hooksDisabled")),
        Place(folder.below("settings.json"), "jsonc", ("hooksDisabled",)),
    )


HOOKS = HookDialect(
    files={"user": _files(FACTORY), "project": _files(_PROJECT)},
    events=EVENTS,
    item=item,
    matcher=matcher,
    native_events=native_events,
    time_limit=time_limit,
    blockers=(
        Blocker(
            (*_switch(_PROJECT), *_switch(FACTORY)),
            blocks=lambda value: value is True,
            text="Droid runs no hook: hooksDisabled is set",
            fix="Take hooksDisabled out of that file, or enable hooks under /hooks",
        ),
    ),
)

"""Hook registrations: one per event, whose command leads back to the launcher."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import PurePath
from types import MappingProxyType
from typing import TYPE_CHECKING

from ..changes.model import Wanted
from ..host import HookDialect, HookFile, HookSpec, Note
from ..location import EVENT, NAME
from ..machine import Machine
from ..runtime.shell import command_line, committed_command, line_if_there
from ..runtime.start_notice import TOLD_AT, WHY, tells_at_start
from ..vocabulary import COMMIT_SHARED, Surface
from .blockers import Site, hindrances, refusals
from .granting import steps_of
from .plugins import desired_plugin
from .target import Desired, Target, handler_line

if TYPE_CHECKING:
    from ..authoring.models import HookDefinition, NativeHook


def desired_hooks(target: Target) -> Desired:
    """The normalized events of the definition, and the start of a session where a guard that is down is told."""
    hooks = {event: hooks for event, hooks in target.connector.hooks_for(target.host.id).items() if hooks}
    dialect = target.host.hooks
    if dialect is not None and dialect.plugin is not None:
        return desired_plugin(target)
    if dialect is not None and tells_at_start(target.connector, target.host):
        hooks[TOLD_AT] = ()
    if not hooks:
        return Desired()
    if dialect is None:
        return target.lacks("hooks", "hooks")
    known = {event: dialect.events[event] for event in hooks if event in dialect.events}
    missing = tuple(
        target.say("hooks", Note("info", f"{target.host.name} has no {event} event"))
        for event in hooks
        if event not in known
    )
    specs = [
        _spec(
            target,
            event,
            native,
            dialect.matcher(event, joined_matcher(hooks[event])),
            hooks[event],
            hook_arguments(target, event),
        )
        for event, native in known.items()
    ]
    told = Desired(changes=missing, commands=_handlers({event: hooks[event] for event in known}))
    reasons = {event: WHY for event in known if not hooks[event]}
    return Desired.joined([told, _registered(target, dialect, "hooks", specs, reasons)])


HOST_NATIVE_VARIABLE = "AGENT_CONNECTOR_HOST_NATIVE"
_USAGE_WHY = "so that the host itself tells what each turn cost"


def desired_usage_hook(target: Target) -> Desired:
    """Where it was asked for: the host's own count of what each turn cost. Information where the host tells none."""
    forced = target.machine.env.get(HOST_NATIVE_VARIABLE) == "1"
    if not (target.connector.telemetry.enabled and (target.connector.telemetry.host_native_usage or forced)):
        return Desired()
    dialect = target.host.hooks
    if dialect is None or not dialect.usage_event:
        return target.lacks("nativeHooks", "hook that tells what a turn cost")
    arguments = ("usage-event", target.host.id, "--connector", target.connector.id)
    spec = _spec(target, dialect.usage_event, dialect.usage_event, "", (), arguments)
    return _registered(target, dialect, "nativeHooks", [spec], {dialect.usage_event: _USAGE_WHY})


def desired_native_hooks(target: Target) -> Desired:
    """Events outside the normalized ones, under the host's own names and matchers."""
    native = target.connector.native_hooks_for(target.host.id)
    if not native:
        return Desired()
    dialect = target.host.hooks
    if dialect is not None and dialect.plugin is not None:
        return Desired()  # they are in the module that holds the others
    if dialect is None or not target.host.native_hooks:
        return target.lacks("nativeHooks", "native hooks")
    refused = [event for event in native if not dialect.native_events(event)]
    changes = tuple(
        target.say(
            "nativeHooks",
            Note("warn", f"{target.host.name} knows no event {event}: no native hook is written for it"),
        )
        for event in refused
    )
    specs = [
        _spec(
            target,
            event,
            event,
            hook.matcher,
            (),
            hook_arguments(target, event, entry=entry if len(definitions) > 1 else None),
        )
        for event, definitions in native.items()
        for entry, hook in enumerate(definitions)
        if event not in refused
    ]
    kept = {event: definitions for event, definitions in native.items() if event not in refused}
    told = Desired(changes=changes, commands=_handlers(kept))
    return Desired.joined([told, _registered(target, dialect, "nativeHooks", specs)])


def joined_matcher(definitions: Iterable[HookDefinition]) -> str:
    """One regex that matches whatever any of the definitions matches; empty for everything."""
    matchers = [definition.matcher for definition in definitions]
    if not all(matchers):
        return ""
    return matchers[0] if len(matchers) == 1 else "|".join(f"(?:{matcher})" for matcher in matchers)


def _handlers(hooks: Mapping[str, Iterable[HookDefinition | NativeHook]]) -> tuple[str, ...]:
    """What the registered commands lead to: a person who is asked to consent must see it."""
    return tuple(
        f"{line} (on {event})"
        for event, definitions in hooks.items()
        for definition in definitions
        if (line := handler_line(definition.command, definition.handler))
    )


def hook_arguments(target: Target, event: str, *, entry: int | None = None) -> tuple[str, ...]:
    """``entry``: which of several native hooks of one event, since there the host does the matching."""
    which = ("--entry", str(entry)) if entry is not None else ()
    return ("hook", target.host.id, event, "--connector", target.connector.id, *which)


def _spec(
    target: Target,
    event: str,
    native: str,
    matcher: str,
    definitions: Iterable[HookDefinition],
    arguments: tuple[str, ...],
) -> HookSpec:
    dialect = target.host.hooks
    assert dialect is not None
    limits = [definition.timeout_ms for definition in definitions]
    timeout = max((limit for limit in limits if limit is not None), default=None)
    shell = dialect.shells[target.machine.os]
    otherwise = dialect.spoken(event)
    if target.scope in COMMIT_SHARED:
        shell = dialect.committed_shell
        line = committed_command(arguments, shell, otherwise)
        windows = committed_command(arguments, dialect.committed_windows_shell, otherwise)
    else:
        words = [str(target.machine.launcher), *arguments]
        line = line_if_there(words, shell, otherwise) if dialect.fails_closed else command_line(words, shell)
        windows = ""
    return HookSpec(event, native, line, matcher, timeout, windows, shell)


def _registered(
    target: Target,
    dialect: HookDialect,
    surface: Surface,
    specs: list[HookSpec],
    reasons: Mapping[str, str] = MappingProxyType({}),
) -> Desired:
    if not specs:
        return Desired()
    if target.scope not in dialect.files:
        return target.lacks(surface, f"{target.scope} scope for hooks")
    file, path = _file_in_use(target, dialect.files[target.scope])
    document = target.document(path, file.place.format)
    there = document.get(target.filled(file.place.at[:-1])) if document else None
    wanted = [
        Wanted(target.host.id, surface, target.scope, path, file.place.format, "scaffold", (key,), value)
        for key, value in file.scaffold.items()
        if not (target.files.read(path) or b"").strip()
    ]
    wanted += [
        Wanted(target.host.id, surface, target.scope, beside, "file", "file", (), text)
        for beside, text in files_beside(file, target.connector.id, target.machine, target.project)
    ]
    wanted += [
        Wanted(
            host=target.host.id,
            surface=surface,
            scope=target.scope,
            path=path,
            format=file.place.format,
            kind="item",
            place=target.filled(file.place.at, **{EVENT.strip("{}"): file.spelled(there, spec.native_event)}),
            value=dialect.item(spec),
            reason=reasons.get(spec.event, ""),
        )
        for spec in specs
    ]
    steps = steps_of(target, dialect.notes.get(target.scope, ()))
    notes = refusals(target.host, file, path, target.files)
    site = Site(target.host, target.scope, target.machine, target.project, target.files)
    notes += [Note("warn", found.text, found.fix) for found in hindrances(site, surface) if not found.noted]
    changes = tuple(target.say(surface, note) for note in notes)
    return Desired(tuple(wanted), changes, tuple(spec.command for spec in specs), steps)


def _file_in_use(target: Target, files: tuple[HookFile, ...]) -> tuple[HookFile, PurePath]:
    """The first of the host's hook files that already holds hooks, else the one it prefers."""
    places = [(file, hooks_path(file, target.connector.id, target.machine, target.project)) for file in files]
    if len(places) == 1:
        return places[0]
    return next((place for place in places if _holds_hooks(target, *place)), places[0])


def hooks_path(file: HookFile, connector: str, machine: Machine, project: PurePath) -> PurePath:
    """Where the connector's hooks stand in that case."""
    return file.place.location.of(connector).resolve(machine, project)


def files_beside(
    file: HookFile, connector: str, machine: Machine, project: PurePath
) -> Iterator[tuple[PurePath, str]]:
    for location, text in file.beside:
        yield location.of(connector).resolve(machine, project), text.replace(NAME, connector)


def _holds_hooks(target: Target, file: HookFile, path: PurePath) -> bool:
    """Whether an array of hooks stands under some event (other keys beside the events are not hooks)."""
    document = target.document(path, file.place.format)
    events = document.get(target.filled(file.place.at[:-1])) if document else None
    return isinstance(events, dict) and any(isinstance(items, list) and items for items in events.values())

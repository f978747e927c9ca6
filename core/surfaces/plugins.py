"""The plugin of a connector in a host that runs hooks inside its own process: one generated module, files and all.

The module names its connector, version and digest. It is told which events to register for, how long an answer may
take, and what the definition forbids without any code: that much holds even where no child of ours can be started.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from ..changes.model import Wanted
from ..changes.shape import connector_of
from ..host import HookDialect, Host, Note
from ..plugin import ABOUT, SETTINGS, PluginDialect, PluginSpec
from ..runtime.dispatch import AGENT_EVENTS, RESTRAINING, TOOL_EVENTS
from ..runtime.jsontext import loads
from ..runtime.matcher_forms import compile_matcher
from ..runtime.start_notice import TOLD_AT, light_module, tells_at_start
from ..vocabulary import COMMIT_SHARED, Surface
from .blockers import Site, hindrances
from .granting import steps_of
from .target import Desired, Target, handler_line

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..authoring.models import HookDefinition, NativeHook

# Where Python's expressions and JavaScript's mean the same.
_SAME_IN_JAVASCRIPT = re.compile(
    r"(?:[A-Za-z0-9_ /,@#%&=!;<>'\"~:.^$|)-]|\((?:\?:)?(?!\?)|[*+?](?![+])|\{[0-9]+(?:,[0-9]*)?\}(?!\+)"
    r"|\[\^?[A-Za-z0-9_ .]+(?:-[A-Za-z0-9_])*\]|\\[dwDW.$^*+?()\[\]{}|/-])*"
)
_DIGEST_LENGTH = 16


def desired_plugin(target: Target) -> Desired:
    """Everything of the connector's hooks and native hooks: one module serves both."""
    dialect = target.host.hooks
    assert dialect is not None
    plugin = dialect.plugin
    assert plugin is not None
    hooks, native = _events(target, dialect)
    told = Desired(changes=tuple(_untold(target, dialect)))
    if not hooks and not native:
        return told
    surface: Surface = "hooks" if hooks else "nativeHooks"
    if target.scope not in plugin.folders:
        return Desired.joined([told, target.lacks(surface, f"{target.scope} scope for hooks")])
    spec = PluginSpec(
        name=target.connector.id,
        version=target.connector.version,
        module=module_text(target, hooks, native),
        events=frozenset((*hooks, *native)),
    )
    folder = plugin.folders[target.scope].resolve(target.machine, target.project)
    wanted = [
        Wanted(target.host.id, surface, target.scope, folder / PurePath(path), "file", "file", (), text)
        for path, text in plugin.files(spec).items()
    ]
    wanted += _entries(target, plugin, spec, surface)
    commands = [f"{_launcher(target) or 'agent-connector'} {' '.join(arguments(target))}"]
    commands += _handlers({**hooks, **native})
    steps = steps_of(target, dialect.notes.get(target.scope, ()))
    site = Site(target.host, target.scope, target.machine, target.project, target.files)
    kept = [Note("warn", found.text, found.fix) for found in hindrances(site, surface) if not found.noted]
    notes = tuple(target.say(surface, note) for note in kept)
    return Desired.joined([told, Desired(tuple(wanted), notes, tuple(commands), steps)])


def _entries(target: Target, plugin: PluginDialect, spec: PluginSpec, surface: Surface) -> Iterator[Wanted]:
    for entry in plugin.entries.get(target.scope, ()):
        value = entry.value(spec)
        if value is not None:
            place = entry.place
            path = place.location.resolve(target.machine, target.project)
            at = target.filled(place.at)
            yield Wanted(target.host.id, surface, target.scope, path, place.format, "entry", at, value)


def _events(
    target: Target, dialect: HookDialect
) -> tuple[dict[str, tuple[HookDefinition, ...]], dict[str, tuple[NativeHook, ...]]]:
    """The canonical events and the host's own that the connector answers there."""
    connector, host = target.connector, target.host
    hooks = {
        event: tuple(definitions)
        for event, definitions in connector.hooks_for(host.id).items()
        if definitions and event in dialect.events
    }
    if tells_at_start(connector, host):
        hooks[TOLD_AT] = ()
    native = {
        event: tuple(definitions)
        for event, definitions in connector.native_hooks_for(host.id).items()
        if host.native_hooks and definitions and dialect.native_events(event)
    }
    return hooks, native


def _untold(target: Target, dialect: HookDialect) -> Iterator[Any]:
    """Why what is declared is not told to the connector."""
    for event, definitions in target.connector.hooks_for(target.host.id).items():
        if definitions and event not in dialect.events:
            yield target.say("hooks", Note("info", f"{target.host.name} has no {event} event"))
    for event, native in target.connector.native_hooks_for(target.host.id).items():
        if not target.host.native_hooks:
            yield target.say("nativeHooks", Note("info", f"{target.host.name} has no native hooks"))
            return
        if not dialect.native_events(event):
            text = f"{target.host.name} knows no event {event}: no native hook is run for it"
            yield target.say("nativeHooks", Note("warn", text))
        elif any(hook.matcher for hook in native):
            text = f"{target.host.name} knows no matchers: the native hook on {event} is run on each of them"
            yield target.say("nativeHooks", Note("info", text))


def _handlers(hooks: Mapping[str, Iterable[HookDefinition | NativeHook]]) -> Iterator[str]:
    for event, definitions in hooks.items():
        for definition in definitions:
            if line := handler_line(definition.command, definition.handler):
                yield f"{line} (on {event})"


# --- the module ------------------------------------------------------------------------------------------------


def arguments(target: Target) -> tuple[str, ...]:
    """What the module starts the launcher with."""
    return ("hook", target.host.id, "--stream", "--connector", target.connector.id)


def _launcher(target: Target) -> str:
    """Its path; ``""`` in files that people commit, where it is looked for in whoever's home."""
    return "" if target.scope in COMMIT_SHARED else str(target.machine.launcher)


def module_text(
    target: Target, hooks: Mapping[str, Iterable[HookDefinition]], native: Mapping[str, Iterable[NativeHook]]
) -> str:
    """The module as it stands in its file."""
    dialect = target.host.hooks
    assert dialect is not None
    assert dialect.plugin is not None
    limits = {}
    for event, definitions in hooks.items():
        asked = max((one.timeout_ms for one in definitions if one.timeout_ms is not None), default=None)
        limits[event] = dialect.time_limit(event, asked)
    limits |= {event: dialect.time_limit(event, None) for event in native}
    settings = {
        "launcher": _launcher(target),
        "events": limits,
        "statics": {event: held for event, found in hooks.items() if (held := _held(target.host, event, found))},
    }
    about = {
        "connector": target.connector.id,
        "version": target.connector.version,
        "host": target.host.id,
        "scope": target.scope,
        "command": f"agent-connector {' '.join(arguments(target))}",
        "digest": "",
    }
    text = dialect.plugin.source().replace(SETTINGS, _javascript(settings))
    digest = hashlib.sha256(text.replace(ABOUT, _javascript(about)).encode()).hexdigest()[:_DIGEST_LENGTH]
    return text.replace(ABOUT, _javascript({**about, "digest": digest}))


def _javascript(value: Any) -> str:
    """JSON that no tool takes for a comment or the end of a script, whatever it makes of text."""
    return json.dumps(value).replace("</", "<\\/").replace("//", "/\\/").replace("/*", "/\\*")


def _held(host: Host, event: str, definitions: Iterable[HookDefinition]) -> list[dict[str, Any]]:
    """What the definition denies or asks about without any code, in the host's words, as far as a module can tell
    which calls it is about."""
    held = []
    module: Any = light_module(host.id)
    for definition in definitions:
        response = definition.response
        if definition.kind != "static" or response.get("decision") not in RESTRAINING:
            continue
        match = compile_matcher(definition.matcher) if event in (*TOOL_EVENTS, *AGENT_EVENTS) else None
        reply = module.format(event, response, {}).stdout
        told = match is None or len(match) > 1 or _SAME_IN_JAVASCRIPT.fullmatch(definition.matcher)
        if reply and told:
            held.append({"match": match, "reply": loads(reply.encode())})
    return held


# --- looking at one --------------------------------------------------------------------------------------------


def about_in(text: str) -> dict[str, Any]:
    """What a module says of itself; nothing where the text is no module of ours."""
    for line in text.splitlines():
        name, found, value = line.partition("const ABOUT = ")
        if found and not name:
            try:
                about = json.loads(value.rstrip("; ").replace("\\/", "/").replace("\\*", "*"))
            except ValueError:
                return {}
            return about if isinstance(about, dict) else {}
    return {}


def is_module_of(connector: str, text: str) -> bool:
    return connector_of(text) == connector and about_in(text).get("connector") == connector

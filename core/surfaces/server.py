"""The MCP server's entry: which command the host shall start, in the host's own dialect."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, cast

from ..changes.model import Wanted
from ..documents.base import MISSING
from ..documents.elements import element_of
from ..host import Json, Note, ServerDialect, ServerSpec
from ..location import Location, Place
from ..masking import mask
from ..references import EnvReference, env_references, has_reference, secret_names, split, value_in
from ..vocabulary import COMMIT_SHARED, FormatId
from .granting import steps_of
from .target import Desired, Target, strings

if TYPE_CHECKING:
    from ..authoring.models import Server


def desired_server(target: Target) -> Desired:
    dialect = target.host.server
    server = target.connector.server_for(target.host.id)
    if server is None:
        return Desired()
    if dialect is None:
        return target.lacks("server", "MCP servers")
    if target.scope not in dialect.places:
        return target.lacks("server", f"{target.scope} scope for MCP servers")
    if target.scope in COMMIT_SHARED and server.secret_env:
        return _no_secrets_in_committed_files(target, server)
    spec = _spec(target, server, dialect)
    rendered = dialect.render(spec)
    # A warning that comes with no entry at all says why the server could not be registered as asked.
    changes = [
        target.say("server", note, blocking=rendered.value is None and note.level == "warn")
        for note in rendered.notes
    ]
    changes += [target.say("server", note) for note in _unset_variables(target, server)]
    if rendered.value is None:
        return Desired(changes=tuple(changes))
    if target.scope in COMMIT_SHARED and (found := target.private_in(_given(spec))):
        note = Note(
            "warn",
            f"the project's file would carry {found}, which is this machine's own",
            "Use a command that every teammate has (npx, uvx, a name on the search path), or --scope user",
        )
        return Desired(changes=(*changes, target.say("server", note, blocking=True)))
    named, notes = _named(target, dialect.places[target.scope], rendered.value)
    wanted = tuple(_entry(target, place, named) for place in _places(target, dialect))
    changes += [target.say("server", note) for note in notes]
    refused = [note for want in wanted for note in (*_absent(target, dialect, want), *_alike(target, dialect, want))]
    if refused:
        return Desired(changes=(*changes, *(target.say("server", note, blocking=True) for note in refused)))
    changes += [target.say("server", note) for want in wanted for note in _refusals(target, dialect, want)]
    steps = steps_of(target, dialect.notes.get(target.scope, ()))
    return Desired(wanted, tuple(changes), (_shown(rendered.value, spec.extra),), steps)


def _given(spec: ServerSpec) -> Json:
    """What the author gave, by names that say what it is: a dialect may keep a harmless header among credentials."""
    words = {"command": spec.command, "args": list(spec.args), "cwd": spec.cwd, "url": spec.url}
    return {**words, "env": dict(spec.env), "headers": dict(spec.headers), "extra": dict(spec.extra)}


def _entry(target: Target, place: Place, value: Json) -> Wanted:
    return Wanted(
        host=target.host.id,
        surface="server",
        scope=target.scope,
        path=place.location.resolve(target.machine, target.project),
        format=place.format,
        kind="entry",
        place=target.filled(place.at),
        value=value,
    )


def _named(target: Target, place: Place, value: Json) -> tuple[Json, tuple[Note, ...]]:
    """The entry with its name in it, where it is an element of a list: by that it is found again, whatever the
    author's own keys say."""
    element = element_of(target.filled(place.at))
    if element is None or not isinstance(value, dict):
        return value, ()
    rest = {key: item for key, item in value.items() if key != element.key}
    asked = value.get(element.key, element.name)
    text = f'the entry is called {element.name}: "{element.key}" of an override is not taken'
    notes = () if asked == element.name else (Note("warn", text),)
    return {element.key: element.name, **rest}, notes


def _absent(target: Target, dialect: ServerDialect, want: Wanted) -> Iterator[Note]:
    if dialect.absent and target.document(want.path, cast("FormatId", want.format)) is None:
        yield replace(dialect.absent, text=f"{dialect.absent.text} ({want.path})")


def _alike(target: Target, dialect: ServerDialect, want: Wanted) -> Iterator[Note]:
    """Another element of the list whose name the host reads as ours."""
    element = element_of(want.place)
    document = target.document(want.path, cast("FormatId", want.format)) if element else None
    if element is None or document is None:
        return
    items = document.get(element.array)
    ours = dialect.reads_name(element.name)
    for item in items if isinstance(items, list) else ():
        name = item.get(element.key) if isinstance(item, dict) else None
        if isinstance(name, str) and name != element.name and dialect.reads_name(name) == ours:
            text = f"{name!r} in {want.path} is the same name to {target.host.name} as {element.name!r}"
            yield Note("warn", f"{text}: nothing is put beside it", "Give one of the two another name")


def _places(target: Target, dialect: ServerDialect) -> list[Place]:
    """Each program that the host is used in here has a file of its own; the usual one where none is found."""

    def used(marker: Location) -> bool:
        return target.files.exists(marker.resolve(target.machine, target.project))

    first = _place_in_use(target, dialect)
    others = [copy.place for copy in dialect.copies.get(target.scope, ()) if used(copy.marker)]
    return others if others and not used(target.host.detection.markers[0]) else [first, *others]


def _place_in_use(target: Target, dialect: ServerDialect) -> Place:
    """Of files that the host reads as one."""
    there = []
    for place in dialect.instead.get(target.scope, ()):
        path = place.location.resolve(target.machine, target.project)
        document = target.document(path, place.format)
        if document is not None and document.get(target.filled(place.at)) is not MISSING:
            return place
        if target.files.exists(path):
            there.append(place)
    return there[0] if there else dialect.places[target.scope]


def _refusals(target: Target, dialect: ServerDialect, want: Wanted) -> Iterator[Note]:
    document = target.document(want.path, cast("FormatId", want.format))
    for fault, fix in dialect.faults(document.value(), target.machine.env) if document else ():
        yield Note("warn", f"{target.host.name} drops every server of {want.path} {fault}", fix)


def _shown(entry: Json, extra: Mapping[str, Json]) -> str:
    """What the host starts or calls, as the entry says it that is written: ``extra`` may have put something else in
    place of our words, and a variable can make an innocent command run another. Secrets masked."""
    shown = mask(entry) if isinstance(entry, dict) else {}
    variables = [f"{name}={value}" for key in _VARIABLES for name, value in (shown.get(key) or {}).items()]
    words = [word for key in _WORDS for word in strings(shown.get(key))]
    addresses = [word for key in shown if "url" in key.lower() for word in strings(shown[key])]
    line = " ".join([*variables, *(words or addresses)])
    told = {*_VARIABLES, *_WORDS, *(key for key in shown if "url" in key.lower()), "type"}
    # Headers, a working directory and the like; numbers and switches run nothing, unless the author put them there.
    others = {
        key: value for key, value in shown.items() if key not in told and (key in extra or not _is_setting(value))
    }
    return f"{line} (with {json.dumps(others, ensure_ascii=False)})" if others else line


def _is_setting(value: Json) -> bool:
    return value is None or isinstance(value, bool | int | float)


_VARIABLES = ("env", "environment")
_WORDS = ("command", "args")


def _no_secrets_in_committed_files(target: Target, server: Server) -> Desired:
    names = ", ".join(secret_names(server.secret_env.values()))
    text = f"the server needs the secret {names}, and a file that people commit cannot hand it one"
    note = Note("warn", text, "Install it at user scope")
    return Desired(changes=(target.say("server", note, blocking=True),))


def _spec(target: Target, server: Server, dialect: ServerDialect) -> ServerSpec:
    spec = ServerSpec(
        name=target.connector.id,
        transport=server.transport,
        command=server.command,
        args=tuple(server.args),
        env=dict(server.env),
        cwd=server.cwd,
        url=server.url,
        headers=dict(server.headers),
        bearer_env=server.auth.bearer_env_var if server.auth.type == "bearerEnv" else "",
        include=tuple(server.tools.include),
        exclude=tuple(server.tools.exclude),
        timeout_ms=server.timeout_ms,
        startup_timeout_ms=server.startup_timeout_ms,
        enabled=server.enabled,
        extra=target.connector.override_for(target.host.id).extra,
    )
    # A committed file serves teammates who may not have agent-connector: there the plain command stands.
    if server.transport != "stdio" or target.scope in COMMIT_SHARED:
        return spec
    chosen_by_us = not dialect.chooses(spec.include, spec.exclude) and (spec.include != ("*",) or spec.exclude)
    # Secrets reach a server through the wrapper only, and only it keeps tools from a host that shows them all.
    if not (server.wrap_for_telemetry or server.secret_env or chosen_by_us):
        return spec
    if chosen_by_us:
        spec = replace(spec, include=("*",), exclude=())
    return _wrapped(target, server, spec, dialect)


def _wrapped(target: Target, server: Server, spec: ServerSpec, dialect: ServerDialect) -> ServerSpec:
    """The same server started through the launcher, which fills in what the host cannot express."""
    flags = ["--connector", target.connector.id, "--host", target.host.id]
    env: dict[str, str] = {}
    held_back = list(server.secret_env.values())
    for key, template in spec.env.items():
        if dialect.expresses(key, template):
            env[key] = template
        else:
            flags += ["--env", f"{key}={_held_back(template)}"]
            held_back.append(template)
    for key, template in server.secret_env.items():
        flags += ["--secret-env", f"{key}={_held_back(template)}"]
    if spec.cwd and not dialect.has_cwd:
        flags += ["--cwd", spec.cwd]
    command = [spec.command, *spec.args]
    if any(has_reference(word) and not dialect.expresses("", word) for word in command):
        flags.append("--fill")
        held_back += command
        command = [_held_back(word) for word in command]
    return replace(
        spec,
        command=str(target.machine.launcher),
        args=("serve", *flags, "--", *command),
        env=env,
        pass_env=() if dialect.env_pass else tuple({ref.name: None for ref in env_references(held_back)}),
        cwd=spec.cwd if dialect.has_cwd else "",
    )


def _held_back(template: str) -> str:
    """``${env:X}`` as ``{env:X}``, which no host expands: the wrapper does, for the server alone."""
    parts = []
    for part in split(template):
        if isinstance(part, str):
            parts.append(part)
        elif isinstance(part, EnvReference):
            parts.append(f"{{env:{part.name}}}" if part.default is None else f"{{env:{part.name}:-{part.default}}}")
        else:
            parts.append(f"{{secret:{part.name}}}")
    return "".join(parts)


def _unset_variables(target: Target, server: Server) -> list[Note]:
    texts = [*server.env.values(), *server.secret_env.values(), *server.args, *server.headers.values()]
    texts += [server.command, server.url, server.cwd]
    unset = {
        reference.name: None for reference in env_references(texts) if value_in(reference, target.machine.env) is None
    }
    return [
        Note(
            "warn", f"${{env:{name}}} is not set here and has no default", f"Set {name} where {target.host.name} runs"
        )
        for name in unset
    ]

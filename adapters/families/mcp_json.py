"""Server entries of hosts that keep them as JSON objects in an ``mcpServers`` map: one rendering, driven by data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from agent_connector.host import Json, Note, Rendered, ServerSpec
from agent_connector.references import EnvReference, env_references, has_reference, split
from agent_connector.values import frozen
from agent_connector.vocabulary import Transport

from .reports import filter_not_enforced, no_key, no_transport, not_registered_disabled, resolves_nothing


@frozen
class McpJson:
    """How one host spells an entry. ``spell`` turns a reference into the host's own interpolation, or into ``None``
    where that has no such reference; ``spell`` itself is ``None`` where the host resolves nothing. What holds a
    reference without a spelling is not registered there."""

    host: str
    spell: Callable[[EnvReference], str | None] | None
    types: Mapping[Transport, str] = field(default_factory=lambda: {"stdio": "stdio", "http": "http", "sse": "sse"})
    """Transport -> the value of ``type``, ``""`` where none is written; a transport that is missing does not exist
    there."""
    type_key: str = "type"
    url_keys: Mapping[Transport, str] = field(default_factory=dict)
    """Transport -> the key of its address, where that is not ``url``."""
    literal: Callable[[str], str] = lambda text: text
    """How text beside references is written where the host gives some of its characters a meaning."""
    cwd_key: str = ""
    timeout_key: str = ""
    """Key of the time a tool call may take."""
    time: Callable[[int], Json] = lambda milliseconds: milliseconds
    """Milliseconds -> what stands under ``timeout_key``."""
    off: tuple[str, bool] | None = None
    """Key and value by which an entry says that it is disabled."""
    include_key: str = ""
    exclude_key: str = ""
    """Keys of lists of exact tool names; see :func:`exact_names`."""
    startup_key: str = ""
    """Key of the time a server's start may take, in milliseconds."""
    startup_fix: str = ""
    filter_fix: str = ""
    hands_on: Callable[[str], bool] = lambda _name: True
    """Whether a variable of the host's own environment reaches servers by itself. One that does not and is needed
    (``ServerSpec.pass_env``) is listed in ``env``."""


def render_entry(dialect: McpJson, spec: ServerSpec) -> Rendered:
    """The entry with keys in the order the host itself writes them; references in the host's own syntax."""
    if spec.transport not in dialect.types:
        return Rendered(None, (no_transport(dialect.host, spec.transport, dialect.types),))
    if not spec.enabled and dialect.off is None:
        return Rendered(None, (not_registered_disabled(dialect.host),))
    if found := first_unspelled(dialect, spec):
        return Rendered(None, (resolves_nothing(dialect.host, found, spec.transport),))
    kind = dialect.types[spec.transport]
    entry: dict[str, Json] = {dialect.type_key: kind} if kind else {}
    entry |= _stdio(dialect, spec) if spec.transport == "stdio" else _remote(dialect, spec)
    if not spec.enabled and dialect.off is not None:
        entry[dialect.off[0]] = dialect.off[1]
    if spec.timeout_ms is not None and dialect.timeout_key:
        entry[dialect.timeout_key] = dialect.time(spec.timeout_ms)
    if spec.startup_timeout_ms is not None and dialect.startup_key:
        entry[dialect.startup_key] = spec.startup_timeout_ms
    entry |= _choice(dialect, spec)
    return Rendered({**entry, **spec.extra}, _notes(dialect, spec))


def _stdio(dialect: McpJson, spec: ServerSpec) -> dict[str, Json]:
    needed = {name: f"${{env:{name}}}" for name in spec.pass_env if not dialect.hands_on(name)}
    entry: dict[str, Json] = {
        "command": spelled(dialect, spec.command),
        "args": [spelled(dialect, arg) for arg in spec.args],
        "env": {key: spelled(dialect, value) for key, value in {**needed, **spec.env}.items()},
    }
    if spec.cwd and dialect.cwd_key:
        entry[dialect.cwd_key] = spelled(dialect, spec.cwd)
    return entry


def _remote(dialect: McpJson, spec: ServerSpec) -> dict[str, Json]:
    headers = {key: spelled(dialect, value) for key, value in spec.headers.items()}
    if spec.bearer_env and not any(key.lower() == "authorization" for key in headers):
        headers["Authorization"] = spelled(dialect, f"Bearer ${{env:{spec.bearer_env}}}")
    entry: dict[str, Json] = {dialect.url_keys.get(spec.transport, "url"): spelled(dialect, spec.url)}
    return {**entry, "headers": headers} if headers else entry


def spelled(dialect: McpJson, template: str) -> str:
    written = spelling(dialect, template)
    if written is None:  # what has no spelling is told before, and secrets never come this far
        raise ValueError(f"a secret reference reached the config of {dialect.host}: {template!r}")
    return written


def spelling(dialect: McpJson, template: str) -> str | None:
    """The template in the host's words, ``None`` where one of its references has none."""
    written = []
    for part in split(template):
        if isinstance(part, str):
            written.append(dialect.literal(part))
            continue
        text = dialect.spell(part) if isinstance(part, EnvReference) and dialect.spell else None
        if text is None:
            return None
        written.append(text)
    return "".join(written)


def first_unspelled(dialect: McpJson, spec: ServerSpec) -> str:
    """The first thing in a server that the host could not resolve, as "place: template"."""
    texts = [("command", spec.command), *(("args", arg) for arg in spec.args), ("cwd", spec.cwd), ("url", spec.url)]
    texts += [(f"env.{key}", text) for key, text in spec.env.items()]
    texts += [(f"headers.{key}", text) for key, text in spec.headers.items()]
    texts += [("auth", f"${{env:{spec.bearer_env}}}")] if spec.bearer_env else []
    return next((f"{place}: {text}" for place, text in texts if _stays(dialect, text)), "")


def _stays(dialect: McpJson, template: str) -> bool:
    references = env_references([template])
    return any(dialect.spell is None or dialect.spell(reference) is None for reference in references)


def literal_only(_key: str, template: str) -> bool:
    """``ServerDialect.expresses`` of a host that resolves nothing."""
    return not has_reference(template)


def exact_names(include: tuple[str, ...], exclude: tuple[str, ...]) -> bool:
    """``ServerDialect.chooses`` of a host whose lists hold exact tool names: whether all of the choice is."""
    return not any(map(is_glob, (*(() if "*" in include else include), *exclude)))


def is_glob(name: str) -> bool:
    return not _GLOB.isdisjoint(name)


_GLOB = frozenset("*?[")


def _chosen(dialect: McpJson, spec: ServerSpec) -> bool:
    """Whether the host itself keeps to the tools that were chosen."""
    if not exact_names(spec.include, spec.exclude):
        return False
    return ("*" in spec.include or bool(dialect.include_key)) and (not spec.exclude or bool(dialect.exclude_key))


def _choice(dialect: McpJson, spec: ServerSpec) -> dict[str, Json]:
    if not _chosen(dialect, spec):
        return {}
    shown: dict[str, Json] = {} if "*" in spec.include else {dialect.include_key: list(spec.include)}
    return {**shown, dialect.exclude_key: list(spec.exclude)} if spec.exclude else shown


def _notes(dialect: McpJson, spec: ServerSpec) -> tuple[Note, ...]:
    notes: list[Note] = []
    if not _chosen(dialect, spec):
        notes.append(filter_not_enforced(dialect.host, dialect.filter_fix))
    if spec.cwd and spec.transport == "stdio" and not dialect.cwd_key:
        notes.append(no_key(dialect.host, "a server's working directory", asked=True))
    if spec.timeout_ms is not None and not dialect.timeout_key:
        notes.append(no_key(dialect.host, "the time-out of tool calls"))
    if spec.startup_timeout_ms is not None and not dialect.startup_key:
        notes.append(no_key(dialect.host, "the time-out of a server's start", dialect.startup_fix))
    return tuple(notes)


def shell_style(reference: EnvReference) -> str:
    """``${VAR}`` and ``${VAR:-default}``."""
    default = "" if reference.default is None else f":-{reference.default}"
    return f"${{{reference.name}{default}}}"


def plain_style(reference: EnvReference) -> str:
    """``${VAR}``, of hosts that know no defaults."""
    return f"${{{reference.name}}}"


def has_no_default(template: str) -> bool:
    """Whether such a host can resolve the template's references."""
    return all(reference.default is None for reference in env_references([template]))


def render_without_defaults(dialect: McpJson, spec: ServerSpec) -> Rendered:
    """:func:`render_entry` of such a host: a server with a default in it is not registered there."""
    texts = [spec.command, *spec.args, spec.cwd, spec.url, *spec.env.values(), *spec.headers.values()]
    found = next((text for text in texts if not has_no_default(text)), "")
    if not found:
        return render_entry(dialect, spec)
    text = f"{dialect.host} knows no defaults of variables, so the server is not registered there ({found})"
    fix = "Leave the default out, or have the wrapper resolve it (user scope, with the telemetry wrapper on)."
    return Rendered(None, (Note("warn", text, fix),))


def shape_problem(entry: Mapping[str, Any]) -> str:
    """Why a host that validates its whole file at once would refuse it for this entry, or ``""``."""
    for key, wanted in (("command", str), ("url", str), ("cwd", str)):
        if key in entry and not isinstance(entry[key], wanted):
            return f'"{key}" must be a string'
    if "command" not in entry and "url" not in entry:
        return 'it needs "command" or "url"'
    args = entry.get("args", [])
    if not isinstance(args, list) or not all(isinstance(arg, str) for arg in args):
        return '"args" must be a list of strings'
    for key in ("env", "headers"):
        table = entry.get(key, {})
        if not isinstance(table, dict) or not all(isinstance(value, str) for value in table.values()):
            return f'every value in "{key}" must be a string'
    return ""

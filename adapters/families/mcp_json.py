"""Server entries of hosts that keep them as JSON objects in an ``mcpServers`` map: one rendering, driven by data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from agent_connector.host import Json, Note, Rendered, ServerSpec
from agent_connector.references import EnvReference, translate
from agent_connector.values import frozen
from agent_connector.vocabulary import Transport

from .reports import filter_not_enforced, no_key, no_transport, not_registered_disabled


@frozen
class McpJson:
    """How one host spells an entry. ``spell`` turns a reference into the host's own interpolation."""

    host: str
    spell: Callable[[EnvReference], str]
    types: Mapping[Transport, str]
    """Transport -> the value of ``type``; a transport that is missing does not exist there."""
    cwd_key: str = ""
    timeout_key: str = ""
    """Key of the time a tool call may take, in milliseconds."""
    startup_fix: str = ""
    filter_fix: str = ""


def render_entry(dialect: McpJson, spec: ServerSpec) -> Rendered:
    """The entry with keys in the order the host itself writes them; references in the host's own syntax."""
    if spec.transport not in dialect.types:
        return Rendered(None, (no_transport(dialect.host, spec.transport, dialect.types),))
    if not spec.enabled:
        return Rendered(None, (not_registered_disabled(dialect.host),))
    entry: dict[str, Json] = {"type": dialect.types[spec.transport]}
    entry |= _stdio(dialect, spec) if spec.transport == "stdio" else _remote(dialect, spec)
    if spec.timeout_ms is not None and dialect.timeout_key:
        entry[dialect.timeout_key] = spec.timeout_ms
    return Rendered({**entry, **spec.extra}, _notes(dialect, spec))


def _stdio(dialect: McpJson, spec: ServerSpec) -> dict[str, Json]:
    entry: dict[str, Json] = {
        "command": spelled(dialect, spec.command),
        "args": [spelled(dialect, arg) for arg in spec.args],
        "env": {key: spelled(dialect, value) for key, value in spec.env.items()},
    }
    if spec.cwd and dialect.cwd_key:
        entry[dialect.cwd_key] = spelled(dialect, spec.cwd)
    return entry


def _remote(dialect: McpJson, spec: ServerSpec) -> dict[str, Json]:
    headers = {key: spelled(dialect, value) for key, value in spec.headers.items()}
    if spec.bearer_env and not any(key.lower() == "authorization" for key in headers):
        headers["Authorization"] = f"Bearer {dialect.spell(EnvReference(spec.bearer_env))}"
    entry: dict[str, Json] = {"url": spelled(dialect, spec.url)}
    return {**entry, "headers": headers} if headers else entry


def spelled(dialect: McpJson, template: str) -> str:
    text = translate(template, dialect.spell)
    if text is None:  # every reference that is not a secret has a spelling, and secrets never come this far
        raise ValueError(f"a secret reference reached the config of {dialect.host}: {template!r}")
    return text


def _notes(dialect: McpJson, spec: ServerSpec) -> tuple[Note, ...]:
    notes: list[Note] = []
    if tuple(spec.include) != ("*",) or spec.exclude:
        notes.append(filter_not_enforced(dialect.host, dialect.filter_fix))
    if spec.cwd and spec.transport == "stdio" and not dialect.cwd_key:
        notes.append(no_key(dialect.host, "a server's working directory", asked=True))
    if spec.timeout_ms is not None and not dialect.timeout_key:
        notes.append(no_key(dialect.host, "the time-out of tool calls"))
    if spec.startup_timeout_ms is not None:
        notes.append(no_key(dialect.host, "the time-out of a server's start", dialect.startup_fix))
    return tuple(notes)


def shell_style(reference: EnvReference) -> str:
    """``${VAR}`` and ``${VAR:-default}``."""
    default = "" if reference.default is None else f":-{reference.default}"
    return f"${{{reference.name}{default}}}"


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

"""How Mistral Vibe spells a server entry: an element of ``[[mcp_servers]]``, nothing resolved but one token by its
variable's name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from agent_connector.adapters.families.durations import seconds
from agent_connector.adapters.families.mcp_json import McpJson, exact_names, literal_only, render_entry
from agent_connector.host import Grant, Json, Note, Rendered, ServerDialect, ServerSpec
from agent_connector.location import PROJECT, Place, element, home, project
from agent_connector.references import EnvReference, split

VIBE_HOME = home(".vibe").moved_by("VIBE_HOME")

PROJECT_TRUST = Note(
    "info",
    "Mistral Vibe reads a project's .vibe folder only where the folder, or one above it, is trusted",
    fix="Start `vibe` in the project and trust the folder; headless, `vibe --trust`.",
    gate=True,
)

FOLDER_GRANT = Grant(
    Place(VIBE_HOME.below("trusted_folders.toml"), "toml", ("trusted",)),
    PROJECT,
    "Mistral Vibe then reads the whole .vibe and .agents folders of this project, other people's included",
    kind="item",
    notes=(PROJECT_TRUST,),
)

_HANDED_ON = frozenset({"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER"})
"""Of its environment Mistral Vibe gives a server these, or what Windows needs, and nothing else."""

_ONE_WORD = re.compile(r"[\w./:@%+=,-]+", re.ASCII)
"""A command that is split as a shell splits it would stay one word on every system."""

_DIALECT = McpJson(
    host="Mistral Vibe",
    spell=None,
    types={"stdio": "stdio", "http": "streamable-http"},
    type_key="transport",
    cwd_key="cwd",
    timeout_key="tool_timeout_sec",
    time=seconds,
    off=("disabled", True),
    exclude_key="disabled_tools",
    filter_fix="Mistral Vibe hides tools by exact name (tools.exclude), and has no list of those it shows.",
)


def render(spec: ServerSpec) -> Rendered:
    withheld = [name for name in spec.pass_env if name not in _HANDED_ON]
    if missing := [name for name in withheld if any(f"{{env:{name}}}" in arg for arg in spec.args)]:
        return Rendered(None, (_withheld(missing, "so the server is not registered there"),))
    auth, headers = _auth(spec)
    plain = replace(spec, headers=headers, bearer_env="", pass_env=(), startup_timeout_ms=None, extra={})
    rendered = render_entry(_DIALECT, plain)
    if rendered.value is None:
        return rendered
    entry = {key: value for key, value in rendered.value.items() if key != "headers"}
    if spec.transport == "stdio" and not _ONE_WORD.fullmatch(spec.command):
        entry["command"] = [spec.command]
    if spec.startup_timeout_ms is not None:
        entry["startup_timeout_sec"] = seconds(spec.startup_timeout_ms)
    if auth or headers:
        entry["auth"] = {"type": "static", **({"headers": dict(headers)} if headers else {}), **auth}
    defaults = (_withheld(withheld, "so defaults stand in for them"),) if withheld else ()
    return Rendered({**entry, **spec.extra}, (*rendered.notes, *defaults))


def _withheld(names: Iterable[str], result: str) -> Note:
    text = f"Mistral Vibe hands a server none of its environment and resolves no reference, {result}"
    fix = "Have the server take it from a secret (`${secret:NAME}`), which reaches it through the wrapper."
    return Note("warn", f"{text} ({', '.join(names)})", fix)


def _auth(spec: ServerSpec) -> tuple[dict[str, Json], Mapping[str, str]]:
    """The token, which the host reads from a variable, and the other headers, which it takes as they are."""
    if spec.bearer_env and not any(name.lower() == "authorization" for name in spec.headers):
        return {"api_key_env": spec.bearer_env}, spec.headers
    for name, template in spec.headers.items():
        parts = split(template)
        variables = [part.name for part in parts if isinstance(part, EnvReference) and part.default is None]
        texts = [part for part in parts if isinstance(part, str)]
        if len(variables) == 1 and len(texts) == len(parts) - 1 and not _has_braces(texts):
            written = "".join(part if isinstance(part, str) else "{token}" for part in parts)
            others = {other: text for other, text in spec.headers.items() if other != name}
            return {"api_key_env": variables[0], "api_key_header": name, "api_key_format": written}, others
    return {}, spec.headers


def _has_braces(texts: Iterable[str]) -> bool:
    return any(brace in text for text in texts for brace in "{}")


def chooses(include: tuple[str, ...], exclude: tuple[str, ...]) -> bool:
    return "*" in include and exact_names(include, exclude)


def reads_name(name: str) -> str:
    """As Mistral Vibe does: two servers that it reads alike void its whole config."""
    return re.sub(r"[^a-zA-Z0-9_-]", "_", name).strip("_-")[:256]


def faults(content: Json, _env: Mapping[str, str]) -> Iterable[tuple[str, str]]:
    if content.get("enable_mcp") is False:
        yield "because enable_mcp is false", "Take enable_mcp out of it"
    servers = content.get("mcp_servers", [])
    if not isinstance(servers, list):
        yield "because mcp_servers is no list", "Write [[mcp_servers]] with a name, not [mcp_servers.<name>]"
        return
    names = [reads_name(str(server.get("name"))) for server in servers if isinstance(server, dict)]
    for name in dict.fromkeys(name for name in names if names.count(name) > 1):
        yield f"because two of them are called {name}", "Give one of the two another name"


SERVER = ServerDialect(
    places={
        "user": Place(VIBE_HOME.below("config.toml"), "toml", ("mcp_servers", element("name"))),
        "project": Place(project(".vibe", "config.toml"), "toml", ("mcp_servers", element("name"))),
    },
    render=render,
    expresses=literal_only,
    env_pass=False,
    chooses=chooses,
    reads_name=reads_name,
    faults=faults,
    notes={"project": (PROJECT_TRUST,)},
)

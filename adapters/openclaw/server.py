"""How OpenClaw spells a server entry, as of 2026.9.6, and what its servers get of the environment.

``${VAR}`` is filled in everywhere in its file, where the name is in capital letters; one that is not set stays as it
is written. Servers get next to nothing of OpenClaw's environment, and of what an entry sets nothing by which an
interpreter, a loader or a shell is led elsewhere.
"""

from __future__ import annotations

import re
from dataclasses import replace

from agent_connector.adapters.families.mcp_json import McpJson, render_entry, spelling
from agent_connector.adapters.families.reports import filter_not_enforced
from agent_connector.adapters.families.tool_choices import starred_names
from agent_connector.host import Json, Note, Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, Place, home
from agent_connector.references import EnvReference

HOST = "OpenClaw"
OPENCLAW_HOME = home(".openclaw").moved_by("OPENCLAW_STATE_DIR")
CONFIG = OPENCLAW_HOME.below("openclaw.json")

_HANDED_ON = frozenset({"HOME", "PATH", "PWD", "SHELL", "TERM", "LC_CTYPE"})
_WITHHELD = re.compile(
    r"(?:LD_|DYLD_|BASH_FUNC_|GIT_|XDG_|PIP_|UV_|NPM_CONFIG_|TF_|ANSIBLE_|DOCKER_|CARGO_|RUST|JAVA_|NODE_(?!AUTH_TOKEN)"
    r"|PYTHON|PERL5|RUBY|LUA_|BASH|SHELL|GEM_|CONDA_|SSL_CERT|R_|ERL_).*"
    r"|HOME|ENV|KSH_ENV|ZDOTDIR|IFS|PS4|CC|CXX|MAKE|CLASSPATH|VIRTUAL_ENV|KUBECONFIG|BROWSER|EDITOR|VISUAL|PAGER"
    r"|AWS_(?:CONFIG_FILE|SHARED_CREDENTIALS_FILE|WEB_IDENTITY_TOKEN_FILE)|GOOGLE_APPLICATION_CREDENTIALS"
    r"|REQUESTS_CA_BUNDLE|CURL_CA_BUNDLE|OPENSSL_\w+|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|\w+_OPTS|\w+FLAGS",
    re.IGNORECASE,
)
"""At least the names that OpenClaw takes from an entry's ``env`` before it starts a server, and says so in its log
only. The wrapper sets them for the server alone."""
_VARIABLE = re.compile(r"\$(?=\{[A-Z_][A-Z0-9_]*\})")
_CAPITALS = re.compile(r"[A-Z_][A-Z0-9_]*")


def spell(reference: EnvReference) -> str | None:
    plain = reference.default is None and _CAPITALS.fullmatch(reference.name)
    return f"${{{reference.name}}}" if plain else None


_DIALECT = McpJson(
    host=HOST,
    spell=spell,
    types={"stdio": "", "http": "", "sse": ""},
    literal=lambda text: _VARIABLE.sub("$$", text),
    cwd_key="cwd",
    timeout_key="requestTimeoutMs",
    startup_key="connectionTimeoutMs",
    off=("enabled", False),
    hands_on=_HANDED_ON.__contains__,
)


def expresses(key: str, template: str) -> bool:
    return spelling(_DIALECT, template) is not None and not (key and _WITHHELD.fullmatch(key))


def render(spec: ServerSpec) -> Rendered:
    lost = [name for name in spec.pass_env if name not in _HANDED_ON and not _CAPITALS.fullmatch(name)]
    passed = tuple(name for name in spec.pass_env if name not in lost)
    rendered = render_entry(_DIALECT, replace(spec, pass_env=passed, include=("*",), exclude=(), extra={}))
    if rendered.value is None:
        return rendered
    entry = dict(rendered.value)
    lost += [name for name in entry.get("env", {}) if _WITHHELD.fullmatch(name)]
    notes = [*rendered.notes, *(_lost(name) for name in lost)]
    if spec.transport != "stdio":
        entry["transport"] = "streamable-http" if spec.transport == "http" else "sse"
    if starred_names(spec.include, spec.exclude):
        shown: dict[str, Json] = {} if "*" in spec.include else {"include": list(spec.include)}
        hidden: dict[str, Json] = {"exclude": list(spec.exclude)} if spec.exclude else {}
        entry |= {"toolFilter": {**shown, **hidden}} if shown or hidden else {}
    else:
        notes.append(filter_not_enforced(HOST, "OpenClaw knows exact names and * in them."))
    return Rendered({**entry, **spec.extra}, tuple(notes))


def _lost(variable: str) -> Note:
    text = f"OpenClaw hands {variable} on to no server: this one starts without it"
    return Note(
        "warn", text, fix="Give the variable a name in capital letters that no interpreter, loader or shell looks at."
    )


SERVER = ServerDialect(
    places={"user": Place(CONFIG, "jsonc", ("mcp", "servers", NAME))},
    render=render,
    expresses=expresses,
    env_pass=False,
    chooses=starred_names,
    notes={
        "user": (
            Note(
                "info",
                "OpenClaw shows its model no server's tools: it looks them up with tool_search",
                fix="Set tools.toolSearch to false in ~/.openclaw/openclaw.json to show them at once.",
            ),
        ),
    },
)

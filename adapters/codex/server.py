"""How Codex spells a server entry: TOML without interpolation, variables passed on by name, times in seconds."""

from __future__ import annotations

from agent_connector.adapters.families.durations import seconds
from agent_connector.adapters.families.mcp_json import exact_names, is_glob
from agent_connector.adapters.families.reports import filter_not_enforced, no_transport
from agent_connector.host import Json, Note, Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, Location, Place, home, project
from agent_connector.references import EnvReference, has_reference, split

_HOST = "Codex"

CODEX_HOME = home(".codex").moved_by("CODEX_HOME")
CONFIG: dict[str, Location] = {
    "user": CODEX_HOME.below("config.toml"),
    "project": project(".codex", "config.toml"),
}

PROJECT_TRUST = Note(
    "info",
    "Codex reads a project's .codex folder only when the project is trusted",
    fix="Run `codex` in the project and trust it, or run `codex exec --trust` there once.",
    gate=True,
)


def expresses(key: str, template: str) -> bool:
    """Codex hands a variable on under its own name, and resolves nothing else."""
    return not has_reference(template) or (key != "" and _variable(template) == key)


def render(spec: ServerSpec) -> Rendered:
    if spec.transport not in {"stdio", "http"}:
        return Rendered(None, (no_transport(_HOST, spec.transport, ("stdio", "http")),))
    entry, unresolved = _stdio(spec) if spec.transport == "stdio" else _remote(spec)
    if unresolved:
        return Rendered(None, (_unresolvable(unresolved, spec),))
    common, notes = _common(spec)
    entry = {**entry, **common, **spec.extra}
    # TOML wants plain keys before tables.
    tables = {key: value for key, value in entry.items() if isinstance(value, dict)}
    return Rendered({**{key: value for key, value in entry.items() if key not in tables}, **tables}, notes)


def _stdio(spec: ServerSpec) -> tuple[dict[str, Json], str]:
    """The entry, and the first thing in it that Codex could not resolve."""
    for place, template in (("command", spec.command), *(("args", arg) for arg in spec.args), ("cwd", spec.cwd)):
        if not expresses("", template):
            return {}, f"{place}: {template}"
    passed = []
    fixed = {}
    for key, template in spec.env.items():
        if not expresses(key, template):
            return {}, f"env.{key}: {template}"
        if has_reference(template):
            passed.append(key)
        else:
            fixed[key] = template
    passed += [name for name in spec.pass_env if name not in passed and name not in fixed]
    entry: dict[str, Json] = {"command": spec.command, "args": list(spec.args)}
    if spec.cwd:
        entry["cwd"] = spec.cwd
    if passed:
        entry["env_vars"] = passed
    if fixed:
        entry["env"] = fixed
    return entry, ""


def _remote(spec: ServerSpec) -> tuple[dict[str, Json], str]:
    if has_reference(spec.url):
        return {}, f"url: {spec.url}"
    bearer = spec.bearer_env
    fixed = {}
    by_variable = {}
    for header, template in spec.headers.items():
        token = _bearer(template) if header.lower() == "authorization" else ""
        if not has_reference(template):
            fixed[header] = template
        elif token:
            bearer = token
        elif variable := _variable(template):
            by_variable[header] = variable
        else:
            return {}, f"headers.{header}: {template}"
    entry: dict[str, Json] = {"url": spec.url}
    if bearer:
        entry["bearer_token_env_var"] = bearer
    if fixed:
        entry["http_headers"] = fixed
    if by_variable:
        entry["env_http_headers"] = by_variable
    return entry, ""


def _common(spec: ServerSpec) -> tuple[dict[str, Json], tuple[Note, ...]]:
    entry: dict[str, Json] = {}
    notes = []
    if not spec.enabled:
        entry["enabled"] = False
    if spec.startup_timeout_ms is not None:
        entry["startup_timeout_sec"] = seconds(spec.startup_timeout_ms)
    if spec.timeout_ms is not None:
        entry["tool_timeout_sec"] = seconds(spec.timeout_ms)
    shown = [name for name in spec.include if name != "*"]
    if "*" not in spec.include:
        if any(map(is_glob, shown)):
            notes.append(filter_not_enforced(_HOST, "Codex knows exact tool names only: list them in tools.include."))
        else:
            entry["enabled_tools"] = shown
    hidden = [name for name in spec.exclude if not is_glob(name)]
    if hidden:
        entry["disabled_tools"] = hidden
    if len(hidden) < len(spec.exclude):
        notes.append(filter_not_enforced(_HOST, "Codex knows exact tool names only: list them in tools.exclude."))
    return entry, tuple(notes)


def _unresolvable(what: str, spec: ServerSpec) -> Note:
    fix = (
        "At user scope, with the telemetry wrapper on, the wrapper resolves references."
        if spec.transport == "stdio"
        else "Use a bearer variable, or a header that is one variable and nothing else."
    )
    return Note("warn", f"Codex resolves no references, so the server is not registered there ({what})", fix)


def _variable(template: str) -> str:
    """The variable the whole template is, if it is one without a default."""
    parts = split(template)
    if len(parts) == 1 and isinstance(parts[0], EnvReference) and parts[0].default is None:
        return parts[0].name
    return ""


def _bearer(template: str) -> str:
    scheme, _, rest = template.partition(" ")
    return _variable(rest.strip()) if scheme.lower() == "bearer" else ""


SERVER = ServerDialect(
    places={
        "user": Place(CONFIG["user"], "toml", ("mcp_servers", NAME)),
        "project": Place(CONFIG["project"], "toml", ("mcp_servers", NAME)),
    },
    render=render,
    expresses=expresses,
    env_pass=False,
    chooses=exact_names,
    notes={"project": (PROJECT_TRUST,)},
)

"""How OpenCode spells a server entry: the command as one array, ``{env:VAR}`` anywhere, two kinds of file."""

from __future__ import annotations

from dataclasses import replace

from agent_connector.adapters.families.mcp_json import McpJson, render_entry, spelling
from agent_connector.host import Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, Location, Place, home, project
from agent_connector.references import EnvReference

CONFIG_HOME = (
    Location("config", ("opencode",))
    .on("macos", home(".config", "opencode"))
    .on("windows", home(".config", "opencode"))
)
IN_PROJECT = project(".opencode")


def spell(reference: EnvReference) -> str | None:
    """A variable that is not set becomes an empty text; there are no defaults."""
    return f"{{env:{reference.name}}}" if reference.default is None else None


_DIALECT = McpJson(
    host="OpenCode",
    spell=spell,
    types={"stdio": "local", "http": "remote", "sse": "remote"},
    cwd_key="cwd",
    timeout_key="timeout",
    off=("enabled", False),
    filter_fix='Switch tools off under "permission" in its config: {"<server>_<tool>": "deny"}.',
)


def render(spec: ServerSpec) -> Rendered:
    rendered = render_entry(_DIALECT, replace(spec, extra={}))
    if rendered.value is None:
        return rendered
    said = dict(rendered.value)
    if spec.transport == "stdio":
        command, args, environment = (said.pop(word) for word in ("command", "args", "env"))
        own = {"type": said.pop("type"), "command": [command, *args]}
        said = {**own, **({"environment": environment} if environment else {}), **said}
    return Rendered({**said, **spec.extra}, rendered.notes)


def expresses(_key: str, template: str) -> bool:
    return spelling(_DIALECT, template) is not None


def _place(folder: Location, ending: str) -> Place:
    return Place(folder.below(f"opencode.{ending}"), "jsonc", ("mcp", NAME))


SERVER = ServerDialect(
    places={"user": _place(CONFIG_HOME, "jsonc"), "project": _place(project(), "json")},
    # Every one of them is read, and all are merged. Where there are two, OpenCode itself writes to the first.
    instead={
        "user": (_place(CONFIG_HOME, "json"), _place(CONFIG_HOME, "jsonc")),
        "project": (
            _place(project(), "json"),
            _place(project(), "jsonc"),
            _place(IN_PROJECT, "json"),
            _place(IN_PROJECT, "jsonc"),
        ),
    },
    render=render,
    expresses=expresses,
)

"""The MCP server of a connector: its model and its rules."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from pydantic import Field

from ..vocabulary import Transport
from .fields import Flag, Model, Text, Texts, Whole
from .findings import Finding, Path
from .names import ENV_NAME, matches
from .templates import SECRET_OPENING, reference_faults, secret_findings, strings


class ToolFilter(Model):
    """Names of tools, or globs, that a host may use."""

    include: Texts = ("*",)
    """Names or globs of the tools hosts may use; all unless given."""
    exclude: Texts = ()
    """Names or globs of tools hosts may not use."""


class Auth(Model):
    """How a host authenticates to a remote server; ``bearer_env_var`` names the variable that holds the token."""

    type: Literal["oauth", "bearerEnv", "none"]
    bearer_env_var: Text = ""


class Server(Model):
    """``env``, ``headers`` and the like may hold ``${env:VAR}`` and ``${env:VAR:-default}``.

    Once checked, ``env`` holds no secret references: entries that had one stand in ``secret_env``.
    Times are milliseconds: ``timeout_ms`` of one tool call, ``startup_timeout_ms`` of the start.
    """

    transport: Transport
    command: Text = ""
    """The program to start (stdio)."""
    args: Texts = ()
    """Its arguments (stdio)."""
    env: dict[Text, Text] = Field(default_factory=dict)
    """Environment of the server: ${env:VAR}, ${env:VAR:-default} and, for stdio, ${secret:NAME}."""
    secret_env: dict[Text, Text] = Field(default_factory=dict, exclude=True)
    cwd: Text = ""
    """The folder it is started in (stdio)."""
    url: Text = ""
    """Where it is reached (http, sse, ws)."""
    headers: dict[Text, Text] = Field(default_factory=dict)
    """Headers of every request (http, sse, ws)."""
    auth: Auth = Auth.model_construct(type="none")
    """How a host authenticates (http, sse, ws)."""
    tools: ToolFilter = ToolFilter.model_construct()
    """Which tools hosts may use."""
    timeout_ms: Annotated[Whole | None, Field(json_schema_extra={"minimum": 1})] = None
    """Milliseconds that one tool call may take."""
    startup_timeout_ms: Annotated[Whole | None, Field(json_schema_extra={"minimum": 1})] = None
    """Milliseconds that the start may take."""
    enabled: Flag = True
    """False: registered, but switched off where a host can say so."""
    wrap_for_telemetry: Flag = True
    """Start through ``serve``, which counts tokens per tool. Off for remote servers unless asked for."""


def server_findings(server: Server, at: Path) -> Iterator[Finding]:
    """Every rule of a server as an author wrote it (secrets still in ``env``)."""
    yield from _address_findings(server, at)
    yield from _env_findings(server, at)
    for name in ("timeout_ms", "startup_timeout_ms"):
        value = getattr(server, name)
        if value is not None and value <= 0:
            yield Finding((*at, name), "must be a positive number of milliseconds")
    token_variable = server.auth.bearer_env_var
    if (
        server.auth.type == "bearerEnv"
        and not matches(ENV_NAME, token_variable)
        and SECRET_OPENING not in token_variable
    ):
        yield Finding(
            (*at, "auth", "bearer_env_var"),
            "must name the environment variable that holds the token",
            "the variable's name, not the token",
        )
    # Not model_dump, for which pydantic would build a second schema of a server.
    outside_env: dict[str, Any] = {
        name: getattr(server, name) for name in ("command", "args", "cwd", "url", "headers")
    }
    outside_env.update(auth=dict(server.auth), tools=dict(server.tools))
    yield from secret_findings(outside_env, at)
    for path, reason in reference_faults(outside_env, at):
        yield Finding(path, reason)
    for path, text in strings({**outside_env, "env": server.env}, at):
        if "\0" in text:
            yield Finding(path, "must not hold a NUL character")


def _address_findings(server: Server, at: Path) -> Iterator[Finding]:
    if server.transport == "stdio":
        if not server.command.strip():
            yield Finding((*at, "command"), "is required for a stdio server", "the program that hosts shall start")
        return
    if not server.url.strip():
        yield Finding((*at, "url"), f"is required for a server with transport {server.transport}")


def _env_findings(server: Server, at: Path) -> Iterator[Finding]:
    for name, value in server.env.items():
        place = (*at, "env", name)
        for _, reason in reference_faults(value, ()):
            yield Finding(place, reason)
        if SECRET_OPENING not in value:
            if not name or "=" in name:
                yield Finding(place, "cannot be the name of an environment variable")
            continue
        if server.transport != "stdio":
            yield from secret_findings(value, place)
        elif not matches(ENV_NAME, name):
            yield Finding(place, "must be the name of an environment variable, as it gets a secret")


def settled(server: Server) -> Server:
    """The server with its defaults of second thought: secrets apart, wrapped only where that is possible."""
    secret = {name: value for name, value in server.env.items() if SECRET_OPENING in value}
    changes: dict[str, Any] = {
        "env": {name: value for name, value in server.env.items() if name not in secret},
        "secret_env": secret,
    }
    if "wrap_for_telemetry" not in server.model_fields_set:
        changes["wrap_for_telemetry"] = server.transport == "stdio"
    return server.model_copy(update=changes)

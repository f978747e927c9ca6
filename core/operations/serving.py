"""The process a connector's own server runs in, for a look at it without any host."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ..machine import Machine
from ..masking import mask
from ..references import EnvReference, secret_names, translate, value_in
from ..values import frozen
from .reports import CheckStatus

if TYPE_CHECKING:
    from ..authoring.models import Connector


@frozen
class ServerProcess:
    """``shown`` is the command as the definition has it: what its references stand for may be secret,
    and what looks like a secret is masked."""

    command: tuple[str, ...]
    shown: str
    env: Mapping[str, str]
    cwd: str | None


class ServingError(Exception):
    """The server cannot be started here; ``status`` says whether that is a fault."""

    def __init__(self, message: str, status: CheckStatus, fix: str = "") -> None:
        super().__init__(message)
        self.status = status
        self.fix = fix


def server_process(connector: Connector, machine: Machine) -> ServerProcess:
    """References are filled in from this machine's environment. Raises :class:`ServingError`."""
    server = connector.server
    if server is None:
        raise ServingError("has no MCP server", "pass")
    if server.transport != "stdio":
        raise ServingError(f"the server is remote ({server.transport}); only stdio servers are probed", "pass")
    missing = secret_names(server.secret_env.values())
    if missing:
        raise ServingError(f"needs the secret {', '.join(missing)}, which cannot be given yet", "warn")

    def fill(template: str) -> str:
        return translate(template, lambda reference: _value(reference, machine)) or ""

    env = {**machine.env, **{key: fill(value) for key, value in server.env.items()}}
    command = tuple(fill(word) for word in (server.command or "", *server.args))
    return ServerProcess(
        command, " ".join(mask([server.command, *server.args])), env, fill(server.cwd) if server.cwd else None
    )


def _value(reference: EnvReference, machine: Machine) -> str:
    value = value_in(reference, machine.env)
    if value is None:
        raise ServingError(
            f"${{env:{reference.name}}} is not set here and has no default", "warn", f"Set {reference.name}"
        )
    return value

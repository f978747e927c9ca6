"""A command line under an author's own name.

The command line itself lives outside of core, which must not know it: it is found by its entry point.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from pathlib import Path

from ..faces import COMMAND_LINE, face
from ..machine import Machine
from ..values import frozen
from .identity import Identity, connector_id, distribution_identity, find_identity
from .raw import Definition


@frozen
class Branding:
    """Whose command line it is. ``connector`` is a definition, or the file that holds one (loaded when needed)."""

    command: str
    connector: Definition | Path
    identity: Identity
    version: str


def branded_command_line(
    connector: Definition | str | os.PathLike[str], *, package: str, command: str, version: str
) -> Callable[[Iterable[str] | None], int]:
    """See :func:`agent_connector.create_connector_cli`."""
    where = connector if isinstance(connector, Definition) else Path(connector)
    identity = distribution_identity(package) if package else _identity_beside(where)
    branding = Branding(
        command=command or identity.command or connector_id(identity.name) or "agent-connector",
        connector=where,
        identity=identity,
        version=version or identity.version or "0.0.0",
    )

    def run(arguments: Iterable[str] | None = None) -> int:
        answer: Callable[[Branding, list[str] | None], int] = face(COMMAND_LINE)
        return answer(branding, None if arguments is None else list(arguments))

    return run


def _identity_beside(where: Definition | Path) -> Identity:
    source = where.source if isinstance(where, Definition) else str(where)
    return find_identity(Path(source).absolute().parent, home=Machine.current().home) if source else Identity()

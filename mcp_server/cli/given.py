"""What stood on a command line, as plain values; which connector that means, and the request it makes."""

from __future__ import annotations

import re
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from agent_connector.errors import UsageError
from agent_connector.operations.requests import ConnectorSource
from agent_connector.values import frozen
from agent_connector.vocabulary import Scope

if TYPE_CHECKING:
    from agent_connector.machine import Machine


@frozen
class Given:
    """Every option of every verb; a verb that lacks one leaves it as it is here."""

    reference: str = ""
    """The positional CONNECTOR: an id or a path."""
    connector: str = ""
    connector_id: str = ""
    targets: tuple[str, ...] = ()
    scope: Scope | Literal[""] = ""
    project: str = ""
    dry_run: bool = False
    as_json: bool = False
    force: bool = False
    trust: bool = False
    strict: bool = False
    purge: bool = False
    channel: Literal["stable", "latest"] = "stable"
    probe: bool = False
    heal: bool = False
    yes: bool = False
    remove: bool = False
    host: str = ""
    event: str = ""
    input: str = ""
    """``-`` for standard input, a file, or JSON."""
    surface: Literal["hooks", "statusline"] = "hooks"
    by: str = ""
    since: str = ""
    row_scope: str = ""
    """Of rows of telemetry."""
    format: str = "json"
    out: str = ""
    paths: bool = False
    endpoint: str = ""


R = TypeVar("R")


def filled(kind: type[R], given: Given, **more: Any) -> R:
    """A request of this kind with everything given that it has a field for; ``more``: what no option says."""
    asked: Any = kind
    names = {one.name for one in fields(asked)} & {one.name for one in fields(Given)}
    return kind(**{**{name: getattr(given, name) for name in names}, **more})


_ID = re.compile(r"[a-z0-9][a-z0-9-]*")


def source(given: Given, machine: Machine, scoped_to: ConnectorSource | None = None) -> ConnectorSource:
    """The connector that is meant: what was said, else the one a branded command line is scoped to.

    Raises :class:`UsageError` when two different connectors were named.
    """
    path, connector_id = given.connector, given.connector_id
    if given.reference and _is_id(given.reference, machine):
        connector_id = _one(connector_id, given.reference)
    elif given.reference:
        path = _one(path, given.reference)
    if path or connector_id:
        return ConnectorSource(id=connector_id, path=path)
    return scoped_to or ConnectorSource()


def _one(option: str, reference: str) -> str:
    if option and option != reference:
        raise UsageError(
            f"two connectors were named: {option} and {reference}", hint="name one, or run the command once for each"
        )
    return reference


def _is_id(reference: str, machine: Machine) -> bool:
    """An installed connector's id wins over a folder of the same name (``./name`` is always the folder)."""
    if not _ID.fullmatch(reference):
        return False
    installed = Path(machine.data_root) / "connectors" / reference
    try:
        return installed.is_dir() or not Path(machine.path(reference)).exists()
    except OSError:  # longer than any file name can be
        return True

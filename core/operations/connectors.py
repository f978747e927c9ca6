"""Which connector an operation is about, and its checked definition."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..runtime.records import list_records, read_record
from ..values import frozen
from .context import Context
from .requests import ConnectorSource

if TYPE_CHECKING:
    from ..authoring.api import Definition
    from ..authoring.identity import Identity
    from ..authoring.models import Connector


@frozen
class Loaded:
    """``source``: the definition's file (it may be gone when all we have is an install's record); empty for one given
    in place."""

    connector: Connector
    source: str


def load_connector(source: ConnectorSource, context: Context, project: PurePath) -> Loaded:
    """The connector that ``source`` names. A ``.py`` definition runs its code; whoever may not must ask before.

    An id wins over a path, a path over the definition found by walking up from ``project``, and that over the only
    installed connector. Raises :class:`UsageError` if there is none, :class:`ConnectorConfigError` with every broken
    rule if the definition is wrong.
    """
    if source.inline is not None:
        return Loaded(_checked(_definition(source.inline), context), "")
    if source.id:
        return _installed(source.id, context)
    path = context.definition_file(source.path) if source.path else _found(project)
    if path is None:
        only = [known for known in list_records(context.data_root) if known != "agent-connector"]
        if len(only) == 1:
            return _installed(only[0], context)
        raise UsageError(
            f"no connector: no agent-connector.config.* in {project} or above it, and {_installed_text(only)}",
            hint="Name a definition with --connector PATH or an installed connector with --connector-id ID.",
        )
    from ..authoring.loading import load_definition

    definition = load_definition(path)  # in the nearest file of it, where it is a folder
    return Loaded(_checked(definition, context, source.identity), definition.source or str(path))


def connector_id(source: ConnectorSource, context: Context, project: PurePath) -> str:
    """Just the id: for operations that need no definition, and so work when its package is gone."""
    if source.id:
        return source.id
    return load_connector(source, context, project).connector.id


def _installed_text(only: list[str]) -> str:
    return f"several are installed ({', '.join(only)})" if only else "none is installed"


def _found(project: PurePath) -> Path | None:
    from ..authoring.loading import find_definition

    return find_definition(Path(project))


def _definition(raw: Any) -> Definition:
    from ..authoring.api import Definition

    return Definition(dict(raw))


def _checked(definition: Definition, context: Context, identity: Identity | None = None) -> Connector:
    return definition.resolve(identity=identity, known_hosts=context.catalogue.ids())


def _installed(connector: str, context: Context) -> Loaded:
    """The definition an installed connector came from while that is there, else its record."""
    record = stored_record(connector, context)
    if record is None:
        known = list_records(context.data_root)
        raise UsageError(
            f"no connector {connector!r} is installed here", hint=nearest(connector, known, "Installed are")
        )
    source = record_source(record)
    if source and Path(source).is_file():
        from ..authoring.loading import load_definition

        definition = load_definition(Path(source))
        identity = None if definition.raw.get("id") else _known_as(connector, record, Path(source), context)
        return Loaded(_checked(definition, context, identity), source)
    return Loaded(_from_record(record), source)


def recorded_connector(connector: str, context: Context) -> Connector:
    """An installed connector as it was installed, without loading its definition. Raises :class:`UsageError` if it is
    not installed, :class:`ConnectorConfigError` for a record that cannot be understood."""
    record = stored_record(connector, context)
    if record is None:
        raise UsageError(f"no connector {connector!r} is installed here")
    return _from_record(record)


def _from_record(record: Mapping[str, Any]) -> Connector:
    from ..authoring.records import from_record

    return from_record(record["connector"], source=record_source(record))


def _known_as(connector: str, record: Mapping[str, Any], source: Path, context: Context) -> Identity:
    """Who the package around ``source`` is, if that is the one that was installed. An installed distribution's files
    have no metadata around them, or somebody else's (an environment inside a project)."""
    from ..authoring.identity import Identity, connector_id, find_identity

    found = find_identity(source.parent, home=context.machine.home)
    if connector_id(found.name or found.mcp_name) == connector:
        return found
    return Identity(name=connector, version=registered_version(record))


def record_source(record: Mapping[str, Any]) -> str:
    """The file an installed connector's definition was read from, or ``""``."""
    return str(record.get("source", ""))


def registered_version(record: Mapping[str, Any]) -> str:
    """The version an installed connector had when it was installed."""
    definition = record.get("connector")
    return str(definition.get("version", "")) if isinstance(definition, dict) else ""


def stored_record(connector: str, context: Context) -> dict[str, Any] | None:
    try:
        return read_record(context.data_root, connector)
    except ValueError as error:
        raise UsageError(str(error), hint="Ids are kebab-case; a damaged record is remade by `install`.") from error


def nearest(name: str, known: tuple[str, ...], intro: str) -> str:
    """A hint with the names closest to what was typed."""
    import difflib

    close = difflib.get_close_matches(name, known, n=3, cutoff=0.5) or list(known)
    return f"{intro}: {', '.join(close)}." if close else "Nothing is installed yet."

"""Whether the modules of a connector, in hosts that run hooks inside themselves, are what would be written now."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path, PurePath

from ..changes.files import DiskFiles
from ..changes.model import OwnedRow
from ..changes.standing import stands
from ..errors import AgentConnectorError
from ..surfaces.plugins import about_in, desired_plugin
from ..surfaces.target import Target
from .connectors import recorded_connector
from .context import Context
from .hook_registrations import HOOK_SURFACES
from .reports import Check


def plugin_checks(connector: str, rows: Iterable[OwnedRow], context: Context) -> Iterator[Check]:
    """One warning for each that is not. Of files that are as they were written: what became of the others is told
    with everything that vanished or was changed."""
    files = DiskFiles()
    for row in rows:
        if row.connector == connector and row.surface in HOOK_SURFACES and row.kind == "file":
            try:
                data = files.read(PurePath(row.path))
                wanted = _wanted(row, context)
            except AgentConnectorError:
                continue  # its record, or the file, is told to be unreadable
            if data is not None and stands(row, data) and data.decode("utf-8", "surrogateescape") != wanted:
                yield _stale(row, data, wanted)


def _stale(row: OwnedRow, data: bytes, wanted: str) -> Check:
    there, now = about_in(data.decode("utf-8", "surrogateescape")), about_in(wanted)
    said = f" (version {there['version']}, digest {there['digest']})" if {"version", "digest"} <= there.keys() else ""
    would = f"version {now['version']}, digest {now['digest']}" if now else "another one"
    text = f"{Path(row.path).name} in {row.path} is stale{said}: {would} would be written now"
    fix = f"agent-connector upgrade {row.connector}, then start the host again"
    return Check(row.host, f"{row.connector} hook module", "warn", text, fix, healable=True)


def _wanted(row: OwnedRow, context: Context) -> str:
    """What would stand in the file; nothing where it would not be there. Raises :class:`AgentConnectorError`."""
    host = context.catalogue.get(row.host)
    if host.hooks is None or host.hooks.plugin is None:
        return ""
    definition = recorded_connector(row.connector, context)
    project = context.project(row.project)
    target = Target(definition, host, row.scope, context.machine, project, DiskFiles())
    texts = {str(want.path): str(want.value) for want in desired_plugin(target).wanted if want.kind == "file"}
    return texts.get(row.path, "")

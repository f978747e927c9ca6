"""What is installed where, and whether it still stands there. Reading only; it describes and never judges."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePath

from ..changes.files import DiskFiles
from ..changes.ledger import Ledger
from ..changes.model import OwnedRow
from ..changes.workfile import Workfile, content_digest
from ..detection import presence
from ..documents.base import MISSING
from ..errors import AgentConnectorError
from ..host import Files
from ..masking import matches
from .context import Context
from .reports import HostStatus, StatusReport, SurfaceState
from .requests import StatusRequest


def status(request: StatusRequest, context: Context) -> StatusReport:
    """Raises :class:`UsageError` for an unknown host only."""
    from ..runtime.health import check_runtime

    machine = context.machine
    project = machine.path(request.project) if request.project else machine.cwd
    hosts = [context.catalogue.get(host_id) for host_id in request.targets or context.catalogue.ids()]
    with Ledger.open(context.data_root, create=False) as ledger:
        rows = [row for row in ledger.rows(connector=request.source.id or None) if _asked(row, request, context)]
    files = DiskFiles()
    reports = []
    for host in hosts:
        here = presence(host, machine, project)
        states = surface_states([row for row in rows if row.host == host.id], files)
        if here.installed or states or request.targets:
            reports.append(HostStatus(host.id, host.name, here.installed, states))
    health = check_runtime(Path(context.data_root), run=False)
    return StatusReport(
        hosts=tuple(reports),
        launcher=str(health.launcher),
        runtime_version=health.version,
        problems=health.problems if rows else (),
    )


def _asked(row: OwnedRow, request: StatusRequest, context: Context) -> bool:
    if request.scope and row.scope != request.scope:
        return False
    return not (request.project and row.project) or row.project == str(context.machine.path(request.project))


def surface_states(rows: Iterable[OwnedRow], files: Files) -> tuple[SurfaceState, ...]:
    """One state per (connector, surface, file, scope): the worst of its parts."""
    grouped: dict[tuple[str, str, str, str, str], list[OwnedRow]] = {}
    for row in rows:
        if row.kind != "scaffold":
            key = (row.connector, row.surface, row.path, row.scope, row.project)
            grouped.setdefault(key, []).append(row)
    return tuple(_state(key, group, files) for key, group in sorted(grouped.items()))


def _state(key: tuple[str, str, str, str, str], rows: list[OwnedRow], files: Files) -> SurfaceState:
    connector, surface, path, scope, project = key
    try:
        verdicts = [row_state(row, files) for row in rows]
    except AgentConnectorError as error:
        return SurfaceState(connector, surface, "absent", path, scope, project, error.message)
    for state in ("vanished", "changed"):
        affected = [row for row, verdict in zip(rows, verdicts, strict=True) if verdict == state]
        if affected:
            detail = ", ".join(dict.fromkeys(".".join(row.place) or PurePath(row.path).name for row in affected))
            return SurfaceState(connector, surface, state, path, scope, project, detail)
    return SurfaceState(connector, surface, "present", path, scope, project)


def row_state(row: OwnedRow, files: Files) -> str:
    """``present``, ``changed`` by somebody, or ``vanished`` since it was installed.

    Raises :class:`AgentConnectorError` for a file that cannot be read or parsed.
    """
    file = Workfile.read(PurePath(row.path), row.format, files, (), {})
    current = file.get(row.kind, row.place)
    if row.kind == "item":
        found = isinstance(current, list) and any(matches(row.value, item) for item in current)
        return "present" if found else "vanished"
    if current is MISSING:
        return "vanished"
    if row.kind == "block":
        return "changed" if file.block_edited(row.place) else "present"
    if row.kind == "file":
        return "present" if row.value == content_digest(current) else "changed"
    return "present" if matches(row.value, current) else "changed"

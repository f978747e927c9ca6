"""What is installed where, and whether it still stands there. Reading only; it describes and never judges."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path, PurePath

from ..changes.files import DiskFiles
from ..changes.ledger import Ledger
from ..changes.model import OwnedRow
from ..changes.standing import Standing, standing
from ..changes.workfile import naming
from ..detection import presence
from ..documents.elements import spelled
from ..errors import AgentConnectorError, LedgerError
from ..host import Files
from .connectors import connector_id
from .context import Context
from .hook_history import hook_history
from .hook_registrations import hook_states
from .plugin_checks import plugin_checks
from .reports import HostStatus, StatusReport, SurfaceState, SurfaceStateName
from .requests import ConnectorSource, StatusRequest

_STATES: Mapping[Standing, SurfaceStateName] = {"ours": "present", "changed": "changed", "gone": "vanished"}


def status(request: StatusRequest, context: Context) -> StatusReport:
    """Raises :class:`UsageError` for an unknown host, or a connector that cannot be told."""
    from ..runtime.health import check_runtime

    machine = context.machine
    project = context.project(request.project)
    hosts = [context.catalogue.get(host_id) for host_id in request.targets or context.catalogue.ids()]
    asked_for = request.source != ConnectorSource()
    connector = connector_id(request.source, context, project) if asked_for else None
    rows, unreadable = _rows(connector, request, context)
    files = DiskFiles()
    reports = []
    problems = list(unreadable)
    history = hook_history(context.data_root)
    for host in hosts:
        here = presence(host, machine, project)
        own = [row for row in rows if row.host == host.id]
        states = surface_states(own, files)
        hooks, untold = hook_states(host, own, history, context)
        problems += [problem for problem in untold if problem not in problems]
        for name in dict.fromkeys(row.connector for row in own):
            problems += [f"{host.name}: {check.message}" for check in plugin_checks(name, own, context)]
        if here.installed or states or request.targets:
            reports.append(HostStatus(host.id, host.name, here.installed, states, hooks))
    health = check_runtime(Path(context.data_root), run=False)
    return StatusReport(
        hosts=tuple(reports),
        launcher=str(health.launcher),
        runtime_version=health.version,
        problems=(*problems, *(health.problems if rows else ())),
    )


def _rows(connector: str | None, request: StatusRequest, context: Context) -> tuple[list[OwnedRow], tuple[str, ...]]:
    """What is asked about, and why nothing can be said where the ledger cannot be read: status never fails."""
    try:
        with Ledger.open(context.data_root, create=False) as ledger:
            return [row for row in ledger.rows(connector=connector) if _asked(row, request, context)], ()
    except LedgerError as error:
        return [], (f"{error.message} ({error.hint})" if error.hint else error.message,)


def _asked(row: OwnedRow, request: StatusRequest, context: Context) -> bool:
    if request.scope and row.scope != request.scope:
        return False
    return not (request.project and row.project) or row.project == str(context.project(request.project))


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
        return SurfaceState(connector, surface, "unreadable", path, scope, project, error.message)
    bad: tuple[SurfaceStateName, ...] = ("vanished", "changed")
    for state in bad:
        affected = [row for row, verdict in zip(rows, verdicts, strict=True) if verdict == state]
        if affected:
            names = (spelled(row.place) if row.place else PurePath(row.path).name for row in affected)
            detail = ", ".join(dict.fromkeys(names))
            return SurfaceState(connector, surface, state, path, scope, project, detail)
    return SurfaceState(connector, surface, "present", path, scope, project)


def row_state(row: OwnedRow, files: Files) -> SurfaceStateName:
    """Raises :class:`AgentConnectorError` for a file that cannot be read or parsed."""
    with naming(PurePath(row.path)):
        return _STATES[standing(row, files.read(PurePath(row.path)))]

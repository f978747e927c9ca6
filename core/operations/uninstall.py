"""Take a connector out of hosts again. The ledger suffices: neither the definition nor its package is needed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePath

from ..changes.files import DiskFiles
from ..changes.host_step import Owner
from ..changes.ledger import Ledger
from ..changes.model import Change, OwnedRow, Wanted
from ..changes.reconcile import Reconciler
from ..changes.workfile import content_digest
from ..detection import presence
from ..documents.block import blocks
from ..errors import AgentConnectorError, UsageError
from ..host import Host
from ..surfaces.all import desired
from ..surfaces.recognise import rows_by_shape
from ..surfaces.target import Target
from ..surfaces.trust import left_behind
from ..vocabulary import USER_WIDE, Scope
from .connectors import connector_id, load_connector, nearest
from .context import Context
from .engine import Job, Planned, carry_out
from .install import note_registrations
from .reports import ChangeReport
from .requests import UninstallRequest
from .trusting import keep_trust_of_others, trusted_hooks

SCOPES: tuple[Scope, ...] = ("user", "local", "project")


def uninstall(request: UninstallRequest, context: Context) -> ChangeReport:
    """Raises :class:`UsageError` for unknown hosts or when no connector can be told, :class:`PlanChangedError`."""
    project = context.project(request.project)
    connector = connector_id(request.source, context, project)
    hosts = {context.catalogue.get(name).id for name in request.targets}

    def make_plan(ledger: Ledger) -> Planned:
        return _plan(connector, hosts, request, ledger, context)

    def complete(ledger: Ledger, failed: frozenset[str]) -> None:
        left = {(row.host, row.scope, row.project) for row in ledger.rows(connector=connector)}
        for install in ledger.installs():
            if install.connector != connector or install.host in failed or (hosts and install.host not in hosts):
                continue
            if (install.host, install.scope, install.project) not in left:
                ledger.drop_install(connector, install.host, install.scope, install.project, install.roots)
                ledger.remember_removal(connector, install.host)
        note_registrations(connector, ledger, context)
        if request.purge:
            purge(connector, ledger, context)

    job = Job(
        "uninstall",
        make_plan,
        lambda: (),
        complete,
        dry_run=request.dry_run,
        strict=request.strict,
        plan_id=request.plan_id,
    )
    return carry_out(job, context)


def _plan(connector: str, hosts: set[str], request: UninstallRequest, ledger: Ledger, context: Context) -> Planned:
    reconciler = Reconciler(DiskFiles(), ledger)
    rows = [row for row in ledger.rows(connector=connector) if _asked(row, hosts, request, context)]
    if not rows:
        rows = _unrecorded(connector, hosts, ledger.rows(connector=connector), request, context, reconciler)
    rows += _left_over_blocks(connector, rows, ledger.rows(connector=connector))
    groups: dict[tuple[str, Scope, str], list[OwnedRow]] = {}
    for row in rows:
        groups.setdefault((row.host, row.scope, row.project), []).append(row)
    for (host, scope, project), owned in groups.items():
        try:
            leaving = [*owned, *_trust_keys(host, owned, project, ledger, reconciler, context)]
        except AgentConnectorError as error:
            reconciler.refuse(host, error)
            continue
        reconciler.host(Owner(connector, scope, project), host, (), leaving)
        if host in context.catalogue.ids():
            keep_trust_of_others(connector, context.catalogue.get(host), context.machine.os, reconciler, ledger)
    if not groups:
        _refuse_unknown(connector, ledger, context)
        text = f"nothing of {connector} is installed" + (f" in {', '.join(sorted(hosts))}" if hosts else "")
        reconciler.changes.append(Change("", "connector", "info", text))
    done = tuple(dict.fromkeys(host for host, _, _ in groups))
    return Planned(connector, reconciler.plan(), done_hosts=done)


def _left_over_blocks(connector: str, rows: Iterable[OwnedRow], known: tuple[OwnedRow, ...]) -> list[OwnedRow]:
    """Further blocks under the connector's name beside those of ``rows``: of an older version, or a copy."""
    found: list[OwnedRow] = []
    for row in {row.path: row for row in rows if row.kind == "block"}.values():
        for block in blocks(DiskFiles().read(PurePath(row.path)) or b""):
            if block.id.startswith(f"{connector}/"):
                one = replace(row, place=(block.id,), value=content_digest(block.content))
                found += [one] if not any(one.same_thing(other) for other in (*known, *rows, *found)) else []
    return found


def _trust_keys(
    host_id: str, owned: list[OwnedRow], project: str, ledger: Ledger, reconciler: Reconciler, context: Context
) -> list[OwnedRow]:
    """What a host keeps of a person's trust in our hooks goes with them; what that means for others is told."""
    if host_id not in context.catalogue.ids():
        return []
    host = context.catalogue.get(host_id)
    kept = trusted_hooks(owned[0].connector, host_id, ledger)
    rows: list[OwnedRow] = []
    roots = [dict(install.roots) for install in ledger.installs(owned[0].connector, host_id)] or [{}]
    for overlay in {str(root): root for root in roots}.values():
        machine = context.machine.with_env(overlay)
        where = PurePath(project or machine.cwd)
        found, notes = left_behind(host, owned, machine, where, DiskFiles(), kept)
        known = [*rows, *(row for row in owned if row.surface == "trust")]
        rows += [row for row in found if not any(_same_by_value(row, other) for other in known)]
        reconciler.changes += [Change(host_id, "hooks", note.level, note.text, fix=note.fix) for note in notes]
    return rows


def _same_by_value(row: OwnedRow, other: OwnedRow) -> bool:
    return row.same_thing(other) and row.value == other.value


def _refuse_unknown(connector: str, ledger: Ledger, context: Context) -> None:
    """A mistyped id is not a success. Raises :class:`UsageError` for one that was never installed here."""
    from ..runtime.records import list_records

    installed = {install.connector for install in ledger.installs()} | set(list_records(context.data_root))
    if connector not in installed | ledger.removed_connectors():
        hint = nearest(connector, tuple(sorted(installed)), "Installed are")
        raise UsageError(f"no connector {connector!r} is installed here", hint=hint)


def _asked(row: OwnedRow, hosts: set[str], request: UninstallRequest, context: Context) -> bool:
    if (hosts and row.host not in hosts) or (request.scope and row.scope != request.scope):
        return False
    return not (request.project and row.project) or row.project == str(context.project(request.project))


def _unrecorded(
    connector: str,
    hosts: set[str],
    known: Iterable[OwnedRow],
    request: UninstallRequest,
    context: Context,
    reconciler: Reconciler,
) -> list[OwnedRow]:
    """Entries of the connector in places the ledger knows nothing of (a teammate's commit, a restored home).

    ``known`` are all rows of the connector: run in the home folder, a host's project and user files are the same.
    """
    project = context.project(request.project)
    found: list[OwnedRow] = []
    for host in _hosts(hosts, context, project):
        for scope in SCOPES:
            if request.scope and scope != request.scope:
                continue
            try:
                wanted = _would_install(request, host, scope, project, context)
                rows = rows_by_shape(connector, host, scope, context.machine, project, DiskFiles(), wanted)
            except AgentConnectorError as error:
                if host.id in hosts:
                    reconciler.refuse(host.id, error)
                continue
            found += [row for row in rows if not any(row.same_thing(other) for other in (*known, *found))]
    return found


def _hosts(named: set[str], context: Context, project: PurePath) -> list[Host]:
    hosts = [context.catalogue.get(host_id) for host_id in context.catalogue.ids()]
    if named:
        return [host for host in hosts if host.id in named]
    return [host for host in hosts if presence(host, context.machine, project).confidence != "none"]


def _would_install(
    request: UninstallRequest, host: Host, scope: Scope, project: PurePath, context: Context
) -> tuple[Wanted, ...]:
    """What the definition would put there, if there is a definition that can be had without running code."""
    source = request.source
    if scope in USER_WIDE or source.id or source.path.endswith(".py") or not (source.path or source.inline):
        return ()
    connector = load_connector(source, context, project).connector
    return desired(Target(connector, host, scope, context.machine, project, DiskFiles())).wanted


def purge(connector: str, ledger: Ledger, context: Context) -> None:
    """Forget the connector, and with the last one the launcher and its runtime."""
    from ..runtime.records import drop_record, list_records
    from .launcher import remove_launcher

    if any(row.connector == connector for row in ledger.rows()):
        return  # something of it is still installed elsewhere; its record is needed there
    drop_record(context.data_root, connector)
    if not list_records(context.data_root) and not ledger.rows():
        remove_launcher(context)

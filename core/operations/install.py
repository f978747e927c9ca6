"""Install a connector into hosts: desired state, compared with what is there, planned, and applied."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from ..changes.files import DiskFiles
from ..changes.host_step import Owner
from ..changes.ledger import Install, Ledger
from ..changes.model import Change, OwnedRow, Wanted
from ..changes.reconcile import Reconciler
from ..errors import AgentConnectorError, FileError, UsageError
from ..surfaces.all import desired
from ..surfaces.target import Desired, Target
from .connectors import Loaded, load_connector, record_source, stored_record
from .context import Context
from .engine import Job, Planned, carry_out
from .reports import ChangeReport
from .requests import InstallRequest
from .targets import HostTarget, install_targets
from .trusting import plan_trust

if TYPE_CHECKING:
    from ..authoring.models import Connector


def install(request: InstallRequest, context: Context) -> ChangeReport:
    """Raises :class:`UsageError`, :class:`ConnectorConfigError`, :class:`PlanChangedError`, :class:`LedgerError`."""
    project = context.project(request.project)
    loaded = load_connector(request.source, context, project)
    targets = install_targets(loaded.connector, request.targets, request.scope, project, context)
    return bring_about("install", loaded, targets, request, context)


def bring_about(
    operation: str, loaded: Loaded, targets: list[HostTarget], request: Any, context: Context
) -> ChangeReport:
    """Make the files of ``targets`` hold what the definition wants, and nothing of ours that it does not want."""
    connector = loaded.connector

    def make_plan(ledger: Ledger) -> Planned:
        return plan_install(
            connector, loaded.source, targets, ledger, context, force=request.force, trust=request.trust
        )

    def prepare() -> tuple[Change, ...]:
        from ..runtime.serve_record import write_serve_record
        from .launcher import ensure_launcher

        changes = ensure_launcher(context)
        write_connector_record(loaded, context)
        write_serve_record(connector, context.catalogue, context.data_root)
        return (*changes, *_write_hook_record(connector, context), *_write_code_records(connector, context))

    def complete(ledger: Ledger, failed: frozenset[str]) -> None:
        for target in targets:
            # A host where something could not be done may hold the rest: upgrade and uninstall must know of it.
            if target.host.id not in failed or owned_rows(ledger, connector.id, target):
                ledger.put_install(_install_row(connector, loaded.source, target, context))
        note_registrations(connector.id, ledger, context)

    job = Job(
        operation,
        make_plan,
        prepare,
        complete,
        dry_run=request.dry_run,
        strict=request.strict,
        plan_id=request.plan_id,
    )
    return carry_out(job, context)


def plan_install(
    connector: Connector,
    source: str,
    targets: Iterable[HostTarget],
    ledger: Ledger,
    context: Context,
    *,
    force: bool,
    trust: bool = False,
) -> Planned:
    targets = list(targets)
    reconciler = Reconciler(DiskFiles(), ledger, force=force)
    reconciler.changes.extend(_told_first(connector, source, targets, context))
    hosts_with_it = {target.host.id for target in targets} | {
        install.host for install in ledger.installs() if install.connector == connector.id
    }
    commands: list[str] = []
    next_steps: list[str] = []
    for done, target in enumerate(targets):
        context.progress(done, len(targets), f"planning {target.host.name}")
        wish = Target(connector, target.host, target.scope, target.machine, target.project, DiskFiles(), trust)
        try:
            want = without_doubles(desired(wish), target, hosts_with_it)
        except AgentConnectorError as error:
            reconciler.refuse(target.host.id, error)
            continue
        reconciler.changes.extend(want.changes)
        reconciler.failed.update(change.host for change in want.changes if change.blocking)
        owner = Owner(connector.id, target.scope, target.project_key)
        owned = owned_rows(ledger, connector.id, target)
        reconciler.host(owner, target.host.id, want.wanted, [row for row in owned if row.surface != "trust"])
        trusted = [row for row in owned if row.surface == "trust"]
        commands += plan_trust(wish, want.wanted, owner, trusted, reconciler, ledger)
        commands += want.commands
        next_steps += want.next_steps
    context.progress(len(targets), len(targets), "planned")
    return Planned(
        connector.id,
        reconciler.plan(),
        tuple(dict.fromkeys(commands)),
        tuple(dict.fromkeys(next_steps)),
        tuple(target.host.id for target in targets),
    )


def owned_rows(ledger: Ledger, connector: str, target: HostTarget) -> list[OwnedRow]:
    """What the ledger says is ours in this host, at this scope and install root."""
    rows = ledger.rows(connector=connector, host=target.host.id, scope=target.scope, project=target.project_key)
    roots = {
        value for install in ledger.installs() if install.host == target.host.id for value in install.roots.values()
    } | set(target.roots.values())
    return [row for row in rows if target.holds(row.path, roots)]


def without_doubles(want: Desired, target: HostTarget, hosts_with_it: set[str]) -> Desired:
    """Leave out what this host reads from another host's files, where the same connector is installed.

    Hooks are kept: the hook process knows who called and lets only one copy answer, and a host may have reading the
    other's hooks switched off.
    """
    kept: list[Wanted] = list(want.wanted)
    changes = list(want.changes)
    for also in target.host.also_reads:
        if also.host not in hosts_with_it or (also.scopes and target.scope not in also.scopes):
            continue
        for surface in sorted(also.surfaces - {"hooks", "nativeHooks"}):
            if any(wanted.surface == surface for wanted in kept):
                kept = [wanted for wanted in kept if wanted.surface != surface]
                unless = f" (unless {also.unless})" if also.unless else ""
                text = f"{target.host.name} reads {surface} of {also.host} too{unless}: one copy is enough"
                changes.append(Change(target.host.id, surface, "skip", text, fix=f"--targets {target.host.id} alone"))
    return Desired(tuple(kept), tuple(changes), want.commands, want.next_steps)


def _told_first(connector: Connector, source: str, targets: list[HostTarget], context: Context) -> Iterable[Change]:
    if not targets:
        named = ", ".join(connector.targets) if connector.targets != "auto" else ", ".join(context.catalogue.ids())
        yield Change(
            "",
            "host",
            "info",
            f"no host found on this machine (looked for {named})",
            fix="--targets NAME installs into a host that is not detected",
        )
    record = _record_of_before(connector, context)
    before = record_source(record) if record else ""
    if before and source and before != source:
        yield Change(
            "",
            "connector",
            "warn",
            f"{connector.id} was installed from {before} before; this install is from {source}",
            fix="If these are two connectors, give one of them another id",
        )


def write_connector_record(loaded: Loaded, context: Context) -> None:
    """What upgrade, doctor and the processes that hosts start need to know when the definition's file is gone."""
    from ..authoring.records import to_record
    from ..runtime.records import write_record

    record = {
        "framework_version": context.version,
        "source": loaded.source,
        "connector": to_record(loaded.connector),
    }
    if record == _record_of_before(loaded.connector, context):
        return
    try:
        write_record(context.data_root, loaded.connector.id, record)
    except OSError as error:
        where = error.filename2 or error.filename
        raise FileError(
            f"the record of {loaded.connector.id} cannot be written: {error.strerror}: {where}",
            hint="Move what is in its place away; no host's file was touched.",
        ) from error


def _write_hook_record(connector: Connector, context: Context) -> Iterable[Change]:
    from ..runtime.hook_record import write_hook_record

    problems = write_hook_record(connector, context.catalogue, version=context.version, data_root=context.data_root)
    return [Change("", "hooks", "warn", problem, fix="Mend that and install again") for problem in problems]


def _write_code_records(connector: Connector, context: Context) -> Iterable[Change]:
    """What the statusline and the action processes work by."""
    from ..runtime.code_records import write_code_records

    problems = write_code_records(connector, context.catalogue, version=context.version, data_root=context.data_root)
    return [Change("", surface, "warn", problem, fix="Mend that and install again") for surface, problem in problems]


def note_registrations(connector: str, ledger: Ledger, context: Context) -> None:
    """Let the processes that hosts start know in which hosts a registration of the connector's own answers."""
    from ..runtime.code_records import empty_code_records
    from ..runtime.hook_record import update_registrations

    gone = not any(install.connector == connector for install in ledger.installs())
    update_registrations(context.data_root, connector, ledger.rows(connector=connector), gone=gone)
    if gone:
        empty_code_records(context.data_root, connector)


def _record_of_before(connector: Connector, context: Context) -> dict[str, Any] | None:
    """A damaged record says nothing: installing makes it anew."""
    try:
        return stored_record(connector.id, context)
    except UsageError:
        return None


def _install_row(connector: Connector, source: str, target: HostTarget, context: Context) -> Install:
    return Install(
        connector=connector.id,
        host=target.host.id,
        scope=target.scope,
        project=target.project_key,
        version=connector.version,
        framework_version=context.version,
        source=source,
        roots=dict(target.roots),
        installed_at=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
    )

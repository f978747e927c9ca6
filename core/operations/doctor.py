"""What is wrong, where, and what to do: launcher and runtime first, then records, hosts, and, asked for, a live
handshake. ``heal`` mends what is ours; what a user changed is never overwritten."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ..changes.files import DiskFiles
from ..changes.ledger import Ledger, set_aside
from ..changes.model import OwnedRow
from ..detection import presence, which
from ..documents.elements import spelled
from ..errors import AgentConnectorError, ConnectorConfigError, DamagedLedgerError, LedgerError
from .code_checks import code_checks
from .connectors import connector_id, record_source, registered_version, stored_record
from .context import Context
from .hook_checks import hook_checks
from .hook_history import hook_history
from .launcher import ensure_launcher
from .plugin_checks import plugin_checks
from .reports import Check, DoctorReport
from .requests import ConnectorSource, DoctorRequest, UpgradeRequest
from .shortfalls import shortfalls
from .status import row_state
from .upgrade import upgrade

ITSELF = "agent-connector"


def doctor(request: DoctorRequest, context: Context) -> DoctorReport:
    """Raises :class:`UsageError` for unknown hosts or a connector that cannot be told."""
    before = diagnose(request, context)
    if not request.heal:
        return DoctorReport(tuple(before))
    healable = [check for check in before if check.healable]
    deferred = tuple(_title(check) for check in before if check.status != "pass" and not check.healable)
    if request.dry_run:
        would = tuple(f"would heal {_title(check)}" for check in healable)
        return DoctorReport(tuple(before), healed=would, deferred=deferred)
    trouble = _heal(healable, request, context)
    after = diagnose(request, context)
    failing = {_title(check) for check in after if check.status != "pass"}
    return DoctorReport(
        (*after, *trouble),
        healed=tuple(_title(check) for check in healable if _title(check) not in failing),
        still_failing=tuple(_title(check) for check in healable if _title(check) in failing),
        deferred=deferred,
    )


def _title(check: Check) -> str:
    return f"{check.subject}: {check.name}"


def diagnose(request: DoctorRequest, context: Context) -> list[Check]:
    checks = list(_runtime_checks(context))
    try:
        checks += _ledger_checks(request, context)
    except LedgerError as error:
        healable = isinstance(error, DamagedLedgerError)
        checks.append(Check(ITSELF, "ledger", "fail", error.message, error.hint, healable=healable))
    return checks


def _ledger_checks(request: DoctorRequest, context: Context) -> list[Check]:
    """Of everything that is installed. Raises :class:`LedgerError` where nobody can know what that is."""
    checks: list[Check] = []
    hosts = {context.catalogue.get(name).id for name in request.targets}
    with Ledger.open(context.data_root, create=False) as ledger:
        rows = [
            row
            for row in ledger.rows(scope=request.scope or None)
            if (not hosts or row.host in hosts) and row.kind != "scaffold"
        ]
        connectors = _connectors(request, context, ledger)
        history = hook_history(context.data_root)
        for done, connector in enumerate(connectors):
            context.progress(done, len(connectors), f"looking at {connector}")
            checks += _record_checks(connector, context)
            checks += code_checks(connector, context)
            checks += _row_checks([row for row in rows if row.connector == connector], context)
            hooks = list(hook_checks(connector, request, ledger, history, context))
            told = {(check.subject, check.message) for check in hooks}
            checks += hooks
            checks += plugin_checks(connector, rows, context)
            checks += [
                check
                for check in shortfalls(connector, request, ledger, context)
                if (check.subject, check.message) not in told
            ]
            checks += _server_checks(connector, context)
            if request.probe:
                checks += _probe_checks(connector, context)
    if not connectors:
        checks.append(Check(ITSELF, "connectors", "pass", "no connector is installed"))
    return checks


def _connectors(request: DoctorRequest, context: Context, ledger: Ledger) -> list[str]:
    if request.source != ConnectorSource():
        return [connector_id(request.source, context, context.project(request.project))]
    return sorted({install.connector for install in ledger.installs()} | {row.connector for row in ledger.rows()})


def _runtime_checks(context: Context) -> Iterable[Check]:
    from ..runtime.health import check_runtime

    if not Path(context.data_root).exists():
        yield Check(ITSELF, "data root", "pass", f"{context.data_root} is not there yet: nothing is installed")
        return
    health = check_runtime(context.data_root)
    for problem in health.problems:
        yield Check(ITSELF, "launcher", "fail", problem, "agent-connector doctor --heal", healable=True)
    if not health.problems:
        text = f"{health.launcher} runs {health.version} with {health.interpreter}"
        yield Check(ITSELF, "launcher", "pass", text)
    if health.stale:
        yield Check(ITSELF, "runtime version", "warn", health.stale, "agent-connector upgrade", healable=True)


def _record_checks(connector: str, context: Context) -> Iterable[Check]:
    try:
        record = stored_record(connector, context)
    except AgentConnectorError as error:
        yield Check(connector, "record", "fail", error.message, "Install the connector again")
        return
    if record is None:
        yield Check(connector, "record", "fail", "its record is gone", "Install the connector again")
        return
    written_by = record.get("framework_version", "?")
    if written_by != context.version:
        text = f"installed by agent-connector {written_by}, this is {context.version}"
        yield Check(connector, "version", "warn", text, f"agent-connector upgrade {connector}", healable=True)
    source = record_source(record)
    if source and not Path(source).is_file():
        text = f"its definition {source} is gone; the record of the install is used"
        yield Check(connector, "source", "warn", text, "Install it again from where it is now, or uninstall it")
    elif source:
        yield _source_version(connector, source, record, context)


def _source_version(connector: str, source: str, record: dict[str, Any], context: Context) -> Check:
    """The source's own version comes from its package metadata: looking must not run its code."""
    from ..authoring.identity import find_identity

    registered = registered_version(record)
    identity = find_identity(Path(source).parent, home=context.machine.home)
    if not identity.version or identity.version == registered:
        return Check(connector, "source", "pass", f"version {registered or '?'} from {source}")
    text = f"version {registered} is installed, its source is at {identity.version}"
    return Check(connector, "source", "warn", text, f"agent-connector upgrade {connector}", healable=True)


def _row_checks(rows: list[OwnedRow], context: Context) -> Iterable[Check]:
    grouped: dict[tuple[str, str, str], list[OwnedRow]] = {}
    for row in rows:
        grouped.setdefault((row.connector, row.host, row.surface), []).append(row)
    for (connector, host, surface), group in sorted(grouped.items()):
        yield from _surface_checks(connector, host, surface, group, context)


def _surface_checks(
    connector: str, host: str, surface: str, rows: list[OwnedRow], context: Context
) -> Iterable[Check]:
    name = f"{connector} {surface}"
    slot = surface == "statusline"
    files = DiskFiles()
    problems = 0
    for row in rows:
        where = f"{spelled(row.place) if row.place else Path(row.path).name} in {row.path}"
        try:
            state = row_state(row, files)
        except AgentConnectorError as error:
            problems += 1
            yield Check(host, name, "fail", f"{row.path}: {error.message}", error.hint or "Mend the file")
            continue
        if state == "vanished":
            problems += 1
            fix = f"agent-connector upgrade {connector}, or doctor --heal, puts it back"
            missing = "missing: " if slot else ""
            yield Check(host, name, "warn", f"{missing}{where} vanished since it was installed", fix, healable=True)
        elif state == "changed":
            problems += 1
            fix = f"agent-connector upgrade {connector} --force puts ours back"
            if row.kind == "leaf":
                fix = "It is never overwritten: if you want ours, take yours out and upgrade"
            present = "present, but not ours: " if slot else ""
            yield Check(host, name, "warn", f"{present}{where} was changed since it was installed", fix)
    if not problems:
        wired = "wired in " if slot else ""
        yield Check(host, name, "pass", wired + ", ".join(dict.fromkeys(row.path for row in rows)))
    if host in context.catalogue.ids():
        description = context.catalogue.get(host)
        if not presence(description, context.machine, context.machine.cwd).installed:
            yield Check(host, name, "warn", f"{description.name} is not found on this machine any more")


def _server_checks(connector: str, context: Context) -> Iterable[Check]:
    """A program that is not there fails every start, and hosts say so late or not at all."""
    from .connectors import recorded_connector
    from .serving import ServingError, server_process

    try:
        process = server_process(recorded_connector(connector, context), context.machine)
    except (AgentConnectorError, ServingError):
        return  # the record, or the probe, says what is wrong with it
    program = process.command[0]
    if which(context.machine, program):
        return
    named_by_path = len(Path(program).parts) > 1
    text = f"{program} is not there" if named_by_path else f"{program} is not on this search path"
    fix = "Install it, or install the connector again from where it is now"
    yield Check(connector, "server command", "fail" if named_by_path else "warn", text, fix)


def _probe_checks(connector: str, context: Context) -> Iterable[Check]:
    """What hosts start is what was installed: the record is probed, and nothing of the author's is loaded."""
    from .connectors import recorded_connector
    from .probe import probe_server
    from .serving import ServingError, server_process

    try:
        installed = recorded_connector(connector, context)
        process = server_process(installed, context.machine)
    except ConnectorConfigError as error:
        yield Check(connector, "probe", "fail", error.message, "Install the connector again")
        return
    except ServingError as error:
        yield Check(connector, "probe", error.status, str(error), error.fix)
        return
    probes = probe_server(process.command, process.env, process.cwd)
    spoken = [probe for probe in probes if probe.spoken]
    for probe in probes:
        if probe.spoken:
            tools = f"{len(probe.tools)} tools: {', '.join(probe.tools)}"
            yield Check(connector, f"probe ({probe.era})", "pass", f"{probe.server} {probe.message}; {tools}")
        elif spoken:
            text = f"not spoken ({probe.message}); hosts of the other era are served"
            yield Check(connector, f"probe ({probe.era})", "pass", text)
        else:
            fix = f"Run it by hand: {process.shown}"
            yield Check(connector, f"probe ({probe.era})", "fail", probe.message, fix)


def _set_ledger_aside(context: Context) -> None:
    from ..changes.lock import data_root_lock

    with data_root_lock(context.data_root):
        set_aside(context.data_root)


def _heal(healable: list[Check], request: DoctorRequest, context: Context) -> list[Check]:
    """Set a damaged ledger aside, mend the launcher, then install again every connector with something to mend."""
    trouble = []
    ours = {check.name for check in healable if check.subject == ITSELF}
    try:
        if "ledger" in ours:
            _set_ledger_aside(context)
        if ours - {"ledger"}:
            ensure_launcher(context, force=True)
    except (AgentConnectorError, OSError) as error:
        trouble.append(Check(ITSELF, "healing", "fail", str(error)))
    for connector in connectors_to_mend(healable, context):
        again = UpgradeRequest(
            source=ConnectorSource(id=connector),
            targets=request.targets,
            scope=request.scope,
            project=request.project,
        )
        try:
            upgrade(again, context)
        except (AgentConnectorError, OSError) as error:
            trouble.append(Check(connector, "healing", "fail", str(error)))
    return trouble


def connectors_to_mend(healable: Iterable[Check], context: Context) -> list[str]:
    """The connectors that healing these checks installs again."""
    return sorted(
        {
            check.name.split()[0] if check.subject in context.catalogue.ids() else check.subject
            for check in healable
            if check.subject != ITSELF or check.name == "version"
        }
    )

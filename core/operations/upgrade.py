"""Bring everything current: the launcher and its runtime, and a connector in every host it is installed in."""

from __future__ import annotations

from ..changes.ledger import Ledger
from ..changes.model import Change
from ..errors import UsageError
from .connectors import Loaded, load_connector
from .context import Context
from .install import bring_about
from .reports import ChangeReport
from .requests import ConnectorSource, UpgradeRequest
from .targets import HostTarget, install_targets, installed_targets


def upgrade(request: UpgradeRequest, context: Context) -> ChangeReport:
    """Without a connector only launcher and runtime are refreshed. The program itself is never updated: the package
    manager's command is told. Raises as :func:`install` does."""
    loaded = _loaded(request, context)
    if loaded is None:
        return _runtime_only(request, context)
    report = bring_about("upgrade", loaded, _targets(loaded, request, context), request, context)
    return _with_step(report, package_command(request.channel, context))


def _loaded(request: UpgradeRequest, context: Context) -> Loaded | None:
    try:
        return load_connector(request.source, context, context.project(request.project))
    except UsageError:
        if request.source != ConnectorSource():
            raise
        return None


def _targets(loaded: Loaded, request: UpgradeRequest, context: Context) -> list[HostTarget]:
    """Where it is installed; hosts named beside that are added, as install would. What was removed stays removed."""
    project = context.project(request.project)
    with Ledger.open(context.data_root, create=False) as ledger:
        installs = [install for install in ledger.installs() if install.connector == loaded.connector.id]
    where = str(project) if request.project else ""
    targets = installed_targets(installs, request.targets, request.scope, where, context)
    covered = {target.host.id for target in targets}
    missing = [name for name in request.targets if name not in covered]
    if missing:
        targets += install_targets(loaded.connector, missing, request.scope, project, context)
    return targets


def _runtime_only(request: UpgradeRequest, context: Context) -> ChangeReport:
    from ..changes.lock import data_root_lock
    from .launcher import ensure_launcher

    changes: tuple[Change, ...] = ()
    if not request.dry_run:
        with data_root_lock(context.data_root):
            changes = ensure_launcher(context)
    wrote = any(change.action in ("create", "update") for change in changes)
    return ChangeReport(
        operation="upgrade",
        connector="",
        outcome="done" if wrote else "unchanged",
        plan_id="",
        changes=changes,
        next_steps=(package_command(request.channel, context),),
        strict=request.strict,
    )


def package_command(channel: str, context: Context) -> str:
    """What a person types to get a newer program, by the tool that installed this one."""
    flag = " --pre" if channel == "latest" else ""
    prefix = context.machine.env.get("VIRTUAL_ENV", "")
    if context.machine.env.get("PIPX_HOME") or "pipx" in prefix:
        return "To update the program itself: pipx upgrade agent-connector-mcp"
    python = f"{prefix}/bin/python" if prefix and context.machine.os != "windows" else "python"
    return f"To update the program itself: {python} -m pip install -U{flag} agent-connector-mcp"


def _with_step(report: ChangeReport, step: str) -> ChangeReport:
    from dataclasses import replace

    return replace(report, next_steps=(*report.next_steps, step))

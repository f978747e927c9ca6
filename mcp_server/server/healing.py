"""``doctor``: looking at once, repairing in two steps like everything that writes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from agent_connector.errors import AgentConnectorError

from . import answers

if TYPE_CHECKING:
    from agent_connector.operations.context import Context
    from agent_connector.operations.reports import ChangeReport, DoctorReport
    from mcp_types import CallToolResult

    from .plans import Plan
    from .writing import Call


def propose(call: Call) -> CallToolResult:
    """The diagnosis; with ``heal`` also what a repair would change, under a handle."""
    context = call.context()
    report = _doctor(call, context, dry_run=True)
    text = answers.report_text(report, context)
    if not call.wish.heal or not report.healed:
        return answers.result(answers.doctor_answer(report, "checked"), text)
    repairs = list(_repairs(call, report, context))
    files = tuple(line for repair in repairs for line in answers.shown_files(repair))
    plan = call.keep(
        fingerprint=_fingerprint(report, repairs),
        commands=tuple(dict.fromkeys(line for repair in repairs for line in answers.shown_commands(repair))),
        files=files,
        diff="".join(answers.diff_text(repair) for repair in repairs),
    )
    to_apply = call.to_apply(plan)
    link = answers.diff_link(plan) if plan.diff else None
    answer = answers.doctor_answer(
        report,
        "planned",
        plan_id=plan.id,
        to_apply=to_apply,
        commands=plan.commands,
        files=tuple(answers.FileLine(what=what, path=path) for what, path in files),
        diff=link.uri if link else "",
    )
    for repair in repairs:
        text += ["", *answers.report_text(repair, context, plan=True)]
    return answers.result(answer, [*text, "", to_apply], link=link)


def heal(call: Call, plan: Plan) -> CallToolResult:
    from .writing import stale

    context = call.context()
    would = _doctor(call, context, dry_run=True)
    if _fingerprint(would, _repairs(call, would, context)) != plan.fingerprint:
        raise stale(plan)
    report = _doctor(call, context, dry_run=False)
    call.desk.plans.mark_applied(plan)
    failed = bool(report.still_failing)
    answer = answers.doctor_answer(report, "failed" if failed else "healed")
    return answers.result(answer, answers.report_text(report, context), failed=failed)


def _doctor(call: Call, context: Context, *, dry_run: bool) -> DoctorReport:
    from agent_connector.operations.doctor import doctor

    return doctor(call.wish.doctor_request(call.source(context), dry_run=dry_run), context)


def _repairs(call: Call, report: DoctorReport, context: Context) -> Iterable[ChangeReport]:
    """What healing does to hosts' files: each connector that has something to mend is installed again."""
    from agent_connector.operations.doctor import connectors_to_mend
    from agent_connector.operations.requests import ConnectorSource, UpgradeRequest
    from agent_connector.operations.upgrade import upgrade

    healable = [check for check in report.checks if check.healable]
    for connector in connectors_to_mend(healable, context):
        again = UpgradeRequest(
            source=ConnectorSource(id=connector),
            targets=call.wish.targets,
            scope=call.wish.scope,
            project=call.wish.project,
            dry_run=True,
        )
        try:
            yield upgrade(again, context)
        except AgentConnectorError:  # healing tells of it and mends the rest
            continue


def _fingerprint(report: DoctorReport, repairs: Iterable[ChangeReport]) -> str:
    from hashlib import sha256

    parts = [*report.healed, *(repair.plan_id for repair in repairs)]
    return sha256("\n".join(parts).encode("utf-8", "surrogatepass")).hexdigest()

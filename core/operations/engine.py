"""Planning and carrying out: what install, upgrade, uninstall and setup share.

A dry run and the real thing make the same plan; the real thing makes it under the lock of the data root and applies
exactly what it planned. A host file that changes in between is planned again: the same plan goes on, another one is
an error.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ..changes.diff import unified
from ..changes.ledger import Ledger
from ..changes.model import Change, FileEdit, Plan
from ..changes.reconcile import what_changes
from ..errors import PlanChangedError
from ..masking import mask_line
from ..values import frozen
from .context import Context
from .reports import ChangeReport, FileDiff, Outcome

if TYPE_CHECKING:
    from ..changes.apply import FileOutcome

ATTEMPTS = 10
"""How often a plan is made again when hosts rewrite their files under our feet."""


@frozen
class Planned:
    """A plan, and what is to be told beside its changes."""

    connector: str
    plan: Plan
    commands: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()
    done_hosts: tuple[str, ...] = ()
    """Hosts for which the connector is (or is no more) installed once the plan is applied."""


PlanMaker = Callable[[Ledger], Planned]
Preparation = Callable[[], tuple[Change, ...]]
Completion = Callable[[Ledger, frozenset[str]], None]
"""Given the hosts that could not be done."""


@frozen
class Job:
    """One writing operation: how to plan it, what to do before the first host file is written and after the last."""

    operation: str
    make_plan: PlanMaker
    prepare: Preparation
    complete: Completion
    dry_run: bool = False
    strict: bool = False
    plan_id: str = ""


def carry_out(job: Job, context: Context) -> ChangeReport:
    """Raises :class:`PlanChangedError` if ``job.plan_id`` is not what would be done now."""
    root = context.data_root
    if job.dry_run:
        with Ledger.open(root, create=False) as ledger:
            planned = job.make_plan(ledger)
        _check_plan_id(job, planned)
        return _report(job, planned, _outcome_of_plan(planned))
    from ..changes.journal import recover
    from ..changes.lock import data_root_lock

    with data_root_lock(root), Ledger.open(root, create=True) as ledger:
        recover(ledger, root)
        planned = job.make_plan(ledger)
        _check_plan_id(job, planned)
        prepared = job.prepare()
        outcomes, planned = _apply(job, planned, ledger, root)
        failed = planned.plan.failed | {outcome.host for outcome in outcomes if outcome.status != "written"}
        job.complete(ledger, failed)
    wrote = any(outcome.status == "written" for outcome in outcomes) or any(
        change.action in ("create", "update", "remove") for change in prepared
    )
    outcome = _outcome(planned, failed, wrote=wrote)
    changes = tuple(_told(outcome) for outcome in outcomes if outcome.reason)
    return _report(job, planned, outcome, (*prepared, *changes))


def _check_plan_id(job: Job, planned: Planned) -> None:
    if job.plan_id and job.plan_id != planned.plan.plan_id:
        raise PlanChangedError(
            f"the plan {job.plan_id} is not what would be done now ({planned.plan.plan_id})",
            hint="Something changed since it was shown: look at the new plan and confirm that one.",
        )


def _apply(job: Job, planned: Planned, ledger: Ledger, root: Path) -> tuple[tuple[FileOutcome, ...], Planned]:
    """Apply; plan and apply again for hosts whose files changed meanwhile. The last outcome of each host counts.

    The plan that is answered is the first, with what new plans had to say of the hosts they were made for.
    """
    from ..changes.apply import apply

    applied = apply(planned.plan, ledger, root)
    outcomes = applied.outcomes
    for _ in range(ATTEMPTS):
        stale = applied.stale
        if not stale:
            break
        again = job.make_plan(ledger)
        others = {host for host in stale if job.plan_id and not _is_part_of(again.plan, planned.plan, host)}
        edits = tuple(edit for edit in again.plan.edits if edit.host in stale - others)
        applied = apply(Plan(again.plan.plan_id, again.plan.changes, edits, again.plan.failed), ledger, root)
        changed = tuple(_planned_otherwise(outcome) for outcome in outcomes if outcome.host in others)
        outcomes = (*(outcome for outcome in outcomes if outcome.host not in stale), *changed, *applied.outcomes)
        planned = _amended(planned, again, stale)
    return outcomes, planned


def _is_part_of(again: Plan, shown: Plan, host: str) -> bool:
    """Whether nothing is planned for the host now that was not shown then (some of it is written already)."""
    then = what_changes(shown.edits, shown.changes, host=host)
    return set(what_changes(again.edits, again.changes, host=host)) <= set(then) and host not in again.failed


def _planned_otherwise(outcome: FileOutcome) -> FileOutcome:
    if outcome.status == "written":
        return outcome
    text = "not written: it was changed by another program, and what would be done there now is not what was shown"
    return replace(outcome, status="failed", reason=text, hint="Look at the new plan and confirm that one.")


def _amended(planned: Planned, again: Planned, stale: frozenset[str]) -> Planned:
    known = {(change.host, change.action, change.detail) for change in planned.plan.changes}
    news = tuple(
        change
        for change in again.plan.changes
        if change.host in stale
        and change.action == "warn"
        and (change.host, change.action, change.detail) not in known
    )
    failed = planned.plan.failed | (again.plan.failed & stale)
    return replace(planned, plan=replace(planned.plan, changes=(*planned.plan.changes, *news), failed=failed))


def _told(outcome: FileOutcome) -> Change:
    failed = outcome.status != "written"
    fix = outcome.hint or ("Mend that and run the same command again" if failed else "")
    text = f"{outcome.path}: {outcome.reason}"
    return Change(outcome.host, "host", "warn", text, str(outcome.path), fix=fix, blocking=failed)


def _outcome_of_plan(planned: Planned) -> Outcome:
    if planned.plan.failed:
        return "partial" if set(planned.done_hosts) - planned.plan.failed else "failed"
    return "planned" if writes(planned.plan.edits) else "unchanged"


def _outcome(planned: Planned, failed: Iterable[str], *, wrote: bool) -> Outcome:
    if set(failed):
        return "partial" if set(planned.done_hosts) - set(failed) else "failed"
    return "done" if wrote else "unchanged"


def writes(edits: Iterable[FileEdit]) -> bool:
    return any(edit.before != edit.after for edit in edits)


def _report(job: Job, planned: Planned, outcome: Outcome, more: tuple[Change, ...] = ()) -> ChangeReport:
    diffs = tuple(
        FileDiff(path, text, created=created, deleted=deleted)
        for path, text, created, deleted in unified(planned.plan.edits)
    )
    return ChangeReport(
        operation=job.operation,
        connector=planned.connector,
        outcome=outcome,
        plan_id=planned.plan.plan_id,
        changes=(*planned.plan.changes, *more),
        diffs=diffs,
        commands=tuple(dict.fromkeys(mask_line(command) for command in planned.commands)),
        next_steps=planned.next_steps,
        strict=job.strict,
    )

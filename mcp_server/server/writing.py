"""The two steps of everything that writes: a call without a handle returns a plan, a call with it applies exactly
that plan."""

from __future__ import annotations

import contextlib
import itertools
from dataclasses import replace
from importlib import import_module
from typing import TYPE_CHECKING, Any

from agent_connector.errors import PlanChangedError, UsageError
from mcp.server.mcpserver import AcceptedElicitation

from . import answers, healing
from . import code as definitions
from .plans import Plan
from .questions import Answered, Consent, Ctx, Question, can_ask

if TYPE_CHECKING:
    from agent_connector.operations.context import Context, Progress
    from agent_connector.operations.reports import ChangeReport
    from agent_connector.operations.requests import ConnectorSource
    from mcp_types import CallToolResult

    from .desk import Desk


def perform(ctx: Ctx, question: Question, answered: Answered, *, confirm: bool) -> CallToolResult:
    """Plan, or apply the plan that ``question`` is about, as far as was agreed to. Runs on a worker thread."""
    desk = ctx.request_context.lifespan_context
    return desk.answer(lambda: _perform(Call(ctx, desk, question), answered, confirm=confirm))


class Call:
    """One call of a writing tool: what is asked for, and where."""

    def __init__(self, ctx: Ctx, desk: Desk, question: Question) -> None:
        self.ctx = ctx
        self.desk = desk
        self.question = question
        self.operation = question.operation
        self.wish = question.wish
        self.cwd = question.plan.cwd if question.plan else str(desk.machine.cwd)

    def context(self) -> Context:
        machine = replace(self.desk.machine, cwd=self.desk.machine.path(self.cwd))
        return self.desk.context(self.wish.place(machine), reporter(self.ctx))

    def source(self, context: Context) -> ConnectorSource:
        return self.wish.source(self.operation, context.machine, context.version)

    def require_agreed_code(self) -> None:
        """Right before anything is loaded: a Python file may have changed, or appeared where none was."""
        context = self.context()
        code = definitions.code_to_run(self.operation, self.wish, self.source(context), context)
        if code != dict(self.question.code):
            definitions.require_unchanged(self.question.code)
            raise PlanChangedError(
                f"{', '.join(code) or 'nothing'} would be run now, which is not what was agreed to",
                hint="Call again without plan_id.",
            )

    def keep(self, **shown: Any) -> Plan:
        """Remember a plan under a handle that a later call may name."""
        plan = Plan(self.operation, self.wish.arguments(), self.cwd, code=dict(self.question.code), **shown)
        return self.desk.plans.put(plan)

    def to_apply(self, plan: Plan) -> str:
        """What the model has to do next."""
        call = f'{self.operation} with plan_id "{plan.id}"'
        policy = self.desk.policy()
        writing = policy.writing(self.operation, trust=self.wish.trust)
        decision = policy.decision("run_code") if plan.stage == "code" else writing
        if decision != "ask":
            return f"Call {call} to go on."
        if can_ask(self.ctx):
            return f"Call {call}; the person is then asked."
        return f"Show this to the person. Once they agree, call {call} and confirm true."


def _perform(call: Call, answered: Answered, *, confirm: bool) -> CallToolResult:
    question = call.question
    if question.problem is not None:
        raise question.problem
    if not isinstance(answered, AcceptedElicitation):
        return _declined(call, answered.action)
    if question.asks and not isinstance(answered.data, Consent):
        if can_ask(call.ctx):
            raise PlanChangedError("the policy changed during the call", hint="Make the same call again.")
        if question.plan is None:
            return _show_code(call)
        if not confirm:
            raise UsageError(
                f"plan {question.plan.id} is not applied without confirm",
                hint="Show the person what it changes and runs; once they agree, call again with confirm true.",
            )
    call.require_agreed_code()
    if question.about == "plan" and question.plan is not None:
        return _apply(call, question.plan)
    return healing.propose(call) if call.operation == "doctor" else _propose(call)


def _propose(call: Call) -> CallToolResult:
    context = call.context()
    report = _operation(call, context, dry_run=True)
    text = answers.report_text(report, context, plan=True)
    if report.outcome == "failed":
        return answers.result(answers.change_answer(report), text, failed=True)
    # An upgrade also refreshes launcher and runtime, and a purge our records, whatever the hosts' files say.
    if report.outcome == "unchanged" and call.operation != "upgrade" and not call.wish.purge:
        return answers.result(answers.change_answer(report), text)
    plan = call.keep(
        fingerprint=report.plan_id,
        connector=report.connector,
        commands=answers.shown_commands(report),
        files=answers.shown_files(report),
        diff=answers.diff_text(report),
    )
    to_apply = call.to_apply(plan)
    outcome = "planned" if report.outcome == "unchanged" else report.outcome
    more = {"outcome": outcome, "plan_id": plan.id, "to_apply": to_apply}
    link = answers.diff_link(plan) if plan.diff else None
    if link is not None:
        more["diff"] = link.uri
    return answers.result(answers.change_answer(report, **more), [*text, "", to_apply], link=link)


def _apply(call: Call, plan: Plan) -> CallToolResult:
    if call.operation == "doctor":
        return healing.heal(call, plan)
    context = call.context()
    try:
        report = _operation(call, context, dry_run=False, plan_id=plan.fingerprint)
    except PlanChangedError as changed:
        raise stale(plan) from changed
    failed = report.outcome == "failed"
    if not failed:
        call.desk.plans.mark_applied(plan)
    return answers.result(answers.change_answer(report), answers.report_text(report, context), failed=failed)


def stale(plan: Plan) -> PlanChangedError:
    return PlanChangedError(
        f"what would be done now is not what plan {plan.id} showed; nothing was written",
        hint=f"Call {plan.operation} without plan_id for a new plan, and show that one to the person.",
    )


def _operation(call: Call, context: Context, *, dry_run: bool, plan_id: str = "") -> ChangeReport:
    request = call.wish.change_request(call.operation, call.source(context), dry_run=dry_run, plan_id=plan_id)
    module = import_module(f"agent_connector.operations.{call.operation}")
    report: ChangeReport = getattr(module, call.operation)(request, context)
    return report


def _show_code(call: Call) -> CallToolResult:
    """There is nobody to ask through the protocol: the model shows the person what would be run, and comes back."""
    plan = call.keep(stage="code")
    to_apply = call.to_apply(plan)
    shown = {
        "outcome": "consent",
        "plan_id": plan.id,
        "to_apply": to_apply,
        "code": tuple(answers.CodeLine(path=path, sha256=digest) for path, digest in plan.code.items()),
    }
    return answers.result(_answer(call, shown), [call.question.message, "", to_apply])


def _declined(call: Call, action: str) -> CallToolResult:
    said = "The person said no." if action == "decline" else "The question was dismissed; nobody agreed."
    text = f"{said} Nothing was run and nothing was written. Do not ask again unless the person wants it."
    connector = {"connector": call.question.plan.connector} if call.question.plan else {}
    return answers.result(_answer(call, {"outcome": "declined"}, **connector), [text])


def _answer(call: Call, shown: dict[str, Any], **more: Any) -> answers.ChangeAnswer | answers.DoctorAnswer:
    if call.operation == "doctor":
        return answers.DoctorAnswer(**shown)
    return answers.ChangeAnswer(operation=call.operation, **shown, **more)


def reporter(ctx: Ctx) -> Progress:
    """Progress from a worker thread. It only ever counts up, as the protocol wants it."""
    import anyio.from_thread

    steps = itertools.count(1)

    def report(_done: int, _total: int, message: str) -> None:
        if not message:
            return
        with contextlib.suppress(Exception):  # nobody listens any more; the work goes on
            anyio.from_thread.run(ctx.report_progress, next(steps), None, message)

    return report

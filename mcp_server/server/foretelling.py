"""The tools that say what hosts would do: explain and simulate.

Neither loads a definition that is Python: an installed connector is taken by its records, one given in place has
static responses only. So the code that a simulation runs is code that the person let in when it was installed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from agent_connector.errors import UsageError
from agent_connector.masking import mask

from . import answers
from .policy import RUN_CODE
from .writing import reporter

if TYPE_CHECKING:
    from agent_connector.operations.context import Context
    from agent_connector.operations.reports import SimulateReport
    from agent_connector.operations.requests import ConnectorSource
    from mcp_types import CallToolResult

    from .questions import Ctx
    from .wishes import Wish


def explain(ctx: Ctx, wish: Wish) -> CallToolResult:
    desk = ctx.request_context.lifespan_context

    def work() -> CallToolResult:
        from agent_connector.operations.explain import explain
        from agent_connector.operations.requests import ConnectorSource, ExplainRequest

        context = desk.context(wish.place(desk.machine), reporter(ctx))
        meant = wish.source("explain", context.machine, context.version)
        targets = wish.targets or (_hosts_here(context) if meant == ConnectorSource() else ())
        report = explain(ExplainRequest(meant, targets, wish.scope, wish.project), context)
        return answers.result(answers.explain_answer(report), answers.report_text(report, context))

    return desk.answer(work)


def _hosts_here(context: Context) -> tuple[str, ...]:
    """Every host there is would be more than an agent wants to read. None where none is found: all are told of."""
    from agent_connector.detection import presence

    hosts = map(context.catalogue.get, context.catalogue.ids())
    return tuple(host.id for host in hosts if presence(host, context.machine, context.machine.cwd).installed)


def simulate(
    ctx: Ctx,
    wish: Wish,
    *,
    host: str,
    event: str,
    payload: Mapping[str, Any] | None,
    surface: Literal["hooks", "statusline"],
) -> CallToolResult:
    desk = ctx.request_context.lifespan_context

    def work() -> CallToolResult:
        from agent_connector.operations.requests import SimulateRequest
        from agent_connector.operations.simulate import simulate

        context = desk.context(progress=reporter(ctx))
        meant = wish.source("simulate", context.machine, context.version)
        if meant.inline is not None:
            _refuse_code(meant, surface, context)
        elif not meant.id:
            raise UsageError("no connector was named", hint="Give the id of an installed one; status lists them.")
        else:
            desk.policy().refuse_denied(RUN_CODE)
        data = None if payload is None else json.dumps(payload).encode()
        report = _masked(simulate(SimulateRequest(meant, host, event, data, surface), context))
        return answers.result(answers.simulate_answer(report), answers.report_text(report, context))

    return desk.answer(work)


def _refuse_code(meant: ConnectorSource, surface: str, context: Context) -> None:
    """Nobody agreed to run what a definition in place names. Raises :class:`UsageError`."""
    from agent_connector.operations.connectors import load_connector

    connector = load_connector(meant, context, context.machine.cwd).connector
    hooks = [
        hook for host in context.catalogue.ids() for group in connector.hooks_for(host).values() for hook in group
    ]
    native = any(connector.native_hooks_for(host) for host in context.catalogue.ids())
    if native or surface == "statusline" or any(hook.kind != "static" for hook in hooks):
        raise UsageError(
            "a definition in place is simulated with static responses only, and this one names code to run",
            hint="Install it first (install asks for that), then simulate it by its id.",
        )


def _masked(report: SimulateReport) -> SimulateReport:
    handlers = tuple(
        replace(handler, what=mask(handler.what), response=mask(handler.response)) for handler in report.handlers
    )
    return replace(
        report,
        reason=mask(report.reason),
        host_reply=mask(report.host_reply),
        response=mask(report.response),
        handlers=handlers,
        stdout=mask(report.stdout),
        stderr=mask(report.stderr),
        printed=mask(report.printed),
    )

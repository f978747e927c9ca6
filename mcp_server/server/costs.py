"""The tools that say what things cost: telemetry_report and leaderboard."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import answers
from .writing import reporter

if TYPE_CHECKING:
    from mcp_types import CallToolResult

    from .questions import Ctx


def telemetry_report(ctx: Ctx, **asked: Any) -> CallToolResult:
    desk = ctx.request_context.lifespan_context

    def work() -> CallToolResult:
        from agent_connector.operations.telemetry import TelemetryReportRequest
        from agent_connector.operations.telemetry_report import telemetry_report

        context = desk.context(progress=reporter(ctx))
        report = telemetry_report(TelemetryReportRequest(**asked), context)
        answer = answers.telemetry_answer(report)
        return answers.result(answer, answers.report_text(answers.shortened(report), context))

    return desk.answer(work)


def leaderboard(ctx: Ctx, **asked: Any) -> CallToolResult:
    desk = ctx.request_context.lifespan_context

    def work() -> CallToolResult:
        from agent_connector.operations.leaderboard import leaderboard
        from agent_connector.operations.telemetry import LeaderboardRequest

        context = desk.context(progress=reporter(ctx))
        report = leaderboard(LeaderboardRequest(**asked), context)
        return answers.result(answers.leaderboard_answer(report), answers.report_text(report, context))

    return desk.answer(work)

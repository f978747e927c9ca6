"""The tools that only look."""

from __future__ import annotations

from typing import TYPE_CHECKING

from . import answers
from .writing import reporter

if TYPE_CHECKING:
    from mcp_types import CallToolResult

    from .questions import Ctx
    from .wishes import Wish


def detect(ctx: Ctx, wish: Wish) -> CallToolResult:
    desk = ctx.request_context.lifespan_context

    def work() -> CallToolResult:
        from agent_connector.operations.detect import detect
        from agent_connector.operations.requests import DetectRequest

        context = desk.context(wish.place(desk.machine), reporter(ctx))
        report = detect(DetectRequest(wish.project, wish.targets), context)
        return answers.result(answers.detect_answer(report, wish.targets), answers.report_text(report, context))

    return desk.answer(work)


def status(ctx: Ctx, wish: Wish) -> CallToolResult:
    desk = ctx.request_context.lifespan_context

    def work() -> CallToolResult:
        from agent_connector.operations.status import status

        context = desk.context(wish.place(desk.machine), reporter(ctx))
        meant = wish.source("status", context.machine, context.version)
        report = status(wish.status_request(meant), context)
        return answers.result(answers.status_answer(report), answers.report_text(report, context))

    return desk.answer(work)

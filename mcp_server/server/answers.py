"""What the tools answer: structured content for programs, and beside it a short text for whoever reads.

Fields at their default are left out, so that absent means empty. Every string is safe to show: control characters
are written out, what looks like a secret was masked where the report was made or is masked here.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal

from agent_connector.masking import mask_line, printable
from agent_connector.operations.reports import Check, DetectedHost, ExplainRow, HandlerOutcome, HostStatus
from mcp_types import CallToolResult, ResourceLink, TextContent
from pydantic import BaseModel

if TYPE_CHECKING:
    from agent_connector.errors import AgentConnectorError
    from agent_connector.operations.context import Context
    from agent_connector.operations.reports import (
        ChangeReport,
        DetectReport,
        DoctorReport,
        ExplainReport,
        HonorRow,
        Report,
        SimulateReport,
        StatusReport,
    )
    from agent_connector.operations.telemetry import BoardRow, LeaderboardReport, TelemetryReport, TelemetryRow

    from .plans import Plan

LONGEST_TEXT = 6000
"""Characters; a longer one is given without the diffs, which are a resource."""


class Answer(BaseModel):
    """``notice``: something the person should hear of, whatever was asked. Some hosts show a model the structured
    content only, so all that matters stands there."""

    notice: str = ""


class ChangeLine(BaseModel):
    host: str
    surface: str
    action: Literal["create", "update", "remove", "skip", "warn", "info"]
    detail: str
    path: str = ""
    fix: str = ""


class FileLine(BaseModel):
    what: Literal["create", "update", "delete"]
    path: str


class CodeLine(BaseModel):
    path: str
    sha256: str


class Proposal(Answer):
    """``plan_id`` and ``to_apply``: what to call next, where there is something to apply."""

    plan_id: str = ""
    to_apply: str = ""
    commands: tuple[str, ...] = ()
    """Every command line that hosts will run because of this."""
    files: tuple[FileLine, ...] = ()
    diff: str = ""
    """Resource with the diff of every file."""
    code: tuple[CodeLine, ...] = ()
    """Python files that must be run to go on, and that nobody has agreed to yet."""


class ChangeAnswer(Proposal):
    operation: str
    outcome: Literal["unchanged", "planned", "done", "partial", "failed", "declined", "consent"]
    """``planned``: nothing was written yet. ``declined``: the person said no. ``consent``: see ``code``."""
    connector: str = ""
    changes: tuple[ChangeLine, ...] = ()
    next_steps: tuple[str, ...] = ()
    """What a person must still do."""


class DetectAnswer(Answer):
    hosts: tuple[DetectedHost, ...] = ()
    not_found: tuple[str, ...] = ()
    current: str = ""
    """The host this server was started by."""
    current_reason: str = ""


class StatusAnswer(Answer):
    hosts: tuple[HostStatus, ...] = ()
    launcher: str = ""
    runtime_version: str = ""
    problems: tuple[str, ...] = ()


class DoctorAnswer(Proposal):
    outcome: Literal["checked", "planned", "healed", "failed", "declined", "consent"]
    checks: tuple[Check, ...] = ()
    healed: tuple[str, ...] = ()
    still_failing: tuple[str, ...] = ()
    deferred: tuple[str, ...] = ()


class HookTable(BaseModel):
    """``events``: event -> verdict -> decisions, each with the number of its note; ``runs``: event -> when."""

    host: str
    events: dict[str, dict[str, str]]
    runs: dict[str, str] = {}
    notes: dict[str, str] = {}


class ExplainAnswer(Answer):
    connector: str = ""
    rows: tuple[ExplainRow, ...] = ()
    hooks: tuple[HookTable, ...] = ()


class SimulateAnswer(Answer):
    connector: str
    host: str
    surface: Literal["hooks", "statusline"]
    event: str = ""
    honored: bool
    verdict: Literal["honored", "degraded", "dropped", "none", "verbatim"]
    reason: str
    host_reply: Any = None
    """What the host reads, as JSON; as text where it is none."""
    response: dict[str, Any] | None = None
    """What the handlers answered, taken together."""
    handlers: tuple[HandlerOutcome, ...] = ()
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    fires_when: str = ""
    stdout: str = ""
    stderr: str = ""
    exit_status: int = 0
    printed: str = ""


class CostRow(BaseModel):
    """``tokens``: in, out and definitions. ``confidence``: the weakest in it."""

    name: str
    tokens: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    definition_tokens: int = 0
    calls: int = 0
    errors: int = 0
    p50_ms: float | None = None
    p95_ms: float | None = None
    confidence: str = ""


class TelemetryAnswer(Answer):
    """``more``: rows that are left out here."""

    by: str
    scope: str
    since: str = ""
    rows: tuple[CostRow, ...] = ()
    more: int = 0
    total: CostRow | None = None
    notes: tuple[str, ...] = ()


class BoardAnswer(BaseModel):
    origin: str
    title: str
    by: str
    rows: tuple[CostRow, ...] = ()
    more: int = 0
    empty: str = ""


class LeaderboardAnswer(Answer):
    """Boards of different origins are never added up."""

    since: str = ""
    boards: tuple[BoardAnswer, ...] = ()
    notes: tuple[str, ...] = ()


# --- from reports ----------------------------------------------------------------------------------------------


def change_answer(report: ChangeReport, **more: Any) -> ChangeAnswer:
    """``more``: fields that the report does not have, or not so."""
    return ChangeAnswer(
        **{
            "operation": report.operation,
            "outcome": report.outcome,
            "connector": report.connector,
            "changes": tuple(
                ChangeLine(
                    host=change.host,
                    surface=change.surface,
                    action=change.action,
                    detail=change.detail,
                    path=change.path,
                    fix=change.fix,
                )
                for change in report.changes
            ),
            "commands": shown_commands(report),
            "files": tuple(FileLine(what=what, path=path) for what, path in shown_files(report)),
            "next_steps": report.next_steps,
            **more,
        }
    )


def detect_answer(report: DetectReport, named: Iterable[str]) -> DetectAnswer:
    """Hosts that are here or were asked for by name in full, of the others only the ids."""
    asked = set(named)
    shown = tuple(host for host in report.hosts if host.installed or host.id in asked)
    others = tuple(host.id for host in report.hosts if host not in shown)
    return DetectAnswer(hosts=shown, not_found=others, current=report.current, current_reason=report.current_reason)


def status_answer(report: StatusReport) -> StatusAnswer:
    return StatusAnswer(
        hosts=report.hosts,
        launcher=report.launcher,
        runtime_version=report.runtime_version,
        problems=report.problems,
    )


def doctor_answer(
    report: DoctorReport, outcome: Literal["checked", "planned", "healed", "failed"], **more: Any
) -> DoctorAnswer:
    return DoctorAnswer(
        outcome=outcome,
        checks=report.checks,
        healed=report.healed,
        still_failing=report.still_failing,
        deferred=report.deferred,
        **more,
    )


def explain_answer(report: ExplainReport) -> ExplainAnswer:
    hosts = dict.fromkeys(row.host for row in report.honor)
    return ExplainAnswer(
        connector=report.connector,
        rows=report.rows,
        hooks=tuple(_hook_table(host, [row for row in report.honor if row.host == host]) for host in hosts),
    )


def _hook_table(host: str, rows: list[HonorRow]) -> HookTable:
    from agent_connector.operations.honor_grid import grid

    table = grid(rows)
    events = {}
    for line in table.lines:
        cells: dict[str, list[str]] = {}
        for decision, cell in zip(table.decisions, line.cells, strict=True):
            cells.setdefault(cell.verdict, []).append(f"{decision} ({cell.note})" if cell.note else decision)
        events[line.event] = {verdict: ", ".join(said) for verdict, said in cells.items()}
    runs = {line.event: f"({line.note})" for line in table.lines if line.note}
    notes = {str(number): note for number, note in enumerate(table.notes, 1)}
    return HookTable(host=host, events=events, runs=runs, notes=notes)


def simulate_answer(report: SimulateReport) -> SimulateAnswer:
    """``report`` masked."""
    from dataclasses import fields

    return SimulateAnswer(**{one.name: getattr(report, one.name) for one in fields(report)})


MOST_ROWS = 20
"""Of a report or a board, for a model."""


def telemetry_answer(report: TelemetryReport) -> TelemetryAnswer:
    shown = shortened(report)
    return TelemetryAnswer(
        by=report.by,
        scope=report.scope,
        since=report.since,
        rows=tuple(_cost(row, _named(row)) for row in shown.rows),
        more=len(report.rows) - len(shown.rows),
        total=_cost(report.total, "total") if report.rows else None,
        notes=report.notes,
    )


def shortened(report: TelemetryReport) -> TelemetryReport:
    """The costliest rows only; of days the last ones."""
    from dataclasses import replace

    return replace(report, rows=report.rows[-MOST_ROWS:] if report.by == "day" else report.rows[:MOST_ROWS])


def leaderboard_answer(report: LeaderboardReport) -> LeaderboardAnswer:
    boards = tuple(
        BoardAnswer(
            origin=board.origin,
            title=board.title,
            by=board.by,
            rows=tuple(_cost(row, row.name) for row in board.rows[:MOST_ROWS]),
            more=max(0, len(board.rows) - MOST_ROWS),
            empty=board.empty,
        )
        for board in report.boards
    )
    return LeaderboardAnswer(since=report.since, boards=boards, notes=report.notes)


def _named(row: TelemetryRow) -> str:
    told = (row.connector, row.tool, row.session, row.path or row.project, row.event, row.verdict, row.day, row.host)
    return " · ".join(part for part in told if part)


def _cost(row: TelemetryRow | BoardRow, name: str) -> CostRow:
    return CostRow(
        name=name,
        tokens=row.tokens,
        tokens_in=row.tokens_in,
        tokens_out=row.tokens_out,
        definition_tokens=row.definition_tokens,
        calls=row.calls,
        errors=row.errors,
        p50_ms=getattr(row, "p50_ms", None),
        p95_ms=getattr(row, "p95_ms", None),
        confidence=row.confidence,
    )


def shown_commands(report: ChangeReport) -> tuple[str, ...]:
    return tuple(dict.fromkeys(mask_line(command) for command in report.commands))


def shown_files(report: ChangeReport) -> tuple[tuple[Literal["create", "update", "delete"], str], ...]:
    return tuple(
        ("create" if diff.created else "delete" if diff.deleted else "update", diff.path) for diff in report.diffs
    )


# --- as results ------------------------------------------------------------------------------------------------


def result(
    answer: BaseModel, text: Iterable[str], *, link: ResourceLink | None = None, failed: bool = False
) -> CallToolResult:
    structured = _safe(answer.model_dump(mode="json", exclude_defaults=True))
    content: list[Any] = [TextContent(type="text", text="\n".join(text))]
    if link is not None:
        content.append(link)
    return CallToolResult(content=content, structured_content=structured, is_error=failed)


def add_notice(given: CallToolResult, notice: str) -> None:
    given.content.append(TextContent(type="text", text=notice))
    if given.structured_content is not None:
        given.structured_content["notice"] = notice


def refusal(error: AgentConnectorError) -> CallToolResult:
    """An expected failure: text that the model reads, led by the error's stable code."""
    from ..cli.terminal import visible_lines

    lines = visible_lines(f"{error.code}: {error.message}")
    if error.hint:
        lines += visible_lines(f"hint: {error.hint}")
    return CallToolResult(content=[TextContent(type="text", text="\n".join(lines))], is_error=True)


def report_text(report: Report, context: Context, *, plan: bool = False) -> list[str]:
    """The lines of the command line, without colour; a plan's diffs only where they are not too long."""
    from dataclasses import replace

    from agent_connector.operations.reports import ChangeReport

    from ..cli.output import host_names, report_lines
    from ..cli.terminal import Look

    look, names = Look(home=str(context.machine.home)), host_names(report, context)
    if not isinstance(report, ChangeReport):
        return list(report_lines(report, look, names))
    report = replace(report, commands=shown_commands(report))
    lines = list(report_lines(report, look, names, plan=plan))
    if plan and sum(map(len, lines)) > LONGEST_TEXT:
        lines = list(report_lines(replace(report, diffs=()), look, names, plan=plan))
    return lines


def diff_text(report: ChangeReport) -> str:
    """Every file's diff, secrets masked."""
    parts = []
    for diff in report.diffs:
        old = "/dev/null" if diff.created else diff.path
        new = "/dev/null" if diff.deleted else diff.path
        parts.append(f"--- {printable(old)}\n+++ {printable(new)}\n{diff.text}\n")
    return "".join(parts)


def diff_link(plan: Plan) -> ResourceLink:
    return ResourceLink(
        type="resource_link",
        uri=plan_uri(plan.id),
        name=f"plan {plan.id}",
        description=f"What would change in {len(plan.files)} file{'' if len(plan.files) == 1 else 's'}",
        mime_type="text/x-diff",
    )


def plan_uri(plan_id: str) -> str:
    return f"agent-connector://plans/{plan_id}"


def _safe(value: Any) -> Any:
    if isinstance(value, str):
        return printable(value)
    if isinstance(value, dict):
        return {key: _safe(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_safe(item) for item in value]
    return value


# --- their schemas ---------------------------------------------------------------------------------------------


def output_schemas() -> dict[str, dict[str, Any]]:
    """By tool: what :mod:`.schemas` holds ready."""
    answers: dict[str, type[BaseModel]]
    answers = {
        "detect": DetectAnswer,
        "change": ChangeAnswer,
        "status": StatusAnswer,
        "doctor": DoctorAnswer,
        "explain": ExplainAnswer,
        "simulate": SimulateAnswer,
        "telemetry_report": TelemetryAnswer,
        "leaderboard": LeaderboardAnswer,
    }
    return {name: _plain(answer.model_json_schema()) for name, answer in answers.items()}


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """Without titles, defaults and the docstrings that dataclasses make up, which say nothing here."""
    plain = {key: value for key, value in schema.items() if key not in ("title", "default")}
    if plain.get("description", "").startswith(schema.get("title", "(")):
        del plain["description"]
    for key in ("$defs", "properties"):
        if key in plain:
            plain[key] = {name: _plain(inner) for name, inner in plain[key].items()}
    if isinstance(plain.get("items"), dict):
        plain["items"] = _plain(plain["items"])
    return plain


_MODULE = '''"""What the tools answer, as JSON schemas made beforehand, because making them takes long.

Generated from the models by `python -m agent_connector.mcp_server.server.answers`; do not edit.
"""

from typing import Any, Final

OUTPUT: Final[dict[str, dict[str, Any]]] = '''


if __name__ == "__main__":
    import pprint
    import sys

    sys.stdout.write(_MODULE + pprint.pformat(output_schemas(), sort_dicts=False) + "\n")

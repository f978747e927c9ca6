"""What becomes of a connector in each host: its surfaces, then what the host makes of each answer of a hook."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from agent_connector.operations.honor_grid import Grid, grid
from agent_connector.operations.reports import ExplainReport, ExplainRow, HonorRow, HookVerdict, Support

from ..terminal import Look, Role, columns, visible

_WORDS: Mapping[Support, tuple[str, Role]] = {
    "native": ("native", "good"),
    "skip-warn": ("skip-warn", "change"),
    "disabled": ("disabled", "faint"),
}
_MARKS: Mapping[HookVerdict, tuple[str, str]] = {"honored": ("✓", "+"), "degraded": ("~", "~"), "dropped": ("✗", "x")}


def lines(report: ExplainReport, look: Look, names: Mapping[str, str]) -> Iterator[str]:
    """``names``: host id -> the name people know it by."""
    subject = f"explain {visible(report.connector)}" if report.connector else "explain"
    yield look.paint(subject, "strong")
    hosts = dict.fromkeys([*(row.host for row in report.rows), *(row.host for row in report.honor)])
    for host in hosts:
        yield ""
        name = names.get(host, "")
        yield look.paint(f"{visible(name)} ({visible(host)})" if name else visible(host), "strong")
        for row in report.rows:
            if row.host == host:
                yield _surface(row, look)
        yield from _matrix([row for row in report.honor if row.host == host], look)
    if report.honor:
        yield ""
        yield ", ".join(f"{_mark(verdict, look)} {verdict}" for verdict in _MARKS) + "; numbers lead to the notes."


def _surface(row: ExplainRow, look: Look) -> str:
    word, role = _WORDS[row.support]
    what = f"{row.surface} {row.item}" if row.item else row.surface
    return f"  {look.paint(f'{word:<9}', role)} {visible(what):<11} {look.prose(row.reason)}"


def _matrix(rows: list[HonorRow], look: Look) -> Iterator[str]:
    if not rows:
        return
    table = grid(rows)
    head, *body = columns([("  HOOKS", *table.decisions), *_cells(table, look)])
    yield ""
    yield look.paint(head, "strong")
    yield from (line.rstrip() for line in body)
    for number, note in enumerate(table.notes, 1):
        yield f"  {number:>2} {look.prose(note)}"


def _cells(table: Grid, look: Look) -> Iterator[tuple[str, ...]]:
    for line in table.lines:
        event = f"  {visible(line.event)}{f' {line.note}' if line.note else ''}"
        yield (event, *(f"{_mark(cell.verdict, look)}{cell.note or ''}" for cell in line.cells))


def _mark(verdict: HookVerdict, look: Look) -> str:
    return _MARKS[verdict][0 if look.symbols else 1]

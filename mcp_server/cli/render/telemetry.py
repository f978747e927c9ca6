"""What things cost, as tables with bars."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from agent_connector.operations.telemetry import (
    Board,
    BoardRow,
    LeaderboardReport,
    TelemetryExportReport,
    TelemetryPruneReport,
    TelemetryReport,
    TelemetryRow,
)

from ..terminal import Look, columns, say, say_aside, visible

SHOWN = 30
"""Lines of a table; ``--json`` has all."""
_BAR = 12
_NAME_MOST = 60
"""Characters of a name: servers choose those of their tools."""
_NOTHING = "-"


def lines(report: TelemetryReport | LeaderboardReport | TelemetryPruneReport, look: Look) -> Iterator[str]:
    said = False
    for line in _lines(report, look):
        yield line
        said = True
    for note in report.notes:
        if said:
            yield ""
        yield f"{look.paint('i', 'faint')} {look.prose(note)}"
        said = True


def _lines(report: TelemetryReport | LeaderboardReport | TelemetryPruneReport, look: Look) -> Iterator[str]:
    if isinstance(report, TelemetryReport):
        yield from _report(report, look)
    elif isinstance(report, LeaderboardReport):
        for number, board in enumerate(report.boards):
            if number:
                yield ""
            yield from _board(board, report.since, look)
    else:
        yield from _pruned(report)


def exported(report: TelemetryExportReport) -> int:
    """Rows to standard output, where that is where they go; what there is to say about them beside it."""
    if report.text:
        say(report.text.removesuffix("\n").split("\n"))
    where = f" to {visible(report.out)}" if report.out else ""
    if report.out or not report.rows:
        say_aside([f"{report.rows} {'row' if report.rows == 1 else 'rows'}{where}"])
    say_aside(visible(note) for note in report.notes)
    return report.exit_code


# --- report -----------------------------------------------------------------------------------------------------


def _report(report: TelemetryReport, look: Look) -> Iterator[str]:
    if not report.rows:
        return
    counted = "" if report.scope == "call" else f", rows of scope {report.scope}"
    yield look.paint(f"By {report.by}{_since(report.since)}{counted}", "strong")
    most = max(row.tokens for row in report.rows)
    shown = report.rows[-SHOWN:] if report.by == "day" else report.rows[:SHOWN]
    head = (report.by.upper(), "", "TOKENS", "IN", "OUT", "DEFS", "CALLS", "ERRORS", "P50 MS", "P95 MS", "CONFIDENCE")
    body = [(_name(row, look), _bar(row.tokens, most), *_numbers(row), row.confidence) for row in shown]
    total = ("total", "", *_numbers(report.total), report.total.confidence)
    table = _table([head, *body, *([total] if len(report.rows) > 1 else [])], numbers=range(2, 10))
    yield look.paint(table[0], "faint")
    yield from table[1:]
    if len(shown) < len(report.rows):
        yield look.paint(f"and {len(report.rows) - len(shown)} more (--json has all)", "faint")


def _numbers(row: TelemetryRow) -> tuple[str, ...]:
    return (
        _short(row.tokens),
        _short(row.tokens_in),
        _short(row.tokens_out),
        _short(row.definition_tokens),
        _short(row.calls),
        _short(row.errors),
        _ms(row.p50_ms),
        _ms(row.p95_ms),
    )


def _name(row: TelemetryRow, look: Look) -> str:
    if row.path:
        return look.path(row.path)
    told = [row.connector, row.tool, row.session, row.project, row.event, row.verdict, row.day, row.host]
    return " · ".join(_part(part) for part in told if part) or "(not known)"


def _part(name: str) -> str:
    shown = visible(name)
    return shown if len(shown) <= _NAME_MOST else f"{shown[: _NAME_MOST - 1]}…"


# --- boards -----------------------------------------------------------------------------------------------------


def _board(board: Board, since: str, look: Look) -> Iterator[str]:
    yield look.paint(f"{board.title} ({board.origin}){_since(since)}", "strong")
    if not board.rows:
        yield look.prose(board.empty)
        return
    shown = board.rows[:SHOWN]
    most = board.rows[0].tokens
    head = ("#", board.by.upper(), "", "TOKENS", "SHARE", "IN", "OUT", "DEFS", "CALLS", "ERRORS", "CONFIDENCE")
    table = _table([head, *(_ranked(row, most) for row in shown)], numbers=(0, *range(3, 10)))
    yield look.paint(table[0], "faint")
    yield from table[1:]
    if len(shown) < len(board.rows):
        yield look.paint(f"and {len(board.rows) - len(shown)} more (--json has all)", "faint")


def _ranked(row: BoardRow, most: int) -> tuple[str, ...]:
    return (
        str(row.rank),
        _part(row.name) or "(not known)",
        _bar(row.tokens, most),
        _short(row.tokens),
        f"{row.share:.0%}",
        _short(row.tokens_in),
        _short(row.tokens_out),
        _short(row.definition_tokens),
        _short(row.calls),
        _short(row.errors),
        row.confidence,
    )


# --- prune ------------------------------------------------------------------------------------------------------


def _pruned(report: TelemetryPruneReport) -> Iterator[str]:
    yield f"{report.rows} rows and {report.paths} paths of projects were let go."
    if report.bytes_before:
        yield f"The database takes {_size(report.bytes_after)}, before it took {_size(report.bytes_before)}."


# --- cells ------------------------------------------------------------------------------------------------------


def _since(since: str) -> str:
    return f" since {since}" if since else ""


def _bar(value: int, most: int) -> str:
    return "█" * max(1, round(_BAR * value / most)) if value and most else ""


def _short(number: int) -> str:
    """Up to five digits as they are, more in thousands and millions; nought is a dash."""
    if not number:
        return _NOTHING
    for unit, size in (("G", 10**9), ("M", 10**6), ("k", 10**3)):
        if number >= 100 * size or (number >= size and size > 10**3):
            return f"{number / size:.1f}{unit}"
    return str(number)


def _ms(value: float | None) -> str:
    return _NOTHING if value is None else f"{value:.0f}" if value >= 100 else f"{value:.1f}"


def _size(count: int) -> str:
    return f"{count / (1 << 20):.1f} MiB"


def _table(rows: Sequence[tuple[str, ...]], numbers: Sequence[int]) -> list[str]:
    """Numbers to the right, everything else to the left."""
    widths = {at: max(len(row[at]) for row in rows) for at in numbers}
    return [
        line.rstrip()
        for line in columns(
            tuple(cell.rjust(widths[at]) if at in widths else cell for at, cell in enumerate(row)) for row in rows
        )
    ]

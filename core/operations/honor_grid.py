"""One host's honor matrix as a table for people: a line for each event; what there is to say, in notes below."""

from __future__ import annotations

from collections.abc import Iterable

from ..values import frozen
from .reports import Asked, HonorRow, HookVerdict


@frozen
class Cell:
    """``note``: the number of what is said of it, 0 for nothing."""

    verdict: HookVerdict
    note: int = 0


@frozen
class Line:
    """``note``: under which conditions the event's hooks run."""

    event: str
    cells: tuple[Cell, ...]
    note: int = 0


@frozen
class Grid:
    decisions: tuple[Asked, ...]
    lines: tuple[Line, ...]
    notes: tuple[str, ...]
    """The first has the number 1."""


def grid(rows: Iterable[HonorRow]) -> Grid:
    """``rows``: of one host, event by event."""
    by_event: dict[str, dict[Asked, HonorRow]] = {}
    for row in rows:
        by_event.setdefault(row.event, {})[row.decision] = row
    decisions = tuple(dict.fromkeys(decision for cells in by_event.values() for decision in cells))
    notes: dict[str, int] = {}

    def number(text: str) -> int:
        return notes.setdefault(text, len(notes) + 1) if text else 0

    lines = []
    for event, cells in by_event.items():
        condition = next(iter(cells.values())).fires_when
        note = number(f"runs {condition}" if condition else "")
        # The line says which event it is about; without that many notes are one.
        made = tuple(Cell(row.verdict, number(row.why.replace(f" at {event}", " here"))) for row in cells.values())
        lines.append(Line(event, made, note))
    return Grid(decisions, tuple(lines), tuple(notes))

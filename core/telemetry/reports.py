"""Questions to the database: sums over a window of time, by whatever is asked for.

A window is exact to the millisecond: whole days and hours come from the sums, what is left at its edge from rows.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ..values import frozen
from . import latency
from .retention import kept_since
from .schema import BY_SERIES, BY_VISIT, DAY, LEVELS
from .words import CONFIDENCES, By, RowScope

if TYPE_CHECKING:
    import sqlite3

_KEYS: Mapping[By, tuple[str, ...]] = {
    "tool": ("connector", "tool"),
    "session": ("session", "host"),
    "project": ("project",),
    "host": ("host",),
    "connector": ("connector",),
    "event": ("event", "verdict"),
    "day": ("day",),
}
_VISITS: frozenset[By] = frozenset({"session", "project"})
_SUMS = ("calls", "errors", "inb", "outb", "tin", "tout", "timed", "us")


@frozen
class Query:
    """``since``: milliseconds since the epoch, ``None`` for all. Empty names: of every connector, of every host."""

    by: By = "tool"
    scope: RowScope = "call"
    since: int | None = None
    connector: str = ""
    host: str = ""


class Group:
    """What a group of rows comes to. ``mix``: how its tokens are known -> rows."""

    __slots__ = ("calls", "errors", "inb", "latency", "mix", "outb", "timed", "tin", "tout", "us")

    def __init__(self) -> None:
        self.calls = self.errors = self.inb = self.outb = self.tin = self.tout = self.timed = self.us = 0
        self.latency: latency.Histogram = {}
        self.mix: dict[int, int] = {}

    def add(self, conf: int, sums: tuple[int, ...], histogram: latency.Histogram) -> None:
        for name, value in zip(_SUMS, sums, strict=True):
            setattr(self, name, getattr(self, name) + value)
        self.mix[conf] = self.mix.get(conf, 0) + sums[0]
        for bucket, count in histogram.items():
            self.latency[bucket] = self.latency.get(bucket, 0) + count

    def join(self, other: Group) -> None:
        for name in _SUMS:
            setattr(self, name, getattr(self, name) + getattr(other, name))
        for mine, theirs in ((self.mix, other.mix), (self.latency, other.latency)):
            for key, count in theirs.items():
                mine[key] = mine.get(key, 0) + count

    def percentile(self, share: float) -> float | None:
        """Milliseconds; ``None`` where no call was timed."""
        found = latency.percentile(self.latency, share)
        return None if found is None else round(found, 3 if found < 10 else 1)

    @property
    def confidence(self) -> str:
        """The weakest that is in the sum; ``""`` of nothing."""
        return CONFIDENCES[min(self.mix)] if self.mix else ""

    def named_mix(self) -> dict[str, int]:
        return {CONFIDENCES[rank]: self.mix[rank] for rank in sorted(self.mix)}


@frozen
class Definition:
    """What one tool's definition costs a host's context, now."""

    connector: str
    host: str
    tool: str
    tokens: int
    bytes: int
    confidence: str


Groups = dict[tuple[str, ...], Group]
"""The values of :func:`keys` -> the group."""


def keys(by: By) -> tuple[str, ...]:
    """What a report by this tells apart."""
    return _KEYS[by]


def groups(connection: sqlite3.Connection, query: Query) -> Groups:
    found: Groups = {}
    width = len(_KEYS[query.by])
    for row in _sums(connection, query):
        key = tuple(_date(part) if isinstance(part, int) else part for part in row[:width])
        if key not in found:
            found[key] = Group()
        found[key].add(row[width], row[width + 1 : -1], latency.unpack(row[-1]))
    return found


def joined(all_of: Iterable[Groups]) -> Groups:
    """Of several databases as of one."""
    result: Groups = {}
    for some in all_of:
        for key, group in some.items():
            if key in result:
                result[key].join(group)
            else:
                result[key] = group
    return result


def definitions(connection: sqlite3.Connection, connector: str = "", host: str = "") -> list[Definition]:
    """Of the newest generation of each connector in each host, whenever that was counted."""
    where, values = named(connector=connector, host=host)
    found = connection.execute(
        f"SELECT connector, host, tool, tokens, bytes, conf FROM definitions{where} ORDER BY connector, host, tool",  # noqa: S608
        values,
    )
    return [
        Definition(connector, host, tool, tokens, size, CONFIDENCES[conf])
        for connector, host, tool, tokens, size, conf in found
    ]


def recorded(connection: sqlite3.Connection) -> dict[str, int]:
    """Scope -> rows, over all time."""
    return dict(
        connection.execute(
            "SELECT scope, sum(calls) FROM rollups JOIN series ON series.id = series "
            "WHERE kind = ? AND level = ? GROUP BY scope",
            (BY_SERIES, LEVELS[-1]),
        )
    )


def paths(connection: sqlite3.Connection) -> dict[str, str]:
    """Project key -> the path it stands for."""
    return dict(connection.execute("SELECT project, path FROM projects"))


def is_rounded(connection: sqlite3.Connection, since: int | None) -> bool:
    """Whether a window begins where only whole days are left."""
    return since is not None and since % DAY != 0 and since < kept_since(connection)


# --- the window ------------------------------------------------------------------------------------------------


def _sums(connection: sqlite3.Connection, query: Query) -> Iterator[tuple[Any, ...]]:
    """(what is told apart..., confidence, sums..., latencies)"""
    by_visit = query.by in _VISITS
    levels = (DAY,) if by_visit else LEVELS[:2] if query.by == "day" else LEVELS
    pieces, values = _window(BY_VISIT if by_visit else BY_SERIES, levels, query.since, kept_since(connection))
    where, names = named(scope=query.scope, connector=query.connector, host=query.host)
    sums = ", ".join(f"sum({name}) AS {name}" for name in _SUMS)
    part = f"SELECT * FROM ({' UNION ALL '.join(pieces)}) WHERE series IN (SELECT id FROM series{where})"  # noqa: S608
    if not by_visit and query.by != "day":  # few series make many rows: names only for their sums
        part = f"SELECT series, conf, {sums}, latencies(latency) AS latency FROM ({part}) GROUP BY series, conf"  # noqa: S608
    told = ", ".join(_KEYS[query.by])
    yield from connection.execute(
        f"SELECT {told}, conf, {sums}, latencies(latency) FROM ({part}) AS part "  # noqa: S608
        f"CROSS JOIN series ON series.id = part.series {'CROSS JOIN visits ON visits.id = part.visit' * by_visit} "
        f"GROUP BY {told}, conf",
        (*values, *names),
    )


def _window(kind: int, levels: tuple[int, ...], since: int | None, kept: int) -> tuple[list[str], list[int]]:
    """The pieces of a query that make up the time since then, the finest first."""
    pieces: list[str] = []
    values: list[int] = []

    def sums(level: int, first: int, end: int | None) -> None:
        until = "" if end is None else " AND start < ?"
        pieces.append(
            f"SELECT series, visit, conf, {', '.join(_SUMS)}, latency, start * level / {DAY} AS day "  # noqa: S608
            f"FROM rollups WHERE kind = ? AND level = ? AND start >= ?{until}"
        )
        values.extend([kind, level, first // level, *([] if end is None else [end // level])])

    start = since or 0
    if start < kept:
        start -= start % DAY
    edge = _up(start, levels[0])
    if edge > start:
        pieces.append(
            "SELECT series, visit, conf, 1 AS calls, error AS errors, inb, outb, tin, tout, "  # noqa: S608
            "us IS NOT NULL AS timed, "
            f"coalesce(us, 0) AS us, latency_of(us) AS latency, t / {DAY} AS day FROM rows WHERE t >= ? AND t < ?"
        )
        values.extend([start, edge])
        start = edge
    for level, wider in pairwise(levels):
        if (edge := _up(start, wider)) > start:
            sums(level, start, edge)
            start = edge
    sums(levels[-1], start, None)
    return pieces, values


def _up(moment: int, step: int) -> int:
    return -(-moment // step) * step


def _date(day: int) -> str:
    from time import gmtime, strftime

    return strftime("%Y-%m-%d", gmtime(day * DAY / 1000))


def named(**equal: str) -> tuple[str, tuple[Any, ...]]:
    """A condition on columns, of those that are given at all, and its values."""
    given = {name: value for name, value in equal.items() if value}
    clause = " AND ".join(f"{name} = ?" for name in given)
    return (f" WHERE {clause}" if clause else "", tuple(given.values()))

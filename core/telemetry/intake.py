"""Lines as rows and sums of the database.

Two lines of one call have the same time and the same ``u``: the better counted one stays.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import add
from typing import TYPE_CHECKING

from msgspec.structs import astuple

from . import latency
from .lines import HOW_MUCH, WHAT, WHO
from .schema import BY_SERIES, BY_VISIT, DAY, HOUR, LEVELS
from .words import RANK

if TYPE_CHECKING:
    import sqlite3

    from .lines import Line

BYTES_PER_TOKEN = 4

_SUMS = ("calls", "errors", "inb", "outb", "tin", "tout", "timed", "us")
_UPSERT = f"""
    INSERT INTO rollups VALUES ({", ".join("?" * 15)}) ON CONFLICT DO UPDATE SET
    {", ".join(f"{name} = {name} + excluded.{name}" for name in _SUMS)},
    latency = latency_merged(latency, excluded.latency)
"""  # noqa: S608  # column names only

_Row = tuple[int, int, int, int, int, int, int, int, int, int, int | None]
"""(t, u, series, visit, conf, error, inb, outb, tin, tout, us): as it is stored"""
_INSERT = f"INSERT INTO rows VALUES ({', '.join('?' * 11)})"  # noqa: S608  # placeholders only

_Key = tuple[int, int, int, int, int, int]
"""(kind, level, start, series, visit, conf)"""


class _Sum:
    """What a group of rows comes to. ``buckets``: of the latencies, a byte per call."""

    __slots__ = ("buckets", "totals")

    def __init__(self, totals: Sequence[int], buckets: bytes) -> None:
        self.totals = totals
        self.buckets = buckets

    def add(self, other: _Sum) -> None:
        self.totals = tuple(map(add, self.totals, other.totals))
        self.buckets += other.buckets


def tokens_of(line: Line) -> tuple[int, int]:
    """In and out; what nobody counted is estimated from its size."""
    return (
        -(-line.inb // BYTES_PER_TOKEN) if line.tokens_in is None else line.tokens_in,
        -(-line.outb // BYTES_PER_TOKEN) if line.tokens_out is None else line.tokens_out,
    )


def confidence_of(line: Line) -> int:
    """Rank of how the tokens are known: an estimate makes the whole row one."""
    estimated = (line.tokens_in is None and line.inb) or (line.tokens_out is None and line.outb)
    return 0 if estimated else RANK[line.conf]


class Intake:
    """Adds rows and keeps the sums right, inside the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._series: dict[tuple[str, ...], int] = {}
        self._visits: dict[tuple[str, ...], int] = {}
        self._stems: dict[int, int] = {}

    def add(self, lines: Iterable[Line]) -> int:
        """Answers how many rows gave way to a better counted one of the same call."""
        import sqlite3

        rows = self._encoded(lines)
        if not rows:
            return 0
        worse: list[_Row] = []
        self._connection.execute("SAVEPOINT adding")
        try:
            self._connection.executemany(_INSERT, rows)
        except sqlite3.IntegrityError:  # rare: a call that was told twice
            self._connection.execute("ROLLBACK TO adding")
            rows, worse = self._settled(rows)
            self._connection.executemany("DELETE FROM rows WHERE t = ? AND u = ?", [row[:2] for row in worse])
            self._connection.executemany(_INSERT, rows)
            self._sum_up(worse, away=True)
        self._connection.execute("RELEASE adding")
        self._sum_up(rows)
        if worse:
            self._connection.execute("DELETE FROM rollups WHERE calls = 0")
        return len(worse)

    # --- names as numbers ----------------------------------------------------------------------------------------

    def _encoded(self, lines: Iterable[Line]) -> list[_Row]:
        series, visits = self._series, self._visits
        rows: list[_Row] = []
        # A row that nobody gave an id gets one of its own, below zero.
        (own,) = self._connection.execute("SELECT coalesce(min(value), 0) FROM meta WHERE name = 'ids'").fetchone()
        for line in lines:
            values = astuple(line)
            what, who = values[WHAT], values[WHO]
            inb, outb, tin, tout, told, error, ms = values[HOW_MUCH]
            conf = RANK[told]
            u = line.u
            if u is None:
                u = own = own - 1
            if tin is None or tout is None:
                tin, tout = tokens_of(line)
                conf = confidence_of(line)
            rows.append(
                (
                    line.t,
                    u,
                    series.get(what) or self._series_id(what),
                    visits.get(who) or self._visit_id(who),
                    conf,
                    1 if error else 0,
                    inb,
                    outb,
                    tin,
                    tout,
                    None if ms is None else int(ms * 1000 + 0.5),
                )
            )
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES ('ids', ?)", (own,))
        return rows

    def _series_id(self, what: tuple[str, ...]) -> int:
        found = self._connection.execute(
            "SELECT id FROM series WHERE scope = ? AND connector = ? AND host = ? AND tool = ? AND event = ? "
            "AND verdict = ? AND defs = ?",
            what,
        ).fetchone()
        if found is None:
            found = (
                self._connection.execute("INSERT INTO series VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)", what).lastrowid,
            )
        number = int(found[0])
        self._series[what] = number
        # The sums of visits leave tools and events out.
        stem = (*what[:3], "", "", "", "")
        self._stems[number] = number if stem == what else (self._series.get(stem) or self._series_id(stem))
        return number

    def _visit_id(self, who: tuple[str, ...]) -> int:
        found = self._connection.execute(
            "SELECT id FROM visits WHERE session = ? AND project = ? AND client = ?", who
        ).fetchone()
        if found is None:
            found = (self._connection.execute("INSERT INTO visits VALUES (NULL, ?, ?, ?)", who).lastrowid,)
        number = int(found[0])
        self._visits[who] = number
        return number

    # --- the same call, told twice -------------------------------------------------------------------------------

    def _settled(self, rows: list[_Row]) -> tuple[list[_Row], list[_Row]]:
        """What is to be added of ``rows``, and what stands in the database and gives way to it."""
        standing: dict[tuple[int, int], _Row] = {}
        best: dict[tuple[int, int], _Row] = {}
        for row in rows:
            key = row[:2]
            if key not in best:
                found = self._connection.execute("SELECT * FROM rows WHERE t = ? AND u = ?", key).fetchone()
                if found is not None:
                    standing[key] = best[key] = found
            if key not in best or row[4] > best[key][4]:
                best[key] = row
        better = [row for key, row in best.items() if row is not standing.get(key)]
        return better, [standing[row[:2]] for row in better if row[:2] in standing]

    # --- sums ----------------------------------------------------------------------------------------------------

    def _sum_up(self, rows: Iterable[_Row], *, away: bool = False) -> None:
        """Add what the rows come to, or take it away."""
        hours: defaultdict[tuple[int, int, int], list[_Row]] = defaultdict(list)
        visits: defaultdict[tuple[int, int, int, int], list[_Row]] = defaultdict(list)
        stems = self._stems
        for row in rows:
            t, series, conf = row[0], row[2], row[4]
            hours[t // HOUR, series, conf].append(row)
            visits[t // DAY, stems.get(series) or self._stem(series), row[3], conf].append(row)
        sums: dict[_Key, _Sum] = {
            (BY_VISIT, DAY, day, stem, visit, conf): _total(group)
            for (day, stem, visit, conf), group in visits.items()
        }
        finer = {(hour * HOUR, series, conf): _total(group) for (hour, series, conf), group in hours.items()}
        for level in LEVELS:
            wider: dict[tuple[int, int, int], _Sum] = {}
            for (start, series, conf), total in finer.items():
                key = (start - start % level, series, conf)
                if key in wider:
                    wider[key].add(total)
                else:
                    wider[key] = _Sum(total.totals, total.buckets)
            for (start, series, conf), total in wider.items():
                sums[BY_SERIES, level, start // level, series, 0, conf] = total
            finer = wider
        self._connection.executemany(
            _UPSERT,
            [
                (
                    *key,
                    *([-one for one in total.totals] if away else total.totals),
                    latency.blob(total.buckets, away=away),
                )
                for key, total in sums.items()
            ],
        )

    def _stem(self, series: int) -> int:
        if series not in self._stems:  # of a row that stood there before
            what = self._connection.execute(
                "SELECT scope, connector, host, tool, event, verdict, defs FROM series WHERE id = ?", (series,)
            ).fetchone()
            self._series_id(what)
        return self._stems[series]


def _total(group: list[_Row]) -> _Sum:
    if len(group) == 1:
        _, _, _, _, _, error, inb, outb, tin, tout, us = group[0]
        if us is None:
            return _Sum((1, error, inb, outb, tin, tout, 0, 0), b"")
        return _Sum((1, error, inb, outb, tin, tout, 1, us), latency.buckets((us,)))
    _, _, _, _, _, errors, inbs, outbs, tins, touts, all_us = zip(*group, strict=True)
    timed = [one for one in all_us if one is not None]
    totals = (len(group), sum(errors), sum(inbs), sum(outbs), sum(tins), sum(touts), len(timed), sum(timed))
    return _Sum(totals, latency.buckets(timed))

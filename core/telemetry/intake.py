"""Lines as rows and sums of the database.

Two lines of one call have the same time and the same ``u``: the better counted one stays.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from operator import add
from typing import TYPE_CHECKING, Any

from msgspec.structs import astuple

from . import latency
from .lines import CONFIDENCE, HOW_MUCH, NAMES, WHAT, WHO
from .schema import BY_SERIES, BY_VISIT, DAY, HOUR, LEVELS
from .words import CONFIDENCES, RANK

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

_OWN = (-(1 << 62),)

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


class _Hour:
    """What the rows of one hour, series, visit and confidence come to. ``counts``: calls, errors, bytes in and out,
    tokens in and out; ``taken``: microseconds of those that were timed."""

    __slots__ = ("counts", "end", "start", "taken")

    def __init__(self, t: int) -> None:
        self.start = t - t % HOUR
        self.end = self.start + HOUR
        self.counts = [0] * 6
        self.taken: list[int] = []


_Hours = dict[tuple[int, int, int, int], _Hour]


class Intake:
    """Adds rows and keeps the sums right, inside the caller's transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._ids: dict[tuple[Any, ...], tuple[int, int, int]] = {}
        """names of a line -> (series, visit, confidence)"""
        self._series: dict[tuple[str, ...], int] = {}
        self._visits: dict[tuple[Any, ...], int] = {}
        self._stems: dict[int, int] = {}
        """visit -> series"""

    def add(self, lines: Iterable[Line]) -> int:
        """Answers how many rows gave way to a better counted one of the same call."""
        import sqlite3

        rows, hours = self._encoded(lines)
        if not rows:
            return 0
        self._connection.execute("SAVEPOINT adding")
        worse: list[_Row] = []
        try:
            self._connection.executemany(_INSERT, rows)
        except sqlite3.IntegrityError:  # rare: a call that was told twice
            self._connection.execute("ROLLBACK TO adding")
            rows, worse = self._settled(rows)
            hours = _hours(rows)
            self._connection.executemany("DELETE FROM rows WHERE t = ? AND u = ?", [row[:2] for row in worse])
            self._connection.executemany(_INSERT, rows)
            self._roll_up(_hours(worse), away=True)
        self._connection.execute("RELEASE adding")
        self._roll_up(hours)
        if worse:
            self._connection.execute("DELETE FROM rollups WHERE calls = 0")
        return len(worse)

    # --- lines as rows -------------------------------------------------------------------------------------------

    def _encoded(self, lines: Iterable[Line]) -> tuple[list[_Row], _Hours]:
        """The rows, and what they come to. In one loop: it is run for every line there is."""
        ids = self._ids
        rows: list[_Row] = []
        hours: _Hours = {}
        latest: dict[tuple[Any, ...], _Hour] = {}
        # A row that nobody gave an id gets one of its own, below zero and in the order of writing.
        (own,) = self._connection.execute(
            "SELECT coalesce(max(value), ?) FROM meta WHERE name = 'ids'", _OWN
        ).fetchone()
        for line in lines:
            values = astuple(line)
            names = values[NAMES]
            inb, outb, tin, tout, error, ms = values[HOW_MUCH]
            t, u = line.t, line.u
            if u is None:
                u = own = own + 1
            if tin is None or tout is None:
                tin, tout = tokens_of(line)
                names = (*names[:CONFIDENCE], CONFIDENCES[confidence_of(line)])
            series, visit, conf = ids.get(names) or self._ids_of(names)
            hour = latest.get(names)
            if hour is None or not hour.start <= t < hour.end:
                hour = latest[names] = _hour(hours, t, series, visit, conf)
            counts = hour.counts
            counts[0] += 1
            counts[2] += inb
            counts[3] += outb
            counts[4] += tin
            counts[5] += tout
            if error:
                error = 1
                counts[1] += 1
            us = None
            if ms is not None:
                us = int(ms * 1000 + 0.5)
                hour.taken.append(us)
            rows.append((t, u, series, visit, conf, error, inb, outb, tin, tout, us))
        self._connection.execute("INSERT OR REPLACE INTO meta VALUES ('ids', ?)", (own,))
        return rows, hours

    def _ids_of(self, names: tuple[Any, ...]) -> tuple[int, int, int]:
        what = names[WHAT]
        who = (self._series_id((*what[:3], "", "", "", "")), *names[WHO])  # sums of visits leave tools and events out
        visit = self._visits.get(who)
        if visit is None:
            visit = self._visits[who] = self._id(
                "SELECT id FROM visits WHERE stem = ? AND session = ? AND project = ? AND client = ?",
                "INSERT OR IGNORE INTO visits VALUES (NULL, ?, ?, ?, ?)",
                who,
            )
            self._stems[visit] = who[0]
        found = self._ids[names] = (self._series_id(what), visit, RANK[names[CONFIDENCE]])
        return found

    def _series_id(self, what: tuple[str, ...]) -> int:
        if what not in self._series:
            self._series[what] = self._id(
                "SELECT id FROM series WHERE scope = ? AND connector = ? AND host = ? AND tool = ? AND event = ? "
                "AND verdict = ? AND defs = ?",
                "INSERT OR IGNORE INTO series VALUES (NULL, ?, ?, ?, ?, ?, ?, ?)",
                what,
            )
        return self._series[what]

    def _id(self, select: str, insert: str, names: tuple[Any, ...]) -> int:
        made = self._connection.execute(insert, names)
        if made.rowcount == 1:
            return int(made.lastrowid or 0)
        return int(self._connection.execute(select, names).fetchone()[0])

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

    def _roll_up(self, hours: _Hours, *, away: bool = False) -> None:
        """Add what rows come to, or take it away."""
        visits: dict[_Key, _Sum] = {}
        series: dict[_Key, _Sum] = {}
        for (number, what, visit, conf), hour in hours.items():
            taken = hour.taken
            total = _Sum((*hour.counts, len(taken), sum(taken)), latency.buckets(taken))
            _put(series, (BY_SERIES, HOUR, number, what, 0, conf), total)
            _put(visits, (BY_VISIT, DAY, hour.start // DAY, self._stem(visit), visit, conf), total)
        sums = [visits, series]
        for level, wider in pairwise(LEVELS):
            series = {}
            for (kind, _, number, what, _, conf), total in sums[-1].items():
                _put(series, (kind, wider, number * level // wider, what, 0, conf), total)
            sums.append(series)
        sign = -1 if away else 1
        self._connection.executemany(
            _UPSERT,
            [
                (*key, *(sign * one for one in total.totals), latency.blob(total.buckets, away=away))
                for some in sums
                for key, total in some.items()
            ],
        )

    def _stem(self, visit: int) -> int:
        if visit not in self._stems:  # of a row that stood there before
            (stem,) = self._connection.execute("SELECT stem FROM visits WHERE id = ?", (visit,)).fetchone()
            self._stems[visit] = stem
        return self._stems[visit]


def _put(sums: dict[_Key, _Sum], key: _Key, total: _Sum) -> None:
    if key in sums:
        sums[key].add(total)
    else:
        sums[key] = _Sum(total.totals, total.buckets)


def _hour(hours: _Hours, t: int, series: int, visit: int, conf: int) -> _Hour:
    key = (t // HOUR, series, visit, conf)
    if key not in hours:
        hours[key] = _Hour(t)
    return hours[key]


def _hours(rows: Iterable[_Row]) -> _Hours:
    """What rows come to that stand encoded already."""
    hours: _Hours = {}
    for t, _, series, visit, conf, error, inb, outb, tin, tout, us in rows:
        hour = _hour(hours, t, series, visit, conf)
        hour.counts = list(map(add, hour.counts, (1, error, inb, outb, tin, tout)))
        if us is not None:
            hour.taken.append(us)
    return hours

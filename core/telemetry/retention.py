"""What is let go of, so that the database stays small.

Rows and sums per hour go after 400 days, or when the database is over its size; sums per day stay, for they are few.
A report over what is older is right to the day. Whoever folds does it, once a day at most.
"""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

from ..values import frozen
from .fold import PROJECTS
from .schema import BY_SERIES, DAY, HOUR, transaction

if TYPE_CHECKING:
    import sqlite3

KEPT_DAYS = 400
CAP_BYTES = 512 << 20
"""Of the database: about five million rows."""
LOG_CAP_BYTES = 64 << 20
"""Of a connector's own file of lines; it becomes ``<connector>.1.ndjson``, in place of the one before."""
PATHS_CAP_BYTES = 1 << 20
_ROOM = 0.8
"""A database over its size is brought down to this part of it, so that it is not over it again tomorrow."""
_PER_TRANSACTION = 20_000


@frozen
class Pruned:
    rows: int = 0
    paths: int = 0
    bytes_before: int = 0
    bytes_after: int = 0


def prune_when_due(connection: sqlite3.Connection, folder: Path, *, now: float | None = None) -> Pruned:
    """:func:`prune`, unless somebody did it today."""
    moment = time.time() if now is None else now
    today = int(moment * 1000) // DAY
    found = connection.execute("SELECT value FROM meta WHERE name = 'pruned'").fetchone()
    if found is not None and found[0] == today:
        return Pruned()
    with transaction(connection):
        connection.execute("INSERT OR REPLACE INTO meta VALUES ('pruned', ?)", (today,))
    return prune(connection, folder, now=moment)


def prune(
    connection: sqlite3.Connection,
    folder: Path,
    *,
    now: float | None = None,
    kept_days: int = KEPT_DAYS,
    cap_bytes: int = CAP_BYTES,
) -> Pruned:
    """Drop rows older than ``kept_days``, then the oldest days until the database takes less than ``cap_bytes``."""
    moment = int((time.time() if now is None else now) * 1000)
    before = _size(connection)
    rows = _drop_before(connection, (moment // DAY - kept_days) * DAY)
    if before > cap_bytes:
        while _used(connection) > cap_bytes * _ROOM and (oldest := _oldest_row(connection)) is not None:
            rows += _drop_before(connection, (oldest // DAY + 1) * DAY)
    if rows:
        connection.executescript("PRAGMA incremental_vacuum")  # execute() frees one page
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    _rotate_logs(folder)
    if _bytes_of(folder / PROJECTS) > PATHS_CAP_BYTES:
        _drop_paths_file(connection, folder)
    return Pruned(rows, 0, before, _size(connection))


def forget_paths(connection: sqlite3.Connection, folder: Path) -> Pruned:
    """Forget where projects are; what was counted stays under the projects' keys."""
    before = _size(connection)
    with transaction(connection):
        paths = connection.execute("DELETE FROM projects").rowcount
    _drop_paths_file(connection, folder)
    connection.executescript("PRAGMA incremental_vacuum")  # execute() frees one page
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
    return Pruned(0, paths, before, _size(connection))


def kept_since(connection: sqlite3.Connection) -> int:
    """The moment (ms) since which there are rows and hours; before it there are days only."""
    found = connection.execute("SELECT value FROM meta WHERE name = 'kept_since'").fetchone()
    return int(found[0]) if found else 0


def _drop_before(connection: sqlite3.Connection, moment: int) -> int:
    """``moment`` is the beginning of a day. In several transactions, so that nobody waits for long; the boundary is
    moved first, so that a report in between does not count on what is going."""
    if _oldest_row(connection, moment) is None:
        return 0
    with transaction(connection):
        connection.execute(
            "INSERT INTO meta VALUES ('kept_since', ?) ON CONFLICT DO UPDATE SET value = max(value, excluded.value)",
            (moment,),
        )
        connection.execute(
            "DELETE FROM rollups WHERE kind = ? AND level = ? AND start < ?", (BY_SERIES, HOUR, moment // HOUR)
        )
    dropped = 0
    while True:
        with transaction(connection):
            last = connection.execute(
                "SELECT t, u FROM rows WHERE t < ? ORDER BY t, u LIMIT 1 OFFSET ?", (moment, _PER_TRANSACTION)
            ).fetchone()
            done = connection.execute("DELETE FROM rows WHERE (t, u) < (?, ?)", last or (moment, -(1 << 63))).rowcount
            dropped += done
        if last is None:
            return dropped


def _oldest_row(connection: sqlite3.Connection, before: int | None = None) -> int | None:
    (oldest,) = connection.execute("SELECT min(t) FROM rows").fetchone()
    return None if oldest is None or (before is not None and oldest >= before) else int(oldest)


def _size(connection: sqlite3.Connection) -> int:
    return int(_pragma(connection, "page_count") * _pragma(connection, "page_size"))


def _used(connection: sqlite3.Connection) -> int:
    free = _pragma(connection, "freelist_count")
    return (_pragma(connection, "page_count") - free) * _pragma(connection, "page_size")


def _pragma(connection: sqlite3.Connection, name: str) -> int:
    return int(connection.execute(f"PRAGMA {name}").fetchone()[0])


def _rotate_logs(folder: Path) -> None:
    for path in (folder / "log").glob("*.ndjson"):
        if not path.name.endswith(".1.ndjson") and _bytes_of(path) > LOG_CAP_BYTES:
            path.replace(path.with_name(f"{path.stem}.1.ndjson"))


def _drop_paths_file(connection: sqlite3.Connection, folder: Path) -> None:
    """The file first: were its place forgotten first, a crash would have it read again."""
    with transaction(connection):
        (folder / PROJECTS).unlink(missing_ok=True)
        connection.execute("DELETE FROM folded WHERE file = ?", (PROJECTS,))


def _bytes_of(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0

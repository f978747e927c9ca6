"""Spool files into the database, each line exactly once.

A piece of a file is read, its rows, their sums and how far the file has been read are written in one transaction that
nobody else can be in: whatever is killed, wherever, the next one goes on where the last commit stands. Only whole
lines are taken; a line that is being written waits for the next time.
"""

from __future__ import annotations

import gc
import os
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..values import frozen
from .schema import transaction

if TYPE_CHECKING:
    import sqlite3

    from .intake import Intake
    from .lines import Line

SPOOL = "spool"
PROJECTS = "projects.ndjson"
_DAY_FILE = re.compile(r"(\d{4}-\d\d-\d\d)\.ndjson")
_PIECE = 4 << 20
"""Bytes per transaction: what one takes of memory, and how long others wait."""
_KEPT_DAYS = 2
"""A day's file is kept that long after the day, for writers that are late."""
_DAY = 86_400


@frozen
class Folded:
    """What one run of folding did. ``replaced``: rows that a better counted one of the same call took the place of;
    ``damaged``: lines that were none; ``removed``: spool files that are done with."""

    rows: int = 0
    replaced: int = 0
    damaged: int = 0
    removed: int = 0


def fold(connection: sqlite3.Connection, folder: Path, *, now: float | None = None) -> Folded:
    """Take in what is new in ``folder`` (``<data root>/telemetry``). Raises ``OSError`` and ``sqlite3.Error``."""
    pending = list(_pending(connection, folder))
    with _without_collecting(bool(pending)):
        rows, replaced, damaged = _fold_files(connection, pending)
    return Folded(rows, replaced, damaged, _remove_done(connection, folder, time.time() if now is None else now))


def fold_log(connection: sqlite3.Connection, path: Path) -> Folded:
    """Take a whole file of lines into a database of its own."""
    with _without_collecting(active=True):
        return Folded(*_fold_files(connection, [path]))


def spool_files(folder: Path) -> list[Path]:
    """The days' files, the oldest first."""
    try:
        names = sorted(entry.name for entry in os.scandir(folder / SPOOL) if entry.is_file(follow_symlinks=False))
    except FileNotFoundError:
        return []
    return [folder / SPOOL / name for name in names if _DAY_FILE.fullmatch(name)]


def _pending(connection: sqlite3.Connection, folder: Path) -> Iterator[Path]:
    """Files whose size is not how far they have been read, found without waiting for anybody."""
    done = dict(connection.execute("SELECT file, offset FROM folded"))
    projects = folder / PROJECTS
    for path in [*([projects] if projects.is_file() else []), *spool_files(folder)]:
        if done.get(path.name, 0) != path.stat().st_size:
            yield path


def _fold_files(connection: sqlite3.Connection, files: list[Path]) -> tuple[int, int, int]:
    """Rows read, rows replaced, lines damaged."""
    counts = (0, 0, 0)
    waiting = list(reversed(files))
    while waiting:
        from .intake import Intake  # here: where nothing is new, nothing that reads lines is loaded

        with transaction(connection):
            intake = Intake(connection)
            room = _PIECE
            while waiting and room > 0:
                taken, some = _fold_piece(connection, waiting[-1], room, intake)
                counts = (counts[0] + some[0], counts[1] + some[1], counts[2] + some[2])
                room -= taken
                if not taken:
                    waiting.pop()
    return counts


def _fold_piece(
    connection: sqlite3.Connection, path: Path, room: int, intake: Intake
) -> tuple[int, tuple[int, int, int]]:
    """About ``room`` bytes of a file: how many were taken (none when no whole line is left), and what came of it."""
    offset, damaged_before = connection.execute(
        "SELECT coalesce(max(offset), 0), coalesce(max(damaged), 0) FROM folded WHERE file = ?", (path.name,)
    ).fetchone()
    data, offset = _whole_lines(path, offset, room)
    if not data:
        return 0, (0, 0, 0)
    some = _store_projects(connection, data) if path.name == PROJECTS else _store_rows(connection, data, intake)
    connection.execute(
        "INSERT OR REPLACE INTO folded VALUES (?, ?, ?)", (path.name, offset + len(data), damaged_before + some[2])
    )
    return len(data), some


def _whole_lines(path: Path, offset: int, room: int) -> tuple[bytes, int]:
    """About ``room`` bytes of whole lines from ``offset``, and where they begin. A file that became shorter is a
    new one."""
    try:
        with path.open("rb") as file:
            if os.fstat(file.fileno()).st_size < offset:
                offset = 0
            file.seek(offset)
            data = file.read(room)
            while b"\n" not in data and (more := file.read(_PIECE)):
                data += more
    except FileNotFoundError:
        return b"", offset
    return data[: data.rfind(b"\n") + 1], offset


def _store_rows(connection: sqlite3.Connection, data: bytes, intake: Intake) -> tuple[int, int, int]:
    from .lines import read_lines

    lines, damaged = read_lines(data)
    replaced = intake.add(lines)
    _note_definitions(connection, [line for line in lines if line.scope == "tool_defs"])
    return len(lines), replaced, damaged


def _store_projects(connection: sqlite3.Connection, data: bytes) -> tuple[int, int, int]:
    from .lines import read_projects

    lines, damaged = read_projects(data)
    connection.executemany(
        "INSERT INTO projects VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET path = excluded.path, t = excluded.t "
        "WHERE excluded.t >= t",
        [(line.project, line.path, line.t) for line in lines],
    )
    return 0, 0, damaged


def _note_definitions(connection: sqlite3.Connection, lines: list[Line]) -> None:
    """Keep what the newest generation of a connector's tools costs in each host. The same generation may be told
    again, then the better count stays."""
    from .intake import confidence_of, tokens_of

    for line in lines:
        where = (line.connector, line.host)
        known = connection.execute(
            "SELECT defs, t FROM generations WHERE connector = ? AND host = ?", where
        ).fetchone()
        if known is not None and line.defs != known[0]:
            if line.t < known[1] <= time.time() * 1000:  # one from the future was told by a clock that was wrong
                continue
            for table in ("definitions", "generations"):
                connection.execute(f"DELETE FROM {table} WHERE connector = ? AND host = ?", where)  # noqa: S608
        connection.execute(
            "INSERT INTO generations VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET t = max(t, excluded.t)",
            (*where, line.defs, line.t),
        )
        connection.execute(
            "INSERT INTO definitions VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET t = excluded.t, "
            "tokens = excluded.tokens, bytes = excluded.bytes, conf = excluded.conf WHERE excluded.conf >= conf",
            (*where, line.tool, line.t, tokens_of(line)[1], line.outb, confidence_of(line)),
        )


def _remove_done(connection: sqlite3.Connection, folder: Path, now: float) -> int:
    """Remove files of days past that are wholly folded. What was folded must be on the disk before they go."""
    oldest_kept = time.strftime("%Y-%m-%d", time.gmtime(now - _KEPT_DAYS * _DAY))
    done = dict(connection.execute("SELECT file, offset FROM folded"))
    old = [
        path
        for path in spool_files(folder)
        if path.name[:10] < oldest_kept and done.get(path.name) == path.stat().st_size
    ]
    if old:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        for path in old:
            path.unlink(missing_ok=True)
    gone = [name for name in done if name != PROJECTS and not (folder / SPOOL / name).exists()]
    if gone:
        with transaction(connection):
            connection.executemany("DELETE FROM folded WHERE file = ?", [(name,) for name in gone])
    return len(old)


@contextmanager
def _without_collecting(active: bool) -> Iterator[None]:  # noqa: FBT001  # the one thing it is told
    """Rows refer to nothing: looking for cycles among a hundred thousand of them finds none and takes a third."""
    if not active or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()

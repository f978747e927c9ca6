"""The telemetry database: opened, brought to this program's schema, its troubles told in words.

::

    series   (scope, connector, host, tool, event, verdict, defs) -> id     what was counted
    visits   (stem, session, project, client) -> id                         who was there; stem: the series of
             (scope, connector, host) alone
    rows     one per call, definition, hook run or turn; ordered by time
    rollups  the same, summed per hour, day and block of days, with a histogram of latencies
    definitions, generations   what each connector's tools cost a host's context now
    projects key -> path; folded: how far each spool file has been read; meta: the rest
"""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..changes.files import PRIVATE_FILE, private_folder
from ..errors import DamagedTelemetryError, TelemetryError
from . import latency

if TYPE_CHECKING:
    import sqlite3

HOUR = 3_600_000
DAY = 24 * HOUR
BLOCK = 32 * DAY
"""What a report over a year sums up, apart from its edges."""
LEVELS = (HOUR, DAY, BLOCK)
BY_SERIES, BY_VISIT = 0, 1
"""Kinds of rollups: of what was called, by whomever, at all levels; of who called, whatever of a connector it was,
per day (a session rarely lasts longer)."""

FILE_NAME = "telemetry.db"
PATIENCE_SECONDS = 15.0

MIGRATIONS = (
    """
    CREATE TABLE series (
        id INTEGER PRIMARY KEY, scope TEXT NOT NULL, connector TEXT NOT NULL, host TEXT NOT NULL,
        tool TEXT NOT NULL, event TEXT NOT NULL, verdict TEXT NOT NULL, defs TEXT NOT NULL,
        UNIQUE (scope, connector, host, tool, event, verdict, defs)
    );
    CREATE TABLE visits (
        id INTEGER PRIMARY KEY, stem INTEGER NOT NULL, session TEXT NOT NULL, project TEXT NOT NULL,
        client TEXT NOT NULL,
        UNIQUE (session, project, client, stem)
    );
    CREATE TABLE rows (
        t INTEGER NOT NULL, u INTEGER NOT NULL, series INTEGER NOT NULL, visit INTEGER NOT NULL,
        conf INTEGER NOT NULL, error INTEGER NOT NULL, inb INTEGER NOT NULL, outb INTEGER NOT NULL,
        tin INTEGER NOT NULL, tout INTEGER NOT NULL, us INTEGER,
        PRIMARY KEY (t, u)
    ) WITHOUT ROWID;
    CREATE TABLE rollups (
        kind INTEGER NOT NULL, level INTEGER NOT NULL, start INTEGER NOT NULL,
        series INTEGER NOT NULL, visit INTEGER NOT NULL, conf INTEGER NOT NULL,
        calls INTEGER NOT NULL, errors INTEGER NOT NULL, inb INTEGER NOT NULL, outb INTEGER NOT NULL,
        tin INTEGER NOT NULL, tout INTEGER NOT NULL, timed INTEGER NOT NULL, us INTEGER NOT NULL,
        latency BLOB NOT NULL,
        PRIMARY KEY (kind, level, start, series, visit, conf)
    ) WITHOUT ROWID;
    CREATE TABLE generations (
        connector TEXT NOT NULL, host TEXT NOT NULL, defs TEXT NOT NULL, t INTEGER NOT NULL,
        PRIMARY KEY (connector, host)
    ) WITHOUT ROWID;
    CREATE TABLE definitions (
        connector TEXT NOT NULL, host TEXT NOT NULL, tool TEXT NOT NULL, t INTEGER NOT NULL,
        tokens INTEGER NOT NULL, bytes INTEGER NOT NULL, conf INTEGER NOT NULL,
        PRIMARY KEY (connector, host, tool)
    ) WITHOUT ROWID;
    CREATE TABLE projects (project TEXT PRIMARY KEY, path TEXT NOT NULL, t INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE folded (file TEXT PRIMARY KEY, offset INTEGER NOT NULL) WITHOUT ROWID;
    CREATE TABLE meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
    """,
    # Lines that were no rows are counted per file, so that a report can say where they are.
    """
    ALTER TABLE folded ADD COLUMN damaged INTEGER NOT NULL DEFAULT 0;
    """,
)
"""Step ``n`` leads from schema ``n`` to ``n + 1``; ``PRAGMA user_version`` says where a file stands."""

SCHEMA_VERSION = len(MIGRATIONS)


def connect(file: Path) -> sqlite3.Connection:
    """The database, made where there is none. Raises :class:`TelemetryError`, or :class:`DamagedTelemetryError` for
    one that cannot be read."""
    with explained(file):
        private_folder(file.parent)
        _make_private(file)
        connection = _open(f"{file.absolute().as_uri()}?mode=rw")
        try:
            _refuse_newer(connection, file)
            connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # only has effect before the first table
            _use_wal(connection)
            connection.execute("PRAGMA synchronous = NORMAL")
            connection.execute("PRAGMA wal_autocheckpoint = 8000")
            migrate(connection)
        except BaseException:
            connection.close()
            raise
        return connection


def connect_read_only(file: Path) -> sqlite3.Connection:
    """The database as it stands, for when it cannot be written. One of an older schema cannot be read this way."""
    with explained(file):
        # Reading a file in WAL mode writes beside it, unless nothing is pending and nobody else can write either.
        pending = file.with_name(f"{file.name}-wal").exists()
        connection = _open(f"{file.absolute().as_uri()}?mode=ro{'' if pending else '&immutable=1'}")
        _refuse_newer(connection, file)
        if _version(connection) < SCHEMA_VERSION:
            connection.close()
            raise TelemetryError(
                f"{file} has an older schema and cannot be brought up to date",
                hint="Give yourself the right to write it.",
            )
        return connection


def connect_in_memory() -> sqlite3.Connection:
    """An empty database that nobody else sees."""
    connection = _open(":memory:")
    migrate(connection)
    return connection


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the connection's database to this schema, in one transaction; several processes may try at once."""
    if _version(connection) == SCHEMA_VERSION:
        return
    with transaction(connection):
        for step in MIGRATIONS[_version(connection) :]:
            for statement in step.split(";"):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[None]:
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise


@contextmanager
def explained(file: Path) -> Iterator[None]:
    """What SQLite and the system say, as :class:`TelemetryError`; what only damage explains, as
    :class:`DamagedTelemetryError`."""
    import sqlite3

    try:
        yield
    except OSError as error:
        raise TelemetryError(f"cannot use {file}: {error.strerror or error}") from error
    except sqlite3.OperationalError as error:
        if str(error).startswith(("no such table", "no such column")):
            raise DamagedTelemetryError(f"{file} is damaged: {error}") from error
        raise TelemetryError(f"cannot use {file}: {error}", hint=_hint(error)) from error
    except sqlite3.DatabaseError as error:
        raise DamagedTelemetryError(f"{file} is damaged: {error}") from error


def set_aside(file: Path) -> Path | None:
    """Move a damaged database out of the way, keeping it; answers where it is now. ``None``: another process did it
    already, and what stands there is sound."""
    from filelock import FileLock

    with explained(file), FileLock(file.with_suffix(".lock"), mode=PRIVATE_FILE, timeout=PATIENCE_SECONDS):
        if _is_sound(file):
            return None
        stamp = time.strftime("%Y%m%d-%H%M%S", time.gmtime())
        aside = file.with_name(f"{file.name}.damaged-{stamp}-{os.getpid()}")
        for suffix in ("", "-wal", "-shm"):
            if (part := file.with_name(file.name + suffix)).exists():
                part.replace(aside.with_name(aside.name + suffix))
        return aside


def _is_sound(file: Path) -> bool:
    import sqlite3

    if not file.exists():
        return True
    try:
        connection = _open(f"{file.absolute().as_uri()}?mode=rw")
    except sqlite3.DatabaseError:
        return False
    try:
        found = connection.execute("PRAGMA quick_check(1)").fetchone()
        migrate(connection)
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    except sqlite3.DatabaseError:
        return False
    finally:
        connection.close()
    return found == ("ok",) and tables >= _TABLES


_TABLES = {"series", "visits", "rows", "rollups", "generations", "definitions", "projects", "folded", "meta"}


def _make_private(file: Path) -> None:
    """SQLite gives its journals the mode of the file they belong to."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    try:
        if os.name == "posix" and os.fstat(descriptor).st_mode & 0o077:
            os.fchmod(descriptor, PRIVATE_FILE)
    finally:
        os.close(descriptor)


def _open(uri: str) -> sqlite3.Connection:
    import sqlite3

    connection = sqlite3.connect(
        uri, uri=uri.startswith("file:"), timeout=PATIENCE_SECONDS, isolation_level=None, check_same_thread=False
    )
    latency.register(connection)
    return connection


def _use_wal(connection: sqlite3.Connection) -> None:
    """Readers and the one writer do not wait for each other. Switching fails at once where others are switching, too,
    whatever the timeout."""
    import sqlite3

    give_up = time.monotonic() + PATIENCE_SECONDS
    while True:
        try:
            if connection.execute("PRAGMA journal_mode").fetchone() == ("wal",):
                return
            connection.execute("PRAGMA journal_mode = WAL").fetchone()
        except sqlite3.OperationalError:
            if time.monotonic() > give_up:
                raise
            time.sleep(0.01)
        else:
            return


def _refuse_newer(connection: sqlite3.Connection, file: Path) -> None:
    version = _version(connection)
    if version > SCHEMA_VERSION:
        raise TelemetryError(
            f"{file} was written by a newer agent-connector (schema {version}; this one knows {SCHEMA_VERSION})",
            hint="Update agent-connector and run it again; nothing was changed.",
        )


def _version(connection: sqlite3.Connection) -> int:
    return int(connection.execute("PRAGMA user_version").fetchone()[0])


def _hint(error: sqlite3.OperationalError) -> str:
    hints = {
        "SQLITE_BUSY": "Another agent-connector is writing: run it again in a moment.",
        "SQLITE_FULL": "Free some space on that disk and run it again.",
        "SQLITE_READONLY": "Give yourself the right to write it and its folder.",
        "SQLITE_CANTOPEN": "Give yourself the right to open it and its folder.",
    }
    name = getattr(error, "sqlite_errorname", "")
    return next((hint for start, hint in hints.items() if name.startswith(start)), "")

"""The ledger's SQLite file: opened, brought to this program's schema, its troubles told in words."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ..errors import DamagedLedgerError, LedgerError
from .files import PRIVATE_FILE, private_folder

if TYPE_CHECKING:
    import sqlite3

_PATIENCE_SECONDS = 15.0

_MIGRATIONS = (
    """
    CREATE TABLE owned (
        connector TEXT NOT NULL, host TEXT NOT NULL, surface TEXT NOT NULL, scope TEXT NOT NULL,
        project TEXT NOT NULL, path TEXT NOT NULL, format TEXT NOT NULL, kind TEXT NOT NULL,
        place TEXT NOT NULL, value TEXT NOT NULL
    );
    CREATE INDEX owned_by_path ON owned (path);
    CREATE INDEX owned_by_connector ON owned (connector);
    CREATE TABLE origins (
        path TEXT NOT NULL, place TEXT NOT NULL, created INTEGER NOT NULL, interior BLOB NOT NULL,
        PRIMARY KEY (path, place)
    );
    CREATE TABLE folders (path TEXT PRIMARY KEY);
    CREATE TABLE installs (
        connector TEXT NOT NULL, host TEXT NOT NULL, scope TEXT NOT NULL, project TEXT NOT NULL,
        roots TEXT NOT NULL, version TEXT NOT NULL, framework_version TEXT NOT NULL, source TEXT NOT NULL,
        installed_at TEXT NOT NULL,
        PRIMARY KEY (connector, host, scope, project, roots)
    );
    CREATE TABLE removals (
        connector TEXT NOT NULL, host TEXT NOT NULL, PRIMARY KEY (connector, host)
    );
    """,
)
"""Step ``n`` leads from schema ``n`` to ``n + 1``; ``PRAGMA user_version`` says where a file stands."""

SCHEMA_VERSION = len(_MIGRATIONS)


def connect(file: Path, *, create: bool) -> sqlite3.Connection | None:
    """``create=False``: for reading only; ``None`` where there is no file. Raises :class:`LedgerError`."""
    if not create and not file.exists():
        return None
    with explained(file):
        if create:
            private_folder(file.parent)
            _make_private(file)
        connection = _open(file, writable=create)
        try:
            return _current(connection, file, writable=create)
        except BaseException:
            connection.close()
            raise


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
    import sqlite3

    try:
        yield
    except OSError as error:
        raise LedgerError(f"cannot open the ledger {file}: {error.strerror or error}") from error
    except sqlite3.OperationalError as error:
        if str(error).startswith(("no such table", "no such column")):
            raise damaged(file, str(error)) from error
        raise LedgerError(f"cannot use the ledger {file}: {error}", hint=_hint(error)) from error
    except sqlite3.DatabaseError as error:
        raise damaged(file, str(error)) from error


def damaged(file: Path, reason: str) -> DamagedLedgerError:
    return DamagedLedgerError(
        f"the ledger {file} is damaged: {reason}",
        hint="`agent-connector doctor --heal` sets it aside. What is installed stays; install again to own it again.",
    )


def _make_private(file: Path) -> None:
    """SQLite gives its journals the mode of the file they belong to."""
    descriptor = os.open(file, os.O_RDWR | os.O_CREAT, PRIVATE_FILE)
    try:
        if os.name == "posix" and os.fstat(descriptor).st_mode & 0o077:
            os.fchmod(descriptor, PRIVATE_FILE)
    finally:
        os.close(descriptor)


def _open(file: Path, *, writable: bool) -> sqlite3.Connection:
    import sqlite3

    # Also for reading the file is opened read-write where possible: what a crash left half-done must be undone first.
    mode = "rw" if writable or os.access(file, os.W_OK) else "ro"
    connection = sqlite3.connect(
        f"{file.absolute().as_uri()}?mode={mode}",
        uri=True,
        timeout=_PATIENCE_SECONDS,
        isolation_level=None,
        check_same_thread=False,
    )
    if not writable:
        connection.execute("PRAGMA query_only = ON")
    return connection


def _current(connection: sqlite3.Connection, file: Path, *, writable: bool) -> sqlite3.Connection:
    """The same ledger at the schema of this program; read-only ones are brought there in memory."""
    import sqlite3

    version = _version(connection)
    if version > SCHEMA_VERSION:
        raise LedgerError(
            f"the ledger {file} was written by a newer agent-connector (schema {version}; "
            f"this one knows {SCHEMA_VERSION})",
            hint="Update agent-connector and run it again; nothing was changed.",
        )
    trouble = connection.execute("PRAGMA quick_check(1)").fetchone()
    if trouble is not None and trouble[0] != "ok":
        raise sqlite3.DatabaseError(trouble[0])
    if version == SCHEMA_VERSION:
        return connection
    if not writable:
        memory = sqlite3.connect(":memory:", isolation_level=None, check_same_thread=False)
        connection.backup(memory)
        connection.close()
        connection = memory
    with transaction(connection):
        for step in _MIGRATIONS[_version(connection) :]:
            for statement in step.split(";"):
                connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {SCHEMA_VERSION}")
    return connection


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

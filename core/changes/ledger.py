"""What is ours on this machine: rows per thing in a file, the origins of containers, where connectors are installed.

One SQLite file in the data root. It holds neither the user's bytes nor secrets: values are kept as fingerprints
(:func:`~agent_connector.masking.fingerprint`), contents of blocks and files as digests. Reading where nothing exists
creates nothing.
"""

# ruff: noqa: S608  (statements are composed of column names only; every value is bound)
from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import astuple, field, fields, replace
from pathlib import Path, PurePath
from types import TracebackType
from typing import TYPE_CHECKING, Any

from ..documents.base import Origin, Place
from ..errors import LedgerError
from ..masking import fingerprint
from ..values import frozen
from ..vocabulary import Scope
from .backups import stamp
from .model import FileEdit, OwnedRow
from .store import connect, damaged, explained, transaction

if TYPE_CHECKING:
    import sqlite3

FILE_NAME = "state.db"


@frozen
class Install:
    """A connector in one host at one scope. ``project`` is empty at scopes that belong to none.

    ``roots``: the variables that located the host's files then (``{"CODEX_HOME": "/x"}``), so that they are found
    again without them. ``installed_at``: ISO 8601, UTC.
    """

    connector: str
    host: str
    scope: Scope
    project: str = ""
    version: str = ""
    framework_version: str = ""
    source: str = ""
    roots: Mapping[str, str] = field(default_factory=dict)
    installed_at: str = ""


class Ledger:
    """Use as a context manager. Every method raises :class:`LedgerError` when the file is damaged, of a newer
    agent-connector, or cannot be written."""

    def __init__(self, file: Path, connection: sqlite3.Connection | None) -> None:
        """Use :meth:`open`."""
        self.file = file
        self._connection = connection

    @classmethod
    def open(cls, data_root: Path, *, create: bool) -> Ledger:
        """``create=False``: for reading; where there is no ledger it is an empty one, and none is made."""
        file = data_root / FILE_NAME
        return cls(file, connect(file, create=create))

    def close(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- things in files -----------------------------------------------------------------------------------------

    def rows(
        self,
        connector: str | None = None,
        host: str | None = None,
        scope: str | None = None,
        project: str | None = None,
        path: str | PurePath | None = None,
    ) -> tuple[OwnedRow, ...]:
        """What is ours, narrowed by what is given, in the order in which it was recorded."""
        where, values = _where(
            connector=connector, host=host, scope=scope, project=project, path=None if path is None else str(path)
        )
        found = self._select(f"SELECT {_ROW_COLUMNS} FROM owned{where} ORDER BY rowid", values)
        with self._understood():
            return tuple(_row(columns) for columns in found)

    def paths(self) -> tuple[Path, ...]:
        """Every file that holds something of ours."""
        return tuple(Path(path) for (path,) in self._select("SELECT DISTINCT path FROM owned ORDER BY path"))

    def origins(self, path: str | PurePath) -> dict[Place, Origin]:
        """What containers of this file were before we put something into them."""
        found = self._select("SELECT place, created, interior FROM origins WHERE path = ?", (str(path),))
        with self._understood():
            places = [(_place(place), created, interior) for place, created, interior in found]
            return {place: Origin(place, bool(created), bytes(interior)) for place, created, interior in places}

    def folders(self) -> tuple[Path, ...]:
        """Folders that were made for files of ours."""
        return tuple(Path(path) for (path,) in self._select("SELECT path FROM folders ORDER BY path"))

    def record(self, edit: FileEdit, folders: Iterable[Path] = ()) -> None:
        """Say, in one transaction, what an edit that stands on disk says: drops, adds, forgets, origins, and the
        ``folders`` made for it. Saying it twice changes nothing."""
        path = str(edit.path)
        with self._writing() as connection:
            for row in edit.drops:
                _delete(connection, row)
            for row in edit.adds:
                _delete(connection, row)
                values = _columns(row)
                connection.execute(f"INSERT INTO owned ({_ROW_COLUMNS}) VALUES ({_marks(values)})", values)
            for place in edit.forgets:
                connection.execute("DELETE FROM origins WHERE path = ? AND place = ?", (path, _json(place)))
            for origin in edit.origins:
                connection.execute(
                    "INSERT OR REPLACE INTO origins VALUES (?, ?, ?, ?)",
                    (path, _json(origin.place), int(origin.created), origin.interior),
                )
            for folder in folders:
                connection.execute("INSERT OR IGNORE INTO folders VALUES (?)", (str(folder),))

    def forget_folders(self, folders: Iterable[Path]) -> None:
        with self._writing() as connection:
            connection.executemany("DELETE FROM folders WHERE path = ?", [(str(folder),) for folder in folders])

    # --- installs ------------------------------------------------------------------------------------------------

    def installs(self, connector: str | None = None, host: str | None = None) -> tuple[Install, ...]:
        where, values = _where(connector=connector, host=host)
        names = ", ".join(column.name for column in fields(Install))
        found = self._select(f"SELECT {names} FROM installs{where} ORDER BY connector, host, scope, project", values)
        with self._understood():
            return tuple(replace(install, roots=_roots(install.roots)) for install in (Install(*f) for f in found))

    def put_install(self, install: Install) -> None:
        """Remember an install, in place of what was said of the same connector, host, scope, project and roots; a
        remembered removal is void by it."""
        values = astuple(replace(install, roots=_json(dict(install.roots))))  # type: ignore[arg-type]  # as it is stored
        names = ", ".join(column.name for column in fields(Install))
        with self._writing() as connection:
            connection.execute(f"INSERT OR REPLACE INTO installs ({names}) VALUES ({_marks(values)})", values)
            connection.execute(
                "DELETE FROM removals WHERE connector = ? AND host = ?", (install.connector, install.host)
            )

    def drop_install(
        self, connector: str, host: str, scope: str, project: str = "", roots: Mapping[str, str] | None = None
    ) -> None:
        """``roots`` ``None``: whatever roots it was installed with."""
        where, values = _where(
            connector=connector,
            host=host,
            scope=scope,
            project=project,
            roots=None if roots is None else _json(dict(roots)),
        )
        with self._writing() as connection:
            connection.execute(f"DELETE FROM installs{where}", values)

    # --- removals ------------------------------------------------------------------------------------------------

    def remember_removal(self, connector: str, host: str) -> None:
        """A person removed it through us: it never comes back on its own."""
        with self._writing() as connection:
            connection.execute("INSERT OR IGNORE INTO removals VALUES (?, ?)", (connector, host))

    def forget_removal(self, connector: str, host: str) -> None:
        with self._writing() as connection:
            connection.execute("DELETE FROM removals WHERE connector = ? AND host = ?", (connector, host))

    def was_removed(self, connector: str, host: str) -> bool:
        return bool(
            self._select("SELECT 1 FROM removals WHERE connector = ? AND host = ?", (connector, host)),
        )

    def removed_connectors(self) -> frozenset[str]:
        """Connectors that were here once and were removed through us, from whichever host."""
        return frozenset(connector for (connector,) in self._select("SELECT DISTINCT connector FROM removals"))

    # --- the file ------------------------------------------------------------------------------------------------

    def _select(self, query: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
        if self._connection is None:
            return []
        with explained(self.file):
            return self._connection.execute(query, values).fetchall()

    @contextmanager
    def _understood(self) -> Iterator[None]:
        """Rows that we cannot have written are damage, as bytes that SQLite cannot read are."""
        try:
            yield
        except (ValueError, TypeError) as error:
            raise damaged(self.file, f"a row that cannot be understood ({error})") from error

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        if self._connection is None:
            raise LedgerError(f"the ledger {self.file} was opened for reading only")
        with explained(self.file), transaction(self._connection):
            yield self._connection


def set_aside(data_root: Path) -> Path | None:
    """Move a damaged ledger out of the way, keeping it; answers where it is now, ``None`` if there was none.

    Only for when a person asked for it. Raises :class:`LedgerError`.
    """
    file = data_root / FILE_NAME
    if not file.exists():
        return None
    aside = file.with_name(f"{FILE_NAME}.damaged-{stamp()}")
    with explained(file):
        for suffix in ("-journal", ""):
            if (part := file.with_name(file.name + suffix)).exists():
                part.rename(aside.with_name(aside.name + suffix))
    return aside


# --- rows as columns -------------------------------------------------------------------------------------------

_ROW_COLUMNS = ", ".join(column.name for column in fields(OwnedRow))


def _columns(row: OwnedRow) -> tuple[str, ...]:
    """Fingerprinted whoever built the row, so that no secret can slip in; digests of contents stay as they are."""
    value = row.value if row.kind in ("block", "file") else fingerprint(row.value)
    return astuple(replace(row, place=_json(row.place), value=_json(value)))  # type: ignore[arg-type]  # as stored


def _row(columns: tuple[Any, ...]) -> OwnedRow:
    row = replace(OwnedRow(*columns), place=_place(columns[-2]), value=json.loads(columns[-1]))
    if not PurePath(row.path).is_absolute():
        raise ValueError(f"a path that is not absolute: {row.path!r}")
    if not row.place and row.kind != "file":
        raise ValueError(f"nothing is named in {row.path!r}")
    return row


def _place(text: str) -> Place:
    place = json.loads(text)
    if not isinstance(place, list) or not all(isinstance(key, str) for key in place):
        raise ValueError(f"not a place: {text!r}")
    return tuple(place)


def _roots(text: Any) -> dict[str, str]:
    roots = json.loads(text)
    if not isinstance(roots, dict) or not all(isinstance(value, str) for value in roots.values()):
        raise ValueError(f"not install roots: {text!r}")
    return roots


def _delete(connection: sqlite3.Connection, row: OwnedRow) -> None:
    """The row of the same owner about the same thing; items of an array are told apart by value."""
    stored = dict(zip(_ROW_COLUMNS.split(", "), _columns(row), strict=True))
    key = [
        "connector",
        "host",
        "scope",
        "project",
        "path",
        "kind",
        "place",
        *(["value"] if row.kind == "item" else []),
    ]
    where, values = _where(**{name: stored[name] for name in key})
    connection.execute(f"DELETE FROM owned{where}", values)


def _where(**equal: str | None) -> tuple[str, tuple[str, ...]]:
    given = {name: value for name, value in equal.items() if value is not None}
    clause = " AND ".join(f"{name} = ?" for name in given)
    return (f" WHERE {clause}" if clause else "", tuple(given.values()))


def _marks(values: tuple[Any, ...]) -> str:
    return ", ".join("?" * len(values))


def _json(value: Any) -> str:
    return json.dumps(value, sort_keys=True, separators=(",", ":"))

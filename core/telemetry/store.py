"""The telemetry of a data root, ready to be asked: what writers left is taken in first, damage is got over.

::

    with Store.open(data_root) as store:
        store.connection        # everything that is in the database now
        store.notes             # what a reader should be told: a damaged database, lines that were none
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, TypeVar

from ..errors import AgentConnectorError, DamagedTelemetryError, FileError, TelemetryError
from . import schema
from .fold import Folded, fold, fold_log
from .retention import prune_when_due

if TYPE_CHECKING:
    import sqlite3

FOLDER = "telemetry"
LOGS = "log"

T = TypeVar("T")


class Store:
    """One open database. Use :meth:`open`, or :func:`reading` to ask something whatever state the file is in."""

    def __init__(self, folder: Path, connection: sqlite3.Connection, notes: tuple[str, ...] = ()) -> None:
        self.folder = folder
        self.connection = connection
        self.notes = notes

    @classmethod
    def open(cls, data_root: Path) -> Store:
        """Nothing is taken in yet. Raises :class:`TelemetryError`, for a damaged database
        :class:`DamagedTelemetryError`."""
        folder = data_root / FOLDER
        return cls(folder, schema.connect(folder / schema.FILE_NAME))

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.connection.close()

    def fold(self, *, now: float | None = None) -> Folded:
        """Take in what writers left since the last time, exactly once, and let go of what is too old."""
        with schema.explained(self.folder / schema.FILE_NAME):
            done = fold(self.connection, self.folder, now=now)
            prune_when_due(self.connection, self.folder, now=now)
        return done

    def ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """The answer of ``question``; what SQLite cannot do is a :class:`TelemetryError`."""
        with schema.explained(self.folder / schema.FILE_NAME):
            return question(self.connection)

    def logs(self, connector: str = "") -> list[Path]:
        """The files of connectors whose lines are kept as they are, of one connector or of all. Such files are never
        folded: a report reads them."""
        with suppress(FileNotFoundError):
            return [
                path
                for path in sorted((self.folder / LOGS).iterdir())
                if path.suffix == ".ndjson" and path.is_file() and connector in ("", path.name.partition(".")[0])
            ]
        return []


def exists(data_root: Path) -> bool:
    """Whether there is anything to ask, without making anything."""
    folder = data_root / FOLDER
    return any((folder / name).exists() for name in (schema.FILE_NAME, "spool", "projects.ndjson", LOGS))


def ask(data_root: Path, question: Callable[[Store], T]) -> tuple[T, tuple[str, ...]]:
    """The answer of ``question`` on what is there now, and what a reader should be told about it.

    A damaged database is set aside and made anew from the spool files that are still there. One that cannot be
    written is read as it stands. Raises :class:`TelemetryError` where nothing can be read at all.
    """
    notes: list[str] = []
    for attempt in (1, 2):
        try:
            with _opened(data_root, notes) as store:
                return question(store), (*notes, *store.ask(_damaged_lines))
        except DamagedTelemetryError as error:
            if attempt == 2:
                raise
            notes.append(_got_over(data_root, error))
    raise AssertionError("unreachable")


@contextmanager
def _opened(data_root: Path, notes: list[str]) -> Iterator[Store]:
    file = data_root / FOLDER / schema.FILE_NAME
    try:
        store = Store.open(data_root)
    except DamagedTelemetryError:
        raise
    except (TelemetryError, FileError) as error:
        if not file.exists():
            raise
        notes.append(_stale(error))
        with Store(file.parent, schema.connect_read_only(file)) as store:
            yield store
        return
    with store:
        try:
            store.fold()
        except DamagedTelemetryError:
            raise
        except TelemetryError as error:
            notes.append(_stale(error))
        yield store


def _stale(error: AgentConnectorError) -> str:
    return f"what was counted since the last report is missing here: {error.message}"


def _got_over(data_root: Path, error: DamagedTelemetryError) -> str:
    file = data_root / FOLDER / schema.FILE_NAME
    aside = schema.set_aside(file)
    kept = f" It is kept as {aside}." if aside else ""
    return (
        f"{error.message}.{kept} A new one was made from the spool files that are still there; "
        "what was counted more than two days before is in the old one only."
    )


def _damaged_lines(connection: sqlite3.Connection) -> list[str]:
    found = connection.execute("SELECT file, damaged FROM folded WHERE damaged > 0 ORDER BY file").fetchall()
    if not found:
        return []
    total = sum(count for _, count in found)
    lines = "1 line was" if total == 1 else f"{total} lines were"
    return [f"{lines} no row and not counted ({', '.join(file for file, _ in found)})"]


def in_memory(logs: list[Path]) -> sqlite3.Connection:
    """A database of its own with what these files hold."""
    connection = schema.connect_in_memory()
    for path in logs:
        with suppress(OSError):
            fold_log(connection, path)
    return connection

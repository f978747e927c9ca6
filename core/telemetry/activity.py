"""When something was last heard of a connector in a host, whatever it was."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

from ..errors import TelemetryError
from ..values import frozen
from .schema import BY_SERIES, HOUR
from .store import Store, ask, exists, in_memory


@frozen
class LastRow:
    """``event`` is empty for what is no hook. ``t``: milliseconds since 1970."""

    scope: str
    connector: str
    host: str
    event: str
    t: int


def last_rows(data_root: Path) -> tuple[LastRow, ...]:
    """One for each (scope, connector, host, event) there is a row of. What cannot be read counts as nothing."""
    if not exists(data_root):
        return ()
    try:
        found, _ = ask(data_root, lambda store: tuple(_of_store(store)))
    except TelemetryError:
        return ()
    return found


def _of_store(store: Store) -> Iterator[LastRow]:
    yield from store.ask(_of_database)
    if logs := store.logs():
        connection = in_memory(logs)
        try:
            yield from _of_database(connection)
        finally:
            connection.close()


def _of_database(connection: sqlite3.Connection) -> tuple[LastRow, ...]:
    """The hours with something in them are summed up, so only the last of them is looked through."""
    rows = connection.execute(
        """
        WITH last AS (
            SELECT series, MAX(start) * :hour AS began FROM rollups
            WHERE kind = :kind AND level = :hour GROUP BY series)
        SELECT scope, connector, host, event, MAX(COALESCE(
            (SELECT MAX(t) FROM rows WHERE rows.t >= began AND rows.t < began + :hour AND rows.series = id), began))
        FROM last JOIN series ON id = last.series GROUP BY scope, connector, host, event
        """,
        {"kind": BY_SERIES, "hour": HOUR},
    )
    return tuple(LastRow(*row) for row in rows)

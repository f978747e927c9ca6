"""A small MCP server over stdio: one table of orders that a model may read, and change after being asked.

The table lives in memory, or in the SQLite file that ``ACME_DB_FILE`` names.
"""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from mcp.server.mcpserver import MCPServer
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import ToolAnnotations

MOST_ROWS = 100
SEED = """
create table if not exists orders (id integer primary key, customer text not null, total_cents integer not null);
insert or ignore into orders values (1, 'Ada', 1250), (2, 'Grace', 9900), (3, 'Edsger', 400);
"""

server = MCPServer(
    "acme-db",
    version="1.0.0",
    instructions="The Acme orders. Read with acme_query; change with acme_write, which the user confirms.",
)


@dataclass
class Rows:
    columns: list[str]
    rows: list[list[Any]]
    truncated: bool


@dataclass
class Written:
    changed_rows: int


class Database:
    """One connection, one statement at a time: tools run on several threads."""

    def __init__(self, path: str) -> None:
        self._connection = sqlite3.connect(path, check_same_thread=False)
        self._connection.executescript(SEED)
        self._lock = threading.Lock()

    def select(self, sql: str) -> Rows:
        with self._statements(read_only=True) as connection:
            cursor = connection.execute(sql)
            rows = cursor.fetchmany(MOST_ROWS + 1)
            columns = [column[0] for column in cursor.description or ()]
        return Rows(columns, [list(row) for row in rows[:MOST_ROWS]], truncated=len(rows) > MOST_ROWS)

    def change(self, sql: str) -> Written:
        with self._statements(read_only=False) as connection:
            return Written(connection.execute(sql).rowcount)

    @contextmanager
    def _statements(self, *, read_only: bool) -> Iterator[sqlite3.Connection]:
        with self._lock:
            self._connection.execute(f"pragma query_only = {read_only:d}")
            try:
                with self._connection:
                    yield self._connection
            except sqlite3.Error as problem:
                raise ToolError(f"SQL error: {problem}") from problem  # the one kind of text a model gets to read


database = Database(os.environ.get("ACME_DB_FILE") or ":memory:")


@server.tool(
    annotations=ToolAnnotations(
        title="Query the orders",
        read_only_hint=True,
        destructive_hint=False,
        idempotent_hint=True,
        open_world_hint=False,
    )
)
def acme_query(sql: str) -> Rows:
    """Run one SELECT on the table orders(id, customer, total_cents); at most 100 rows come back."""
    return database.select(sql)


@server.tool(
    annotations=ToolAnnotations(
        title="Change the orders",
        read_only_hint=False,
        destructive_hint=True,
        idempotent_hint=False,
        open_world_hint=False,
    )
)
def acme_write(sql: str) -> Written:
    """Run one INSERT, UPDATE or DELETE on the table orders(id, customer, total_cents)."""
    return database.change(sql)


if __name__ == "__main__":
    server.run("stdio")

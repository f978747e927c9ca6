"""Rows as other programs take them: one flat record each, under the names of the specification."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from .reports import named
from .words import CONFIDENCES

if TYPE_CHECKING:
    import sqlite3

FIELDS = (
    "ts",
    "scope",
    "surfaceKind",
    "connectorId",
    "hostPlatform",
    "toolName",
    "event",
    "verdict",
    "sessionId",
    "projectKey",
    "clientName",
    "inputTokens",
    "outputTokens",
    "confidenceSource",
    "inputBytes",
    "outputBytes",
    "latencyMs",
    "isError",
    "definitionsId",
)
"""``ts``: milliseconds since the epoch. ``projectDir`` joins them where it was asked for."""

PATH_FIELD = "projectDir"
_SURFACES = {"call": "server", "tool_defs": "server", "hook": "hook", "model_turn": "host"}


def records(
    connection: sqlite3.Connection, *, since: int | None, connector: str = "", host: str = "", paths: bool = False
) -> Iterator[dict[str, Any]]:
    """Every row since then, the oldest first, one at a time."""
    where, values = named(connector=connector, host=host)
    found = connection.execute(
        "SELECT rows.t, scope, connector, host, tool, event, verdict, session, visits.project, client, "  # noqa: S608
        "tin, tout, conf, inb, outb, us, error, defs, coalesce(projects.path, '') FROM rows "
        "CROSS JOIN series ON series.id = rows.series "
        "CROSS JOIN visits ON visits.id = rows.visit LEFT JOIN projects ON projects.project = visits.project "
        f"{where}{' AND' if where else ' WHERE'} rows.t >= ? ORDER BY rows.t, u",
        (*values, since or 0),
    )
    for row in found:
        t, scope, *names, tin, tout, conf, inb, outb, us, error, defs, path = row
        values_of = (t, scope, _SURFACES[scope], *names, tin, tout, CONFIDENCES[conf], inb, outb)
        record = dict(zip(FIELDS, (*values_of, None if us is None else us / 1000, bool(error), defs), strict=True))
        if paths:
            record[PATH_FIELD] = path
        yield record

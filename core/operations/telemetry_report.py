"""What tools, hooks and turns cost, by whatever is asked for. Reading only, apart from what writers left to be taken
in."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..telemetry import reports, store
from ..telemetry.reports import Definition, Group, Groups, Query
from ..telemetry.since import since_ms
from ..telemetry.words import CONFIDENCES
from ..values import frozen
from .context import Context
from .telemetry import TelemetryReport, TelemetryReportRequest, TelemetryRow, iso

if TYPE_CHECKING:
    import sqlite3

NOTHING_YET = (
    "Nothing has been counted yet. Rows come from connectors installed here: an MCP server that an agent starts "
    "through `serve` (stdio servers are wrapped at install, unless wrap_for_telemetry or telemetry is off), and "
    "hooks that run. Use a tool of such a server, then look again."
)
OFF = "AGENT_CONNECTOR_TELEMETRY=0 is set here: processes that see it count nothing."


@frozen
class Answer:
    """What one database, and the connectors' own files beside it, say."""

    groups: Groups
    definitions: list[Definition]
    recorded: dict[str, int]
    paths: dict[str, str]
    notes: tuple[str, ...]


def telemetry_report(request: TelemetryReportRequest, context: Context) -> TelemetryReport:
    """Raises :class:`UsageError` for an unknown host or a ``since`` that is none, :class:`TelemetryError` where the
    database cannot be used."""
    since = since_ms(request.since, time.time())
    host = known_host(request.host, context)
    scope = request.scope or ("hook" if request.by == "event" else "call")
    query = Query(request.by, scope, since, request.connector, host)
    answer = asked(query, context)
    rows = _rows(query, answer)
    groups = answer.groups.values()
    total = Group()
    for group in groups:
        total.join(group)
    return TelemetryReport(
        by=request.by,
        scope=scope,
        since=iso(since),
        rows=rows,
        total=replace(row_of({}, total), definition_tokens=_all_definitions(query, answer.definitions)),
        recorded=answer.recorded,
        notes=(*_advice(query, rows, answer, context), *answer.notes),
    )


def known_host(host: str, context: Context) -> str:
    return context.catalogue.get(host).id if host else ""


def asked(query: Query, context: Context) -> Answer:
    """Everything there is on a query, from the database and from files that are read as they are."""
    if not store.exists(context.data_root):
        return Answer({}, [], {}, {}, ())

    def question(opened: store.Store) -> Answer:
        answer = opened.ask(lambda connection: _of(connection, query))
        if logs := opened.logs(query.connector):
            connection = store.in_memory(logs)
            answer = _both(answer, _of(connection, query))
            connection.close()
        return answer

    answer, notes = store.ask(context.data_root, question)
    return replace(answer, notes=(*answer.notes, *notes))


def _of(connection: sqlite3.Connection, query: Query) -> Answer:
    rounded = ("what is older than 400 days is kept per day: the window begins with a whole day (UTC)",)
    return Answer(
        reports.groups(connection, query),
        reports.definitions(connection, query.connector, query.host),
        reports.recorded(connection),
        reports.paths(connection) if query.by == "project" else {},
        rounded if reports.is_rounded(connection, query.since) else (),
    )


def _both(one: Answer, other: Answer) -> Answer:
    recorded = dict(one.recorded)
    for scope, count in other.recorded.items():
        recorded[scope] = recorded.get(scope, 0) + count
    known = {(item.connector, item.host, item.tool): item for item in (*other.definitions, *one.definitions)}
    return replace(
        one,
        groups=reports.joined([one.groups, other.groups]),
        definitions=[known[key] for key in sorted(known)],
        recorded=recorded,
    )


def _rows(query: Query, answer: Answer) -> tuple[TelemetryRow, ...]:
    names = reports.keys(query.by)
    costs = definition_costs(query, answer.definitions)
    groups = dict(answer.groups)
    for key in costs:
        groups.setdefault(key, Group())
    rows = []
    for key, group in groups.items():
        told = dict(zip(names, key, strict=True))
        row = row_of(told, group)
        tokens, confidence = costs.get(key, (0, ""))
        rows.append(
            replace(
                row,
                definition_tokens=tokens,
                confidence=weakest([row.confidence, confidence]),
                path=answer.paths.get(told.get("project", ""), ""),
            )
        )
    if query.by == "day":
        return tuple(sorted(rows, key=lambda row: row.day))
    return tuple(sorted(rows, key=lambda row: (-row.tokens, -row.calls, *(getattr(row, name) for name in names))))


def row_of(told: dict[str, Any], group: Group) -> TelemetryRow:
    return TelemetryRow(
        **told,
        calls=group.calls,
        errors=group.errors,
        tokens_in=group.tin,
        tokens_out=group.tout,
        bytes_in=group.inb,
        bytes_out=group.outb,
        p50_ms=group.percentile(0.5),
        p95_ms=group.percentile(0.95),
        confidence=group.confidence,
        mix=group.named_mix(),
    )


def weakest(confidences: Iterable[str]) -> str:
    known = [confidence for confidence in confidences if confidence]
    return min(known, key=CONFIDENCES.index) if known else ""


def definition_costs(query: Query, definitions: Iterable[Definition]) -> dict[tuple[str, ...], tuple[int, str]]:
    """Key of a row -> tokens of its definitions in one host's context, and how well they are known. A host loads a
    definition once, whatever others load: of several hosts the dearest counts."""
    if query.by not in ("tool", "connector", "host") or query.scope not in ("call", "tool_defs"):
        return {}
    per_host: dict[tuple[tuple[str, ...], str], int] = {}
    confidences: dict[tuple[str, ...], list[str]] = {}
    for item in definitions:
        key = tuple(getattr(item, name) for name in reports.keys(query.by))
        if item.tool or query.by != "tool":
            per_host[key, item.host] = per_host.get((key, item.host), 0) + item.tokens
            confidences.setdefault(key, []).append(item.confidence)
    dearest: dict[tuple[str, ...], int] = {}
    for (key, _), tokens in per_host.items():
        dearest[key] = max(dearest.get(key, 0), tokens)
    return {key: (tokens, weakest(confidences[key])) for key, tokens in dearest.items()}


def _all_definitions(query: Query, definitions: Iterable[Definition]) -> int:
    """Of all connectors, in the host where they cost most."""
    hosts = definition_costs(replace(query, by="host"), definitions)
    return max((tokens for tokens, _ in hosts.values()), default=0)


def _advice(query: Query, rows: tuple[TelemetryRow, ...], answer: Answer, context: Context) -> list[str]:
    notes = []
    if context.machine.env.get("AGENT_CONNECTOR_TELEMETRY") == "0":
        notes.append(OFF)
    if rows:
        return notes
    if not answer.recorded:
        return [*notes, NOTHING_YET]
    narrowed = [
        text
        for given, text in (
            (query.since is not None, "since then"),
            (query.connector, f"of connector {query.connector}"),
            (query.host, f"in {query.host}"),
        )
        if given
    ]
    notes.append(f"No rows of scope {query.scope}{''.join(f' {text}' for text in narrowed)}.")
    counted = ", ".join(f"{count} of scope {scope}" for scope, count in sorted(answer.recorded.items()))
    return [*notes, f"There are rows in all: {counted}."]

"""Who costs the most: boards by origin, each on its own. Nothing is ever added across origins."""

from __future__ import annotations

import time
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import AgentConnectorError
from ..telemetry.reports import Group, Query
from ..telemetry.since import since_ms
from ..telemetry.words import By, RowScope
from .context import Context
from .telemetry import Board, BoardRow, LeaderboardReport, LeaderboardRequest, Origin, iso
from .telemetry_report import NOTHING_YET, OFF, asked, definition_costs, known_host, weakest

if TYPE_CHECKING:
    from ..surfaces.target import Target
    from ..telemetry.footprints import Footprint

ORIGINS: tuple[Origin, ...] = ("mcp-self", "host-native-live")
"""Boards there are, in the order in which they are shown."""

_NO_TURNS = (
    "No turns were told. Hosts that tell what each turn cost do so through a hook that a connector asks for "
    "(telemetry.host_native_usage)."
)
_TEXTS = (
    "commands, skills, subagents and memory: the text that is installed, counted once; "
    "memory is in every prompt, the others when they are used"
)


def leaderboard(request: LeaderboardRequest, context: Context) -> LeaderboardReport:
    """Raises :class:`UsageError` for an unknown host or a ``since`` that is none, :class:`TelemetryError` where the
    database cannot be used."""
    since = since_ms(request.since, time.time())
    host = known_host(request.host, context)
    makers = {"mcp-self": _connectors, "host-native-live": _turns}
    notes = [OFF] if context.machine.env.get("AGENT_CONNECTOR_TELEMETRY") == "0" else []
    boards = []
    for origin in request.origins or ORIGINS:
        if origin in makers:
            board, more = makers[origin](request, since, host, context)
            boards.append(board)
            notes += [note for note in more if note not in notes]
    return LeaderboardReport(iso(since), tuple(boards), tuple(notes))


# --- what connectors cost, counted beside their servers ---------------------------------------------------------


def _connectors(
    request: LeaderboardRequest, since: int | None, host: str, context: Context
) -> tuple[Board, tuple[str, ...]]:
    by: By = "tool" if request.by == "tool" else "connector"
    scope: RowScope = request.scope or "call"
    query = Query(by, scope, since, request.connector, host)
    answer = asked(query, context)
    costs = definition_costs(query, answer.definitions) if request.scope in ("", "tool_defs") else {}
    groups = {} if request.scope == "tool_defs" else answer.groups
    surface = {"hook": "hook"}.get(scope, "server") if request.by == "surface" else ""
    places = [
        _place(key, groups.get(key), costs.get(key, (0, "")), surface) for key in dict.fromkeys([*groups, *costs])
    ]
    notes: tuple[str, ...] = ()
    if request.by == "surface" and not request.scope:
        hooks = asked(Query("connector", "hook", since, request.connector, host), context)
        places += [_place(key, group, (0, ""), "hook") for key, group in hooks.groups.items()]
        texts, notes = _texts(request, host, context)
        places += texts
    empty = "" if places else NOTHING_YET if not answer.recorded else "Nothing was counted that fits."
    board = Board("mcp-self", "Connectors: MCP servers and what comes with them", request.by, _ranked(places), empty)
    return board, (*answer.notes, *notes)


def _place(key: tuple[str, ...], group: Group | None, cost: tuple[int, str], surface: str) -> BoardRow:
    group = group or Group()
    return _unranked(
        key[0],
        calls=group.calls,
        errors=group.errors,
        tokens_in=group.tin,
        tokens_out=group.tout,
        definition_tokens=cost[0],
        tool=key[1] if len(key) > 1 else "",
        surface=surface,
        confidence=weakest([group.confidence, cost[1]]),
    )


def _texts(request: LeaderboardRequest, host: str, context: Context) -> tuple[list[BoardRow], tuple[str, ...]]:
    from ..telemetry.footprints import footprints
    from ..telemetry.tokens import tokens

    counter = tokens()
    confidence = "heuristic" if counter.source == "heuristic" else "tokenizer-approx"
    targets, notes = _targets(request.connector, host, context)
    found: list[Footprint] = footprints(targets, counter)
    places = [
        _unranked(one.connector, definition_tokens=one.tokens, surface=one.surface, confidence=confidence)
        for one in found
    ]
    if places:
        notes = (
            *notes,
            _TEXTS,
        )
    return places, notes


def _targets(connector: str, host: str, context: Context) -> tuple[list[Target], tuple[str, ...]]:
    """Every place where a connector is installed, by its record: its definition and its package may be gone."""
    from ..changes.files import DiskFiles
    from ..changes.ledger import Ledger
    from ..surfaces.target import Target
    from .connectors import recorded_connector

    targets = []
    notes = []
    try:
        with Ledger.open(context.data_root, create=False) as ledger:
            installs = ledger.installs(connector=connector or None, host=host or None)
    except AgentConnectorError as error:
        return [], (f"installed texts are not counted: {error.message}",)
    for install in installs:
        machine = context.machine.with_env(dict(install.roots))
        project = Path(install.project) if install.project else context.project("")
        try:
            definition = recorded_connector(install.connector, context)
            described = context.catalogue.get(install.host)
        except AgentConnectorError as error:
            notes.append(f"{install.connector} in {install.host} is not counted: {error.message}")
            continue
        targets.append(Target(definition, described, install.scope, machine, project, DiskFiles()))
    return targets, tuple(dict.fromkeys(notes))


# --- what hosts say that turns cost -----------------------------------------------------------------------------


def _turns(
    request: LeaderboardRequest, since: int | None, host: str, context: Context
) -> tuple[Board, tuple[str, ...]]:
    answer = asked(Query("host", "model_turn", since, request.connector, host), context)
    places = [_of_host(key, group) for key, group in answer.groups.items()]
    title = "Turns, as hosts told them live"
    return Board("host-native-live", title, "host", _ranked(places), "" if places else _NO_TURNS), answer.notes


def _of_host(key: tuple[str, ...], group: Group) -> BoardRow:
    return _unranked(
        calls=group.calls,
        errors=group.errors,
        tokens_in=group.tin,
        tokens_out=group.tout,
        host=key[0],
        confidence=group.confidence,
    )


# --- rows of any board ------------------------------------------------------------------------------------------


def _unranked(connector: str = "", **told: Any) -> BoardRow:
    row = BoardRow(rank=0, name="", connector=connector, tokens=0, share=0.0, **told)
    return replace(
        row,
        name=" · ".join(part for part in (connector, row.tool or row.surface or row.host) if part),
        tokens=row.tokens_in + row.tokens_out + row.definition_tokens,
    )


def _ranked(rows: Iterable[BoardRow]) -> tuple[BoardRow, ...]:
    ordered = sorted(rows, key=lambda row: (-row.tokens, -row.calls, row.name))
    total = sum(row.tokens for row in ordered)
    return tuple(
        replace(row, rank=rank, share=round(row.tokens / total, 4) if total else 0.0)
        for rank, row in enumerate(ordered, 1)
    )

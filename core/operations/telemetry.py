"""What can be asked of telemetry, and what it answers. The operations themselves have a module each."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from ..telemetry.words import By, RowScope
from ..values import frozen

LeaderboardBy = Literal["mcp", "tool", "surface"]
LEADERBOARD_BY: tuple[LeaderboardBy, ...] = ("mcp", "tool", "surface")
ExportFormat = Literal["json", "csv", "parquet", "otlp"]
Origin = Literal["mcp-self", "host-scan-logs", "host-native-live"]
"""Who counted: we, beside the server; the host, in its own logs; the host, turn by turn. Never added together."""


@frozen
class TelemetryReportRequest:
    """``since``: ``30s``, ``15m``, ``24h``, ``7d``, a date or a moment; empty for all. ``scope`` empty: hooks for
    ``by="event"``, else calls."""

    by: By = "tool"
    since: str = ""
    scope: RowScope | Literal[""] = ""
    host: str = ""
    connector: str = ""


@frozen
class TelemetryRow:
    """One line of a report. Of the names only those are set that ``by`` tells apart.

    ``definition_tokens``: what the current definitions of the tools cost one host's context (of several hosts the
    dearest), whenever they were counted. ``confidence``: the weakest of what is in the sum; ``mix``: all of them ->
    rows. ``p50_ms``, ``p95_ms``: ``None`` where nothing was timed. ``path``: of the project, where it is known.
    """

    connector: str = ""
    tool: str = ""
    session: str = ""
    project: str = ""
    host: str = ""
    event: str = ""
    verdict: str = ""
    day: str = ""
    path: str = ""
    calls: int = 0
    errors: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    definition_tokens: int = 0
    bytes_in: int = 0
    bytes_out: int = 0
    p50_ms: float | None = None
    p95_ms: float | None = None
    confidence: str = ""
    mix: Mapping[str, int] = field(default_factory=dict)

    @property
    def tokens(self) -> int:
        """In, out and definitions, for putting rows in order."""
        return self.tokens_in + self.tokens_out + self.definition_tokens


@frozen
class TelemetryReport:
    """``since``: ISO 8601, empty for all time. ``recorded``: scope -> rows there are, over all time. ``notes``: what
    a reader should know: what is missing, what is rounded, where there is more."""

    by: By
    scope: RowScope
    since: str
    rows: tuple[TelemetryRow, ...]
    total: TelemetryRow
    recorded: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        return 0


@frozen
class TelemetryExportRequest:
    """``out``: a file, replaced as a whole; empty for standard output. ``paths``: with the folders of projects.
    ``endpoint``: for ``otlp`` only."""

    format: ExportFormat = "json"
    out: str = ""
    since: str = ""
    connector: str = ""
    host: str = ""
    paths: bool = False
    endpoint: str = ""


@frozen
class TelemetryExportReport:
    """``text``: what belongs on standard output, where no file was named. ``out``: where it went otherwise."""

    format: ExportFormat
    rows: int
    out: str = ""
    text: str = ""
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        return 0


@frozen
class TelemetryPruneRequest:
    """``paths``: forget the folders of projects, and nothing else."""

    paths: bool = False


@frozen
class TelemetryPruneReport:
    rows: int
    paths: int
    bytes_before: int
    bytes_after: int
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        return 0


@frozen
class LeaderboardRequest:
    """``by``, ``scope`` and ``host`` are about the board of connectors. ``origins`` empty: every board there is."""

    by: LeaderboardBy = "mcp"
    since: str = ""
    scope: Literal["", "call", "tool_defs", "hook"] = ""
    connector: str = ""
    host: str = ""
    origins: tuple[Origin, ...] = ()


@frozen
class BoardRow:
    """``surface``: server, hook, command, skill, subagent or memory where the board is by surface. ``tokens`` is in,
    out and definitions; ``share`` is of the board."""

    rank: int
    name: str
    connector: str
    tokens: int
    share: float
    calls: int = 0
    errors: int = 0
    tokens_in: int = 0
    tokens_out: int = 0
    definition_tokens: int = 0
    tool: str = ""
    host: str = ""
    surface: str = ""
    confidence: str = ""


@frozen
class Board:
    """``empty``: why there are no rows, and how some come about."""

    origin: Origin
    title: str
    by: str
    rows: tuple[BoardRow, ...]
    empty: str = ""
    notes: tuple[str, ...] = ()


@frozen
class LeaderboardReport:
    """Boards measure different things by different means: no sum over them means anything, so there is none."""

    since: str
    boards: tuple[Board, ...]
    notes: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        return 0


def iso(ms: int | None) -> str:
    """A moment in ISO 8601, UTC; ``""`` for ``None``."""
    return "" if ms is None else time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(ms / 1000))

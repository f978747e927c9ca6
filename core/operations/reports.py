"""What an operation answers. Every report is plain data; ``to_json`` gives the versioned envelope of ``--json``.

Values in reports are masked already: nothing that looks like a secret stands in them.
"""

from __future__ import annotations

from dataclasses import asdict, field
from typing import Any, Literal

from ..changes.model import Change
from ..values import frozen
from ..vocabulary import Scope, Surface
from .telemetry import LeaderboardReport, TelemetryPruneReport, TelemetryReport

ENVELOPE_VERSION = 1

Outcome = Literal["unchanged", "planned", "done", "partial", "failed"]
"""``partial``: some hosts were done and some could not be; the changes say which and why."""

SurfaceStateName = Literal["present", "changed", "vanished", "unreadable"]

CheckStatus = Literal["pass", "warn", "fail"]


@frozen
class FileDiff:
    """A unified diff of one file, secrets masked. ``created`` and ``deleted`` tell of the file as a whole."""

    path: str
    text: str
    created: bool = False
    deleted: bool = False


@frozen
class ChangeReport:
    """Of install, uninstall, upgrade and setup. ``next_steps``: what a person must still do (trust, restart)."""

    operation: str
    connector: str
    outcome: Outcome
    plan_id: str
    changes: tuple[Change, ...]
    diffs: tuple[FileDiff, ...] = ()
    commands: tuple[str, ...] = ()
    """Every command line that hosts will run because of this, for a person who is asked to consent."""
    next_steps: tuple[str, ...] = ()
    strict: bool = False

    @property
    def exit_code(self) -> int:
        """0 done, 1 something asked for could not be done (or any warning under ``strict``)."""
        if self.outcome in ("failed", "partial"):
            return 1
        return int(self.strict and any(change.action == "warn" for change in self.changes))

    def counts(self) -> dict[str, int]:
        tally: dict[str, int] = {}
        for change in self.changes:
            tally[change.action] = tally.get(change.action, 0) + 1
        return tally


@frozen
class HostRoot:
    """One place where a host keeps its files: the usual one, or where an override (``env``) put it."""

    path: str
    source: str
    env: dict[str, str] = field(default_factory=dict)


@frozen
class DetectedHost:
    id: str
    name: str
    installed: bool
    confidence: Literal["high", "medium", "low", "none"]
    reason: str
    paradigm: str
    config_path: str
    binary: str = ""
    version: str = ""
    scopes: tuple[Scope, ...] = ()
    surfaces: tuple[str, ...] = ()
    hook_events: tuple[str, ...] = ()
    roots: tuple[HostRoot, ...] = ()


@frozen
class DetectReport:
    """``current``: the host this process was started by, ``""`` if none can be told."""

    hosts: tuple[DetectedHost, ...]
    current: str = ""
    current_reason: str = ""

    @property
    def exit_code(self) -> int:
        return 0


@frozen
class SurfaceState:
    """How one surface of one connector stands in one host's file, compared with the ledger."""

    connector: str
    surface: str
    state: SurfaceStateName
    path: str
    scope: str
    project: str = ""
    detail: str = ""


@frozen
class HookState:
    """The hooks of one connector in one host. ``last_fired``: ISO 8601, UTC; empty where none is known to have fired.
    ``faults``: of the last seven days. ``broken``: events with a handler that cannot run."""

    connector: str
    events: tuple[str, ...]
    last_event: str = ""
    last_fired: str = ""
    faults: int = 0
    broken: tuple[str, ...] = ()


@frozen
class HostStatus:
    id: str
    name: str
    installed: bool
    surfaces: tuple[SurfaceState, ...]
    hooks: tuple[HookState, ...] = ()


@frozen
class StatusReport:
    hosts: tuple[HostStatus, ...]
    launcher: str
    runtime_version: str
    problems: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        return 0


@frozen
class Check:
    subject: str
    """``agent-connector``, a host id, or a connector id."""
    name: str
    status: CheckStatus
    message: str
    fix: str = ""
    healable: bool = False


@frozen
class DoctorReport:
    """``healed``, ``still_failing`` and ``deferred`` are filled when healing was asked for."""

    checks: tuple[Check, ...]
    healed: tuple[str, ...] = ()
    still_failing: tuple[str, ...] = ()
    deferred: tuple[str, ...] = ()

    @property
    def exit_code(self) -> int:
        return int(any(check.status == "fail" for check in self.checks))


Support = Literal["native", "skip-warn", "disabled"]
"""``disabled``: the definition switched the surface off for this host."""

HookVerdict = Literal["honored", "degraded", "dropped"]
Asked = Literal["allow", "deny", "ask", "modify", "context", "output"]
"""What a response can ask for: a decision, or another output of the tool."""


@frozen
class ExplainRow:
    """What becomes of one declared surface in one host. ``item``: the action's id; each has a row of its own."""

    host: str
    surface: Surface
    support: Support
    reason: str
    item: str = ""


@frozen
class HonorRow:
    """What a host makes of a decision at an event. ``fires_when``: under which conditions it runs such hooks at all;
    ``""`` where there is none."""

    host: str
    event: str
    decision: Asked
    verdict: HookVerdict
    why: str = ""
    fires_when: str = ""


@frozen
class ExplainReport:
    """``connector`` is ``""`` where the hosts alone were asked about: then ``honor`` has every event."""

    connector: str
    rows: tuple[ExplainRow, ...]
    honor: tuple[HonorRow, ...]

    @property
    def exit_code(self) -> int:
        return 0


@frozen
class HandlerOutcome:
    """One entry of the event. ``response``: what it answered, ``None`` for no opinion. ``fault``: why it has none."""

    index: int
    kind: Literal["static", "python", "command"]
    what: str
    matched: bool
    response: dict[str, Any] | None = None
    fault: str = ""


@frozen
class SimulateReport:
    """One call of a hook or status line, as a host would make it.

    ``honored``: whether the host does all that was decided. ``verdict``: ``none`` where nothing was decided,
    ``verbatim`` for what goes out as it is (native hooks, status lines). ``host_reply``: the reply as JSON, as text
    where it is none, ``None`` for silence; ``stdout``, ``stderr`` and ``exit_status`` are those of the hook process.
    ``response``: what the handlers answered, taken together. ``printed``: what they printed.
    """

    connector: str
    host: str
    surface: Literal["hooks", "statusline"]
    event: str
    honored: bool
    verdict: Literal["honored", "degraded", "dropped", "none", "verbatim"]
    reason: str
    host_reply: Any = None
    response: dict[str, Any] | None = None
    handlers: tuple[HandlerOutcome, ...] = ()
    faults: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    fires_when: str = ""
    stdout: str = ""
    stderr: str = ""
    exit_status: int = 0
    printed: str = ""

    @property
    def exit_code(self) -> int:
        return 0


Report = (
    ChangeReport
    | DetectReport
    | StatusReport
    | DoctorReport
    | ExplainReport
    | SimulateReport
    | TelemetryReport
    | TelemetryPruneReport
    | LeaderboardReport
)


def to_json(operation: str, report: Report) -> dict[str, Any]:
    """The envelope: ``{"version", "operation", "exit_code", "result"}``; ``result`` has the report's fields."""
    result = asdict(report)
    if isinstance(report, ChangeReport):
        result["counts"] = report.counts()
    return {
        "version": ENVELOPE_VERSION,
        "operation": operation,
        "exit_code": report.exit_code,
        "result": result,
    }

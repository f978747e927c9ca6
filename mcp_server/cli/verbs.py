"""The verbs: what each may be given, and the operation it becomes.

An operation is written once, in core; a verb only fills in its request and prints its report.
"""

from __future__ import annotations

from typing import Any

from agent_connector.operations import requests, telemetry

from .commandline import Program, Verb
from .given import Given, filled


def _detect(program: Program, given: Given) -> int:
    return program.answer("detect", filled(requests.DetectRequest, given), given)


def _install(program: Program, given: Given) -> int:
    request = filled(requests.InstallRequest, given, source=program.definition(given))
    return program.answer("install", request, given, plan=given.dry_run)


def _uninstall(program: Program, given: Given) -> int:
    request = filled(requests.UninstallRequest, given, source=program.installed(given))
    return program.answer("uninstall", request, given, plan=given.dry_run)


def _upgrade(program: Program, given: Given) -> int:
    request = filled(requests.UpgradeRequest, given, source=program.definition(given))
    return program.answer("upgrade", request, given, plan=given.dry_run)


def _status(program: Program, given: Given) -> int:
    return program.answer("status", filled(requests.StatusRequest, given, source=program.installed(given)), given)


def _doctor(program: Program, given: Given) -> int:
    return program.answer("doctor", filled(requests.DoctorRequest, given, source=program.installed(given)), given)


def _explain(program: Program, given: Given) -> int:
    # Without a connector the hosts themselves are explained; nothing is looked for.
    return program.answer("explain", filled(requests.ExplainRequest, given, source=program.definition(given)), given)


def _simulate(program: Program, given: Given) -> int:
    from .payload import payload

    source = program.definition(given)
    request = filled(requests.SimulateRequest, given, source=source, input=payload(given.input, program.context))
    return program.answer("simulate", request, given)


def _telemetry_report(program: Program, given: Given) -> int:
    return _of_telemetry(program, given, telemetry.TelemetryReportRequest, "telemetry_report", scope=given.row_scope)


def _telemetry_export(program: Program, given: Given) -> int:
    request = filled(telemetry.TelemetryExportRequest, given, connector=_connector(program, given))
    report = program.perform("telemetry_export", request)
    from .render.telemetry import exported

    return exported(report)


def _telemetry_leaderboard(program: Program, given: Given) -> int:
    own: tuple[telemetry.Origin, ...] = ("mcp-self",)
    return _of_telemetry(
        program, given, telemetry.LeaderboardRequest, "leaderboard", scope=given.row_scope, origins=own
    )


def _telemetry_prune(program: Program, given: Given) -> int:
    return program.answer("telemetry_prune", telemetry.TelemetryPruneRequest(given.paths), given)


def _leaderboard(program: Program, given: Given) -> int:
    return _of_telemetry(program, given, telemetry.LeaderboardRequest, "leaderboard", scope=given.row_scope)


def _of_telemetry(program: Program, given: Given, kind: type[Any], operation: str, **more: Any) -> int:
    by = {"by": given.by} if given.by else {}
    request = kind(since=given.since, host=given.host, connector=_connector(program, given), **by, **more)
    return program.answer(operation, request, given)


def _connector(program: Program, given: Given) -> str:
    """The connector that rows are of: the one that was named, else the one of a branded command line."""
    return given.connector_id or (program.scoped_to.installed.id if program.scoped_to else "")


def _setup(program: Program, given: Given) -> int:
    from .setup import setup

    return setup(program, given)


def _demo(_program: Program, _given: Given) -> int:
    from .demo import demo

    return demo()


def _mcp(_program: Program, _given: Given) -> int:
    from ..server.main import run

    return run()


_WHICH = ("reference", "connector", "connector_id")
_WHERE = ("targets", "scope", "project")

DETECT = Verb(
    "detect",
    "List the AI coding agents on this machine.",
    "For each: version, how sure we are and why, the config file that would be written, and what it can do.",
    ("targets", "project", "json"),
    _detect,
)
INSTALL = Verb(
    "install",
    "Install a connector into every agent found.",
    "Each agent gets it in its own dialect. Without CONNECTOR the definition is looked for upward from the project. "
    "--dry-run shows every file's diff and writes nothing. Installing again changes only what differs.",
    (*_WHICH, *_WHERE, "trust", "dry_run", "force", "strict", "json"),
    _install,
)
UNINSTALL = Verb(
    "uninstall",
    "Remove a connector; files get their bytes of before back.",
    "The id is enough: neither the definition nor the author's package is needed. What you edited since is kept, "
    "and said.",
    (*_WHICH, *_WHERE, "dry_run", "purge", "strict", "json"),
    _uninstall,
)
UPGRADE = Verb(
    "upgrade",
    "Bring everything current: what is installed, and the launcher.",
    "What is installed is brought up to its definition: what the definition no longer has is removed, what vanished "
    "is put back. Without a connector only the launcher and its runtime are refreshed. The package itself is never "
    "updated; its command is printed.",
    (*_WHICH, *_WHERE, "channel", "trust", "dry_run", "force", "strict", "json"),
    _upgrade,
    aliases=("update", "sync"),
)
STATUS = Verb(
    "status",
    "Show what is installed where, one line per agent.",
    "Always exits 0: it describes, it does not judge.",
    (*_WHICH, *_WHERE, "json"),
    _status,
)
DOCTOR = Verb(
    "doctor",
    "Check that what is installed works, and say how to fix what does not.",
    "Exits 1 only when a check FAILs. --heal repairs what is ours and leaves alone what you edited; with --dry-run "
    "it only lists what it would repair.",
    (*_WHICH, *_WHERE, "probe", "heal", "dry_run", "json"),
    _doctor,
)
EXPLAIN = Verb(
    "explain",
    "Say what each agent would make of a connector.",
    "One line per agent and surface: native, skip-warn (with what is lacking) or disabled. Then, event by event, "
    "what the agent does with each answer of a hook: honored, degraded or dropped, and why. Without CONNECTOR: "
    "everything that the agents make of hooks.",
    (*_WHICH, *_WHERE, "json"),
    _explain,
)
SIMULATE = Verb(
    "simulate",
    "Call a connector's hook or status line as an agent would, and say what comes of it.",
    "Runs the matcher and the handlers on INPUT, in a process of their own, and shows the reply word for word and "
    "whether the agent does what was decided. Nothing is installed, logged or counted. An installed connector is "
    "called as it is installed.",
    (*_WHICH, "host", "event", "input", "surface", "project", "json"),
    _simulate,
)
_ROWS = ("rows_of", "rows_in", "since")

TELEMETRY_REPORT = Verb(
    "telemetry report",
    "Show what tools cost: calls, tokens, errors, latency.",
    "Counted on this machine, beside the connectors' servers and hooks; sizes and counts only, never content. The "
    "confidence of a line is the weakest that is in it. Days are UTC.",
    ("rows_by", *_ROWS, "row_scope", "json"),
    _telemetry_report,
)
TELEMETRY_EXPORT = Verb(
    "telemetry export",
    "Give the rows to other programs: JSON, CSV, Parquet, or a collector.",
    "To standard output, or to a file that is replaced as a whole and is yours alone. Where projects are is left out "
    "unless --paths. Only --format otlp sends anything anywhere: to the collector that is named.",
    ("format", "out", *_ROWS, "paths", "endpoint"),
    _telemetry_export,
)
TELEMETRY_LEADERBOARD = Verb(
    "telemetry leaderboard",
    "Rank connectors, tools or surfaces by tokens.",
    "--by surface also counts the commands, skills, subagents and memory that are installed.",
    ("board_by", *_ROWS, "board_scope", "json"),
    _telemetry_leaderboard,
)
TELEMETRY_PRUNE = Verb(
    "telemetry prune",
    "Let go of old rows now, or of where projects are.",
    "It happens by itself once a day: rows go after 400 days, or when the database is over 512 MiB; sums per day "
    "stay.",
    ("forget_paths", "json"),
    _telemetry_prune,
)
LEADERBOARD = Verb(
    "leaderboard",
    "Rank who costs the most, one board per origin.",
    "Boards are counted by different means and are never added up. --by, --scope and --host are about the board of "
    "connectors.",
    ("board_by", *_ROWS, "board_scope", "json"),
    _leaderboard,
)
SETUP = Verb(
    "setup",
    "Register agent-connector itself in every agent found.",
    "Its MCP server, a skill and a slash command. Shows the plan and asks; without a terminal and without --yes it "
    "prints the plan and writes nothing.",
    ("targets", "scope", "project", "trust", "yes", "dry_run", "remove", "json"),
    _setup,
)
DEMO = Verb(
    "demo",
    "See the whole story in a throwaway home.",
    "Detect, install, look at the diff, uninstall, and prove that every byte is back. Nothing outside a temporary "
    "folder is touched.",
    (),
    _demo,
)
MCP = Verb(
    "mcp",
    "Run agent-connector's own MCP server.",
    "It speaks on standard input and output; agents start it, people do not.",
    (),
    _mcp,
)

TELEMETRY = (TELEMETRY_REPORT, TELEMETRY_EXPORT, TELEMETRY_LEADERBOARD, TELEMETRY_PRUNE)
ALL = (
    *(SETUP, DETECT, INSTALL, UNINSTALL, UPGRADE, STATUS, DOCTOR, EXPLAIN, SIMULATE),
    *(*TELEMETRY, LEADERBOARD, DEMO, MCP),
)
BRANDED = (
    *(DETECT, INSTALL, UNINSTALL, UPGRADE, STATUS, DOCTOR, EXPLAIN, SIMULATE),
    *(TELEMETRY_REPORT, TELEMETRY_EXPORT),
)
"""What a connector's own command line offers: what its users do with that one connector."""

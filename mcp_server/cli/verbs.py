"""The verbs: what each may be given, and the operation it becomes.

An operation is written once, in core; a verb only fills in its request and prints its report.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from agent_connector.operations import requests
from agent_connector.values import frozen

from .. import itself
from .given import Given, source
from .output import print_report

if TYPE_CHECKING:
    from agent_connector.operations.context import Context
    from agent_connector.operations.requests import ConnectorSource


@frozen
class Verb:
    """``summary`` stands in the list of verbs, ``help`` below it in the verb's own help; ``options`` are names in
    the table of options."""

    name: str
    summary: str
    help: str
    options: tuple[str, ...]
    run: Callable[[Program, Given], int]
    aliases: tuple[str, ...] = ()


@frozen
class OneConnector:
    """What a branded command line is scoped to: ``installed`` for what is there, ``definition`` to install."""

    installed: ConnectorSource
    definition: ConnectorSource


@frozen
class Program:
    """A command line: its name, its version, its verbs, and the connector it is scoped to, if any."""

    name: str
    version: str
    about: str
    verbs: tuple[Verb, ...]
    context: Context
    scoped_to: OneConnector | None = None

    def installed(self, given: Given) -> ConnectorSource:
        """The connector that is meant, where its id is enough."""
        return source(given, self.context.machine, self.scoped_to.installed if self.scoped_to else None)

    def definition(self, given: Given) -> ConnectorSource:
        """The connector that is meant, where its definition is needed. Ours is that of the running version."""
        meant = source(given, self.context.machine, self.scoped_to.definition if self.scoped_to else None)
        return itself.up_to_date(meant, self.context.machine, self.context.version)

    def perform(self, operation: str, request: Any) -> Any:
        """The report of ``agent_connector.operations.<operation>``."""
        module = import_module(f"agent_connector.operations.{operation}")
        try:
            return getattr(module, operation)(request, self.context)
        finally:
            self.context.progress(1, 1, "")  # whatever it was at: the line makes room for the report

    def answer(self, operation: str, request: Any, given: Given, *, plan: bool = False) -> int:
        report = self.perform(operation, request)
        print_report(operation, report, self.context, as_json=given.as_json, plan=plan)
        return int(report.exit_code)


def _detect(program: Program, given: Given) -> int:
    request = requests.DetectRequest(project=given.project, targets=given.targets)
    return program.answer("detect", request, given)


def _install(program: Program, given: Given) -> int:
    request = requests.InstallRequest(
        source=program.definition(given),
        targets=given.targets,
        scope=given.scope,
        project=given.project,
        dry_run=given.dry_run,
        force=given.force,
        strict=given.strict,
    )
    return program.answer("install", request, given, plan=given.dry_run)


def _uninstall(program: Program, given: Given) -> int:
    request = requests.UninstallRequest(
        source=program.installed(given),
        targets=given.targets,
        scope=given.scope,
        project=given.project,
        dry_run=given.dry_run,
        purge=given.purge,
        strict=given.strict,
    )
    return program.answer("uninstall", request, given, plan=given.dry_run)


def _upgrade(program: Program, given: Given) -> int:
    request = requests.UpgradeRequest(
        source=program.definition(given),
        targets=given.targets,
        scope=given.scope,
        project=given.project,
        channel=given.channel,
        dry_run=given.dry_run,
        force=given.force,
        strict=given.strict,
    )
    return program.answer("upgrade", request, given, plan=given.dry_run)


def _status(program: Program, given: Given) -> int:
    request = requests.StatusRequest(
        source=program.installed(given), targets=given.targets, scope=given.scope, project=given.project
    )
    return program.answer("status", request, given)


def _doctor(program: Program, given: Given) -> int:
    request = requests.DoctorRequest(
        source=program.installed(given),
        targets=given.targets,
        scope=given.scope,
        project=given.project,
        probe=given.probe,
        heal=given.heal,
        dry_run=given.dry_run,
    )
    return program.answer("doctor", request, given)


def _setup(program: Program, given: Given) -> int:
    from .setup import setup

    return setup(program, given)


def _demo(_program: Program, _given: Given) -> int:
    from .demo import demo

    return demo()


def _mcp(_program: Program, _given: Given) -> int:
    serve: Callable[[], int] = import_module("agent_connector.mcp_server.server.main").run
    return serve()


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
    (*_WHICH, *_WHERE, "dry_run", "force", "strict", "json"),
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
    (*_WHICH, *_WHERE, "channel", "dry_run", "force", "strict", "json"),
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
SETUP = Verb(
    "setup",
    "Register agent-connector itself in every agent found.",
    "Its MCP server, a skill and a slash command. Shows the plan and asks; without a terminal and without --yes it "
    "prints the plan and writes nothing.",
    ("targets", "scope", "project", "yes", "dry_run", "remove", "json"),
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

ALL = (SETUP, DETECT, INSTALL, UNINSTALL, UPGRADE, STATUS, DOCTOR, DEMO, MCP)
BRANDED = (DETECT, INSTALL, UNINSTALL, UPGRADE, STATUS, DOCTOR)
"""What a connector's own command line offers: what its users do with that one connector."""

"""What a command line is made of: a program with its verbs, for any connector or scoped to one."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

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

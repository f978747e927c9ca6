"""What a tool was asked for, and the operation's request it becomes. Loaded with the list of tools, so light."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent_connector.errors import UsageError
from agent_connector.values import frozen

from .. import itself

if TYPE_CHECKING:
    from agent_connector.machine import Machine
    from agent_connector.operations.requests import (
        ConnectorSource,
        DoctorRequest,
        InstallRequest,
        StatusRequest,
        UninstallRequest,
        UpgradeRequest,
    )


@frozen
class Wish:
    """The arguments of any tool; a tool that lacks one leaves it as it is here. ``scope`` empty: the usual one."""

    connector: str = ""
    definition: Mapping[str, Any] | None = None
    targets: tuple[str, ...] = ()
    scope: Any = ""
    project: str = ""
    force: bool = False
    trust: bool = False
    purge: bool = False
    probe: bool = False
    heal: bool = False

    def arguments(self) -> dict[str, Any]:
        """What was asked for, as JSON, without what is at its default."""
        given = {item.name: getattr(self, item.name) for item in fields(self)}
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in given.items()
            if value not in ((), "", None, False)
        }

    @classmethod
    def of(cls, arguments: Mapping[str, Any]) -> Wish:
        return cls(**{**arguments, "targets": tuple(arguments.get("targets", ()))})

    def place(self, machine: Machine) -> Machine:
        """The machine as seen from the project, so that relative paths start there."""
        if not self.project:
            return machine
        folder = machine.path(self.project)
        if not Path(folder).is_dir():
            raise UsageError(f"no such folder: {folder}", hint="Give project as the absolute path of the project.")
        return replace(machine, cwd=folder)

    def source(self, operation: str, machine: Machine, version: str) -> ConnectorSource:
        """Which connector is meant. ``machine`` is the one of :meth:`place`. Raises :class:`UsageError`."""
        from agent_connector.operations.requests import ConnectorSource

        from ..cli.given import Given, source

        if self.definition is not None:
            if self.connector:
                raise UsageError("both connector and definition were given", hint="Give one of them.")
            return ConnectorSource(inline=self.definition)
        if self.connector == itself.ID:
            meant = ConnectorSource(id=itself.ID)
        else:
            meant = source(Given(reference=self.connector), machine)
        if meant.path and operation in ("status", "doctor"):
            raise UsageError(f"{operation} takes the id of an installed connector, not a path: {self.connector}")
        if meant.path and operation in ("explain", "simulate"):
            raise UsageError(
                f"{operation} takes the id of an installed connector or a definition in place, not a path: "
                f"{self.connector}",
                hint=f"Install it first, or have the person run `agent-connector {operation} {self.connector}`.",
            )
        return itself.up_to_date(meant, machine, version) if operation in ("install", "upgrade", "explain") else meant

    def change_request(
        self, operation: str, meant: ConnectorSource, *, dry_run: bool, plan_id: str = ""
    ) -> InstallRequest | UninstallRequest | UpgradeRequest:
        from agent_connector.operations.requests import InstallRequest, UninstallRequest, UpgradeRequest

        where = {"targets": self.targets, "scope": self.scope, "project": self.project}
        common = {"source": meant, **where, "dry_run": dry_run, "plan_id": plan_id}
        if operation == "uninstall":
            return UninstallRequest(**common, purge=self.purge)
        if operation == "upgrade":
            return UpgradeRequest(**common, force=self.force)
        return InstallRequest(**common, force=self.force, trust=self.trust)

    def doctor_request(self, meant: ConnectorSource, *, dry_run: bool = False) -> DoctorRequest:
        from agent_connector.operations.requests import DoctorRequest

        return DoctorRequest(
            source=meant,
            targets=self.targets,
            scope=self.scope,
            project=self.project,
            probe=self.probe,
            heal=self.heal,
            dry_run=dry_run,
        )

    def status_request(self, meant: ConnectorSource) -> StatusRequest:
        from agent_connector.operations.requests import StatusRequest

        return StatusRequest(source=meant, targets=self.targets, scope=self.scope, project=self.project)

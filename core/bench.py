"""A home in memory, where connectors are planned, put in place and taken out again by the very engine that does so on
disk: for tests of host descriptions, on every system's paths. Nothing outside is read or written."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import PurePath, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING

from .changes.host_step import Owner
from .changes.model import Change, FileEdit, OwnedRow, Plan, Wanted
from .changes.reconcile import Reconciler
from .documents.base import Origin, Place
from .host import Host
from .machine import Machine, OperatingSystem
from .surfaces.all import desired
from .surfaces.target import Desired, Target
from .surfaces.trust import left_behind
from .vocabulary import USER_WIDE, Scope

if TYPE_CHECKING:
    from .authoring.models import Connector

SYSTEMS: tuple[OperatingSystem, ...] = ("linux", "macos", "windows")


def machine_of(system: OperatingSystem, person: str = "zoe", project: str = "shop") -> Machine:
    """Somebody's machine; the project stands in their home folder."""
    if system == "windows":
        home: PurePath = PureWindowsPath("C:\\Users", person)
    else:
        home = PurePosixPath("/Users" if system == "macos" else "/home", person)
    return Machine(os=system, home=home, cwd=home / project)


@dataclass
class Bench:
    """``files``: path, as its system writes it -> bytes."""

    machine: Machine
    files: dict[str, bytes] = field(default_factory=dict)
    rows_: list[OwnedRow] = field(default_factory=list)
    origins_: dict[str, dict[Place, Origin]] = field(default_factory=dict)

    # --- the port on files ---------------------------------------------------------------------------------------

    def read(self, path: PurePath) -> bytes | None:
        return self.files.get(str(path))

    def exists(self, path: PurePath) -> bool:
        below = str(path) + ("\\" if self.machine.os == "windows" else "/")
        return str(path) in self.files or any(name.startswith(below) for name in self.files)

    def real(self, path: PurePath) -> PurePath:
        return path

    # --- what planning reads of the ledger -----------------------------------------------------------------------

    def rows(self, *, path: str) -> tuple[OwnedRow, ...]:
        return tuple(row for row in self.rows_ if row.path == path)

    def origins(self, path: str) -> Mapping[Place, Origin]:
        return self.origins_.get(path, {})

    def paths(self) -> Iterable[PurePath]:
        return ()

    # --- operations ----------------------------------------------------------------------------------------------

    def desired(self, connector: Connector, host: Host, scope: Scope) -> Desired:
        found = desired(Target(connector, host, scope, self.machine, self.machine.cwd, self))
        # The engine compares paths as this system writes them; those of another are names without parts to it.
        wanted = tuple(replace(want, path=PurePath(str(want.path))) for want in found.wanted)
        return replace(found, wanted=wanted)

    def plan(self, connector: Connector, host: Host, scope: Scope, wanted: Iterable[Wanted] | None = None) -> Plan:
        """``wanted``: what :meth:`desired` said, asked again where not given."""
        planner = Reconciler(self, self)
        if wanted is None:
            found = self.desired(connector, host, scope)
            planner.changes.extend(found.changes)
            planner.failed.update(change.host for change in found.changes if change.blocking)
            wanted = found.wanted
        owner = self._owner(connector.id, scope)
        planner.host(owner, host.id, wanted, self._of(owner, host))
        return planner.plan()

    def apply(self, plan: Plan) -> None:
        for edit in plan.edits:
            self._apply(edit)

    def install(self, connector: Connector, host: Host, scope: Scope) -> Plan:
        plan = self.plan(connector, host, scope)
        self.apply(plan)
        return plan

    def uninstall(self, connector: str, host: Host, scope: Scope) -> tuple[Change, ...]:
        """By what is remembered alone, as on disk."""
        owner = self._owner(connector, scope)
        owned = self._of(owner, host)
        keys, _ = left_behind(host, owned, self.machine, self.machine.cwd, self)
        planner = Reconciler(self, self)
        planner.host(owner, host.id, (), [*owned, *keys])
        self.apply(planner.plan())
        return tuple(planner.changes)

    def _owner(self, connector: str, scope: Scope) -> Owner:
        return Owner(connector, scope, "" if scope in USER_WIDE else str(self.machine.cwd))

    def _of(self, owner: Owner, host: Host) -> list[OwnedRow]:
        wanted = (owner.connector, host.id, owner.scope, owner.project)
        return [row for row in self.rows_ if row.owner == wanted]

    def _apply(self, edit: FileEdit) -> None:
        path = str(edit.path)
        if edit.after is None:
            self.files.pop(path, None)
        else:
            self.files[path] = edit.after
        self.rows_ = [row for row in self.rows_ if row not in edit.drops]
        for row in edit.adds:
            same = [old for old in self.rows_ if old.owner == row.owner and old.same_thing(row)]
            self.rows_ = [old for old in self.rows_ if old not in same] + [row]
        origins = self.origins_.setdefault(path, {})
        for place in edit.forgets:
            origins.pop(place, None)
        for origin in edit.origins:
            origins[origin.place] = origin

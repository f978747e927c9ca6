"""What is wanted, compared with what stands in the files and what the ledger says is ours, becomes a plan.

One host at a time: all files of a host are read and parsed before anything of it is planned, and a host that cannot
be read is left out whole while the others go on. Nothing is written here.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any, Protocol

from ..documents.base import Origin, Place, same_value
from ..errors import AgentConnectorError
from ..host import Files
from ..masking import matches
from .host_step import HostStep, Owner
from .model import Change, FileEdit, OwnedRow, Plan, Wanted
from .workfile import Workfile, naming


class Owned(Protocol):
    """The part of the ledger that planning reads."""

    def rows(self, *, path: str) -> tuple[OwnedRow, ...]: ...

    def origins(self, path: str) -> Mapping[Place, Origin]: ...

    def paths(self) -> Iterable[PurePath]: ...


@dataclass(slots=True)
class Reconciler:
    """Collects changes and edits host by host; ``force`` also replaces what the user edited in things of ours."""

    files: Files
    ledger: Owned
    force: bool = False
    changes: list[Change] = field(default_factory=list)
    edits: list[FileEdit] = field(default_factory=list)
    failed: set[str] = field(default_factory=set)
    _open: dict[PurePath, Workfile] = field(default_factory=dict)
    _names: dict[PurePath, PurePath] = field(default_factory=dict)
    """Real path -> the name under which a file is ours already, or is planned for."""

    def host(self, owner: Owner, host: str, wanted: Iterable[Wanted], owned: Iterable[OwnedRow]) -> None:
        """Plan one host: ``owned`` are all rows of ``owner`` in it; those not wanted any more are removed."""
        wanted, twice = _once_each(wanted)
        wanted = self._without_other_names(host, wanted)
        stale = [row for row in owned if not any(_wants(want, row) for want in wanted)]
        try:
            work = self._open_files(wanted, stale)
        except AgentConnectorError as error:
            self.refuse(host, error)
            return
        step = HostStep(owner, host, work, force=self.force)
        try:
            for row in reversed(stale):
                with naming(PurePath(row.path)):
                    step.remove(row, replaced=any(_takes_over(want, row) for want in wanted))
            for want in wanted:
                with naming(want.path):
                    step.ensure(want)
            for want in twice:
                step.refuse_double(want)
            step.drop_scaffolds(keep=any(want.kind == "scaffold" for want in wanted))
        except AgentConnectorError as error:
            self.refuse(host, error)
            return
        self.changes.extend(step.changes)
        if any(change.blocking for change in step.changes):
            self.failed.add(host)
        for path, file in work.items():
            edit = file.edit(host)
            if edit is not None:
                self.edits.append(edit)
            self._open[path] = file.next_host()

    def _without_other_names(self, host: str, wanted: tuple[Wanted, ...]) -> tuple[Wanted, ...]:
        """Leave out files that are, through a link, a file of ours by another name: what stands there serves both,
        and one file has one history in the ledger."""
        if not self._names:
            self._names = {self.files.real(path): PurePath(path) for path in self.ledger.paths()}
        others: dict[PurePath, PurePath] = {}
        for want in wanted:
            name = self._names.setdefault(self.files.real(want.path), want.path)
            if name != want.path:
                others[want.path] = name
        for path, name in others.items():
            surface = next(want.surface for want in wanted if want.path == path)
            text = f"{path} is the same file as {name}: what stands there is read here too"
            self.changes.append(Change(host, surface, "skip", text, str(path)))
        return tuple(want for want in wanted if want.path not in others)

    def refuse(self, host: str, error: AgentConnectorError) -> None:
        """The host cannot be read or done: it is left out whole, and said."""
        self.failed.add(host)
        self.changes.append(Change(host, "host", "warn", error.message, fix=error.hint, blocking=True))

    def read(self, path: PurePath) -> bytes | None:
        """A file as it is planned: with :meth:`exists` and :meth:`real` the ``Files`` port on what will stand."""
        planned = self._open.get(path)
        return planned.data if planned is not None else self.files.read(path)

    def exists(self, path: PurePath) -> bool:
        planned = self._open.get(path)
        return planned.data is not None if planned is not None else self.files.exists(path)

    def real(self, path: PurePath) -> PurePath:
        return self.files.real(path)

    def plan(self) -> Plan:
        return Plan(plan_id(self.edits, self.changes), tuple(self.changes), tuple(self.edits), frozenset(self.failed))

    def _open_files(self, wanted: tuple[Wanted, ...], stale: list[OwnedRow]) -> dict[PurePath, Workfile]:
        work: dict[PurePath, Workfile] = {}
        for path, format_id in [
            *((want.path, want.format) for want in wanted),
            *((PurePath(row.path), row.format) for row in stale),
        ]:
            if path in work:
                continue
            if path in self._open:
                work[path] = self._open[path].branch()
                continue
            known, origins = self.ledger.rows(path=str(path)), self.ledger.origins(str(path))
            with naming(path):
                work[path] = Workfile.read(path, format_id, self.files, known, origins)
        return work


def _once_each(wanted: Iterable[Wanted]) -> tuple[tuple[Wanted, ...], tuple[Wanted, ...]]:
    """What is wanted, and apart from it what would stand at a place that something else of it takes already."""
    first: dict[tuple[PurePath, Place], Wanted] = {}
    kept: list[Wanted] = []
    twice: list[Wanted] = []
    for want in wanted:
        taken = first.setdefault((want.path, want.place), want)
        if want.kind in ("scaffold", "file") and taken is not want and same_value(taken.value, want.value):
            continue  # two surfaces of one file demand the same of it, or beside it
        (kept if want.kind == "item" or taken is want else twice).append(want)
    return tuple(kept), tuple(twice)


def _wants(want: Wanted, row: OwnedRow) -> bool:
    if str(want.path) != row.path or want.place != row.place or want.kind != row.kind:
        return False
    return want.kind != "item" or matches(row.value, want.value)


def _takes_over(want: Wanted, row: OwnedRow) -> bool:
    """Whether an item that goes has a successor in the same array."""
    return want.kind == row.kind == "item" and str(want.path) == row.path and want.place == row.place


def plan_id(edits: Iterable[FileEdit], changes: Iterable[Change]) -> str:
    """Derived from what is to change, not from the files' other content: a busy host makes no new plan."""
    digest = hashlib.sha256()
    for thing in what_changes(edits, changes):
        digest.update(thing.encode())
    return digest.hexdigest()[:16]


def what_changes(edits: Iterable[FileEdit], changes: Iterable[Change], *, host: str = "") -> list[str]:
    """Each thing that will stand or be gone in a file, with its value, as text; of one host if ``host`` is given."""
    things: list[list[Any]] = []
    for edit in edits:
        if edit.before != edit.after and host in ("", edit.host):
            things += [["+", row.host, row.path, row.kind, row.place, row.value] for row in edit.adds]
            things += [["-", row.host, row.path, row.kind, row.place, row.value] for row in edit.drops]
    for change in changes:
        # Of two things that are ours no more, one may go and the other stay because it was edited.
        if change.action in ("create", "update", "remove") and host in ("", change.host):
            things.append([change.action, change.host, change.path, change.place])
    return [json.dumps(thing, sort_keys=True) for thing in things]

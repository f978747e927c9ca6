"""The edits of one host: each wanted thing compared with what stands there, each told as one change.

Ownership is decided by value. What a user edited in a thing of ours stays, and is said; what is not ours is never
replaced.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

from ..documents.base import MISSING, Place, same_value
from ..documents.block import SHARED
from ..documents.elements import element_of, spelled
from ..errors import ProofError
from ..masking import fingerprint, mask, matches
from ..values import frozen
from ..vocabulary import COMMIT_SHARED, Scope
from .model import Action, Change, Kind, OwnedRow, Wanted
from .shape import connector_of
from .workfile import Workfile, content_digest, naming


@frozen
class Owner:
    """For whom a plan is made. ``project`` is empty at scopes that belong to no project."""

    connector: str
    scope: Scope
    project: str


@dataclass(slots=True, eq=False, repr=False)
class HostStep:
    """The edits of one host, each shown as one change."""

    owner: Owner
    host: str
    work: dict[PurePath, Workfile]
    force: bool = False
    changes: list[Change] = field(default_factory=list)

    # --- wanted --------------------------------------------------------------------------------------------------

    def ensure(self, want: Wanted) -> None:
        file = self.work[want.path]
        row = owned_row(self.owner, self.host, want)
        try:
            match want.kind:
                case "item":
                    self._ensure_item(file, want, row)
                case "leaf":
                    self._ensure_leaf(file, want, row)
                case "scaffold":
                    self._ensure_scaffold(file, want, row)
                case _:
                    self._ensure_entry(file, want, row)
        except ProofError as error:
            # A single key that cannot be set is told like one that is taken: neither fails the host.
            blocking = want.kind != "leaf"
            self._say(want, "warn", f"{_where(want)}: {error.message}", fix=manual_edit(want), blocking=blocking)

    def refuse_double(self, want: Wanted) -> None:
        text = f"{_where(want)}: something else of this connector stands at {want.path} already"
        self._say(want, "warn", text, fix="Give one of the two another name", blocking=True)

    def _ensure_entry(self, file: Workfile, want: Wanted, row: OwnedRow) -> None:
        """An entry, block or file: one name, one value."""
        current = file.get(want.kind, want.place)
        mine = self._recorded(file, row)
        ours = mine is not None or want.kind == "block"  # a block carries our name
        if current is MISSING:
            self._put(file, want, row)
            self._say(want, "create", f"{_where(want)}{' (vanished since it was installed)' if mine else ''}")
        elif _equal(want.kind, current, want.value):
            self._settle_equal(file, want, row, mine, current)
        elif ours and self._unedited(file, mine or row, current):
            self._put(file, want, row)
            self._say(want, "update", _where(want), before=current)
        elif (scopes := self._scopes_that_hold(file, row, current)) and not mine:
            self._say(
                want,
                "warn",
                f"{_where(want)} stands there already for {scopes} scope, which is the same file here",
                before=current,
                fix=f"One of the two is enough; uninstall --scope {scopes} first if you want this one",
                blocking=True,
            )
        elif (host := self._host_that_holds(file, row, current)) and not mine:
            self._say(want, "skip", f"{_where(want)} stands there already for {host}, which reads the same file")
        elif ours or want.over or connector_of(current) == self.owner.connector:
            if ours and not (self.force or want.over):
                self._say(
                    want,
                    "warn",
                    f"{_where(want)} was edited since it was installed; left as it is",
                    before=current,
                    fix="--force puts ours back (a backup is kept)",
                )
                return
            self._put(file, want, row)
            self._say(
                want, "update", f"{_where(want)}{' (edited since it was installed)' if ours else ''}", before=current
            )
        else:
            self._say(
                want,
                "warn",
                f"{_where(want)} exists and is not ours; left as it is",
                before=current,
                fix=manual_edit(want),
                blocking=True,
            )

    def _scopes_that_hold(self, file: Workfile, row: OwnedRow, current: Any) -> str:
        """Scopes of this connector and host whose entry ``current`` is (in the home folder, a host's project file and
        its user file are one)."""
        holders = [other for other in file.others(row) if other.kind == "entry" and matches(other.value, current)]
        return ", ".join(other.scope for other in holders if (other.connector, other.host) == row.owner[:2])

    def _host_that_holds(self, file: Workfile, row: OwnedRow, current: Any) -> str:
        """Another host of this connector whose entry ``current`` is, at the same scope."""
        holders = [other for other in file.others(row) if other.kind == "entry" and matches(other.value, current)]
        return next((one.host for one in holders if (one.connector, one.scope) == (row.connector, row.scope)), "")

    def _settle_equal(self, file: Workfile, want: Wanted, row: OwnedRow, mine: OwnedRow | None, current: Any) -> None:
        shared = bool(file.others(row)) and want.kind in ("block", "file")
        ours_by_shape = connector_of(current) == self.owner.connector
        if mine or shared or ours_by_shape or want.kind == "block" or want.scope in COMMIT_SHARED:
            if mine is None or mine.value != row.value:
                file.own(row)
            self._say(want, "skip", f"{_where(want)} is up to date")
        else:
            self._say(want, "skip", f"{_where(want)} stands there already and is yours; it will stay on uninstall")

    def _ensure_item(self, file: Workfile, want: Wanted, row: OwnedRow) -> None:
        array = file.get("item", want.place)
        items = array if isinstance(array, list) else []
        recorded = self._recorded(file, row)
        if any(same_value(item, want.value) for item in items):
            if recorded is None:
                file.own(row)
            self._say(want, "skip", f"{_where(want)} is up to date")
            return
        unrecorded = self._unrecorded_items(file, want.place)
        if unrecorded and recorded is not None and not self.force:
            self._say(
                want,
                "warn",
                f"{_where(want)} was edited since it was installed; left as it is",
                before=unrecorded[0],
                fix="--force puts ours back (a backup is kept)",
            )
            return
        self._put(file, want, row)
        for item in unrecorded:  # of another version or machine, or edited: replaced, not piled up
            file.take("item", want.place, item)
        said = f"{_where(want)}{' (vanished since it was installed)' if recorded and not unrecorded else ''}"
        before = unrecorded[0] if unrecorded else None
        self._say(want, "update" if unrecorded else "create", said, before=before)

    def _ensure_leaf(self, file: Workfile, want: Wanted, row: OwnedRow) -> None:
        """Set if absent; never over a value that is not ours; the first writer wins."""
        current = file.get("leaf", want.place)
        mine = self._recorded(file, row)
        others = file.others(row)
        if current is MISSING:
            self._put(file, want, row)
            self._say(want, "create", _where(want))
        elif mine or others:
            holder = mine or others[0]
            if not matches(holder.value, current):
                self._say(
                    want,
                    "warn",
                    f"{_where(want)} was changed since it was installed; left as it is",
                    before=current,
                    fix=manual_edit(want),
                )
            elif same_value(current, want.value):
                if mine is None:
                    file.own(row)
                self._say(want, "skip", f"{_where(want)} is up to date")
            elif mine and not others:
                self._put(file, want, row)
                self._say(want, "update", _where(want), before=current)
            else:
                names = ", ".join(sorted({other.connector for other in others}))
                self._say(
                    want,
                    "warn",
                    f"{_where(want)} is set to another value by {names}",
                    before=current,
                    fix=manual_edit(want),
                )
        elif connector_of(current) == self.owner.connector:
            # Ours by its shape: it calls our launcher for this connector, though the ledger does not know it.
            self._put(file, want, row)
            self._say(want, "skip" if same_value(current, want.value) else "update", _where(want), before=current)
        else:
            self._say(
                want,
                "warn",
                f"{_where(want)} is set already and is not ours; left as it is",
                before=current,
                fix=manual_edit(want),
            )

    def _ensure_scaffold(self, file: Workfile, want: Wanted, row: OwnedRow) -> None:
        if file.get("scaffold", want.place) is MISSING:
            self._put(file, want, row)
            self._say(want, "create", _where(want))

    # --- no longer wanted ----------------------------------------------------------------------------------------

    def remove(self, row: OwnedRow, *, replaced: bool = False) -> None:
        """Remove what is still ours; what a user changed stays and is told of; either way it is ours no more.
        ``replaced``: an item whose successor will stand in the same array, and will replace a changed one too."""
        if row.kind == "scaffold":
            return
        file = self.work[PurePath(row.path)]
        others = file.others(row)
        if others:
            file.disown(row)
            names = ", ".join(sorted({f"{other.connector} in {other.host}" for other in others}))
            self._tell(row, "skip", f"{_where(row)} stays: {names} still needs it")
            return
        try:
            self._remove(file, row, replaced=replaced)
        except ProofError as error:
            self._tell(
                row,
                "warn",
                f"{_where(row)}: {error.message}",
                fix=f"Remove it by hand from {row.path}",
                blocking=True,
            )

    def _remove(self, file: Workfile, row: OwnedRow, *, replaced: bool) -> None:
        current = file.get(row.kind, row.place)
        if row.kind == "item":
            items = current if isinstance(current, list) else []
            found = [item for item in items if matches(row.value, item)]
            edited = [] if replaced else self._unrecorded_items(file, row.place)
            current = found[-1] if found else edited[-1] if edited else MISSING
        if current is MISSING:
            file.disown(row)
            self._tell(row, "skip", f"{_where(row)} is gone already")
        elif row.kind == "block" or self._unedited(file, row, current):
            edited_block = row.kind == "block" and file.block_edited(row.place)
            file.take(row.kind, row.place, current)
            while row.kind == "item" and (copy := self._copy_of(file, row)) is not MISSING:
                file.take(row.kind, row.place, copy)
            file.disown(row)
            note = " (it was edited; a backup is kept)" if edited_block else ""
            self._tell(row, "remove", f"{_where(row)}{note}", before=current)
        else:
            file.disown(row)
            self._tell(
                row,
                "warn",
                f"{_where(row)} was changed since it was installed; left in place",
                before=current,
                fix=f"Remove it by hand from {row.path} if it is not wanted",
            )

    def drop_scaffolds(self, *, keep: bool) -> None:
        """Keys the host demanded in a file we made go when nothing else is left in it; else they are the user's."""
        for file in self.work.values():
            rows = [row for row in file.rows if row.kind == "scaffold"]
            if keep or not rows:
                continue
            others = [row for row in file.rows if row.kind != "scaffold"]
            if others:
                _hand_over(file, rows, others)
                continue
            with naming(file.path):
                self._drop_scaffolds_of(file, rows)

    def _drop_scaffolds_of(self, file: Workfile, rows: list[OwnedRow]) -> None:
        scaffold = {row.place[0] for row in rows}
        content = file.document().value()
        alone = isinstance(content, dict) and all(key in scaffold or not value for key, value in content.items())
        for row in rows:
            if alone and file.get("scaffold", row.place) is not MISSING:
                file.take("scaffold", row.place)
                self._tell(row, "remove", _where(row))
            file.disown(row)

    # --- shared by both ------------------------------------------------------------------------------------------

    def _recorded(self, file: Workfile, row: OwnedRow) -> OwnedRow | None:
        return next((known for known in file.rows if known.owner == row.owner and known.same_thing(row)), None)

    def _copy_of(self, file: Workfile, row: OwnedRow) -> Any:
        """The same call of this connector once more in the array: somebody duplicated it."""
        array = file.get("item", row.place)
        copies = [item for item in array if matches(row.value, item)] if isinstance(array, list) else []
        return copies[-1] if copies and connector_of(copies[-1]) == self.owner.connector else MISSING

    def _unrecorded_items(self, file: Workfile, place: Place) -> list[Any]:
        """Calls of this connector in an array that are not as anybody of ours recorded them."""
        array = file.get("item", place)
        known = [row.value for row in file.rows if row.kind == "item" and row.place == place]
        return [
            item
            for item in (array if isinstance(array, list) else [])
            if connector_of(item) == self.owner.connector and not any(matches(value, item) for value in known)
        ]

    def _unedited(self, file: Workfile, row: OwnedRow, current: Any) -> bool:
        if row.kind == "block":
            return not file.block_edited(row.place)
        if row.kind == "file":
            return bool(row.value == content_digest(current))
        return matches(row.value, current)

    def _put(self, file: Workfile, want: Wanted, row: OwnedRow) -> None:
        file.put(want.kind, want.place, want.value, SHARED if want.shared else self.owner.connector)
        file.executable = file.executable or want.executable
        file.own(row)

    def _say(
        self, want: Wanted, action: Action, detail: str, *, before: Any = None, fix: str = "", blocking: bool = False
    ) -> None:
        text = f"{detail} ({want.reason})" if want.reason else detail
        value = None if want.kind in ("block", "file") else mask(want.value)
        self.changes.append(
            Change(
                self.host,
                want.surface,
                action,
                text,
                str(want.path),
                want.place,
                None if before is None else mask(before),
                value,
                fix,
                blocking,
            )
        )

    def _tell(
        self, row: OwnedRow, action: Action, detail: str, *, before: Any = None, fix: str = "", blocking: bool = False
    ) -> None:
        shown = None if before is None or row.kind in ("block", "file") else mask(before)
        self.changes.append(
            Change(self.host, row.surface, action, detail, row.path, row.place, shown, None, fix, blocking)
        )


def owned_row(owner: Owner, host: str, want: Wanted) -> OwnedRow:
    """What the ledger says of ``want`` once it stands."""
    value = content_digest(str(want.value)) if want.kind in ("block", "file") else fingerprint(want.value)
    return OwnedRow(
        connector=owner.connector,
        host=host,
        surface=want.surface,
        scope=owner.scope,
        project=owner.project,
        path=str(want.path),
        format=want.format,
        kind=want.kind,
        place=want.place,
        value=value,
    )


def _hand_over(file: Workfile, scaffold: list[OwnedRow], others: list[OwnedRow]) -> None:
    """Who has left a file leaves the scaffold there to somebody who is still in it."""
    staying = {row.owner for row in others}
    heir = others[0]
    for row in scaffold:
        if row.owner not in staying:
            file.disown(row)
            file.own(replace(row, connector=heir.connector, host=heir.host, scope=heir.scope, project=heir.project))


def _equal(kind: Kind, current: Any, wanted: Any) -> bool:
    return bool(current == wanted) if kind in ("block", "file") else same_value(current, wanted)


def _where(thing: Wanted | OwnedRow) -> str:
    if thing.kind == "file":
        return PurePath(thing.path).name
    if thing.kind == "block":
        return f"block {thing.place[0]}"
    return spelled(thing.place)


def manual_edit(want: Wanted) -> str:
    """The edit a person can make by hand instead; secrets masked."""
    if want.kind in ("block", "file"):
        return f"Put the content into {want.path} by hand, or move what stands there away"
    text = json.dumps(mask(want.value), ensure_ascii=False)
    element = element_of(want.place)
    if element is not None:
        return f"In {want.path}, have one element called {element.name} in {spelled(element.array)}: {text}"
    verb = "add to the list" if want.kind == "item" else "set"
    return f"In {want.path}, {verb} {spelled(want.place)}: {text}"

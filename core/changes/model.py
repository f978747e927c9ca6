"""What an operation wants, what would change, and what was done: the vocabulary of plan, apply and ledger.

``Wanted`` (desired state of one owned thing) is compared with the files and the ledger and becomes a ``Change`` to
show and, where something is to be written, a ``FileEdit``. A ``Plan`` is all of them; applying it gives outcomes.
"""

from __future__ import annotations

from dataclasses import field
from pathlib import PurePath
from typing import Any, Literal

from ..documents.base import Origin, Place
from ..values import frozen
from ..vocabulary import FormatId, OwnedSurface, Scope

Kind = Literal["entry", "item", "leaf", "scaffold", "block", "file"]
"""How a thing of ours is owned.

``entry``: a member of an object, ours alone. ``item``: an element of an array. ``leaf``: a single key set if absent,
which connectors may co-own. ``scaffold``: a key that the host demands in a file we created; it goes with the last of
ours. ``block``: a managed block in a text. ``file``: a whole file.
"""

Action = Literal["create", "update", "remove", "skip", "warn", "info"]

TextFormat = Literal["text", "file"]
AnyFormat = FormatId | TextFormat
"""``text``: a shared text with managed blocks; ``file``: a file that is wholly ours."""


@frozen
class Wanted:
    """One thing that shall stand in one file. ``value`` is JSON for entries, items and leaves, text otherwise."""

    host: str
    surface: OwnedSurface
    scope: Scope
    path: PurePath
    format: AnyFormat
    kind: Kind
    place: Place
    value: Any
    reason: str = ""
    """Shown with the change (config patches demand one)."""
    over: bool = False
    """An entry that is about a thing of ours, whoever wrote it: what stands there is replaced."""
    shared: bool = False
    """A block that belongs to all connectors together."""
    executable: bool = False


@frozen
class Change:
    """One line of a plan or a report. ``value`` and ``before`` are masked before they are shown."""

    host: str
    surface: OwnedSurface | Literal["host", "connector", "runtime"]
    action: Action
    detail: str
    path: str = ""
    place: Place = ()
    before: Any = None
    value: Any = None
    fix: str = ""
    blocking: bool = False
    """What was asked for could not be done: the host counts as failed."""


@frozen
class OwnedRow:
    """One thing of ours in a file, as the ledger keeps it. ``value`` has secret-looking parts as digests."""

    connector: str
    host: str
    surface: OwnedSurface
    scope: Scope
    project: str
    path: str
    format: AnyFormat
    kind: Kind
    place: Place
    value: Any

    @property
    def owner(self) -> tuple[str, str, str, str]:
        """Who relies on the thing: one connector in one host at one scope of one project."""
        return (self.connector, self.host, self.scope, self.project)

    def same_thing(self, other: OwnedRow) -> bool:
        """Whether both rows are about one thing in one file. Items of an array are told apart by value."""
        return (
            self.path == other.path
            and self.place == other.place
            and self.kind == other.kind
            and (self.kind != "item" or self.value == other.value)
        )


@frozen
class FileEdit:
    """The new bytes of one file, proven, with what the ledger shall say once they stand there.

    ``before`` is ``None`` for a file that is not there, ``after`` is ``None`` to delete it.
    """

    host: str
    path: PurePath
    before: bytes | None
    after: bytes | None
    adds: tuple[OwnedRow, ...] = ()
    drops: tuple[OwnedRow, ...] = ()
    origins: tuple[Origin, ...] = ()
    """Containers to remember for this file."""
    forgets: tuple[Place, ...] = ()
    """Containers that are gone or the user's own now."""
    executable: bool = False


@frozen
class Plan:
    """``plan_id`` is derived from what is to change (places and values), not from the files' other content."""

    plan_id: str
    changes: tuple[Change, ...]
    edits: tuple[FileEdit, ...]
    failed: frozenset[str] = field(default_factory=frozenset)
    """Hosts that cannot be done as asked (a file that does not parse, an unprovable edit)."""

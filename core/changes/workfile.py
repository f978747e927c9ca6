"""One file while a plan is made: its bytes as read, its bytes as they would be, and what of it is ours.

Three kinds of files behind one small interface: configs edited by place, texts with managed blocks, files that are
wholly ours. Nothing is written here.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any

from ..documents import block
from ..documents.base import MISSING, Document, Origin, Place
from ..documents.opening import open_document
from ..documents.proof import prove_append, prove_remove, prove_remove_item, prove_set
from ..errors import AgentConnectorError
from ..host import Files
from ..vocabulary import FormatId
from .model import AnyFormat, FileEdit, Kind, OwnedRow

ROOT: Place = ()


@contextmanager
def naming(path: PurePath) -> Iterator[None]:
    """Errors raised inside say which file they are about."""
    try:
        yield
    except AgentConnectorError as error:
        if str(path) in error.message:
            raise
        hint = error.hint or "Mend the file; nothing was written to this host."
        raise AgentConnectorError(f"{path}: {error.message}", hint=hint) from error


def structured_format(format_id: AnyFormat) -> FormatId:
    """The format of a file that is edited by place. Texts and whole files have none."""
    assert format_id != "text"
    assert format_id != "file"
    return format_id


def content_digest(text: str) -> str:
    """How the ledger remembers the content of a file or block that is wholly ours."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


@dataclass(slots=True, eq=False, repr=False)
class Workfile:
    """``rows`` and ``origins`` are the ledger's for this file, of all connectors, kept current while planning."""

    path: PurePath
    format: AnyFormat
    before: bytes | None
    data: bytes | None
    rows: list[OwnedRow]
    origins: dict[Place, Origin]
    executable: bool = False
    adds: list[OwnedRow] = field(default_factory=list)
    drops: list[OwnedRow] = field(default_factory=list)
    _document: Document | None = None
    _known: tuple[Place, ...] = ()

    @classmethod
    def read(
        cls,
        path: PurePath,
        format_id: AnyFormat,
        files: Files,
        rows: Iterable[OwnedRow],
        origins: Mapping[Place, Origin],
    ) -> Workfile:
        """Raises :class:`DocumentError` if the file does not parse, or what ``files`` raises if it cannot be read."""
        before = files.read(path)
        work = cls(path, format_id, before, before, list(rows), dict(origins), _known=tuple(origins))
        if work.structured:
            work.document()
        return work

    @property
    def structured(self) -> bool:
        return self.format not in ("text", "file")

    def document(self) -> Document:
        if self._document is None:
            self._document = open_document(structured_format(self.format), self.data or b"")
        return self._document

    def branch(self) -> Workfile:
        """A copy that can be thrown away when the host it is edited for turns out not to be possible."""
        return replace(
            self,
            rows=list(self.rows),
            origins=dict(self.origins),
            adds=list(self.adds),
            drops=list(self.drops),
        )

    # --- what stands there ---------------------------------------------------------------------------------------

    def get(self, kind: Kind, place: Place) -> Any:
        """The value at ``place``; for items the whole array; for blocks and files the content; or ``MISSING``."""
        if self.format == "file":
            return MISSING if self.data is None else self.data.decode("utf-8", "surrogateescape")
        if self.format == "text":
            return next((found.content for found in block.blocks(self.data or b"") if found.id == place[0]), MISSING)
        return self.document().get(place)

    def block_edited(self, place: Place) -> bool:
        return any(found.edited for found in block.blocks(self.data or b"") if found.id == place[0])

    # --- edits ---------------------------------------------------------------------------------------------------

    def put(self, kind: Kind, place: Place, value: Any, connector: str) -> None:
        """Insert or replace; for an item: append. Raises :class:`ProofError`; then nothing has changed."""
        if self.format == "file":
            self.data = str(value).encode()
            return
        if self.format == "text":
            placed = block.upsert(self.data, place[0], str(value), connector, force=True)
            if placed.origin is not None:
                self.origins.setdefault(ROOT, placed.origin)
            self.data = placed.data
            return
        document = self.document()
        edited = prove_append(document, place, value) if kind == "item" else prove_set(document, place, value)
        for origin in edited.origins:
            known = replace(origin, created=True) if origin.place == ROOT and self.before is None else origin
            self.origins.setdefault(origin.place, known)
        self._become(edited.document)

    def take(self, kind: Kind, place: Place, value: Any = None) -> None:
        """Remove what stands at ``place`` (for an item: the last that equals ``value``)."""
        if self.format == "file":
            self.data = None
            return
        if self.format == "text":
            self.data = block.excise(self.data or b"", place, origin=self.origins.get(ROOT)).data
            return
        document = self.document()
        if kind == "item":
            self._become(prove_remove_item(document, place, value, self.origins))
        else:
            self._become(prove_remove(document, place, self.origins))

    def _become(self, document: Document) -> None:
        self._document = document
        self.data = document.data

    # --- ownership -----------------------------------------------------------------------------------------------

    def own(self, row: OwnedRow) -> None:
        """Record that ``row`` is ours from now on, in place of what was recorded for the same thing before."""
        for old in [known for known in self.rows if known.owner == row.owner and known.same_thing(row)]:
            self.disown(old)
        self.rows.append(row)
        self.adds.append(row)

    def disown(self, row: OwnedRow) -> None:
        if row not in self.rows:
            return  # recognised by its shape: no ledger ever knew it
        self.rows.remove(row)
        if row in self.adds:
            self.adds.remove(row)
        else:
            self.drops.append(row)

    def others(self, row: OwnedRow) -> list[OwnedRow]:
        """Who else relies on the same thing: another connector, or the same one through another host."""
        return [known for known in self.rows if known.owner != row.owner and known.same_thing(row)]

    # --- the result ----------------------------------------------------------------------------------------------

    def edit(self, host: str) -> FileEdit | None:
        """What is to be written for ``host``, or ``None`` if neither the file nor what is recorded of it changes."""
        after = None if self._empty_and_ours() else self.data
        needed = {origin.place for origin in self.origins.values() if self._still_ours_below(origin.place)}
        new = tuple(
            origin for origin in self.origins.values() if origin.place in needed and origin.place not in self._known
        )
        gone = tuple(place for place in self._known if place not in needed)
        if after == self.before and not (self.adds or self.drops or new or gone):
            return None
        return FileEdit(
            host=host,
            path=self.path,
            before=self.before,
            after=after,
            adds=tuple(self.adds),
            drops=tuple(self.drops),
            origins=new,
            forgets=gone,
            executable=self.executable,
        )

    def next_host(self) -> Workfile:
        """The same file as the next host's edit finds it."""
        after = None if self._empty_and_ours() else self.data
        origins = {place: origin for place, origin in self.origins.items() if self._still_ours_below(place)}
        return Workfile(
            self.path, self.format, after, after, list(self.rows), origins, self.executable, _known=tuple(origins)
        )

    def _still_ours_below(self, place: Place) -> bool:
        return any(row.place[: len(place)] == place for row in self.rows)

    def _empty_and_ours(self) -> bool:
        root = self.origins.get(ROOT)
        return bool(root and root.created and not (self.data or b"").strip())

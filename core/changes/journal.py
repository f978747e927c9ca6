"""The journal of intent: what an apply is about to do, on disk before it does anything, gone when all is done.

A journal that is found later is of an apply that was killed. Each of its files is old or new (files are replaced
atomically); :func:`recover` looks which, and makes the ledger agree. The journal holds neither bytes nor secrets.
"""

from __future__ import annotations

import base64
import hashlib
import json
import os
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Literal

from ..documents.base import Origin
from ..errors import LedgerError
from ..masking import fingerprint
from ..values import frozen
from .backups import stamp
from .files import (
    PRIVATE_FILE,
    final_target,
    missing_folders,
    private_folder,
    read_file,
    remove_empty_folders,
    replace_file,
    temporary_name,
)
from .folders import tidy_folders
from .ledger import Ledger
from .model import FileEdit, OwnedRow
from .standing import stands

FOLDER = "journal"
VERSION = 1


@frozen
class Intent:
    """One file that is about to be replaced. ``edit`` has no bytes; ``before`` and ``after`` are their SHA-256, or
    ``None`` for no file. ``temporary`` is the name of the file written first; ``folders`` will be made for it."""

    edit: FileEdit
    before: str | None
    after: str | None
    temporary: str
    folders: tuple[Path, ...]


@frozen
class Recovered:
    """``finished``: the new bytes stood there and are recorded now. ``undone``: nothing had been written.
    ``merged``: somebody changed the file since; what of ours stands in it by meaning is recorded.
    ``unreadable``: a journal that could not be read was put aside (``path``)."""

    path: str
    outcome: Literal["finished", "undone", "merged", "unreadable"]


@frozen
class Journal:
    file: Path
    intents: tuple[Intent, ...]

    @classmethod
    def write(cls, data_root: Path, plan_id: str, edits: Iterable[FileEdit]) -> Journal:
        """On disk when this returns. Raises :class:`FileError`."""
        intents = tuple(
            Intent(edit, _sha256(edit.before), _sha256(edit.after), temporary_name(), missing_folders(edit.path))
            for edit in edits
        )
        private_folder(data_root / FOLDER)
        file = data_root / FOLDER / f"{stamp()}-{os.urandom(4).hex()}.json"
        content = {"version": VERSION, "plan_id": plan_id, "files": [_to_json(intent) for intent in intents]}
        replace_file(file, json.dumps(content, indent=1).encode(), mode=PRIVATE_FILE)
        return cls(file, intents)

    def drop(self) -> None:
        """One that cannot be removed is read again next time, which changes nothing."""
        with suppress(OSError):
            self.file.unlink()


def pending(data_root: Path) -> tuple[Path, ...]:
    """Journals of applies that did not come to their end (or are under way now), oldest first."""
    folder = data_root / FOLDER
    return tuple(sorted(folder.glob("*.json"))) if folder.is_dir() else ()


def recover(ledger: Ledger, data_root: Path) -> tuple[Recovered, ...]:
    """Bring files and ledger to agree after a crash; to be called with the data root's lock held, before planning.

    Raises :class:`LedgerError` for a journal of a newer agent-connector and for a ledger that cannot be written,
    :class:`FileError` for a file that cannot be read now; the journal then stays for the next time.
    """
    recovered: list[Recovered] = []
    for file in pending(data_root):
        journal = _read(file)
        if journal is None:
            aside = file.with_suffix(".unreadable")
            file.replace(aside)
            recovered.append(Recovered(str(aside), "unreadable"))
            continue
        recovered.extend(_recover_file(intent, ledger) for intent in journal.intents)
        journal.drop()
    if recovered:
        tidy_folders(ledger)
    # A journal that was being written when the crash came says nothing, and nothing had been done yet.
    for remains in (data_root / FOLDER).glob(".agent-connector-*.tmp"):
        remains.unlink(missing_ok=True)
    return tuple(recovered)


def _recover_file(intent: Intent, ledger: Ledger) -> Recovered:
    path = intent.edit.path
    with suppress(OSError):
        (final_target(path).parent / intent.temporary).unlink()
    data = read_file(path)
    digest = _sha256(data)
    if digest == intent.after:
        ledger.record(intent.edit, intent.folders if data is not None else ())
        return Recovered(str(path), "finished")
    if digest == intent.before:
        remove_empty_folders(intent.folders)
        return Recovered(str(path), "undone")
    ledger.record(_as_it_stands(intent.edit, data), intent.folders)
    return Recovered(str(path), "merged")


def _as_it_stands(edit: FileEdit, data: bytes | None) -> FileEdit:
    """What of an edit is true of a file that is neither as before nor as after."""
    adds = tuple(row for row in edit.adds if stands(row, data))
    drops = tuple(row for row in edit.drops if not stands(row, data))
    return replace(
        edit,
        adds=adds,
        drops=drops,
        origins=edit.origins if adds else (),
        forgets=edit.forgets if drops == edit.drops else (),
    )


# --- as JSON ---------------------------------------------------------------------------------------------------


def _sha256(data: bytes | None) -> str | None:
    return None if data is None else hashlib.sha256(data).hexdigest()


def _to_json(intent: Intent) -> dict[str, Any]:
    edit = intent.edit
    return {
        "host": edit.host,
        "path": str(edit.path),
        "before": intent.before,
        "after": intent.after,
        "temporary": intent.temporary,
        "folders": [str(folder) for folder in intent.folders],
        "adds": [_row_to_json(row) for row in edit.adds],
        "drops": [_row_to_json(row) for row in edit.drops],
        "origins": [
            {
                "place": origin.place,
                "created": origin.created,
                "interior": base64.b64encode(origin.interior).decode("ascii"),
            }
            for origin in edit.origins
        ],
        "forgets": edit.forgets,
    }


def _row_to_json(row: OwnedRow) -> dict[str, Any]:
    return asdict(row if row.kind in ("block", "file") else replace(row, value=fingerprint(row.value)))


def _read(file: Path) -> Journal | None:
    """``None`` for a file that is no journal at all."""
    try:
        content = json.loads(read_file(file) or b"")
        version = int(content["version"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    if version > VERSION:
        raise LedgerError(
            f"the journal {file} was left by a newer agent-connector that was interrupted",
            hint="Update agent-connector and run it again; it finishes or undoes what was begun.",
        )
    try:
        return Journal(file, tuple(_from_json(entry) for entry in content["files"]))
    except (ValueError, TypeError, KeyError):
        return None


def _from_json(entry: dict[str, Any]) -> Intent:
    origins = tuple(
        Origin(tuple(origin["place"]), origin["created"], base64.b64decode(origin["interior"]))
        for origin in entry["origins"]
    )
    edit = FileEdit(
        host=entry["host"],
        path=Path(entry["path"]),
        before=None,
        after=None,
        adds=tuple(_row_from_json(row) for row in entry["adds"]),
        drops=tuple(_row_from_json(row) for row in entry["drops"]),
        origins=origins,
        forgets=tuple(tuple(place) for place in entry["forgets"]),
    )
    folders = tuple(Path(folder) for folder in entry["folders"])
    if Path(entry["temporary"]).name != entry["temporary"]:
        raise ValueError(f"not the name of a file beside another: {entry['temporary']!r}")
    return Intent(edit, entry["before"], entry["after"], entry["temporary"], folders)


def _row_from_json(row: dict[str, Any]) -> OwnedRow:
    return OwnedRow(**{**row, "place": tuple(row["place"])})

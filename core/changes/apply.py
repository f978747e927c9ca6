"""A plan becomes files: backup, journal, atomic replacement, ledger; host by host.

One host that cannot be done never stops the others. A crash anywhere leaves every file old or new, and
:func:`~agent_connector.changes.journal.recover` makes the ledger agree with them.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path, PurePath
from typing import Literal

from ..errors import FileChangedError, FileError, LedgerError
from ..values import frozen
from ..vocabulary import COMMIT_SHARED
from . import backups
from .files import (
    ORDINARY_FILE,
    PRIVATE_FILE,
    check_writable,
    delete_file,
    read_file,
    replace_file,
    require,
)
from .folders import tidy_folders
from .journal import Intent, Journal
from .ledger import Ledger
from .lock import data_root_lock
from .model import FileEdit, Plan

Status = Literal["written", "stale", "failed"]


@frozen
class FileOutcome:
    """``stale``: a file of this host changed since it was read, so this one was not written; plan again.
    ``failed``: ``reason`` says why and ``hint`` what to do. ``written`` with a ``reason``: a running host has
    already written over it."""

    host: str
    path: PurePath
    status: Status
    reason: str = ""
    hint: str = ""


@frozen
class Applied:
    """One outcome per edit, host by host in the plan's order. ``backup``: the folder with the files of before."""

    outcomes: tuple[FileOutcome, ...]
    backup: Path | None = None

    @property
    def stale(self) -> frozenset[str]:
        """Hosts to plan anew."""
        return frozenset(outcome.host for outcome in self.outcomes if outcome.status == "stale")

    @property
    def failed(self) -> frozenset[str]:
        return frozenset(outcome.host for outcome in self.outcomes if outcome.status == "failed")


def apply(plan: Plan, ledger: Ledger, data_root: Path) -> Applied:
    """Write what the plan says. The lock is taken here; hold it from planning on to make ``stale`` rare.

    Raises :class:`FileError` or :class:`LockedError`, with nothing changed, when backup, journal or lock cannot be
    had. Everything later is an outcome. If the ledger cannot be written, the file just written counts as failed, the
    rest is left, and the journal stays for the next run to finish.
    """
    if not plan.edits:
        return Applied(())
    with data_root_lock(data_root):
        backup = backups.write_backup(data_root, _files_of_before(plan.edits), plan.plan_id[:12] or "0")
        journal = Journal.write(data_root, plan.plan_id, plan.edits)
        hosts = dict.fromkeys(edit.host for edit in plan.edits)
        by_host = [[intent for intent in journal.intents if intent.edit.host == host] for host in hosts]
        outcomes: list[FileOutcome] = []
        try:
            for intents in by_host:
                _apply_host(intents, ledger, outcomes)
            tidy_folders(ledger)
        except LedgerError as error:
            rest = [intent.edit for intents in by_host for intent in intents][len(outcomes) :]
            return Applied((*outcomes, *_unrecorded(rest, error)), backup)
        journal.drop()
        if backup is not None and not any(outcome.status == "written" for outcome in outcomes):
            # A busy host's file is tried several times: copies of what was never replaced would push out others.
            backups.discard(backup)
            backup = None
        backups.prune(data_root, keep=backup)
        return Applied(tuple(outcomes), backup)


def _files_of_before(edits: Iterable[FileEdit]) -> dict[PurePath, bytes]:
    """What stands on disk now in the files that will change; a file that several hosts share is there once."""
    first: dict[PurePath, bytes | None] = {}
    for edit in edits:
        if edit.before != edit.after:
            first.setdefault(edit.path, edit.before)
    return {path: data for path, data in first.items() if data is not None}


def _apply_host(intents: list[Intent], ledger: Ledger, outcomes: list[FileOutcome]) -> None:
    """All files of a host are looked at before the first of them is written; the first trouble ends the host.

    Appends one outcome per intent. Raises :class:`LedgerError`.
    """
    current = intents[0].edit
    done = 0
    try:
        seen: set[PurePath] = set()
        for intent in intents:
            current = intent.edit
            _check(current, first=current.path not in seen)
            seen.add(current.path)
        for intent in intents:
            current = intent.edit
            written_over = _write(intent, ledger)
            outcomes.append(FileOutcome(current.host, current.path, "written", written_over))
            done += 1
    except FileError as error:
        status: Status = "stale" if isinstance(error, FileChangedError) else "failed"
        for intent in intents[done:]:
            reason = error.message if intent.edit is current else f"not written, because of {current.path}"
            outcomes.append(FileOutcome(current.host, intent.edit.path, status, reason, error.hint))


def _check(edit: FileEdit, *, first: bool) -> None:
    """Edits of one file follow one another (a host may keep several scopes in it): only the first of them finds the
    file as it stands now."""
    if edit.after != edit.before:
        check_writable(edit.path)
    if first:
        require(edit.path, edit.before)


def _write(intent: Intent, ledger: Ledger) -> str:
    """One file, then what the ledger says of it. Answers what is to be told, if anything."""
    edit = intent.edit
    folders: tuple[Path, ...] = ()
    if edit.after == edit.before:
        require(edit.path, edit.before)
    elif edit.after is None:
        delete_file(edit.path, expected=edit.before)
    else:
        folders = replace_file(
            edit.path,
            edit.after,
            new_mode=_new_mode(edit),
            executable=edit.executable,
            expected=edit.before,
            temporary=intent.temporary,
        )
    ledger.record(edit, folders)
    return "" if _holds(edit) else "another program wrote over it right after; `status` tells what is left of it"


def _holds(edit: FileEdit) -> bool:
    try:
        return read_file(edit.path) == edit.after
    except FileError:
        return False


def _new_mode(edit: FileEdit) -> int:
    """A config that a host keeps for one person may hold values of their environment: only they may read it."""
    private = any(
        row.format not in ("text", "file") and (row.surface == "trust" or row.scope not in COMMIT_SHARED)
        for row in edit.adds
    )
    return PRIVATE_FILE if private else ORDINARY_FILE


def _unrecorded(rest: list[FileEdit], error: LedgerError) -> list[FileOutcome]:
    """The first of ``rest`` stands in its file already."""
    return [
        FileOutcome(
            edit.host,
            edit.path,
            "failed",
            f"written, but not recorded: {error.message}" if number == 0 else f"not written: {error.message}",
            error.hint or "Run it again: what was begun is finished first.",
        )
        for number, edit in enumerate(rest)
    ]

"""Folders that were made for files of ours go when the last of ours in them has gone."""

from __future__ import annotations

from .files import final_target, remove_empty_folders
from .ledger import Ledger


def tidy_folders(ledger: Ledger) -> None:
    """Folders we made and have nothing in any more are removed if empty; either way they are ours no more."""
    folders = ledger.folders()
    if not folders:
        return
    paths = {final_target(row_path) for row_path in ledger.paths()}
    done_with = [folder for folder in folders if not any(path.is_relative_to(folder) for path in paths)]
    if done_with:
        remove_empty_folders(done_with)
        ledger.forget_folders(done_with)

"""Hosts that key a person's trust in hooks by position: what a removal leaves behind there, and what it untrusts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import PurePath

from ..changes.model import OwnedRow
from ..changes.workfile import naming, structured_format
from ..documents.base import MISSING
from ..documents.opening import open_document
from ..host import Files, Host, Note
from ..machine import Machine
from ..masking import fingerprint, matches


def left_behind(
    host: Host, rows: Iterable[OwnedRow], machine: Machine, project: PurePath, files: Files
) -> tuple[list[OwnedRow], list[Note]]:
    """If the hooks of ``rows`` go: the trust keys that go with them, and notes on hooks of others behind them.

    Raises what reading and parsing the files raises.
    """
    trust = host.hooks.trust if host.hooks else None
    if trust is None:
        return [], []
    state_file = trust.place.location.resolve(machine, project)
    state = files.read(state_file)
    with naming(state_file):
        keys = open_document(trust.place.format, state).get(trust.place.at) if state else MISSING
    known = keys if isinstance(keys, dict) else {}
    leaving: list[OwnedRow] = []
    shifted = 0
    for path, event, indexes, count, row in _positions(rows, files):
        shifted += sum(1 for index in range(indexes[0], count) if index not in indexes)
        for index in indexes:
            key = trust.key(PurePath(path), event, index)
            if key in known:
                at = (*trust.place.at, key)
                found = replace(
                    row, path=str(state_file), format=trust.place.format, kind="entry", place=at,
                    value=fingerprint(known[key]),
                )  # fmt: skip
                leaving.append(found)
    notes = []
    if shifted:
        text = f"{shifted} hooks of others stand behind ours; {host.name} keys trust by position and will ask again"
        notes.append(Note("info", text, f"Start {host.name} and trust them again"))
    return leaving, notes


def _positions(rows: Iterable[OwnedRow], files: Files) -> Iterable[tuple[str, str, list[int], int, OwnedRow]]:
    """(file, event, our indexes in its array, the array's length, a row of it) for each array with hooks of ours."""
    arrays: dict[tuple[str, tuple[str, ...]], list[OwnedRow]] = {}
    for row in rows:
        if row.kind == "item" and row.surface in ("hooks", "nativeHooks"):
            arrays.setdefault((row.path, row.place), []).append(row)
    for (path, place), group in arrays.items():
        data = files.read(PurePath(path))
        with naming(PurePath(path)):
            items = open_document(structured_format(group[0].format), data).get(place) if data else MISSING
        if isinstance(items, list):
            indexes = [index for index, item in enumerate(items) if any(matches(row.value, item) for row in group)]
            if indexes:
                yield path, place[-1], indexes, len(items), group[0]

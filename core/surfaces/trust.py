"""Hosts that keep a person's trust in hooks by position: what of ours runs by it, what a removal leaves behind there,
and what that untrusts."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from ..changes.model import OwnedRow
from ..changes.shape import connector_of
from ..changes.workfile import naming, structured_format
from ..documents.base import MISSING, Place
from ..documents.opening import open_document
from ..host import Files, Host, Note, TrustState
from ..machine import Machine
from ..masking import fingerprint, matches
from ..vocabulary import FormatId


def trust_states(
    host: Host, rows: Iterable[OwnedRow], machine: Machine, project: PurePath, files: Files
) -> Iterator[tuple[str, TrustState]]:
    """(native event, whether the host runs it) of each registration of ``rows``, as it stands in its file now.

    Raises what reading and parsing the files raises.
    """
    trust = host.hooks.trust if host.hooks else None
    if trust is None:
        return
    state_file = trust.place.location.resolve(machine, project)
    known = known_trust(trust.place.format, state_file, trust.place.at, files)
    for path, event, indexes, items, _ in positions(rows, files, by_shape=True):
        for index in indexes:
            # The host may name the file by where its links lead.
            names = (PurePath(path), files.real(PurePath(path)))
            keys = (trust.key(name, event, index) for name in names)
            state = next((known[key] for key in keys if key in known), None)
            yield event, trust.state(event, items[index], state)


def known_trust(format_id: FormatId, file: PurePath, at: Place, files: Files) -> Mapping[str, Any]:
    """All that the host keeps of trust in hooks, by its keys. Raises what reading and parsing the file raises."""
    data = files.read(file)
    with naming(file):
        known = open_document(format_id, data).get(at) if data else MISSING
    return known if isinstance(known, dict) else {}


def left_behind(
    host: Host,
    rows: Iterable[OwnedRow],
    machine: Machine,
    project: PurePath,
    files: Files,
    kept: Iterable[OwnedRow] = (),
) -> tuple[list[OwnedRow], list[Note]]:
    """If the hooks of ``rows`` go: the trust keys that go with them, and notes on hooks of others behind them, but
    for those of ``kept``, whose trust goes along with them.

    Raises what reading and parsing the files raises.
    """
    trust = host.hooks.trust if host.hooks else None
    if trust is None:
        return [], []
    state_file = trust.place.location.resolve(machine, project)
    known = known_trust(trust.place.format, state_file, trust.place.at, files)
    kept = tuple(kept)
    leaving: list[OwnedRow] = []
    shifted = 0
    for path, event, indexes, items, row in positions(rows, files):
        behind = [items[index] for index in range(indexes[0], len(items)) if index not in indexes]
        shifted += sum(1 for item in behind if not any(matches(other.value, item) for other in kept))
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


def positions(
    rows: Iterable[OwnedRow], files: Files, *, by_shape: bool = False
) -> Iterator[tuple[str, str, list[int], list[Any], OwnedRow]]:
    """(file, event, our indexes in its array, the array, a row of it) for each array with hooks of ours, ``by_shape``
    also with what somebody has changed of them."""
    arrays: dict[tuple[str, tuple[str, ...]], list[OwnedRow]] = {}
    for row in rows:
        if row.kind == "item" and row.surface in ("hooks", "nativeHooks"):
            arrays.setdefault((row.path, row.place), []).append(row)
    for (path, place), group in arrays.items():
        data = files.read(PurePath(path))
        with naming(PurePath(path)):
            items = open_document(structured_format(group[0].format), data).get(place) if data else MISSING
        if isinstance(items, list):
            indexes = [index for index, item in enumerate(items) if _is_ours(item, group, by_shape=by_shape)]
            if indexes:
                yield path, place[-1], indexes, items, group[0]


def _is_ours(item: Any, rows: list[OwnedRow], *, by_shape: bool) -> bool:
    if by_shape and connector_of(item) == rows[0].connector:
        return True
    return any(matches(row.value, item) for row in rows)

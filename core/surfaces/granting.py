"""Trust that a person hands over with an install: what is written for it, and how it is kept where positions shift.

A folder's trust is one key or one element of an array, which connectors may rely on together. Trust in hooks is kept
by their position, so it is granted once it is known where they will stand; and where hooks before them go, what was
granted goes along: the same hooks under their new keys, and nothing more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import PurePath
from typing import Any

from ..changes.model import OwnedRow, Wanted
from ..documents.base import MISSING, same_value
from ..errors import AgentConnectorError
from ..host import Files, Grant, Host, Note
from ..machine import Machine, OperatingSystem
from ..masking import matches
from .blockers import Site, stands_in_the_way
from .target import Target
from .trust import known_trust, positions

Owned = Callable[[PurePath], Iterable[OwnedRow]]
"""What the ledger has of a file."""


def folder_grants(target: Target, wanted: Iterable[Wanted], owned: Owned) -> tuple[Wanted, ...]:
    """What is to stand so that the host runs ``wanted``. What a person wrote already is theirs, and not wanted.

    Raises what reading and parsing the files raises.
    """
    surfaces = {want.surface for want in wanted}
    found = []
    for grant in target.host.grants:
        if surfaces & grant.surfaces and target.scope in grant.scopes:
            want = _wanted(target, grant)
            if any(_is(row, want) for row in owned(want.path)) or not _is_there(target, grant, want):
                found.append(want)
    return tuple(found)


def steps_of(target: Target, notes: Iterable[Note]) -> tuple[str, ...]:
    """What the person must still do, by the notes of a dialect; without what is done, or what we do for them."""
    grants = [grant for grant in target.host.grants if target.scope in grant.scopes]
    trust = target.host.hooks.trust if target.host.hooks else None
    ours = [note for grant in grants for note in grant.notes]
    ours += trust.notes if trust is not None and trust.grant is not None else ()
    if target.trust:
        return tuple(_step(target, note) for note in notes if note not in ours)
    done = [note for grant in grants if _is_there(target, grant, _wanted(target, grant)) for note in grant.notes]
    return tuple(_step(target, note, offered=note in ours) for note in notes if note not in done)


def _step(target: Target, note: Note, *, offered: bool = False) -> str:
    waits = "installed, not active until you allow it: " if note.gate else ""
    fixes = [*([note.fix] if note.fix else []), *(["Installing with --trust does it for you."] if offered else [])]
    todo = f" ({' '.join(fixes)})" if fixes else ""
    return f"{target.host.name}: {waits}{note.text}{todo}"


def _wanted(target: Target, grant: Grant) -> Wanted:
    value = target.filled((grant.value,))[0] if isinstance(grant.value, str) else grant.value
    return Wanted(
        host=target.host.id,
        surface="trust",
        scope=target.scope,
        path=grant.place.location.resolve(target.machine, target.project),
        format=grant.place.format,
        kind=grant.kind,
        place=target.filled(grant.place.at),
        value=value,
        reason=grant.text,
    )


def _is(row: OwnedRow, want: Wanted) -> bool:
    return (row.kind, row.place) == (want.kind, want.place) and matches(row.value, want.value)


def _is_there(target: Target, grant: Grant, want: Wanted) -> bool:
    if grant.gate is not None:
        site = Site(target.host, target.scope, target.machine, target.project, target.files)
        return not stands_in_the_way(grant.gate, site)
    try:
        document = target.document(want.path, grant.place.format)
    except AgentConnectorError:
        return False  # told by whoever writes into it
    current = document.get(want.place) if document else MISSING
    if grant.kind == "item":
        return isinstance(current, list) and any(same_value(item, want.value) for item in current)
    return same_value(current, want.value)


# --- hooks -------------------------------------------------------------------------------------------------------


def hook_grants(
    host: Host, rows: Iterable[OwnedRow], machine: Machine, project: PurePath, files: Files
) -> list[Wanted]:
    """Trust in every hook of ``rows``, under the keys by which the host will look for it. ``files``: as planned."""
    trust = host.hooks.trust if host.hooks else None
    if trust is None:
        return []
    state_file = trust.place.location.resolve(machine, project)
    known = known_trust(trust.place.format, state_file, trust.place.at, files)
    return list(_grants(host, rows, state_file, known, machine.os, files))


def kept_grants(
    host: Host, registrations: Iterable[OwnedRow], granted: Iterable[OwnedRow], system: OperatingSystem, files: Files
) -> list[Wanted]:
    """What of ``granted`` holds on, under the keys that its hooks have then: of what is registered only that which
    was trusted in this very form."""
    trust = host.hooks.trust if host.hooks else None
    granted = list(granted)
    if trust is None or not granted:
        return []
    state_file = PurePath(granted[0].path)
    known = known_trust(trust.place.format, state_file, trust.place.at, files)
    before = {row.place[-1]: known.get(row.place[-1]) for row in granted}
    forms = [value for row in granted if (value := before[row.place[-1]]) is not None and matches(row.value, value)]
    wanted = _grants(host, registrations, state_file, {}, system, files)
    return [want for want in wanted if any(same_value(form, want.value) for form in forms)]


def _grants(
    host: Host,
    rows: Iterable[OwnedRow],
    state_file: PurePath,
    known: Mapping[str, Any],
    system: OperatingSystem,
    files: Files,
) -> Iterator[Wanted]:
    trust = host.hooks.trust if host.hooks else None
    if trust is None or trust.grant is None:
        return
    for path, event, indexes, items, row in positions(rows, files):
        # The host may name the file by where its links lead.
        names = dict.fromkeys((PurePath(path), files.real(PurePath(path))))
        for key, index in [(trust.key(name, event, index), index) for name in names for index in indexes]:
            value = trust.grant(event, items[index], known.get(key), system)
            if value is not None:
                yield Wanted(
                    host=host.id,
                    surface="trust",
                    scope=row.scope,
                    path=state_file,
                    format=trust.place.format,
                    kind="entry",
                    place=(*trust.place.at, key),
                    value=value,
                    reason=f"{host.name} then runs this hook of {row.connector} without a review of yours",
                    over=True,
                )

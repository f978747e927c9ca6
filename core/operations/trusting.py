"""Trust in a plan: what a person hands over with an install, and what stays trusted where others come and go."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..changes.host_step import Owner, owned_row
from ..changes.ledger import Ledger
from ..changes.model import OwnedRow, Wanted
from ..changes.reconcile import Reconciler
from ..errors import AgentConnectorError
from ..host import Host
from ..machine import OperatingSystem
from ..surfaces.granting import folder_grants, hook_grants, kept_grants
from ..surfaces.target import Target
from ..values import frozen


@frozen
class _Kept:
    owner: Owner
    wanted: list[Wanted]
    granted: list[OwnedRow]


def plan_trust(
    target: Target,
    wanted: tuple[Wanted, ...],
    owner: Owner,
    granted: list[OwnedRow],
    reconciler: Reconciler,
    ledger: Ledger,
) -> tuple[str, ...]:
    """After ``wanted`` is planned. Without ``target.trust`` nothing is trusted that was not before.

    ``granted``: what ``owner`` was trusted with by us already. Answers what hosts do because of it, for a person who
    is asked to consent.
    """
    host, machine = target.host, target.machine
    if host.id in reconciler.failed:
        return ()
    registered = [owned_row(owner, host.id, want) for want in wanted if want.kind == "item"]
    keys = [row for row in granted if row.kind == "entry"]
    told: tuple[str, ...] = ()
    try:
        others = list(_others(owner.connector, host, machine.os, reconciler, ledger))
        if target.trust:
            grants = folder_grants(target, wanted, lambda path: ledger.rows(path=path))
            trusted = hook_grants(host, registered, machine, target.project, reconciler)
            reconciler.host(owner, host.id, [*grants, *trusted], granted)
            told = tuple(f"{want.reason} (trust)" for want in (*grants, *trusted))
        elif keys:
            reconciler.host(owner, host.id, kept_grants(host, registered, keys, machine.os, reconciler), keys)
    except AgentConnectorError as error:
        reconciler.refuse(host.id, error)
        return ()
    for kept in others:
        reconciler.host(kept.owner, host.id, kept.wanted, kept.granted)
    return told


def keep_trust_of_others(
    connector: str, host: Host, system: OperatingSystem, reconciler: Reconciler, ledger: Ledger
) -> None:
    """Where hooks of ``connector`` go, those behind them get other positions: their trust goes along."""
    if host.id in reconciler.failed:
        return
    try:
        others = list(_others(connector, host, system, reconciler, ledger))
    except AgentConnectorError as error:
        reconciler.refuse(host.id, error)
        return
    for kept in others:
        reconciler.host(kept.owner, host.id, kept.wanted, kept.granted)


def trusted_hooks(connector: str, host: str, ledger: Ledger) -> list[OwnedRow]:
    """Registrations of other connectors that were trusted through us."""
    owners = {row.owner for row in _keys(ledger.rows(host=host)) if row.connector != connector}
    return [row for row in ledger.rows(host=host) if row.kind == "item" and row.owner in owners]


def _others(
    connector: str, host: Host, system: OperatingSystem, reconciler: Reconciler, ledger: Ledger
) -> Iterator[_Kept]:
    """Those whose keys are not what they were."""
    rows = [row for row in ledger.rows(host=host.id) if row.connector != connector]
    for owner in dict.fromkeys(row.owner for row in _keys(rows)):
        own = [row for row in rows if row.owner == owner]
        granted = list(_keys(own))
        items = [row for row in own if row.kind == "item" and row.surface != "trust"]
        wanted = kept_grants(host, items, granted, system, reconciler)
        if {want.place for want in wanted} != {row.place for row in granted}:
            yield _Kept(Owner(own[0].connector, own[0].scope, own[0].project), wanted, granted)


def _keys(rows: Iterable[OwnedRow]) -> Iterator[OwnedRow]:
    return (row for row in rows if row.surface == "trust" and row.kind == "entry")

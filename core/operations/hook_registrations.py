"""What is registered as a connector's hooks, and the record they are answered by."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..changes.model import OwnedRow
from ..changes.shape import verb_of
from ..errors import AgentConnectorError
from ..host import Host
from ..runtime.hook_record import NAME
from ..runtime.records import read_record
from ..vocabulary import Surface
from .connectors import record_source, stored_record
from .context import Context
from .hook_handlers import broken_handlers
from .hook_history import History, faults_of, iso, marks
from .reports import HookState

HOOK_SURFACES: tuple[Surface, ...] = ("hooks", "nativeHooks")


def hook_record_of(connector: str, context: Context) -> dict[str, Any]:
    """Raises ``ValueError`` where there is none, or it is damaged."""
    record = read_record(context.data_root, connector, name=NAME)
    if record is None:
        raise ValueError("its hook record is gone")
    if not record.get("hosts"):
        raise ValueError("its hook record knows of no hooks")
    check_hook_record(record)
    return record


def check_hook_record(record: Mapping[str, Any]) -> None:
    """Raises ``ValueError`` where it does not have what hook processes take for granted."""
    python, hosts = record.get("python"), record.get("hosts")
    if hosts != {} and not (
        isinstance(hosts, dict)
        and isinstance(python, dict)
        and {"tag", "path", "folders"} <= python.keys()
        and all(isinstance(told, dict) and all(map(_is_entry, _entries(told))) for told in hosts.values())
    ):
        raise ValueError("its hook record is damaged")


def _entries(told: Mapping[str, Any]) -> Iterator[Any]:
    """All of one host; ``None`` for whatever cannot hold any."""
    for kind in ("events", "native"):
        events = told.get(kind)
        for entries in events.values() if isinstance(events, dict) else [None]:
            yield from entries if isinstance(entries, list) else [None]


def _is_entry(entry: Any) -> bool:
    if not isinstance(entry, dict) or "match" not in entry:
        return False
    needed = {"static": ("response", dict), "command": ("command", list), "python": ("handler", dict)}
    key, shape = needed.get(entry.get("kind", ""), ("", dict))
    return isinstance(entry.get(key), shape)


def definition_folder(connector: str, context: Context) -> str:
    """Where the installed definition stands; ``""`` where it is known to stand nowhere."""
    try:
        record = stored_record(connector, context)
    except AgentConnectorError:
        return ""
    source = record_source(record) if record else ""
    return str(Path(source).parent) if source else ""


def hook_rows(rows: Iterable[OwnedRow]) -> list[OwnedRow]:
    """The registrations among what is ours that lead to code of the connector's; a plugin is one for all events."""
    found = [row for row in rows if row.surface in HOOK_SURFACES and row.kind in ("item", "file")]
    return [row for row in found if verb_of(row.value) != "usage-event"]


def canonical_event(host: Host, native: str) -> str:
    """What a registration's event is called in definitions and in the log."""
    events = host.hooks.events if host.hooks else {}
    return next((event for event, own in events.items() if own == native), native)


def events_of(host: Host, row: OwnedRow, record: Mapping[str, Any]) -> list[str]:
    """The events of a registration, as :func:`canonical_event`: by its place, or by what it says itself; those of a
    plugin by the hook record."""
    if row.kind == "file":
        told = record.get("hosts", {}).get(host.id, {"events": {}, "native": {}})
        return [*told["events"], *told["native"]]
    key = host.hooks.event_key if host.hooks else ""
    native = row.value.get(key, "") if key and isinstance(row.value, dict) else row.place[-1]
    return [canonical_event(host, native)]


def hook_states(
    host: Host, rows: Iterable[OwnedRow], history: History, context: Context
) -> tuple[tuple[HookState, ...], tuple[str, ...]]:
    """How the hooks of each connector in ``host`` stand, and what keeps that from being told. Never fails."""
    registered: dict[str, list[OwnedRow]] = {}
    for row in hook_rows(rows):
        registered.setdefault(row.connector, []).append(row)
    states, problems = [], []
    for connector, own in registered.items():
        broken: tuple[str, ...] = ()
        record: dict[str, Any] = {}
        try:
            record = hook_record_of(connector, context)
            broken = _broken_events(connector, host.id, record, context)
        except (ValueError, KeyError, TypeError, AttributeError) as fault:
            problems.append(f"{connector}: {fault}; no hook of it answers ({_again(connector)})")
        events = [event for row in own for event in events_of(host, row, record)]
        states.append(_state(connector, host.id, tuple(dict.fromkeys(events)), broken, history))
    return tuple(states), tuple(problems)


def _again(connector: str) -> str:
    return f"agent-connector upgrade {connector}"


def _broken_events(connector: str, host: str, record: Mapping[str, Any], context: Context) -> tuple[str, ...]:
    folder = definition_folder(connector, context)
    found = broken_handlers(record, host, marks(context.data_root, connector), folder, context.machine)
    return tuple(dict.fromkeys(one.event for one in found if one.status == "fail"))


def _state(
    connector: str, host: str, events: tuple[str, ...], broken: tuple[str, ...], history: History
) -> HookState:
    fired: Mapping[str, int] = {event: history.calls.get((connector, host, event), 0) for event in events}
    last = max(fired, key=lambda event: fired[event], default="")
    when = fired.get(last, 0)
    return HookState(
        connector=connector,
        events=events,
        last_event=last if when else "",
        last_fired=iso(when) if when else "",
        faults=sum(one.count for one in faults_of(history, connector, host)),
        broken=broken,
    )

"""One call of a connector's hook as a host would make it: the runtime's own way, in a process of its own.

Nothing is written below the data root and nothing is counted: the process has a temporary one.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from ..authoring.events import HOOK_EVENTS
from ..changes.files import DiskFiles
from ..changes.ledger import Ledger
from ..errors import LedgerError, UsageError
from ..host import Host
from ..runtime.code_records import check_code_record
from ..runtime.dispatch import TOOL_EVENTS
from ..runtime.records import list_records, read_record
from ..surfaces.blockers import Site, hindrances
from ..values import frozen
from ..vocabulary import Scope, Surface
from .connectors import load_connector, nearest
from .context import Context
from .honor import light_module, sample
from .hook_registrations import check_hook_record
from .reports import SimulateReport
from .requests import SimulateRequest
from .simulated import Call, drawn, judged, not_called, not_drawn
from .simulation_process import run_apart


@frozen
class Registered:
    """What a process that the host starts would work by. ``record`` is ``None`` where the connector has nothing of
    the kind."""

    connector: str
    record: dict[str, Any] | None
    notes: tuple[str, ...] = ()


def simulate(request: SimulateRequest, context: Context) -> SimulateReport:
    """An installed connector is called as it is installed, by its record; any other as it would be.

    Raises :class:`UsageError` for an unknown host, event or connector, :class:`ConnectorConfigError`.
    """
    host = simulated_host(request.host, context)
    registered = _registered(request, context)
    registered = replace(registered, notes=(*registered.notes, *_kept_from_running(request, host, context)))
    return (
        _statusline(request, registered, host, context)
        if request.surface == "statusline"
        else _hook(request, registered, host, context)
    )


def _hook(request: SimulateRequest, registered: Registered, host: Host, context: Context) -> SimulateReport:
    call = call_of(registered, host, request.event)
    if isinstance(call, SimulateReport):
        return call
    assert registered.record is not None
    call, payload = with_payload(call, request.input)
    asked = _asked(request, call.connector, call.event, registered.record)
    ended = run_apart(asked, payload, call.entries, context, context.project(request.project))
    return judged(call, ended.told, ended.printed, ended.exit_status)


def _statusline(request: SimulateRequest, registered: Registered, host: Host, context: Context) -> SimulateReport:
    reason = no_statusline(registered, host)
    if reason:
        return not_drawn(registered.connector, host, reason, registered.notes)
    assert registered.record is not None
    payload, notes = statusline_payload(host, request.input)
    asked = _asked(request, registered.connector, "", registered.record)
    entry = registered.record["hosts"][host.id]["entry"]
    ended = run_apart(asked, payload, [entry], context, context.project(request.project))
    return drawn(registered.connector, host, ended.told, ended.printed, (*registered.notes, *notes))


def _asked(request: SimulateRequest, connector: str, event: str, record: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "surface": request.surface,
        "host": request.host,
        "event": event,
        "connector": connector,
        "record": record,
    }


def simulated_host(host_id: str, context: Context) -> Host:
    if not host_id:
        raise UsageError("no host was named", hint=f"Known hosts: {', '.join(context.catalogue.ids())}.")
    return context.catalogue.get(host_id)


def _registered(request: SimulateRequest, context: Context) -> Registered:
    if request.source.id:
        return _installed(request, context)
    connector = load_connector(request.source, context, context.project(request.project)).connector
    if request.surface == "statusline":
        from ..runtime.code_records import statusline_record

        drawn_by = statusline_record(
            connector, context.catalogue, version=context.version, data_root=context.data_root
        )
        return Registered(connector.id, drawn_by.record, drawn_by.problems)
    from ..runtime.hook_record import hook_record

    made = hook_record(connector, context.catalogue, version=context.version, data_root=context.data_root)
    return Registered(connector.id, made.record, made.problems)


def _installed(request: SimulateRequest, context: Context) -> Registered:
    connector = request.source.id
    known = list_records(context.data_root)
    if connector not in known:
        text = f"no connector {connector!r} is installed here"
        raise UsageError(text, hint=nearest(connector, known, "Installed are"))
    try:
        record = read_record(context.data_root, connector, name=request.surface)
        if record is not None:
            (check_hook_record if request.surface == "hooks" else check_code_record)(record)
    except ValueError as damage:
        raise UsageError(str(damage), hint=f"`install` makes the records of {connector} anew.") from damage
    notes: tuple[str, ...] = ()
    if request.surface == "hooks" and record is not None and not record.get("installed", {}).get(request.host):
        notes = (f"its hooks are not installed in {request.host}: this is what would happen if they were",)
    return Registered(connector, record, notes)


def _kept_from_running(request: SimulateRequest, host: Host, context: Context) -> Iterable[str]:
    """Which settings of this machine would keep the host from making such a call at all."""
    project = context.project(request.project)
    scopes: list[Scope] = ["user"]
    if request.source.id:
        with suppress(LedgerError), Ledger.open(context.data_root, create=False) as ledger:
            installs = ledger.installs(connector=request.source.id)
            scopes = [install.scope for install in installs if install.host == host.id] or scopes
    surface: Surface = request.surface
    for scope in dict.fromkeys(scopes):
        for found in hindrances(Site(host, scope, context.machine, project, DiskFiles()), surface):
            would_not = " it would not be called" if found.status == "fail" else ""
            yield f"on this machine{would_not}: {found.text}. {found.fix}"


# --- which call ------------------------------------------------------------------------------------------------


def call_of(registered: Registered, host: Host, event: str) -> Call | SimulateReport:
    """The entries that would be asked, or the report where the host would not call at all.

    ``event``: the shared name, or the host's own. Raises :class:`UsageError` for a name that nobody knows.
    """
    hosts = registered.record["hosts"] if registered.record else {}
    own: Mapping[str, Any] = hosts.get(host.id, {"events": {}, "native": {}})
    if not event:
        declared = ", ".join([*own["events"], *own["native"]])
        hint = f"It declares for {host.id}: {declared}." if declared else f"Events: {', '.join(HOOK_EVENTS)}."
        raise UsageError("no event was named", hint=hint)
    if host.hooks is None:
        return not_called(Call(registered.connector, host, event, ()), f"{host.name} has no hooks")
    try:
        module = light_module(host.id)
    except ImportError as fault:
        reason = f"the package that adds {host.name} has no module that answers its hooks ({fault})"
        return not_called(Call(registered.connector, host, event, ()), reason)
    shared = {native: name for name, native in host.hooks.events.items()}
    if event not in HOOK_EVENTS and event not in own["native"]:
        event = shared.get(event, event)
    native = event in own["native"]
    entries = tuple(own["native"].get(event) or own["events"].get(event) or ())
    call = Call(registered.connector, host, event, entries, module, native=native, notes=registered.notes)
    if entries:
        return call
    if event in host.hooks.events:
        return not_called(call, f"{registered.connector} declares no {event} hook for {host.name}")
    if event in HOOK_EVENTS:
        return not_called(call, f"{host.name} has no {event} event: no hook of it is ever called")
    if event in getattr(module, "HOST_EVENTS", ()):
        return not_called(call, f"{registered.connector} declares no native hook on {event} for {host.name}")
    known = (*HOOK_EVENTS, *own["native"], *getattr(module, "HOST_EVENTS", ()))
    raise UsageError(f"no event is called {event!r}", hint=nearest(event, tuple(dict.fromkeys(known)), "Nearest"))


def with_payload(call: Call, given: bytes | None) -> tuple[Call, bytes]:
    """The input to use, the host's sample where none is given, and what is to be said of it."""
    if given is not None:
        return call, given
    found = None if call.native else sample(call.module.__name__, call.event)
    if found is None:
        return _noting(call, "no input was given and there is no sample of the event: an empty object is used"), b"{}"
    tool = call.module.parse(call.event, json.loads(found)).get("tool_name", "") if call.event in TOOL_EVENTS else ""
    named = f", whose tool is {tool}" if tool else ""
    return _noting(call, f"no input was given: a sample of {call.host.name}'s is used{named}"), found


def _noting(call: Call, note: str) -> Call:
    return replace(call, notes=(*call.notes, note))


def no_statusline(registered: Registered, host: Host) -> str:
    """Why the host would not ask the connector for a status line; ``""`` where it does."""
    if host.statusline is None:
        return f"{host.name} has no status line that a command draws"
    if registered.record is None or host.id not in registered.record["hosts"]:
        return f"{registered.connector} declares no status line for {host.name}"
    return ""


def statusline_payload(host: Host, given: bytes | None) -> tuple[bytes, tuple[str, ...]]:
    """The input to use, the host's sample where none is given, and what is to be said of it."""
    if given is not None:
        return given, ()
    assert host.statusline is not None
    found = sample(host.statusline.parse.__module__, "StatusLine")
    if found is None:
        return b"{}", ("no input was given and there is no sample: an empty object is used",)
    return found, (f"no input was given: a sample of {host.name}'s is used",)

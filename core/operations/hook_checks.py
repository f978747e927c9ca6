"""Whether the hooks of a connector run, per host: settings, files, trust, handlers, faults, what never came."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from ..changes.files import DiskFiles
from ..changes.ledger import Ledger
from ..changes.model import OwnedRow
from ..errors import AgentConnectorError
from ..host import Host
from ..runtime.hook_log import FAULTS
from ..runtime.hook_record import changed_handlers
from ..runtime.neutral import module_of
from ..runtime.spool import VARIABLE
from ..surfaces.blockers import Site, hindrances, refusals
from ..surfaces.hooks import hooks_path
from ..surfaces.trust import trust_states
from ..values import frozen
from .context import Context
from .hook_handlers import broken_handlers, missing_folders
from .hook_history import FAULT_DAYS, Faults, History, faults_of, marks, moment_ms, newest, now_ms, shown
from .hook_registrations import (
    HOOK_SURFACES,
    canonical_event,
    definition_folder,
    events_of,
    hook_record_of,
    hook_rows,
)
from .install import owned_rows
from .reports import Check
from .requests import DoctorRequest
from .status import row_state
from .targets import HostTarget, installed_targets

_HOUR_MS = 60 * 60 * 1000
_MOST_FAULTS = 5

_FAULTS: Mapping[str, str] = {
    "timeout": "ran out of time",
    "raised": "raised an exception",
    "bad-answer": "answered what cannot be used",
    "exit": "ended its process",
    "bad-payload": "got a payload that cannot be read as one JSON object",
    "no-payload": "got no payload",
    "no-record": "found no hook record",
    "bad-record": "found a record that is damaged, or of a newer agent-connector",
    "unheard": "closed what the host listens to",
    "internal": "failed inside agent-connector",
}


def hook_checks(
    connector: str, request: DoctorRequest, ledger: Ledger, history: History, context: Context
) -> Iterator[Check]:
    """One line per host where all is well, else one for each thing that is not."""
    installs = ledger.installs(connector=connector)
    targets = installed_targets(installs, request.targets, request.scope, "", context)
    places = [(target, _standing(owned_rows(ledger, connector, target))) for target in targets]
    yield from _statusline_checks(connector, places)
    places = [(target, kept) for target, rows in places if (kept := hook_rows(rows))]
    if not places:
        return
    again = f"agent-connector upgrade {connector}"
    try:
        record = hook_record_of(connector, context)
    except ValueError as error:
        yield Check(connector, "hook record", "fail", f"{error}: no hook of it answers", again, healable=True)
        return
    changed = [file for file in changed_handlers(record) if Path(file).exists()]
    if changed:
        text = f"changed since it was installed: {', '.join(changed)}; what it is now runs"
        yield Check(connector, "hook code", "warn", text, f"{again} refreshes what is known of it", healable=True)
    if gone := missing_folders(record):
        text = f"the environment it was installed from is gone: {', '.join(gone)}; what handlers import from it fails"
        yield Check(connector, "hook environment", "warn", text, "Install the connector again from where it is now")
    for host in dict.fromkeys(target.host.id for target, _ in places):
        here = [(target, rows) for target, rows in places if target.host.id == host]
        since = newest(moment_ms(install.installed_at) for install in installs if install.host == host)
        yield from _Hooks(connector, here, record, history, since, context).checks()


def _standing(rows: Iterable[OwnedRow]) -> list[OwnedRow]:
    """Without what has vanished, or cannot be looked at: that is told elsewhere. A registration that somebody changed
    counts as one of ours that vanished, and is looked at again by its shape."""
    files = DiskFiles()
    kept = []
    for row in rows:
        try:
            if row.surface in HOOK_SURFACES or row_state(row, files) != "vanished":
                kept.append(row)
        except AgentConnectorError:
            continue
    return kept


def _site(target: HostTarget) -> Site:
    return Site(target.host, target.scope, target.machine, target.project, DiskFiles())


def _statusline_checks(connector: str, places: Iterable[tuple[HostTarget, list[OwnedRow]]]) -> Iterator[Check]:
    for target, rows in places:
        if any(row.surface == "statusline" for row in rows):
            for found in hindrances(_site(target), "statusline"):
                yield Check(target.host.id, f"{connector} statusline settings", found.status, found.text, found.fix)


@frozen
class _Hooks:
    """The hooks of one connector in one host, at every scope. ``since``: when it was installed, in milliseconds."""

    connector: str
    places: list[tuple[HostTarget, list[OwnedRow]]]
    record: dict[str, Any]
    history: History
    since: int
    context: Context

    @property
    def host(self) -> Host:
        return self.places[0][0].host

    def checks(self) -> list[Check]:
        problems = [*self._settings(), *self._files(), *self._trust()]
        kept_from_running = any(problem.status == "fail" for problem in problems)
        problems += [*self._handlers(), *self._faults()]
        calls = self._calls()
        if not kept_from_running and calls.status != "pass":
            problems.append(calls)
        return list(dict.fromkeys(problems)) or [calls]

    def _check(self, name: str, status: Any, text: str, fix: str = "") -> Check:
        return Check(self.host.id, f"{self.connector} {name}", status, text, fix)

    def _settings(self) -> Iterator[Check]:
        for target, rows in self.places:
            for surface in HOOK_SURFACES:
                for found in (
                    hindrances(_site(target), surface) if any(row.surface == surface for row in rows) else ()
                ):
                    yield self._check("hook settings", found.status, found.text, found.fix)

    def _files(self) -> Iterator[Check]:
        files = DiskFiles()
        for target, rows in self.places:
            assert target.host.hooks is not None
            paths = {row.path for row in rows}
            for file in target.host.hooks.files.get(target.scope, ()):
                path = hooks_path(file, self.connector, target.machine, target.project)
                if str(path) in paths:
                    try:
                        notes = refusals(target.host, file, path, files)
                    except AgentConnectorError:
                        continue  # told with what stands in the file
                    for note in notes:
                        yield self._check("hook file", "fail", note.text, note.fix)

    def _trust(self) -> Iterator[Check]:
        trust = self.host.hooks.trust if self.host.hooks else None
        states: dict[str, list[str]] = {}
        for target, rows in self.places:
            try:
                for native, state in trust_states(target.host, rows, target.machine, target.project, DiskFiles()):
                    states.setdefault(state, []).append(canonical_event(target.host, native))
            except AgentConnectorError as error:
                yield self._check("hook trust", "warn", f"cannot be told: {error.message}", error.hint)
        by_us = f" Or: agent-connector install {self.connector} --trust" if trust and trust.grant else ""
        for state, (text, fix) in trust.told.items() if trust else ():
            if state in states:
                events = ", ".join(dict.fromkeys(states[state]))
                message = f"{events} registered, and never run: {text}"
                yield self._check("hook trust", "fail", message, fix if state == "off" else fix + by_us)

    def _handlers(self) -> Iterator[Check]:
        root = self.context.data_root
        known, folder = marks(root, self.connector), definition_folder(self.connector, self.context)
        registered = set(self._events())
        for one in broken_handlers(self.record, self.host.id, known, folder, self.context.machine):
            if one.event in registered:
                since = f" (since {shown(one.since_ms)})" if one.since_ms else ""
                text = f"the handler of {one.event} does not run{since}: {one.what}: {one.why}"
                fix = (
                    f"Mend that, then agent-connector upgrade {self.connector}; "
                    f"what it printed is in {root / 'logs' / 'handlers' / f'{self.connector}.log'}"
                )
                yield self._check("hook handlers", one.status, text, fix)

    def _faults(self) -> Iterator[Check]:
        found = faults_of(self.history, self.connector, self.host.id)
        if not found:
            return
        told = "; ".join(_told(one) for one in found[:_MOST_FAULTS])
        more = f"; and {len(found) - _MOST_FAULTS} more kinds" if len(found) > _MOST_FAULTS else ""
        logs = self.context.data_root / "logs"
        fix = f"See {self.context.data_root / FAULTS}"
        if (logs / "handlers" / f"{self.connector}.log").exists():
            fix += f", and what handlers printed in {logs / 'handlers' / f'{self.connector}.log'}"
        total = sum(one.count for one in found)
        text = f"{total} fault{'' if total == 1 else 's'} in the last {FAULT_DAYS} days: {told}{more}"
        yield self._check("hook faults", "warn", text, fix)

    # --- what never came ---------------------------------------------------------------------------------------

    def _events(self) -> dict[str, str]:
        """The registered events by the names they are logged under, each with its matcher in the host."""
        found = {}
        for target, rows in self.places:
            for row in rows:
                matcher = row.value.get("matcher", "") if isinstance(row.value, dict) else ""
                found.update(dict.fromkeys(events_of(target.host, row, self.record), str(matcher)))
        return found

    def _calls(self) -> Check:
        """Whether every registered event came since the install. The host counts as used when anything of ours was
        called by it since; an install within the last hour says nothing yet."""
        events = self._events()
        count = f"{len(events)} event{'' if len(events) == 1 else 's'} registered"
        if not self.record.get("telemetry", True) or self.context.machine.env.get(VARIABLE) == "0":
            return self._check("hook calls", "pass", f"{count}; telemetry is off, so whether they fire is not known")
        if now_ms() - self.since < _HOUR_MS:
            return self._check("hook calls", "pass", f"{count}; installed less than an hour ago")
        if self.history.used.get(self.host.id, 0) <= self.since:
            text = f"{count}; no sign that {self.host.name} was used since the install of {shown(self.since)}"
            return self._check("hook calls", "pass", text)
        last = {event: self.history.calls.get((self.connector, self.host.id, event), 0) for event in events}
        wanted = [event for event in events if self._has_handlers(event)]
        silent = [event for event in wanted if last[event] < self.since]
        if not silent:
            latest = max(last, key=lambda event: last[event])
            return self._check("hook calls", "pass", f"{count}; last {latest}, {shown(last[latest])}")
        told = ", ".join(f"{event}{self._condition(event, events[event])}" for event in silent)
        text = f"configured, never fired since the install of {shown(self.since)}: {told}"
        return self._check("hook calls", "warn", text, f"Use {self.host.name} so that it happens{self._notes()}")

    def _has_handlers(self, event: str) -> bool:
        """Whether the author has a hook on it: we register the start of a session for ourselves too."""
        told = self.record["hosts"].get(self.host.id, {"events": {}, "native": {}})
        return bool(told["events"].get(event) or told["native"].get(event))

    def _condition(self, event: str, matcher: str) -> str:
        try:
            fires_when: Mapping[str, str] = getattr(module_of(self.record, self.host.id), "FIRES_WHEN", {})
        except (ImportError, KeyError):
            fires_when = {}
        conditions = [fires_when[event]] if event in fires_when else []
        if matcher:
            conditions.append(f"only where {matcher} matches")
        return f" ({'; '.join(conditions)})" if conditions else ""

    def _notes(self) -> str:
        dialect = self.host.hooks
        assert dialect is not None
        if dialect.trust or any(blocker.kind != "switch" for blocker in dialect.blockers):
            return ""
        texts = [note.text for target, _ in self.places for note in dialect.notes.get(target.scope, ())]
        return "".join(f"; {text}" for text in dict.fromkeys(texts))


def _told(one: Faults) -> str:
    times = "once" if one.count == 1 else f"{one.count} times"
    where = f" (entry {one.where})" if one.where else ""
    return f"{one.event} {_FAULTS.get(one.fault, one.fault)} {times}, last {shown(one.last_ms)}{where}"

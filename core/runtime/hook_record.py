"""A connector's hook record: what a hook process works by, made of the checked definition at install.

``connectors/<id>/hooks.json``::

    {"version": 1, "connector": id, "framework": version, "telemetry": bool, "log_only": bool,
     "python": {"executable", "base", "version", "tag", "folders": [...], "path": [...]},
     "hosts": {host: {"events": {Event: [entry, ...]}, "native": {NativeEvent: [entry, ...]},
                      "readers": [{"host", "env", "not_env", "keys"}, ...], "module": of a host of another package}},
     "installed": {host: [project, or "" for every project]}}

    entry = {"match": matcher, "kind": "static" | "command" | "python",
             "response" | "command" | "handler" with "digest", "timeout_ms", "together_ms" where it is more}

An event without entries is registered only so that broken handlers can be told there (:mod:`.start_notice`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..host import Catalogue, Host
from ..values import frozen
from .dispatch import AGENT_EVENTS, TOOL_EVENTS
from .handler_places import python_record
from .matcher_forms import compile_matcher
from .neutral import hooks_module
from .own_files import VERSION
from .recorded_code import RecordedCode, changed_files, keep_bytecode
from .records import read_record, write_record
from .start_notice import TOLD_AT, tells_at_start

if TYPE_CHECKING:
    from ..authoring.hooks import HookDefinition, NativeHook
    from ..authoring.models import Connector
    from ..changes.model import OwnedRow

NAME = "hooks"
_MARGIN_MS = 1000
"""How long before the host's limit ours comes, at most; a fifth of short ones."""


@frozen
class HookRecord:
    """``record`` is ``None`` where the connector has no hooks at all. ``problems``: what will not run, and why."""

    record: dict[str, Any] | None
    problems: tuple[str, ...] = ()


def hook_record(connector: Connector, catalogue: Catalogue, *, version: str, data_root: Path) -> HookRecord:
    """The record without ``installed``. Runs nothing of the author's."""
    making = _Making(connector, RecordedCode(connector.source, [], []))
    hosts = {}
    for host_id in catalogue.ids():
        host = catalogue.get(host_id)
        if host.hooks is not None:
            hosts[host_id] = making.host(host, catalogue)
    if not any(host["events"] or host["native"] for host in hosts.values()):
        return HookRecord(None)
    record = {
        "version": VERSION,
        "connector": connector.id,
        "framework": version,
        "telemetry": connector.telemetry.enabled,
        "log_only": connector.telemetry.store == "ndjson",
        "python": python_record(making.code.folders, data_root),
        "hosts": hosts,
    }
    return HookRecord(record, tuple(dict.fromkeys(making.code.problems)))


@frozen
class _Making:
    connector: Connector
    code: RecordedCode

    def host(self, host: Host, catalogue: Catalogue) -> dict[str, Any]:
        dialect = host.hooks
        assert dialect is not None
        overridden = self.connector.override_for(host.id).hooks
        own = overridden if isinstance(overridden, Mapping) else {}
        events: dict[str, list[dict[str, Any]]] = {}
        for event, definitions in self.connector.hooks_for(host.id).items():
            if definitions and event in dialect.events:
                asked = max((one.timeout_ms for one in definitions if one.timeout_ms is not None), default=None)
                limit = _own_limit(dialect.time_limit(event, asked))
                events[event] = [
                    self._entry(one, event, index, host.id if event in own else "", limit)
                    for index, one in enumerate(definitions)
                ]
        if tells_at_start(self.connector, host):
            events[TOLD_AT] = []
        native: dict[str, list[dict[str, Any]]] = {}
        for event, hooks in self.connector.native_hooks_for(host.id).items():
            if host.native_hooks and dialect.native_events(event):
                limit = _own_limit(dialect.time_limit(event, None))
                native[event] = [
                    {"match": None, **self._code(hook, event, index, host.id, native=True), "timeout_ms": limit}
                    for index, hook in enumerate(hooks)
                ]
        module = _module_of(host.id)
        return {
            "events": events,
            "native": native,
            "readers": list(_readers(host.id, catalogue)),
            **({"module": module} if module else {}),
        }

    def _entry(self, hook: HookDefinition, event: str, index: int, host: str, limit: int) -> dict[str, Any]:
        matched = event in (*TOOL_EVENTS, *AGENT_EVENTS)
        entry: dict[str, Any] = {"match": compile_matcher(hook.matcher) if matched else None}
        if hook.kind == "static":
            return {**entry, "kind": "static", "response": hook.response}
        own = min(hook.timeout_ms or limit, limit)
        entry.update(self._code(hook, event, index, host, native=False), timeout_ms=own)
        return entry if own == limit else {**entry, "together_ms": limit}

    def _code(
        self, hook: HookDefinition | NativeHook, event: str, index: int, host: str, *, native: bool
    ) -> dict[str, Any]:
        where = {"event": event, "index": index, "host": host, **({"native": True} if native else {})}
        return self.code.entry(hook.command, hook.handler, where, on=f"on {event}")


def _own_limit(host_limit: int) -> int:
    """Ours comes first, so that a reply is still given."""
    return host_limit - min(_MARGIN_MS, host_limit // 5)


def _readers(host_id: str, catalogue: Catalogue) -> Iterator[dict[str, Any]]:
    """The hosts that run hooks registered for ``host_id``, and how to tell that one of them called."""
    for other_id in catalogue.ids():
        other = catalogue.get(other_id)
        if any(also.host == host_id and "hooks" in also.surfaces for also in other.also_reads):
            mark = other.detection.runtime
            every, none = mark.payload_shape
            key, pieces = mark.payload_text
            yield {
                "host": other_id,
                "env": list(mark.env),
                "not_env": list(mark.not_env),
                "keys": list(mark.payload_keys),
                **({"every": sorted(every), "none": sorted(none)} if every else {}),
                **({"text": [key, *pieces]} if key else {}),
            }


def _module_of(host_id: str) -> str:
    """The light module of a host that another package adds; ``""`` for one of ours, which is found by its id."""
    try:
        hooks_module(host_id)
    except ImportError:
        from .distributions import hooks_modules

        return hooks_modules().get(host_id, "")
    return ""


# --- where it is kept ------------------------------------------------------------------------------------------


def write_hook_record(
    connector: Connector, catalogue: Catalogue, *, version: str, data_root: Path
) -> tuple[str, ...]:
    """Have the record say what the definition says; what is known of registrations stays. Returns what will not run,
    and why. Raises ``OSError``."""
    made = hook_record(connector, catalogue, version=version, data_root=data_root)
    before = _read(data_root, connector.id)
    if made.record is None:
        if before is not None and before.get("hosts"):
            write_record(data_root, connector.id, _empty(connector.id, version), name=NAME)
        return made.problems
    record = {**made.record, "installed": (before or {}).get("installed", {})}
    if record != before:
        write_record(data_root, connector.id, record, name=NAME)
    keep_bytecode(python_entries(record), data_root)
    return made.problems


def update_registrations(data_root: Path, connector_id: str, rows: Iterable[OwnedRow], *, gone: bool = False) -> None:
    """Note where the connector's hooks stand by now. ``rows``: all the ledger has of it. ``gone``: it is installed
    nowhere any more; registrations left over somewhere are answered with "no opinion". Raises ``OSError``."""
    record = _read(data_root, connector_id)
    if record is None:
        return
    if gone:
        changed = _empty(connector_id, str(record.get("framework", "")))
    else:
        changed = {**record, "installed": registrations(rows)}
    if changed != record:
        write_record(data_root, connector_id, changed, name=NAME)


def registrations(rows: Iterable[OwnedRow]) -> dict[str, list[str]]:
    """Host -> the projects in which its own registration stands; ``""`` for all of them."""
    found: dict[str, set[str]] = {}
    for row in rows:
        if row.surface == "hooks" and row.kind in ("item", "file"):
            found.setdefault(row.host, set()).add(row.project)
    return {host: sorted(projects) for host, projects in sorted(found.items())}


def _read(data_root: Path, connector_id: str) -> dict[str, Any] | None:
    try:
        return read_record(data_root, connector_id, name=NAME)
    except ValueError:  # damaged: it is made anew
        return None


def _empty(connector_id: str, version: str) -> dict[str, Any]:
    return {"version": VERSION, "connector": connector_id, "framework": version, "hosts": {}, "installed": {}}


def python_entries(record: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    for host in record["hosts"].values():
        for entries in (*host["events"].values(), *host["native"].values()):
            yield from (entry for entry in entries if entry["kind"] == "python" and entry["handler"])


def changed_handlers(record: Mapping[str, Any]) -> tuple[str, ...]:
    """The files of handlers that are not what they were at install, or are gone; sorted."""
    return changed_files(python_entries(record))

"""The records by which the statusline and the action processes work, made of the checked definition at install.

``connectors/<id>/statusline.json``::

    {"version": 1, "connector": id, "framework": version, "python": as in hooks.json,
     "hosts": {host: {"module": the one with the host's ``parse``, "entry": entry, "max_lines": where one is set}}}

``connectors/<id>/actions.json``::

    {"version": 1, "connector": id, "framework": version, "python": as in hooks.json,
     "actions": {action id: entry}, "hosts": {host: {action id: entry, where it differs there}}}

    entry = {"kind": "command" | "python", "command" | "handler" with "digest", "timeout_ms" for a status line}
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from ..host import Catalogue
from ..values import frozen
from .handler_places import python_record
from .own_files import VERSION
from .recorded_code import RecordedCode, keep_bytecode
from .records import read_record, write_record

if TYPE_CHECKING:
    from ..authoring.models import Connector

Kind = Literal["statusline", "actions"]
TIMEOUT_MS = 5000
"""What a renderer may take. Hosts wait less for it, or draw anew meanwhile."""
_ON_LINE = "of the status line"


@frozen
class CodeRecord:
    """``record``: ``None`` where the connector has nothing of the kind. ``problems``: what will not run, and why."""

    record: dict[str, Any] | None
    problems: tuple[str, ...] = ()


def statusline_record(connector: Connector, catalogue: Catalogue, *, version: str, data_root: Path) -> CodeRecord:
    """The record of the status line. Runs nothing of the author's."""
    statusline = connector.statusline
    code = RecordedCode(connector.source, [], [])
    hosts: dict[str, Any] = {}
    for host_id in catalogue.ids() if statusline else ():
        dialect = catalogue.get(host_id).statusline
        if statusline is None or dialect is None or not connector.wants(host_id, "statusline"):
            continue
        own = statusline.hosts.get(host_id)
        if own is not None and (own.render is not None or own.command is not None):
            entry = code.entry(own.command, own.render, _at("statusline", "hosts", host_id, "render"), on=_ON_LINE)
        else:
            entry = code.entry(statusline.command, statusline.render, _at("statusline", "render"), on=_ON_LINE)
        most = statusline.options_for(host_id).get("max_lines")
        hosts[host_id] = {
            "module": dialect.parse.__module__,
            "entry": {**entry, "timeout_ms": TIMEOUT_MS},
            **({"max_lines": most} if most else {}),
        }
    return _made(connector, code, version, data_root, {"hosts": hosts} if hosts else {})


def actions_record(connector: Connector, catalogue: Catalogue, *, version: str, data_root: Path) -> CodeRecord:
    """The record of the actions. Runs nothing of the author's."""
    code = RecordedCode(connector.source, [], [])
    wanting = [host_id for host_id in catalogue.ids() if connector.wants(host_id, "actions")]
    hosts: dict[str, dict[str, Any]] = {host_id: {} for host_id in wanting}
    actions = {}
    for action in connector.actions:
        on = f"of the action {action.id}"
        actions[action.id] = code.entry(action.command, action.run, _at("actions", action.id, "run"), on=on)
        for host_id, own in action.hosts.items():
            if host_id in hosts and (own.run is not None or own.command is not None):
                where = _at("actions", action.id, "hosts", host_id, "run")
                hosts[host_id][action.id] = code.entry(own.command, own.run, where, on=f"{on} in {host_id}")
    return _made(connector, code, version, data_root, {"actions": actions, "hosts": hosts} if actions else {})


def _at(*keys: str) -> dict[str, Any]:
    return {"at": list(keys)}


def _made(
    connector: Connector, code: RecordedCode, version: str, data_root: Path, content: Mapping[str, Any]
) -> CodeRecord:
    if not content:
        return CodeRecord(None)
    record = {
        **_empty(connector.id, version),
        "python": python_record(code.folders, data_root),
        **content,
    }
    return CodeRecord(record, tuple(dict.fromkeys(code.problems)))


def _empty(connector_id: str, version: str) -> dict[str, Any]:
    return {"version": VERSION, "connector": connector_id, "framework": version, "hosts": {}}


# --- where they are kept ---------------------------------------------------------------------------------------

_MAKERS: dict[Kind, Callable[..., CodeRecord]] = {"statusline": statusline_record, "actions": actions_record}
KINDS = tuple(_MAKERS)


def write_code_records(
    connector: Connector, catalogue: Catalogue, *, version: str, data_root: Path
) -> Iterator[tuple[Kind, str]]:
    """Have both records say what the definition says. Yields which of them and what of it will not run, and why.
    Raises ``OSError``."""
    for name, maker in _MAKERS.items():
        made = maker(connector, catalogue, version=version, data_root=data_root)
        before = _read(data_root, connector.id, name)
        if made.record is None:
            _forget(data_root, connector.id, name, before, version)
            continue
        if made.record != before:
            write_record(data_root, connector.id, made.record, name=name)
        keep_bytecode(python_entries(made.record), data_root)
        yield from ((name, problem) for problem in made.problems)


def empty_code_records(data_root: Path, connector_id: str) -> None:
    """The connector is installed nowhere any more: what still calls it is answered with nothing. Raises
    ``OSError``."""
    for name in _MAKERS:
        before = _read(data_root, connector_id, name)
        _forget(data_root, connector_id, name, before, str((before or {}).get("framework", "")))


def _forget(data_root: Path, connector_id: str, name: str, before: dict[str, Any] | None, version: str) -> None:
    if before is not None and (before.get("hosts") or before.get("actions")):
        write_record(data_root, connector_id, _empty(connector_id, version), name=name)


def _read(data_root: Path, connector_id: str, name: str) -> dict[str, Any] | None:
    try:
        return read_record(data_root, connector_id, name=name)
    except ValueError:  # damaged: it is made anew
        return None


def check_code_record(record: Mapping[str, Any]) -> None:
    """Raises ``ValueError`` where it does not have what the processes take for granted."""
    hosts, actions = record.get("hosts"), record.get("actions", {})
    if not isinstance(hosts, dict) or not isinstance(actions, dict):
        raise ValueError("its record is damaged")
    own = [
        host if "actions" in record else {"": host.get("entry")} for host in hosts.values() if isinstance(host, dict)
    ]
    entries = [entry for host in (*own, actions) for entry in host.values()]
    if len(own) != len(hosts) or not all(isinstance(entry, dict) and "kind" in entry for entry in entries):
        raise ValueError("its record is damaged")


def python_entries(record: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    lines = [host["entry"] for host in record["hosts"].values() if "entry" in host]
    own = [entry for host in record["hosts"].values() if "entry" not in host for entry in host.values()]
    for entry in (*lines, *own, *record.get("actions", {}).values()):
        if entry["kind"] == "python" and entry["handler"]:
            yield entry

"""One call of a connector's hook as a host would make it: the runtime's own way, in a process of its own.

Nothing is written below the data root and nothing is counted: the process has a temporary one.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from ..authoring.events import HOOK_EVENTS
from ..errors import UsageError
from ..host import Host
from ..runtime.dispatch import TOOL_EVENTS
from ..runtime.own_files import read_record
from ..runtime.records import list_records
from ..values import frozen
from .connectors import load_connector, nearest
from .context import Context
from .honor import light_module, sample
from .reports import SimulateReport
from .requests import SimulateRequest
from .simulated import Call, judged, not_called

GRACE_SECONDS = 10
"""What the process may take beside its handlers' time."""
PRINTED_CAP = 20_000
"""Characters of what handlers printed that are reported; the end counts."""

_CHILD = """\
import sys
sys.path[:0] = sys.argv[2:]
from agent_connector.runtime.simulation import main
main(sys.argv[1])
"""


@frozen
class Registered:
    """What a hook process would work by. ``record`` is ``None`` for a connector without hooks."""

    connector: str
    record: dict[str, Any] | None
    notes: tuple[str, ...] = ()


def simulate(request: SimulateRequest, context: Context) -> SimulateReport:
    """An installed connector is called as it is installed, by its record; any other as it would be.

    Raises :class:`UsageError` for an unknown host, event or connector, :class:`ConnectorConfigError`.
    """
    host = simulated_host(request.host, context)
    registered = _registered(request, context)
    call = call_of(registered, host, request.event)
    if isinstance(call, SimulateReport):
        return call
    assert registered.record is not None
    call, payload = with_payload(call, request.input)
    told, printed = _in_a_process(call, registered.record, payload, context, context.project(request.project))
    return judged(call, told, printed)


def simulated_host(host_id: str, context: Context) -> Host:
    if not host_id:
        raise UsageError("no host was named", hint=f"Known hosts: {', '.join(context.catalogue.ids())}.")
    return context.catalogue.get(host_id)


def _registered(request: SimulateRequest, context: Context) -> Registered:
    if request.source.id:
        return _installed(request.source.id, request.host, context)
    connector = load_connector(request.source, context, context.project(request.project)).connector
    from ..runtime.hook_record import hook_record

    made = hook_record(connector, context.catalogue, version=context.version, data_root=context.data_root)
    return Registered(connector.id, made.record, made.problems)


def _installed(connector: str, host: str, context: Context) -> Registered:
    known = list_records(context.data_root)
    if connector not in known:
        text = f"no connector {connector!r} is installed here"
        raise UsageError(text, hint=nearest(connector, known, "Installed are"))
    try:
        record = read_record(str(context.data_root), connector, "hooks")
    except ValueError as damage:
        raise UsageError(f"the hook record of {connector} is damaged: {damage}", hint="Install it again.") from damage
    notes: tuple[str, ...] = ()
    if record is not None and not record.get("installed", {}).get(host):
        notes = (f"its hooks are not installed in {host}: this is what would happen if they were",)
    return Registered(connector, record, notes)


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
    module = light_module(host.id)
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
    found = None if call.native else sample(call.module, call.event)
    if found is None:
        return _noting(
            call, "no input was given and there is no sample of this event: an empty object is used"
        ), b"{}"
    tool = call.module.parse(call.event, json.loads(found)).get("tool_name", "") if call.event in TOOL_EVENTS else ""
    named = f", whose tool is {tool}" if tool else ""
    return _noting(call, f"no input was given: a sample of {call.host.name}'s is used{named}"), found


def _noting(call: Call, note: str) -> Call:
    return replace(call, notes=(*call.notes, note))


# --- the process -----------------------------------------------------------------------------------------------


def _in_a_process(
    call: Call, record: Mapping[str, Any], payload: bytes, context: Context, folder: Any
) -> tuple[dict[str, Any], str]:
    """What was told, and what handlers printed."""
    with TemporaryDirectory(prefix="agent-connector-", ignore_cleanup_errors=True) as root:
        request = {"host": call.host.id, "event": call.event, "connector": call.connector, "record": record}
        data = json.dumps(request).encode() + b"\n" + payload
        line, code = _run([root, *_import_roots(record)], data, _seconds(call), _environment(context), folder)
        try:
            told: dict[str, Any] = json.loads(line)
        except ValueError:
            told = _died(call, code)
        return told, printed_in(Path(root), call.connector)


def _run(
    arguments: list[str], data: bytes, seconds: float, environment: Mapping[str, str], folder: Any
) -> tuple[str, int]:
    """The first line that the process writes, and its exit code."""
    isolated = ["-I", "-S"] if len(arguments) > 1 else ["-I"]
    process = subprocess.Popen(
        [sys.executable, *isolated, "-c", _CHILD, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=dict(environment),
        cwd=folder if Path(folder).is_dir() else None,
        start_new_session=True,
    )
    try:
        written, _ = process.communicate(data, timeout=seconds)
    except subprocess.TimeoutExpired:
        written = b""
    finally:
        _end(process)
    return written.decode("utf-8", "surrogateescape").partition("\n")[0], process.returncode


def _end(process: subprocess.Popen[bytes]) -> None:
    """The process and all that it started; they have a group of their own."""
    if os.name == "posix":
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
    process.wait()


def _import_roots(record: Mapping[str, Any]) -> list[str]:
    """The folders that hold our package and those of other packages' hosts; none where ours is mapped together by
    an editable installation, which only its own finder can import."""
    site = Path(__file__).parents[2]
    if not (site / "agent_connector" / "runtime" / "simulation.py").is_file():
        return []
    roots = [str(site)]
    for host in record["hosts"].values():
        if host.get("module"):
            module = sys.modules.get(host["module"]) or __import__(host["module"], fromlist=["neutral"])
            depth = host["module"].count(".") + 1
            roots.append(str(Path(str(module.__file__)).parents[depth - 1]))
    return list(dict.fromkeys(roots))


def _environment(context: Context) -> dict[str, str]:
    """Ours, without the marks of the host that we may be running in: hook processes tell their caller by them."""
    marks = {name for host in context.catalogue.ids() for name in context.catalogue.get(host).detection.runtime.env}
    return {name: value for name, value in context.machine.env.items() if name not in marks}


def _seconds(call: Call) -> float:
    longest = max((entry.get("together_ms", entry.get("timeout_ms", 0)) for entry in call.entries), default=0)
    return float(longest) / 1000 + GRACE_SECONDS


def _died(call: Call, code: int) -> dict[str, Any]:
    """Without an answer: a handler ended the process, or brought it down."""
    return {
        "stdout": "",
        "stderr": "",
        "exit_status": code,
        "verdict": "none",
        "why": "",
        "caller": call.host.id,
        "muted": False,
        "tool": "",
        "matched": [],
        "faults": [["died", ""]],
        "responses": {},
    }


def printed_in(data_root: Path, connector: str) -> str:
    """What handlers and programs wrote that is no answer."""
    try:
        text = (data_root / "logs" / "handlers" / f"{connector}.log").read_bytes().decode("utf-8", "replace")
    except OSError:
        return ""
    return text[-PRINTED_CAP:]

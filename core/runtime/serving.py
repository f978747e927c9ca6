"""What a proxy does besides passing bytes on: by the connector's ``serve.json``, which install writes.

``connectors/<id>/serve.json``::

    {"version": 1, "connector": id, "telemetry": bool, "tool_defs": bool, "log_only": bool, "calibrate": bool,
     "hosts": {host: {"family": "openai" | "anthropic" | "generic", "session": [variable, ...],
                      "include": [pattern, ...], "exclude": [pattern, ...], "host_chooses": bool}}}

``host_chooses``: the host itself leaves those tools out that are not chosen. They are filtered elsewhere, and their
definitions count nowhere.
"""

from __future__ import annotations

import sys
from time import monotonic, time

from .appending import add_line, make_folders
from .own_files import read_record
from .process import data_root_of, system, tell, value_of, variable
from .spool import VARIABLE

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from .counter_link import CounterLink
    from .meter import Meter
    from .pump import Pump
    from .pump_threads import ThreadedPump

SESSION_VARIABLE = "AGENT_CONNECTOR_SESSION"
PROJECTS = "telemetry/projects.ndjson"
_PROJECTS_CAP = 1 << 20
_FOLDER = "telemetry"


def look_on(pump: Pump | ThreadedPump, flags: list[str], script: str) -> Callable[[], None] | None:
    """Attach to ``pump`` what the record asks for; what is to be called when the server has ended."""
    data_root = data_root_of(script)
    connector, host = value_of("--connector", flags), value_of("--host", flags)
    record = read_record(data_root, connector, "serve")
    if record is None:
        tell("debug", f"{connector} is not installed here: its calls are not counted")
        return None
    own = record["hosts"].get(host, {})
    if _has_choice(own) and not own.get("host_chooses"):
        _filter(pump, own)
    if record["telemetry"] and variable(VARIABLE) != "0":
        tell("debug", f"counting calls of {connector} in {host or 'a host that is not named'}")
        return _measure(pump, record, own, host, script)
    tell("debug", f"telemetry is off: calls of {connector} are not counted")
    return None


def _has_choice(own: dict[str, Any]) -> bool:
    return own.get("include", ["*"]) != ["*"] or bool(own.get("exclude"))


def _filter(pump: Pump | ThreadedPump, own: dict[str, Any]) -> None:
    from .tool_filter import ToolFilter

    chosen = ToolFilter(own.get("include", ["*"]), own.get("exclude", []), pump.say)
    pump.to_server.passed, pump.to_server.rest = chosen.from_client, chosen.rest_of_client
    pump.to_client.passed, pump.to_client.rest = chosen.from_server, chosen.rest_of_server


def _measure(
    pump: Pump | ThreadedPump, record: dict[str, Any], own: dict[str, Any], host: str, script: str
) -> Callable[[], None]:
    from .counter_link import CounterLink, Recorder
    from .meter import Meter

    data_root = data_root_of(script)
    about = {
        "connector": record["connector"],
        "host": host,
        "session": _session(own),
        "project": _project(data_root),
    }
    recorder = Recorder(data_root, about, log_only=record["log_only"])
    link = None
    if pump.has_sides:
        frame = {
            "family": own.get("family", "generic"),
            "calibrate": record["calibrate"],
            "log_only": record["log_only"],
        }
        if _has_choice(own):
            frame |= {"include": own.get("include", ["*"]), "exclude": own.get("exclude", [])}
        counter = script[: -len("serve.py")] + "counter.py"
        link = CounterLink(recorder, [sys.executable, "-I", "-S", "-B", counter], frame)
        meter = Meter(link.answered, lists=record["tool_defs"], crowded=link.crowded)
    else:
        meter = Meter(recorder.answered, lists=record["tool_defs"], crowded=lambda: True)  # sizes are all it tells
    pump.to_server.said, pump.to_client.said = meter.client_said, meter.server_said
    if link:
        pump.side = WhenQuiet(meter, link)

    def finish() -> None:
        meter.ended()
        if link:
            link.finish()

    return finish


class WhenQuiet:
    """Looks at what was said, and hands it to the counter, in the pauses of a conversation."""

    def __init__(self, meter: Meter, link: CounterLink) -> None:
        self._meter = meter
        self._link = link

    @property
    def pressed(self) -> bool:
        return self._link.urgent

    def wishes(self) -> tuple[int, int, float]:
        left = self._until_quiet()
        if left <= 0 or self._link.urgent:
            return self._link.wishes()
        return -1, 0, left if self._meter.behind or self._link.busy else -1.0

    def ready(self) -> None:
        if self._until_quiet() <= 0:
            self._meter.catch_up()
            self._link.ready()
        elif self._link.urgent:
            self._link.ready()

    def _until_quiet(self) -> float:
        from .pump import QUIET_MILLISECONDS

        return self._meter.last + QUIET_MILLISECONDS / 1000 - monotonic()


def _session(own: dict[str, Any]) -> str:
    """As the host names it, as the person does, or one of our own for this run of the server."""
    for name in (*own.get("session", ()), SESSION_VARIABLE):
        if value := variable(name):
            return value[:200]
    return f"run-{system.urandom(8).hex()}"


def _project(data_root: str) -> str:
    """The key of the project whose folder the host started us in. The folder itself is noted apart, where it can be
    cleared; then this process leaves it, so that the counter's socket has a short name."""
    from .project_key import project_key

    folder = system.getcwd()
    key = project_key(folder)
    add_line(data_root, PROJECTS, {"t": int(time() * 1000), "project": key, "path": folder}, cap=_PROJECTS_CAP)
    make_folders(data_root, f"{_FOLDER}/")
    system.chdir(f"{data_root}/{_FOLDER}")
    return key

"""The server's first run in a host: agent-connector registers itself in the other agents of the machine.

Once per data root, in the background, after the first list of tools was answered; what came of it is told in the
next tool's answer. Only through the ordinary install, so it is reversible, and a removal is remembered.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent_connector.errors import AgentConnectorError

from .policy import SelfRegister, read_policy

if TYPE_CHECKING:
    from agent_connector.machine import Machine
    from agent_connector.operations.context import Context
    from agent_connector.operations.reports import ChangeReport

    from .log import Log

VARIABLE = "AGENT_CONNECTOR_SELF_REGISTER"
FILE_NAME = "self-registration.json"
DELAY_SECONDS = 0.2
"""So that the list of tools is on its way before the work begins."""
PATIENCE_SECONDS = 5.0


class SelfRegistration:
    def __init__(self, machine: Machine, version: str, log: Log) -> None:
        self._machine = machine
        self._version = version
        self._log = log
        self._file = Path(machine.data_root) / FILE_NAME
        self._started = threading.Lock()
        self._telling = threading.Lock()
        self._told = False
        self._work: threading.Timer | None = None

    def begin(self, client_name: str) -> None:
        """Once per process; ``client_name`` is what the MCP client calls itself."""
        if not self._started.acquire(blocking=False) or self._file.exists():
            return
        if self._machine.env.get(VARIABLE) == "off":
            return
        self._work = threading.Timer(DELAY_SECONDS, self._run, (client_name,))
        self._work.name = "self-registration"
        self._work.start()

    def wait(self) -> None:
        """Until what :meth:`begin` began has ended."""
        if self._work is not None:
            self._work.join()

    def notices(self) -> Iterable[str]:
        """What is to be told in the next answer; each is given once. Raises ``OSError``."""
        with self._telling:
            if self._told or not self._file.exists():
                return
            said = self._read()
            self._told = True
            if said.get("notice"):
                self._write({**said, "notice": ""})
                yield said["notice"]

    def _run(self, client_name: str) -> None:
        try:
            self._register_once(client_name)
        except (AgentConnectorError, OSError) as problem:
            self._log.write(f"self-registration: {problem}")
        except Exception as error:  # noqa: BLE001  # nobody waits for this thread; the log is all there is
            self._log.fault(error)

    def _register_once(self, client_name: str) -> None:
        from agent_connector.changes.lock import data_root_lock
        from agent_connector.detection import current_host

        mode = self._mode()
        context = self._context()
        in_a_host, _ = current_host(context.catalogue, self._machine.env, client_name)
        if mode == "off" or not in_a_host:
            return
        with data_root_lock(Path(self._machine.data_root), timeout=PATIENCE_SECONDS):
            if self._file.exists():
                return
            hosts = self._hosts(context)
            report = self._install(hosts, context) if hosts and mode == "auto" else None
            self._write({"mode": mode, "hosts": hosts, "notice": _notice(hosts, report)})

    def _mode(self) -> SelfRegister:
        """The variable wins over the policy; a word it does not know is a no."""
        policy = read_policy(Path(self._machine.data_root))
        said = self._machine.env.get(VARIABLE, "")
        if said in ("auto", "ask"):
            return said  # type: ignore[return-value]  # narrowed by the line above
        return "off" if said else policy.self_register

    def _hosts(self, context: Context) -> list[str]:
        """Where to register: nowhere if somebody has decided that already, nor where it was removed."""
        from agent_connector.changes.ledger import Ledger
        from agent_connector.detection import presence

        from .. import itself

        with Ledger.open(Path(self._machine.data_root), create=False) as ledger:
            if ledger.installs(connector=itself.ID):
                return []
            return [
                host
                for host in context.catalogue.ids()
                if presence(context.catalogue.get(host), self._machine, self._machine.cwd).installed
                and not ledger.was_removed(itself.ID, host)
            ]

    def _install(self, hosts: list[str], context: Context) -> ChangeReport:
        from agent_connector.operations.install import install
        from agent_connector.operations.requests import ConnectorSource, InstallRequest

        from .. import itself

        source = ConnectorSource(inline=itself.definition(self._machine, self._version))
        report = install(InstallRequest(source=source, targets=tuple(hosts), scope="user"), context)
        for change in report.changes:
            if change.action == "warn":
                self._log.write(f"self-registration: {change.host}: {change.detail}")
        return report

    def _context(self) -> Context:
        from ..composition import context

        return context(self._machine)

    def _read(self) -> dict[str, Any]:
        try:
            said = json.loads(self._file.read_bytes())
        except ValueError:
            return {}
        return said if isinstance(said, dict) else {}

    def _write(self, said: dict[str, Any]) -> None:
        from agent_connector.runtime.records import write_private

        write_private(self._file, json.dumps(said).encode())


def _notice(hosts: list[str], report: ChangeReport | None) -> str:
    if not hosts:
        return ""
    if report is None:
        return (
            f"Tell the person: agent-connector is not registered in {', '.join(hosts)} yet. If they want it there, "
            'call install with connector "agent-connector".'
        )
    written = ("create", "update")
    done = dict.fromkeys(change.host for change in report.changes if change.host and change.action in written)
    failed = dict.fromkeys(change.host for change in report.changes if change.blocking)
    parts = []
    if done:
        parts.append(
            f"Tell the person: this was agent-connector's first run here, and it registered itself in "
            f"{', '.join(done)} (its MCP server, a skill and a slash command; agents that run see it after a "
            'restart). To undo it call uninstall with connector "agent-connector"; it then stays away.'
        )
    if failed:
        parts.append(f"It could not register itself in {', '.join(failed)}; install with its id says why.")
    return " ".join(parts)

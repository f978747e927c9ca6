"""Several of us at once, and hosts that rewrite their files while we write them."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from agent_connector.changes.ledger import Ledger
from agent_connector.operations.requests import StatusRequest
from agent_connector.operations.status import status
from homes import ACME, CLAUDE_JSON, Desk, folders, snapshot

TEN = tuple(f"acme-{number}" for number in range(10))
COMMAND = [sys.executable, "-m", "agent_connector.mcp_server.main"]


def all_at_once(home: Path, commands: list[list[str]]) -> None:
    """Every command as a process of its own, started together; each must succeed."""
    env = {"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    started = [
        subprocess.Popen(
            [*COMMAND, *command], env=env, cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )
        for command in commands
    ]
    said = [process.communicate(timeout=300) for process in started]
    for process, (out, err) in zip(started, said, strict=True):
        assert process.returncode == 0, (process.args, out, err)


def test_ten_installers_and_ten_uninstallers_at_once_lose_nothing(hosts: Path, tmp_path: Path) -> None:
    before, before_folders = snapshot(hosts), folders(hosts)
    definitions = []
    for name in TEN:
        content = {"id": name, "platforms": {}, "statusline": None}
        content |= {"commands": [{**ACME["commands"][0], "name": name}]}
        content |= {surface: [{**ACME[surface][0], "name": f"{name}-x"}] for surface in ("skills", "subagents")}
        definition = {key: value for key, value in {**ACME, **content}.items() if value is not None}
        file = tmp_path / f"{name}.json"
        file.write_text(json.dumps(definition), encoding="utf-8")
        definitions.append(str(file))
    all_at_once(hosts, [["install", "--connector", file] for file in definitions])
    claude = json.loads((hosts / ".claude.json").read_bytes())
    assert claude["mcpServers"].keys() == {"weather", *TEN}
    codex = tomllib.loads((hosts / ".codex" / "config.toml").read_text(encoding="utf-8"))
    assert codex["mcp_servers"].keys() == {"weather", *TEN}
    hooks = json.loads((hosts / ".claude" / "settings.json").read_bytes())["hooks"]
    assert len(hooks["PreToolUse"]) == len(TEN)
    memory = (hosts / ".claude" / "CLAUDE.md").read_text(encoding="utf-8")
    assert all(f"begin {name}/memory " in memory for name in TEN)
    with Ledger.open(hosts / ".agent-connector", create=False) as ledger:
        assert {install.connector for install in ledger.installs()} == set(TEN)
    all_at_once(hosts, [["uninstall", "--connector-id", name] for name in TEN])
    assert snapshot(hosts) == before
    assert folders(hosts) == before_folders


class LiveHost:
    """Rewrites its file as a host does: reads it, counts one up, puts the whole file in place with a rename."""

    def __init__(self, path: Path, pause: float) -> None:
        self.path = path
        self.pause = pause
        self.counter = 0
        self.lost = 0
        self.torn = 0
        self._stop = threading.Event()

    @contextmanager
    def running(self) -> Iterator[None]:
        thread = threading.Thread(target=self._run)
        self.write()
        thread.start()
        try:
            yield
        finally:
            self._stop.set()
            thread.join()

    def _run(self) -> None:
        while not self._stop.wait(self.pause):
            self.write()

    def write(self) -> None:
        try:
            content = json.loads(self.path.read_bytes())
        except ValueError:
            self.torn += 1
            return
        self.lost += content.get("counter", 0) != self.counter
        self.counter += 1
        content["counter"] = self.counter
        beside = self.path.with_suffix(".host")
        beside.write_text(json.dumps(content, indent=2), encoding="utf-8")
        beside.replace(self.path)


def test_a_host_that_rewrites_its_file_all_the_time_loses_nothing_by_us(hosts: Path, desk: Desk) -> None:
    path = hosts / ".claude.json"
    host = LiveHost(path, pause=0.1)
    reports: dict[str, Any] = {}
    with host.running():
        for name in TEN[:6]:
            reports[name] = desk.install({"id": name, "server": ACME["server"]}, targets=("claude-code",))
    assert host.torn == 0
    assert host.lost <= 1, "between our last look at the file and the rename there are microseconds"
    now = json.loads(path.read_bytes())
    vanished = {
        surface.connector
        for found in status(StatusRequest(), desk.context).hosts
        for surface in found.surfaces
        if surface.state == "vanished"
    }
    for name, report in reports.items():
        assert name in now["mcpServers"] or name in vanished or report.exit_code == 1, name
    assert now["mcpServers"].keys() & reports.keys(), "between two of its writes there is time for ours"
    for name in reports:
        desk.install({"id": name, "server": ACME["server"]}, targets=("claude-code",))
        desk.uninstall(name)
    assert json.loads(path.read_bytes()) == {**json.loads(CLAUDE_JSON), "counter": host.counter}

"""A connector's server behind ``serve`` in a data root of its own, and what its proxies and their counter leave."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

RECORD: dict[str, Any] = {
    "version": 1,
    "connector": "acme",
    "telemetry": True,
    "tool_defs": True,
    "log_only": False,
    "calibrate": False,
    "hosts": {
        "measured": {"family": "openai", "session": ["THEIR_SESSION"]},
        "filtered": {"family": "anthropic", "session": ["THEIR_SESSION"], "include": ["*"], "exclude": ["no_*"]},
    },
}
# Answers every call but those of "never"; the name says how long the answer is.
SERVER = """
import json, sys
sizes = {"small": 1_000, "big": 1_000_000}
for line in sys.stdin:
    message = json.loads(line)
    tool = message["params"]["name"]
    if tool == "never": continue
    text = ("customer of an order " * 50_000)[:sizes[tool]]
    answer = {"jsonrpc": "2.0", "id": message["id"], "result": {"content": [{"type": "text", "text": text}]}}
    print(json.dumps(answer), flush=True)
"""


def make_root(root: Path, built_runtime: Path) -> Path:
    """A data root in which ``acme`` is measured in one host, and filtered too in another."""
    root.mkdir(mode=0o700)
    (root / "bin").symlink_to(built_runtime / "bin")
    (root / "runtime").symlink_to(built_runtime / "runtime")
    folder = root / "connectors" / "acme"
    folder.mkdir(parents=True)
    (folder / "connector.json").write_text("{}")
    (folder / "serve.json").write_text(json.dumps(RECORD))
    return root


def served(root: Path, *command: str, host: str = "measured") -> list[str]:
    """What a host's entry would hold for a server's command."""
    return [str(root / "bin" / "agent-connector"), "serve", "--connector", "acme", "--host", host, "--", *command]


@dataclass
class Host:
    """One host with one server, and what it was answered. ``session`` is its own name of the conversation."""

    root: Path
    session: str
    answered: int = 0
    asked: int = 0
    process: subprocess.Popen[bytes] = field(init=False)

    def __post_init__(self) -> None:
        command = served(self.root, sys.executable, "-I", "-S", "-c", SERVER)
        env = {"PATH": os.defpath, "THEIR_SESSION": self.session}
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=env)

    def ask(self, tool: str, argument: str = "") -> None:
        params = {"name": tool, "arguments": {"n": self.asked, "text": argument}}
        call = {"jsonrpc": "2.0", "id": self.asked, "method": "tools/call", "params": params}
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(call).encode() + b"\n")
        self.process.stdin.flush()
        self.asked += 1

    def call(self, tool: str = "small", argument: str = "") -> int:
        """The answer's size in bytes."""
        self.ask(tool, argument)
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        assert json.loads(line)["id"] == self.asked - 1
        self.answered += 1
        return len(line)

    def kill(self) -> None:
        self.process.kill()
        self._close()

    def end(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()
        assert self.process.wait(30) == 0
        self._close()

    def _close(self) -> None:
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait(30)


def counters(root: Path) -> list[int]:
    """Processes that count for ``root``."""
    found = []
    for folder in Path("/proc").iterdir():
        try:
            words = (folder / "cmdline").read_bytes().split(b"\0")
            if any(word.endswith(b"/entry/counter.py") and str(root).encode() in word for word in words):
                found.append(int(folder.name))
        except (OSError, ValueError):
            continue
    return found


def kill_counters(root: Path) -> list[int]:
    killed = counters(root)
    for counter in killed:
        os.kill(counter, signal.SIGKILL)
    return killed


def spooled(root: Path) -> list[dict[str, Any]]:
    """Every row as it was written: one of a call that was counted late is there twice."""
    files = sorted((root / "telemetry" / "spool").glob("*.ndjson"))
    return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]


def calls(root: Path, session: str) -> list[dict[str, Any]]:
    """The rows of a session's calls, each once, as well counted as it is by now."""
    best: dict[int, dict[str, Any]] = {}
    for row in spooled(root):
        if row["session"] == session and row["scope"] == "call" and ("out" in row or row["u"] not in best):
            best[row["u"]] = row
    return list(best.values())


def settled(root: Path) -> None:
    """Wait until nobody adds to the spool any more."""
    size = -1
    while size != (size := sum(file.stat().st_size for file in (root / "telemetry" / "spool").iterdir())):
        time.sleep(0.5)

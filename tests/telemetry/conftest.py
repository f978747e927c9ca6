"""A counter in a process of its own, and proxies that hand it what was said."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

SERVE = """
import sys
from agent_connector.telemetry.counter import serve
from agent_connector.telemetry.tokens import Heuristic, O200kBase
root, idle, silent, engine = sys.argv[1:]
load = {"o200k": O200kBase, "none": Heuristic, "broken": lambda: 1 / 0}[engine]
sys.exit(0 if serve(root, idle_seconds=float(idle), silent_seconds=float(silent), load=load) else 9)
"""
PATIENCE = 20.0
_MOVING = threading.Lock()
OPEN: list[socket.socket] = []
"""Sockets of the running test, closed when it ends."""

CALL = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "tools/call",
    "params": {"name": "query", "arguments": {"sql": "select 1"}},
}
ANSWER = {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "hello world"}]}}
ROW = {
    "t": 1700000000000,
    "scope": "call",
    "connector": "acme",
    "host": "codex",
    "tool": "query",
    "inb": 99,
    "outb": 77,
}


class Proxy:
    """One connection to the counter of ``root``."""

    def __init__(self, root: Path) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.socket.settimeout(PATIENCE)
        OPEN.append(self.socket)
        with _MOVING, contextlib.chdir(root / "telemetry"):
            self.socket.connect("counter.sock")
        self.heard = b""

    def say(self, u: int, request: Any = CALL, answer: Any = ANSWER, **header: Any) -> None:
        self.socket.sendall(frame(u, request, answer, **header))

    def hear(self) -> int:
        """The number that is confirmed next. Raises ``ConnectionError`` where the counter has hung up."""
        while b"\n" not in self.heard:
            data = self.socket.recv(65536)
            if not data:
                raise ConnectionResetError
            self.heard += data
        line, _, self.heard = self.heard.partition(b"\n")
        return int(line)

    def hand_over(self, u: int, request: Any = CALL, answer: Any = ANSWER, **header: Any) -> None:
        self.say(u, request, answer, **header)
        assert self.hear() == u


def frame(
    u: int, request: Any = CALL, answer: Any = ANSWER, *, row: dict[str, Any] | None = None, **header: Any
) -> bytes:
    """``request`` and ``answer`` are JSON values, or bytes as they are."""
    parts = [part if isinstance(part, bytes) else json.dumps(part).encode() for part in (request, answer)]
    head = {
        "row": {**ROW, "u": u, **(row or {})},
        "family": "openai",
        "parts": [len(part) for part in parts],
        **header,
    }
    return json.dumps(head).encode() + b"\n" + b"".join(parts)


class Counter:
    """The process, and what it leaves in its data root."""

    def __init__(self, root: Path, process: subprocess.Popen[bytes]) -> None:
        self.root = root
        self.process = process

    def proxy(self) -> Proxy:
        """A connection, made as soon as there is something to connect to."""
        return eventually(lambda: Proxy(self.root), during=self.process)

    @property
    def rows(self) -> list[dict[str, Any]]:
        files = sorted((self.root / "telemetry" / "spool").glob("*.ndjson"))
        return [json.loads(line) for file in files for line in file.read_text(encoding="utf-8").splitlines()]

    @property
    def faults(self) -> list[dict[str, Any]]:
        file = self.root / "logs" / "counter.ndjson"
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()] if file.exists() else []

    def ended(self, seconds: float = PATIENCE) -> int:
        return self.process.wait(seconds)


def eventually(attempt: Callable[[], Any], *, during: subprocess.Popen[bytes] | None = None) -> Any:
    """What ``attempt`` gives, once it raises no ``OSError`` any more."""
    deadline = time.monotonic() + PATIENCE
    while True:
        try:
            return attempt()
        except OSError:
            assert time.monotonic() < deadline
            assert during is None or during.poll() is None, "the counter has ended"
            time.sleep(0.01)


@pytest.fixture
def data_root(tmp_path: Path) -> Path:
    """Too deep for the path of a socket, and with a name that people have."""
    root = tmp_path / "Zoë O'Neil $HOME & co" / ("deep " * 20).strip() / "data"
    root.mkdir(parents=True)
    return root


@pytest.fixture
def start(data_root: Path) -> Iterator[Callable[..., Counter]]:
    """Starts a counter. ``engine``: ``o200k``, ``none``, or ``broken``."""
    started: list[subprocess.Popen[bytes]] = []

    def starting(
        *, engine: str = "none", idle: float = 60, silent: float = 600, root: Path = data_root, **env: str
    ) -> Counter:
        command = [sys.executable, "-c", SERVE, str(root), str(idle), str(silent), engine]
        bare = {"PATH": os.defpath, **env}
        process = subprocess.Popen(command, env=bare, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        started.append(process)
        return Counter(root, process)

    yield starting
    while OPEN:
        OPEN.pop().close()
    for process in started:
        with contextlib.suppress(ProcessLookupError):
            process.send_signal(signal.SIGKILL)
        said = process.communicate()
        assert said == (b"", b""), said

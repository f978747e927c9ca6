"""What Codex itself says of hooks, and how a person's trust is stored: its app-server, JSON-RPC over stdio."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
from typing import Any

from host_homes import Codex

END_SECONDS = 10


def ask(codex: Codex, method: str, parameters: dict[str, Any]) -> Any:
    """The result of one request. The server keeps databases and skills in the home: never ask in a real one."""
    env = codex.home.env(codex.installation / "bin")
    with subprocess.Popen(
        ["codex", "app-server"],
        env=env,
        cwd=codex.home.project,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        encoding="utf-8",
        start_new_session=True,
    ) as server:
        try:
            client = {"clientInfo": {"name": "tests", "version": "0"}}
            _send(server, {"id": 0, "method": "initialize", "params": client})
            _answer(server, 0)
            _send(server, {"method": "initialized"})
            _send(server, {"id": 1, "method": method, "params": parameters})
            return _answer(server, 1)["result"]
        finally:
            assert server.stdin is not None
            server.stdin.close()
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(END_SECONDS)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(server.pid, signal.SIGKILL)


def listed_hooks(codex: Codex) -> Any:
    """Of the project: ``hooks`` with ``key``, ``currentHash``, ``trustStatus``, …, and ``warnings``."""
    (found,) = ask(codex, "hooks/list", {"cwds": [str(codex.home.project)]})["data"]
    return found


def trust(codex: Codex) -> None:
    """Every hook there is, as a person does who reviews them all."""
    known = {hook["key"]: {"trusted_hash": hook["currentHash"]} for hook in listed_hooks(codex)["hooks"]}
    edit = {"keyPath": "hooks.state", "value": known, "mergeStrategy": "upsert"}
    ask(codex, "config/batchWrite", {"edits": [edit]})


def _send(server: subprocess.Popen[str], message: dict[str, Any]) -> None:
    assert server.stdin is not None
    server.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    server.stdin.flush()


def _answer(server: subprocess.Popen[str], number: int) -> Any:
    assert server.stdout is not None
    for line in server.stdout:
        message = json.loads(line)
        if message.get("id") == number:
            return message
    raise AssertionError(f"codex app-server ended with {server.wait()} before it answered")

"""A live handshake with a stdio MCP server, in both protocol eras, as a host would do it.

Written on the wire format itself: it must be able to speak to servers of either era, one at a time, and say exactly
which message was not answered.
"""

from __future__ import annotations

import contextlib
import json
import queue
import subprocess
import threading
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ..values import frozen

HANDSHAKE_REVISION = "2025-11-25"
MODERN_REVISION = "2026-07-28"
CLIENT = {"name": "agent-connector-doctor", "version": "1"}

Era = Literal["handshake", "modern"]


@frozen
class Probe:
    """``spoken``: the server answered in this era. ``tools`` are names, ``server`` its name and version."""

    era: Era
    spoken: bool
    message: str
    server: str = ""
    tools: tuple[str, ...] = ()


class _SilentError(Exception):
    """The server did not answer what was asked, for the reason in the text."""


def probe_server(
    command: Sequence[str], env: Mapping[str, str], cwd: str | None, timeout: float = 30.0
) -> list[Probe]:
    """Start the server once per era and talk to it; each process is ended. ``timeout``: seconds per answer."""
    return [_probe("handshake", command, env, cwd, timeout), _probe("modern", command, env, cwd, timeout)]


def _probe(era: Era, command: Sequence[str], env: Mapping[str, str], cwd: str | None, timeout: float) -> Probe:
    try:
        with _Connection(command, env, cwd, timeout) as connection:
            return _handshake(connection) if era == "handshake" else _modern(connection)
    except OSError as error:
        return Probe(era, spoken=False, message=f"{command[0]} cannot be started: {error.strerror or error}")
    except _SilentError as silence:
        return Probe(era, spoken=False, message=str(silence))


def _handshake(connection: _Connection) -> Probe:
    hello = {"protocolVersion": HANDSHAKE_REVISION, "capabilities": {}, "clientInfo": CLIENT}
    result = connection.request("initialize", hello)
    connection.notify("notifications/initialized")
    connection.request("ping", {})
    tools = _tool_names(connection.request("tools/list", {}))
    server = _server_name(result.get("serverInfo"))
    revision = result.get("protocolVersion", "?")
    return Probe("handshake", spoken=True, message=f"speaks {revision}", server=server, tools=tools)


def _modern(connection: _Connection) -> Probe:
    meta = {
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": MODERN_REVISION,
            "io.modelcontextprotocol/clientCapabilities": {},
            "io.modelcontextprotocol/clientInfo": CLIENT,
        }
    }
    found = connection.request("server/discover", meta)
    tools = _tool_names(connection.request("tools/list", meta))
    server = _server_name(found.get("_meta", {}).get("io.modelcontextprotocol/serverInfo"))
    return Probe("modern", spoken=True, message=f"speaks {MODERN_REVISION}", server=server, tools=tools)


def _tool_names(result: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(str(tool.get("name", "?")) for tool in result.get("tools", []) if isinstance(tool, dict))


def _server_name(info: Any) -> str:
    return f"{info.get('name', '?')} {info.get('version', '')}".strip() if isinstance(info, dict) else ""


class _Connection:
    """One server process; lines it prints are read by a thread, so that a silent server cannot hold us."""

    def __init__(self, command: Sequence[str], env: Mapping[str, str], cwd: str | None, timeout: float) -> None:
        self._process = subprocess.Popen(
            list(command),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=dict(env),
            cwd=cwd,
        )
        self._timeout = timeout
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()
        self._last_id = 0

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")

    def notify(self, method: str) -> None:
        self._send({"jsonrpc": "2.0", "method": method})

    def request(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        self._last_id += 1
        self._send({"jsonrpc": "2.0", "id": self._last_id, "method": method, "params": params})
        while True:
            try:
                line = self._lines.get(timeout=self._timeout)
            except queue.Empty:
                raise _SilentError(f"no answer to {method} within {self._timeout:g} s") from None
            if not line:
                raise _SilentError(f"the server ended before it answered {method}{self._exit_text()}")
            answer = _parsed(line)
            if answer.get("id") != self._last_id:
                continue
            if "error" in answer:
                raise _SilentError(f"{method} was refused: {answer['error'].get('message', answer['error'])}")
            result = answer.get("result")
            return result if isinstance(result, dict) else {}

    def _send(self, message: Mapping[str, Any]) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except OSError:
            raise _SilentError(
                f"the server ended before {message['method']} could be sent{self._exit_text()}"
            ) from None

    def _exit_text(self) -> str:
        try:
            return f" (exit status {self._process.wait(timeout=1)})"
        except subprocess.TimeoutExpired:
            return ""

    def __enter__(self) -> _Connection:
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(timeout=2)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._reader.join(timeout=2)
        self._process.stdout.close()


def _parsed(line: bytes) -> dict[str, Any]:
    try:
        answer = json.loads(line)
    except ValueError:
        return {}  # noise on stdout: hosts skip it too
    return answer if isinstance(answer, dict) else {}

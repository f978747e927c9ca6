"""What we count of a call and of a definition is what hosts give their models, but for what they put around it."""

from __future__ import annotations

import base64
import json
import random
import sys
from pathlib import Path
from typing import Any

import pytest
from agent_connector.telemetry.extraction import read_call, read_page
from agent_connector.telemetry.modalities import Family
from agent_connector.telemetry.tokens import tokens
from host_homes import ClaudeCode, Codex
from model_server import ModelRequest
from speaking_server import tools

pytestmark = pytest.mark.real_host

SERVER = Path(__file__).with_name("speaking_server.py")
PROSE = " ".join(f"The {number}th customer ordered nothing." for number in range(40))
TABLE = {"rows": [{"id": number, "name": f"customer {number}"} for number in range(30)]}
BLOB = base64.b64encode(random.Random(1).randbytes(1500)).decode()
FRAME = 45
"""Tokens that a host may put around a result: a time, a kind, the path of a file it saved."""


def text(value: str) -> dict[str, Any]:
    return {"type": "text", "text": value}


SPOKEN: dict[str, Any] = {
    "texts": {"result": {"content": [text(PROSE), text("and one more")]}},
    "both": {"result": {"content": [text(PROSE)], "structuredContent": TABLE}},
    "same": {"result": {"content": [text(json.dumps(TABLE, indent=4))], "structuredContent": TABLE}},
    "structured": {"result": {"content": [], "structuredContent": TABLE}},
    "failed": {"result": {"content": [text(PROSE)], "structuredContent": TABLE, "isError": True}},
    "refused": {"error": {"code": -32000, "message": PROSE, "data": TABLE}},
    "resource": {"result": {"content": [{"type": "resource", "resource": {"uri": "file:///a.txt", "text": PROSE}}]}},
    "file": {"result": {"content": [{"type": "resource", "resource": {"uri": "file:///a.bin", "blob": BLOB}}]}},
    "sound": {"result": {"content": [{"type": "audio", "data": BLOB, "mimeType": "audio/wav"}]}},
    "link": {
        "result": {
            "content": [{"type": "resource_link", "uri": "file:///b.txt", "name": "b.txt", "description": PROSE}]
        }
    },
}


def speaking(folder: Path) -> dict[str, Any]:
    spoken = folder / "spoken.json"
    spoken.write_text(json.dumps(SPOKEN), encoding="utf-8")
    return {"command": sys.executable, "args": [str(SERVER)], "env": {"SPOKEN": str(spoken)}}


def script(prefix: str) -> str:
    return "\n".join(f'CALL {prefix}{name} {{"a": "b"}}' for name in SPOKEN) + "\nSAY done"


def counted(name: str, family: Family) -> int:
    request = {"method": "tools/call", "params": {"name": name, "arguments": {"a": "b"}}}
    call = read_call(json.dumps(request).encode(), json.dumps(SPOKEN[name]).encode(), family)
    return sum(map(tokens().count, call.answered)) + call.estimated


def check(request: ModelRequest, family: Family, home: Path) -> None:
    """``home``: how long its path is does not belong to what is asked here (a host tells where it saved a file)."""
    paths = (str(home), "".join(letter if letter.isalnum() else "-" for letter in str(home)))
    read = []
    for result, _ in request.tool_results:
        for path in paths:
            result = result.replace(path, "")
        read.append(tokens().count(result))
    assert len(read) == len(SPOKEN)
    off = {
        name: (counted(name, family), count)
        for name, count in zip(SPOKEN, read, strict=True)
        if abs(counted(name, family) - count) > FRAME
    }
    assert off == {}

    offered = json.dumps(request.body["tools"])
    assert [mark for mark in ("PARAMETER", "TITLE", "OUTPUT", "ANNOTATION") if mark in offered] == ["PARAMETER"]
    page = read_page(b"{}", json.dumps({"result": {"tools": tools(SPOKEN)}}).encode())
    assert [mark for mark in ("PARAMETER", "TITLE", "OUTPUT", "ANNOTATION") if mark in page.definitions[0].text] == [
        "PARAMETER"
    ]


def test_claude_code_gives_its_model_what_we_count(claude: ClaudeCode, tmp_path: Path) -> None:
    claude.user_config.write_text(json.dumps({"mcpServers": {"speaking": speaking(tmp_path)}}), encoding="utf-8")
    claude.turn(script("mcp__speaking__"), "--allowedTools", "mcp__speaking").succeeded()

    check(claude.model.last, "anthropic", claude.home.path)


def test_codex_gives_its_model_what_we_count(codex: Codex, tmp_path: Path) -> None:
    server = speaking(tmp_path)
    codex.user_config.parent.mkdir(exist_ok=True)
    codex.user_config.write_text(
        f"[mcp_servers.speaking]\ncommand = {json.dumps(server['command'])}\nargs = {json.dumps(server['args'])}\n"
        f"env = {{ SPOKEN = {json.dumps(server['env']['SPOKEN'])} }}\n",
        encoding="utf-8",
    )
    codex.turn(script("mcp__speaking__")).succeeded()

    check(codex.model.last, "openai", codex.home.path)

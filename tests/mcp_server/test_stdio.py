"""The real command over real pipes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from agent_connector.mcp_server.server.tools import all_tools
from homes import ACME
from mcp import Client, StdioServerParameters

pytestmark = pytest.mark.anyio

COMMAND = Path(sys.executable).parent / ("agent-connector.exe" if os.name == "nt" else "agent-connector")


@pytest.fixture
def env(home: Path) -> dict[str, str]:
    return {"HOME": str(home), "PATH": "/usr/bin:/bin", "AGENT_CONNECTOR_SELF_REGISTER": "off"}


async def test_a_python_client_installs_and_removes(hosts: Path, env: dict[str, str], era: str) -> None:
    before = (hosts / ".claude.json").read_bytes()
    server = StdioServerParameters(command=str(COMMAND), args=["mcp"], env=env, cwd=hosts)
    async with Client(server, mode=era, read_timeout_seconds=120) as client:
        listed = [tool.name for tool in (await client.list_tools()).tools]
        assert listed == [tool.name for tool in all_tools()]
        for tool, what in (("install", {"definition": ACME}), ("uninstall", {"connector": "acme-db"})):
            planned = await client.call_tool(tool, what)
            plan_id = (planned.structured_content or {})["plan_id"]
            done = await client.call_tool(tool, {"plan_id": plan_id, "confirm": True})
            assert (done.structured_content or {})["outcome"] == "done", done
            if tool == "install":
                assert b"acme-db" in (hosts / ".claude.json").read_bytes()
    assert (hosts / ".claude.json").read_bytes() == before


def test_nothing_but_the_protocol_is_on_standard_output(hosts: Path, env: dict[str, str]) -> None:
    """A definition that prints, a child of it that prints, and what is printed when everything is over."""
    loud = hosts / "agent-connector.config.py"
    loud.write_text(
        "import atexit, os, subprocess, sys\n"
        "from agent_connector import define_connector\n"
        "print('stray from python')\n"
        "os.write(1, b'stray from the descriptor\\n')\n"
        "subprocess.run(['echo', 'stray from a child'])\n"
        "sys.__stdout__.write('stray that stays in the buffer\\n')\n"
        "atexit.register(print, 'stray at exit')\n"
        "connector = define_connector(id='loud', server={'transport': 'stdio', 'command': 'x'})\n"
    )
    (hosts / ".agent-connector").mkdir(mode=0o700)
    (hosts / ".agent-connector" / "policy.toml").write_text('run_code = "allow"\n')
    process = subprocess.Popen(
        [COMMAND, "mcp"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=env, cwd=hosts
    )
    assert process.stdin is not None
    assert process.stdout is not None
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "pipes", "version": "1"}}
    call = {"name": "install", "arguments": {"connector": str(loud)}}
    lines = []
    for message in (
        {"id": 1, "method": "initialize", "params": hello},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/call", "params": call},
    ):
        process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
        process.stdin.flush()
        if "id" in message:
            lines.append(process.stdout.readline())
    process.stdin.close()
    process.stdin = None
    rest, errors = process.communicate(timeout=60)
    assert process.returncode == 0, errors
    assert rest == b""
    first, second = map(json.loads, lines)
    assert (first["id"], second["id"]) == (1, 2)
    assert second["result"]["structuredContent"]["connector"] == "loud"
    for stray in (b"from python", b"the descriptor", b"a child", b"in the buffer", b"at exit"):
        assert b"stray " + stray.removeprefix(b"from ") in errors or stray in errors


def test_it_takes_no_arguments() -> None:
    from agent_connector.mcp_server.server.main import run

    assert run(["--port", "1"]) == 2


def test_a_client_that_goes_away_ends_it_quietly(hosts: Path, env: dict[str, str]) -> None:
    process = subprocess.run([COMMAND, "mcp"], input=b"", capture_output=True, env=env, cwd=hosts, timeout=60)
    assert process.returncode == 0
    assert process.stdout == b""
    assert b"Traceback" not in process.stderr

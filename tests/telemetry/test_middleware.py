"""A Python MCP server that measures itself: the rows that ``serve`` would make of it, from inside."""

from __future__ import annotations

import json
import os
import time
from pathlib import Path

import pytest
from agent_connector import measure
from agent_connector.errors import UsageError
from mcp import Client
from mcp.server import MCPServer
from mcp.server.mcpserver.exceptions import ToolError

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture
def data_root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    root = tmp_path / "root"
    root.mkdir(mode=0o700)
    monkeypatch.setenv("AGENT_CONNECTOR_DATA_DIR", str(root))
    monkeypatch.delenv("AGENT_CONNECTOR_TELEMETRY", raising=False)
    monkeypatch.setenv("AGENT_CONNECTOR_SESSION", "mine")
    return root


def shop() -> MCPServer:
    server = MCPServer("Acme Shop", version="1")

    @server.tool()
    def price(item: str) -> str:
        return f"{item}: 42 marker-58b1"

    @server.tool()
    def fail() -> str:
        raise ToolError("no such thing")

    return server


def rows(root: Path, wanted: int, seconds: float = 30) -> list[dict]:
    """The spool's rows, once ``wanted`` calls have been counted in tokens."""
    deadline = time.monotonic() + seconds
    while True:
        found = [
            json.loads(line)
            for file in (root / "telemetry" / "spool").glob("*.ndjson")
            for line in file.read_text().splitlines()
        ]
        if len([row for row in found if row["scope"] == "call" and "out" in row]) >= wanted:
            return found
        assert time.monotonic() < deadline, found
        time.sleep(0.1)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_every_call_is_counted_with_its_tool_outcome_and_tokens(data_root: Path, mode: str) -> None:
    server = measure(shop(), host="codex", family="openai")

    async with Client(server, mode=mode) as client:
        answer = await client.call_tool("price", {"item": "hat"})
        await client.call_tool("fail", {})
        await client.list_tools()

    assert "42" in answer.content[0].text
    found = rows(data_root, 2)
    calls = {row["tool"]: row for row in found if row["scope"] == "call"}
    assert calls["price"]["connector"] == "acme-shop"
    assert calls["price"]["conf"] == "tokenizer-exact"
    assert calls["price"]["out"] > 3
    assert (calls["price"].get("error", 0), calls["fail"]["error"]) == (0, 1)
    assert {row["session"] for row in found} == {"mine"}
    assert not [path for path in data_root.rglob("*") if path.is_file() and b"marker-58b1" in path.read_bytes()]


async def test_what_the_installed_definition_says_of_telemetry_holds(data_root: Path) -> None:
    record = data_root / "connectors" / "acme-shop" / "serve.json"
    record.parent.mkdir(parents=True)
    said = {"version": 1, "connector": "acme-shop", "telemetry": True, "tool_defs": False, "log_only": True}
    record.write_text(json.dumps(said))
    server = measure(shop(), host="codex", family="openai")
    record.write_text(json.dumps({**said, "telemetry": False}))
    off = measure(shop())

    assert len(off.middleware) == len(shop().middleware) == len(server.middleware) - 1
    async with Client(server) as client:
        await client.list_tools()
        await client.call_tool("price", {"item": "hat"})
    log = data_root / "telemetry" / "log" / "acme-shop.ndjson"
    deadline = time.monotonic() + 30
    while not (log.exists() and '"out":' in log.read_text()) and time.monotonic() < deadline:
        time.sleep(0.1)

    assert {json.loads(line)["scope"] for line in log.read_text().splitlines()} == {"call"}
    assert not (data_root / "telemetry" / "spool").exists()


async def test_switched_off_it_leaves_the_server_alone(data_root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AGENT_CONNECTOR_TELEMETRY", "0")
    server = shop()
    before = list(server.middleware)

    assert measure(server).middleware == before
    assert os.listdir(data_root) == []  # noqa: PTH208


@pytest.mark.parametrize(
    ("server", "connector"), [(object(), "acme"), (MCPServer("Acme"), "no id"), (MCPServer("!"), "")]
)
def test_what_cannot_be_measured_is_said(server: object, connector: str) -> None:
    with pytest.raises(UsageError):
        measure(server, connector=connector)

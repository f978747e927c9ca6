"""The example's server answers a real MCP client over stdio, in both protocol eras."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

SERVER = Path(__file__).parents[2] / "examples" / "acme_db" / "server.py"

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


def acme_db(*, mode: str = "auto", **env: str) -> Client:
    return Client(StdioServerParameters(command=sys.executable, args=[str(SERVER)], env=env), mode=mode)


@pytest.mark.parametrize(("mode", "revision"), [("auto", "2026-07-28"), ("legacy", "2025-11-25")])
async def test_both_eras_are_served_the_same_tools_and_the_same_table(mode: str, revision: str) -> None:
    async with acme_db(mode=mode) as client:
        assert client.protocol_version == revision
        assert client.server_info.name == "acme-db"

        tools = {tool.name: tool.annotations for tool in (await client.list_tools()).tools}
        assert tools.keys() == {"acme_query", "acme_write"}
        assert tools["acme_query"].read_only_hint
        assert not tools["acme_write"].read_only_hint
        assert tools["acme_write"].destructive_hint

        written = await client.call_tool("acme_write", {"sql": "delete from orders where customer = 'Ada'"})
        assert written.structured_content == {"changed_rows": 1}
        read = await client.call_tool("acme_query", {"sql": "select customer from orders order by id"})
        assert read.structured_content == {
            "columns": ["customer"],
            "rows": [["Grace"], ["Edsger"]],
            "truncated": False,
        }


async def test_a_query_that_would_write_is_refused_in_words_and_changes_nothing() -> None:
    async with acme_db() as client:
        refused = await client.call_tool("acme_query", {"sql": "delete from orders"})
        assert refused.is_error
        assert "readonly" in refused.content[0].text

        count = await client.call_tool("acme_query", {"sql": "select count(*) from orders"})
        assert count.structured_content["rows"] == [[3]]


async def test_a_named_file_keeps_the_table(tmp_path: Path) -> None:
    file = str(tmp_path / "acme.db")
    async with acme_db(ACME_DB_FILE=file) as client:
        await client.call_tool("acme_write", {"sql": "update orders set total_cents = 7 where id = 1"})
    async with acme_db(ACME_DB_FILE=file) as client:
        read = await client.call_tool("acme_query", {"sql": "select total_cents from orders where id = 1"})
    assert read.structured_content["rows"] == [[7]]

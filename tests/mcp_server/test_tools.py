"""What a host learns from the list of tools, and what that costs every model."""

from __future__ import annotations

import json

import pytest
from agent_connector.mcp_server.server import answers, schemas
from agent_connector.mcp_server.server.desk import Desk
from agent_connector.mcp_server.server.tools import all_tools
from agent_connector.mcp_server.version import VERSION
from agent_connector.telemetry.tokens import tokens

pytestmark = pytest.mark.anyio

TOOLS = ["detect", "install", "uninstall", "upgrade", "status", "doctor", "explain", "simulate"]
TOOLS += ["telemetry_report", "leaderboard"]
READERS = {"detect", "status", "explain", "telemetry_report", "leaderboard"}


async def test_the_tools_are_listed_always_in_the_same_order(agent) -> None:
    for _ in range(2):
        async with agent.connected() as client:
            assert [tool.name for tool in (await client.list_tools()).tools] == TOOLS


async def test_names_descriptions_and_input_schemas_take_at_most_1500_tokens(agent) -> None:
    async with agent.connected() as client:
        tools = (await client.list_tools()).tools
    listed = [
        {"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema} for tool in tools
    ]
    counter = tokens()
    assert counter.source == "o200k_base"
    assert counter.count(json.dumps(listed, ensure_ascii=False, separators=(",", ":"))) <= 1500


async def test_every_tool_has_a_title_all_four_annotations_and_an_output_schema(agent) -> None:
    async with agent.connected() as client:
        tools = (await client.list_tools()).tools
    for tool in tools:
        assert tool.title
        assert tool.annotations is not None
        hints = tool.annotations.model_dump(by_alias=True)
        assert all(
            isinstance(hints[name], bool)
            for name in ("readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint")
        )
        assert hints["readOnlyHint"] == (tool.name in READERS)
        assert tool.output_schema is not None
        assert tool.output_schema["type"] == "object"


async def test_the_server_says_who_it_is(agent) -> None:
    async with agent.connected() as client:
        assert client.server_info.name == "agent-connector"
        assert client.server_info.version == VERSION
        assert client.instructions is not None
        assert "two calls" in client.instructions


async def test_a_misspelt_argument_is_refused_with_the_nearest_name(agent, told) -> None:
    # Dropped, it would install into every host instead of one.
    result = await agent.call("install", target=["codex"], definition={"id": "x"})
    assert result.is_error
    assert "Did you mean targets?" in told(result)


async def test_wrong_types_are_an_answer_a_model_can_read(agent, told) -> None:
    result = await agent.call("install", targets=5)
    assert result.is_error
    assert "targets" in told(result)


def test_the_output_schemas_made_beforehand_are_those_of_the_answers() -> None:
    assert answers.output_schemas() == schemas.OUTPUT


def test_listing_the_tools_loads_no_operation() -> None:
    import subprocess
    import sys

    program = (
        "import sys; from agent_connector.machine import Machine;"
        "from agent_connector.mcp_server.server.app import build;"
        "from agent_connector.mcp_server.server.desk import Desk;"
        "build(Desk(Machine.current(), '1'));"
        "print([name for name in sys.modules if name.startswith(('agent_connector.operations',"
        " 'agent_connector.adapters', 'agent_connector.changes', 'agent_connector.documents'))])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_building_the_server_touches_nothing(agent) -> None:
    before = sorted(agent.data_root.parent.rglob("*"))
    Desk(agent.machine, VERSION)
    all_tools()
    assert sorted(agent.data_root.parent.rglob("*")) == before

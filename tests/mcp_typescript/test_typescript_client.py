"""The official TypeScript client and our server understand each other over stdio."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest
from host_homes import Home
from hosts_cache import MCP_TYPESCRIPT, node, require

pytestmark = pytest.mark.real_host

CLIENT = Path(__file__).parent / "client.mjs"
AGENT_CONNECTOR = Path(sys.executable).parent / "agent-connector"
TOOLS = {"detect", "install", "uninstall", "upgrade", "status", "doctor"}


@pytest.fixture(scope="module")
def learned(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """What the client learned from ``agent-connector mcp`` in a home that has Claude Code's folder and nothing else.

    Registering itself is switched off: a client that only looks must leave the home as it was.
    """
    home = Home(tmp_path_factory.mktemp("typescript") / "home", {"AGENT_CONNECTOR_SELF_REGISTER": "off"}).create()
    (home.path / ".claude").mkdir()
    sdk = require(MCP_TYPESCRIPT) / "node_modules" / "@modelcontextprotocol" / "sdk"
    return home.run(node(), CLIENT, sdk, "detect", AGENT_CONNECTOR, "mcp").succeeded().json


def test_it_lists_the_tools_with_schemas_and_annotations(learned: Any) -> None:
    assert learned["server"]["name"] == "agent-connector"
    tools = {tool["name"]: tool for tool in learned["tools"]}
    assert tools.keys() >= TOOLS
    for tool in tools.values():
        assert tool["inputSchema"]["type"] == "object"
        assert tool["outputSchema"]["type"] == "object"
        hints = {"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"}
        assert tool["annotations"].keys() >= hints
    assert tools["detect"]["annotations"]["readOnlyHint"]


def test_it_calls_detect_and_gets_structured_content_that_fits_the_output_schema(learned: Any) -> None:
    # The client itself validates structured content against the output schema and throws where it does not fit.
    assert not learned["called"].get("isError")
    assert "claude-code" in str(learned["called"]["structuredContent"])
    assert learned["called"]["content"][0]["type"] == "text"

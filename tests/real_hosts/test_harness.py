"""The harness proves itself on each host alone, with configs written by hand."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from host_homes import ClaudeCode, Codex
from hosts_cache import CLAUDE_CODE, CODEX

pytestmark = pytest.mark.real_host

SERVER = Path(__file__).parents[2] / "examples" / "acme_db" / "server.py"
QUERY = 'CALL {tool} {{"sql": "select customer from orders where id = 2"}}\nSAY that was it'


def register_with_claude(claude: ClaudeCode) -> None:
    entry = {"type": "stdio", "command": sys.executable, "args": [str(SERVER)], "env": {}}
    claude.user_config.write_text(json.dumps({"mcpServers": {"acme-db": entry}}))


def register_with_codex(codex: Codex) -> None:
    codex.user_config.parent.mkdir()
    codex.user_config.write_text(f'[mcp_servers.acme-db]\ncommand = "{sys.executable}"\nargs = ["{SERVER}"]\n')


def test_the_pinned_versions_run(claude: ClaudeCode, codex: Codex) -> None:
    assert CLAUDE_CODE.version in claude.run("--version").succeeded().stdout
    assert CODEX.version in codex.run("--version").succeeded().stdout


def test_claude_connects_to_a_server_written_by_hand(claude: ClaudeCode) -> None:
    register_with_claude(claude)
    assert "acme-db" in (listed := claude.run("mcp", "list").succeeded().stdout)
    assert "Connected" in listed


def test_claude_runs_a_scripted_turn_and_its_model_receives_the_tool_result(claude: ClaudeCode) -> None:
    register_with_claude(claude)
    tool = "mcp__acme-db__acme_query"

    turn = claude.turn(QUERY.format(tool=tool), "--allowedTools", tool).succeeded()

    assert turn.json["result"] == "that was it"
    assert tool in claude.model.last.offered_tools
    text, is_error = claude.model.last.tool_results[-1]
    assert "Grace" in text
    assert not is_error


def test_claude_tells_its_model_when_a_tool_was_not_granted(claude: ClaudeCode) -> None:
    register_with_claude(claude)

    claude.turn(QUERY.format(tool="mcp__acme-db__acme_query")).succeeded()

    text, is_error = claude.model.last.tool_results[-1]
    assert "permission" in text
    assert is_error


def test_codex_lists_a_server_written_by_hand(codex: Codex) -> None:
    register_with_codex(codex)
    (entry,) = codex.run("mcp", "list", "--json").succeeded().json
    assert entry["name"] == "acme-db"
    assert entry["transport"]["command"] == sys.executable


def test_codex_runs_a_scripted_turn_and_its_model_receives_the_tool_result(codex: Codex) -> None:
    register_with_codex(codex)

    turn = codex.turn(QUERY.format(tool="mcp__acme_db__acme_query")).succeeded()

    said = [line["item"]["text"] for line in turn.json_lines if line.get("item", {}).get("type") == "agent_message"]
    assert said == ["that was it"]
    assert "mcp__acme_db__acme_query" in codex.model.last.offered_tools
    assert "Grace" in codex.model.last.tool_results[-1][0]

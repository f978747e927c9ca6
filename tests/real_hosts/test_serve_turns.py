"""Real turns through our entry are counted as what they were, and tools that are left out are not offered."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from host_homes import ClaudeCode, Codex, Home
from installed_connector import agent_connector, lines

pytestmark = pytest.mark.real_host

EXAMPLE = Path(__file__).parents[2] / "examples" / "acme_db"
SQL = {"sql": "select customer from orders where id = 2"}
SECONDS = 30


def prompt(tool: str) -> str:
    return f"CALL {tool} {json.dumps(SQL)}\nSAY done"


def claude_turn(claude: ClaudeCode) -> str:
    """The session's id."""
    tool = "mcp__acme-db__acme_query"
    return claude.session(claude.turn(prompt(tool), "--allowedTools", tool).succeeded())


def codex_turn(codex: Codex) -> str:
    return codex.session(codex.turn(prompt("mcp__acme_db__acme_query")).succeeded())


@pytest.fixture
def home(tmp_path: Path) -> Home:
    home = Home(tmp_path / 'Ada\'s $HOME & (café) "one"').create()
    (home.path / ".claude").mkdir()
    (home.path / ".codex").mkdir()
    return home


def install(home: Home, definition: Path) -> None:
    agent_connector(
        home, "install", "--connector", definition, "--targets", "claude-code,codex", "--json"
    ).succeeded()


def report(home: Home, *flags: str) -> list[dict[str, Any]]:
    told = agent_connector(home, "telemetry", "report", "--json", *flags).succeeded().json
    rows: list[dict[str, Any]] = told["result"]["rows"]
    return rows


def written(home: Home, scope: str) -> list[dict[str, Any]]:
    files = (home.path / ".agent-connector" / "telemetry" / "spool").glob("*.ndjson")
    return [row for file in files for row in lines(file) if row["scope"] == scope]


def eventually(home: Home, scope: str, enough: Callable[[list[dict[str, Any]]], bool]) -> list[dict[str, Any]]:
    """The rows, once they are enough: the counter may still be at work when a turn is over."""
    deadline = time.monotonic() + SECONDS
    while not enough(rows := written(home, scope)) and time.monotonic() < deadline:
        time.sleep(0.1)
    return rows


def definitions(home: Home, host: str, least: int = 0) -> list[tuple[str, str]]:
    """(generation, tool) of every row about a definition."""

    def of_the_host(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        return [row for row in rows if row["host"] == host]

    rows = of_the_host(eventually(home, "tool_defs", lambda rows: len(of_the_host(rows)) >= least))
    return [(row["defs"], row["tool"]) for row in rows]


def test_a_turn_in_each_host_is_one_call_of_its_session(home: Home, claude: ClaudeCode, codex: Codex) -> None:
    install(home, EXAMPLE / "agent-connector.config.py")
    sessions = {"claude-code": claude_turn(claude), "codex": codex_turn(codex)}
    eventually(home, "call", lambda rows: sum("out" in row for row in rows) == 2)

    by_host = {row["host"]: row for row in report(home, "--by", "host")}

    assert by_host.keys() == {"claude-code", "codex"}
    for host, confidence in (("claude-code", "tokenizer-approx"), ("codex", "tokenizer-exact")):
        assert (by_host[host]["calls"], by_host[host]["errors"]) == (1, 0)
        assert by_host[host]["confidence"] == confidence
        assert 0 < by_host[host]["tokens_in"] < 30
        assert 0 < by_host[host]["tokens_out"] < 100
        called = [row for row in report(home, "--by", "tool", "--host", host) if row["calls"]]
        assert [(row["connector"], row["tool"], row["calls"]) for row in called] == [("acme-db", "acme_query", 1)]
    rows = {row["host"]: row for row in written(home, "call") if "out" in row}
    assert rows["claude-code"]["session"] == sessions["claude-code"]
    assert rows["codex"]["client"] == "codex-mcp-client"
    assert rows["claude-code"]["client"] == "claude-code"
    assert rows["claude-code"]["project"] == rows["codex"]["project"] != ""
    (row,) = report(home, "--by", "session", "--host", "claude-code")
    assert row["session"] == sessions["claude-code"]


def test_definitions_are_told_once_until_they_change(home: Home, claude: ClaudeCode, codex: Codex) -> None:
    definition = _copied(home)
    install(home, definition)
    for _ in range(2):
        claude_turn(claude)
        codex_turn(codex)
    time.sleep(1)  # for rows that should not come

    for host in ("claude-code", "codex"):
        told = definitions(home, host, 2)
        assert sorted(tool for _, tool in told) == ["acme_query", "acme_write"]
        assert len({generation for generation, _ in told}) == 1

    server = definition.with_name("server.py")
    server.write_text(server.read_text(encoding="utf-8").replace("Run one SELECT", "Run exactly one SELECT"))
    for _ in range(2):
        claude_turn(claude)
    time.sleep(1)

    told = definitions(home, "claude-code", 4)
    assert len(told) == 4
    assert len({generation for generation, _ in told}) == 2
    assert len(definitions(home, "codex")) == 2


def test_a_tool_that_is_left_out_is_not_offered(home: Home, claude: ClaudeCode, codex: Codex) -> None:
    definition = _copied(home)
    text = definition.read_text(encoding="utf-8")
    definition.write_text(text.replace("server={", 'server={"tools": {"exclude": ["acme_write"]},'), encoding="utf-8")
    install(home, definition)

    left_out = 'CALL mcp__acme-db__acme_write {"sql": "delete from orders"}\n'
    claude.turn(left_out + prompt("mcp__acme-db__acme_query"), "--allowedTools", "mcp__acme-db").succeeded()
    offered = {"claude-code": _names([request.body.get("tools") for request in claude.model.requests])}
    refused, found = (text for text, _ in claude.model.last.tool_results[-2:])
    assert "No such tool" in refused
    assert "Grace" in found
    claude.model.forget()
    codex_turn(codex)
    offered["codex"] = _names([request.body.get("tools") for request in codex.model.requests])

    for host, tools in offered.items():
        assert [name for name in tools if name.endswith("acme_query")], host
        assert not [name for name in tools if name.endswith("acme_write")], host
    assert all(row["tool"] == "acme_query" for row in written(home, "call"))


def _names(value: Any) -> set[str]:
    """Every tool's name, also in what groups them."""
    if isinstance(value, list):
        return set().union(*map(_names, value))
    if isinstance(value, dict):
        return {str(value.get("name"))} | _names(value.get("tools", []))
    return set()


def _copied(home: Home) -> Path:
    """The example where a test may change it."""
    folder = home.path / "author"
    folder.mkdir()
    for file in EXAMPLE.iterdir():
        if file.is_file():
            (folder / file.name).write_bytes(file.read_bytes())
    return folder / "agent-connector.config.py"

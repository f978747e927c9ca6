"""Warp: exact values, and the variables that cost a file all its servers."""

from __future__ import annotations

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.detection import current_host
from agent_connector.host import MemoryRequest, ServerSpec
from trips import trip

HOST = CATALOG.get("warp")
SERVERS = """{
    "mcpServers": {
        "weather": { "command": "npx", "args": ["-y", "weather-mcp"], "env": {"KEY": "${WEATHER_KEY}"} }
    }
}
"""
ACME = {
    "id": "acme",
    "version": "1.0.0",
    "server": {"transport": "stdio", "command": "npx", "args": ["-y", "acme-mcp"], "env": {"TOKEN": "${env:TOKEN}"}},
}


def render(**fields):
    return HOST.server.render(ServerSpec("acme", **fields))


def test_a_stdio_entry():
    rendered = render(transport="stdio", command="npx", args=("-y", "x"), env={"A": "1"}, cwd="/srv")
    assert rendered.value == {
        "command": "npx",
        "args": ["-y", "x"],
        "env": {"A": "1"},
        "working_directory": "/srv",
    }


@pytest.mark.parametrize("transport", ["http", "sse"])
def test_a_remote_entry_does_not_say_its_transport(transport):
    rendered = render(transport=transport, url="https://x/mcp", headers={"X-Team": "db"})
    assert rendered.value == {"url": "https://x/mcp", "headers": {"X-Team": "db"}}


def test_what_it_has_no_key_for():
    rendered = render(transport="stdio", command="x", timeout_ms=5, startup_timeout_ms=5, include=("a",))
    assert sorted(note.level for note in rendered.notes) == ["info", "info", "warn"]
    assert render(transport="stdio", command="x", enabled=False).value is None


@pytest.mark.parametrize("field", ["command", "env", "extra"])
def test_nothing_of_ours_is_taken_for_a_variable(field):
    fields = {"command": {"command": "${HOME}/x"}, "env": {"env": {"A": "${B}"}}, "extra": {"extra": {"a": ["${B}"]}}}
    rendered = render(transport="stdio", **{"command": "x", **fields[field]})
    assert rendered.value is None
    assert "for a variable" in rendered.notes[-1].text


def test_the_wrapper_resolves_what_warp_must_not_see(desk):
    changed = trip(desk, "warp", "user", ACME, {".warp/.mcp.json": SERVERS})
    assert changed == {
        ".warp/.mcp.json": """{
    "mcpServers": {
        "weather": { "command": "npx", "args": ["-y", "weather-mcp"], "env": {"KEY": "${WEATHER_KEY}"} },
        "acme": { "command": "LAUNCHER", "args": ["serve", "--connector", "acme", "--host", "warp", "--env", \
"TOKEN={env:TOKEN}", "--", "npx", "-y", "acme-mcp"], "env": {} }
    }
}
"""
    }


def test_a_projects_file(desk):
    acme = {**ACME, "server": {**ACME["server"], "env": {"MODE": "fast"}}}
    changed = trip(desk, "warp", "project", acme, {"work/shop/.warp/.mcp.json": SERVERS})
    (text,) = changed.values()
    assert '"acme": {' in text
    assert "LAUNCHER" not in text


def test_a_variable_that_is_not_set_costs_the_file_all_its_servers(desk):
    path = desk.context.machine.home / ".warp" / ".mcp.json"
    path.parent.mkdir()
    path.write_text(SERVERS)
    report = desk.install(ACME, targets=("warp",), scope="user")
    (said,) = [change for change in report.changes if "drops every server" in change.detail]
    assert (said.action, "${WEATHER_KEY}" in said.detail, "WEATHER_KEY" in said.fix) == ("warn", True, True)
    assert not list(HOST.server.faults({"a": "${SET}"}, {"SET": "1"}))
    assert list(HOST.server.faults({"a": "${SET}"}, {"SET": ""}))


def test_a_projects_server_must_be_switched_on():
    (note,) = HOST.server.notes["project"]
    assert "never starts" in note.text


def test_memory_is_warps_own_file_where_there_is_one(here, files):
    def target(scope):
        (block,) = HOST.memory.targets(MemoryRequest(here, here.cwd, scope), files)
        return block.path

    assert target("project") == here.cwd / "AGENTS.md"
    (here.cwd / "WARP.md").write_text("x")
    assert target("project") == here.cwd / "WARP.md"
    assert target("user") == here.home / ".agents" / "AGENTS.md"


def test_its_windows_are_not_its_agent():
    assert current_host(CATALOG, {"TERM_PROGRAM": "WarpTerminal"}) == ("", "")
    assert current_host(CATALOG, {}, "dev.warp.Warp-Stable")[0] == "warp"

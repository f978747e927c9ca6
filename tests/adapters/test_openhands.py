"""OpenHands: exact values, one hooks file that counts, the file's own spelling of events, a bare environment."""

from __future__ import annotations

import json
import re

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.detection import current_host
from agent_connector.host import HookSpec, MemoryRequest, ServerSpec
from agent_connector.surfaces.blockers import Site, hindrances, refusals
from trips import trip

HOST = CATALOG.get("openhands")
SERVERS = """{
  "mcpServers": {
    "weather": {"url": "https://weather.example/mcp", "transport": "http", "headers": {}, "enabled": true}
  }
}
"""
HOOKS = """{
  "hooks": {
    "PreToolUse": [{"matcher": "terminal", "hooks": [{"type": "command", "command": "./lint.sh", "timeout": 30}]}]
  }
}
"""
ACME = {
    "id": "acme",
    "version": "1.0.0",
    "server": {"transport": "stdio", "command": "npx", "args": ["-y", "acme-mcp"], "env": {"MODE": "fast"}},
    "hooks": {"PreToolUse": {"decision": "deny", "reason": "no", "matcher": "^acme_write$", "timeout_ms": 1500}},
}
LINE = "LAUNCHER hook openhands PreToolUse --connector acme"
GROUP = {
    "matcher": ".*(?:(?:^|^)acme_write$).*",
    "hooks": [{"type": "command", "command": LINE, "timeout": 2}],
}


def render(**fields):
    return HOST.server.render(ServerSpec("acme", **fields))


def test_entries_name_their_transport():
    spec = {"command": "npx", "args": ("x",), "cwd": "/srv", "timeout_ms": 9000}
    assert render(transport="stdio", **spec).value == {
        "transport": "stdio", "command": "npx", "args": ["x"], "env": {}, "cwd": "/srv", "timeout": 9000,
    }  # fmt: skip
    for transport in ("http", "sse"):
        assert render(transport=transport, url="https://x").value == {"transport": transport, "url": "https://x"}
    assert render(transport="stdio", command="x", enabled=False).value["enabled"] is False
    assert render(transport="ws", url="wss://x").value is None


def test_what_a_server_needs_of_the_environment_is_listed():
    entry = render(
        transport="stdio", command="x", pass_env=("HOME", "TOKEN"), env={"MODE": "${env:MODE:-fast}"}
    ).value
    assert entry["env"] == {"TOKEN": "${TOKEN}", "MODE": "${MODE:-fast}"}
    assert render(transport="http", url="https://${env:H}/mcp", bearer_env="TOKEN").value == {
        "transport": "http", "url": "https://${H}/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"},
    }  # fmt: skip


def test_a_persons_files_come_back(desk):
    before = {".openhands/mcp.json": SERVERS, ".openhands/hooks.json": HOOKS}
    written = trip(desk, "openhands", "user", ACME, before)

    servers, hooks = written[".openhands/mcp.json"], json.loads(written[".openhands/hooks.json"])
    assert servers.startswith(SERVERS[: SERVERS.index("\n  }")])
    assert json.loads(servers)["mcpServers"]["acme"]["env"] == {"MODE": "fast"}
    assert hooks["hooks"]["PreToolUse"][0]["matcher"] == "terminal"
    assert hooks["hooks"]["PreToolUse"][1] == GROUP


@pytest.mark.parametrize(
    ("before", "place"),
    [
        ("", ("hooks", "PreToolUse")),
        ('{"hooks": {"pre_tool_use": [{"hooks": []}]}}', ("hooks", "pre_tool_use")),
        ('{"hooks": {"stop": [{"hooks": []}]}}', ("hooks", "PreToolUse")),
        ('{"Stop": [{"hooks": []}]}', ("PreToolUse",)),
        ('{"pre_tool_use": [{"hooks": []}]}', ("pre_tool_use",)),
    ],
)
def test_hooks_stand_where_the_file_has_them_and_by_the_name_it_uses(desk, before, place):
    """Both spellings of one event together would keep the host from starting."""
    written = trip(desk, "openhands", "user", ACME, {".openhands/hooks.json": before} if before else {})

    there = json.loads(written[".openhands/hooks.json"])
    for key in place:
        there = there[key]
    assert there[-1] == GROUP


def test_a_projects_file_hides_the_persons_own(here, files):
    assert list(hindrances(Site(HOST, "user", here, here.cwd, files), "hooks")) == []

    (here.cwd / ".openhands").mkdir()
    (here.cwd / ".openhands" / "hooks.json").write_text(HOOKS)

    (found,) = hindrances(Site(HOST, "user", here, here.cwd, files), "hooks")
    assert (found.status, "alone" in found.text) == ("warn", True)
    assert list(hindrances(Site(HOST, "project", here, here.cwd, files), "hooks")) == []
    assert "none of the person's own" in HOST.hooks.notes["project"][0].text


def test_the_hooks_file_stays_in_the_home(linux):
    moved = linux.with_env({"OPENHANDS_PERSISTENCE_DIR": "/data/oh"})
    servers, (hooks, _) = HOST.server.places["user"], HOST.hooks.files["user"]
    assert str(servers.location.resolve(moved, moved.cwd)) == "/data/oh/mcp.json"
    assert str(hooks.place.location.resolve(moved, moved.cwd)) == "/home/dev/.openhands/hooks.json"


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ('{"hooks": {"PermissionRequest": []}}', "PermissionRequest"),
        ('{"Stop": [{"hooks": [{"type": "http", "url": "x"}]}]}', "http"),
        ('{"hooks": {"stop": [{"hooks": [{"type": "command", "command": "x", "timeout": 1.5}]}]}}', "timeout"),
    ],
)
def test_what_the_host_refuses_a_file_for_is_told(tmp_path, files, content, named):
    path = tmp_path / "hooks.json"
    path.write_text(content)
    for file in HOST.hooks.files["user"]:
        (note,) = refusals(HOST, file, path, files)
        assert named in note.text
    path.write_text(HOOKS)
    assert refusals(HOST, HOST.hooks.files["user"][0], path, files) == []


def test_a_matcher_is_for_the_whole_bare_name():
    native = HOST.hooks.matcher("PreToolUse", "^write")
    assert re.fullmatch(native, "write_all")
    assert not re.fullmatch(native, "rewrite")
    assert HOST.hooks.matcher("UserPromptSubmit", "x") == ""


def test_times_of_hooks_are_seconds():
    item = HOST.hooks.item(HookSpec("Stop", "Stop", "run", timeout_ms=1500))
    assert item == {"hooks": [{"type": "command", "command": "run", "timeout": 2}]}
    assert (HOST.hooks.time_limit("Stop", 1500), HOST.hooks.time_limit("Stop", None)) == (2000, 60_000)


def test_memory_of_a_project(here, files):
    (ours,) = HOST.memory.targets(MemoryRequest(here, here.cwd, "project"), files)
    assert ours.path == here.cwd / "AGENTS.md"


def test_hooks_tell_the_host():
    assert current_host(CATALOG, {"OPENHANDS_SESSION_ID": "1", "CLAUDE_PROJECT_DIR": "/p"}, "")[0] == "openhands"

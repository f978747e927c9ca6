"""CodeBuddy Code: what it has of its own, and how little of it there is: it began as Claude Code."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from agent_connector.adapters import codebuddy
from agent_connector.adapters.catalog import CATALOG
from agent_connector.detection import current_host
from agent_connector.host import HookSpec, MemoryRequest, ServerSpec
from trips import trip

HOST = CATALOG.get("codebuddy")
STATE = """{
  "numStartups": 3,
  "mcpServers": {
    "weather": { "type": "http", "url": "https://weather.example/mcp" }
  }
}
"""
SETTINGS = """{
  "model": "glm-5",
  "hooks": {
    "PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "./lint.sh"}]}]
  }
}
"""
ACME = {
    "id": "acme",
    "version": "1.0.0",
    "server": {"transport": "stdio", "command": "npx", "args": ["-y", "acme-mcp"], "env": {"TOKEN": "${env:TOKEN}"}},
    "hooks": {"PreToolUse": {"decision": "deny", "reason": "no", "matcher": "^acme_write$", "timeout_ms": 1500}},
    "commands": [{"name": "greet", "description": "Greets", "prompt": "Hello $ARGUMENTS"}],
}
FOLDERS = {"user": ("", ".codebuddy/settings.json"), "project": ("work/shop/", "work/shop/.codebuddy/settings.json")}


def test_a_host_of_a_known_family_is_less_than_sixty_lines():
    """What docs/adding-a-host.md promises: all of the adapter, empty lines and all."""
    sources = Path(codebuddy.__path__[0]).glob("*.py")
    assert sum(len(source.read_text(encoding="utf-8").splitlines()) for source in sources) < 60


@pytest.mark.parametrize("scope", FOLDERS)
def test_a_persons_files_come_back(desk, scope):
    folder, settings = FOLDERS[scope]
    servers = ".codebuddy.json" if scope == "user" else f"{folder}.mcp.json"
    written = trip(desk, "codebuddy", scope, ACME, {servers: STATE, settings: SETTINGS})

    assert written[servers].startswith(STATE[: STATE.index("\n  }")])
    assert json.loads(written[servers])["mcpServers"]["acme"]["env"] == {"TOKEN": "${TOKEN}"}
    group = json.loads(written[settings])["hooks"]["PreToolUse"][1]
    assert (group["matcher"], group["hooks"][0]["timeout"]) == ("(?:^|__)acme_write$", 2)
    assert group["hooks"][0]["command"].endswith(" hook codebuddy PreToolUse --connector acme")
    assert written[f"{folder}.codebuddy/commands/greet.md"].endswith("\n\nHello $ARGUMENTS\n")


def test_of_one_project_file_with_claude_code_one_entry_is_enough(desk, project):
    report = desk.install(ACME, targets=("claude-code", "codebuddy"), scope="project")
    told = [(change.host, change.action) for change in report.changes if change.surface == "server"]
    assert ("codebuddy", "skip") in told
    assert list(json.loads((project / ".mcp.json").read_text())["mcpServers"]) == ["acme"]


def test_variables_in_small_letters_are_not_left_to_the_host():
    render = HOST.server.render
    assert render(ServerSpec("acme", "http", url="https://x", bearer_env="TOKEN_2")).value["headers"] == {
        "Authorization": "Bearer ${TOKEN_2}"
    }
    assert render(ServerSpec("acme", "http", url="https://x", headers={"X": "${env:token}"})).value is None
    assert HOST.server.expresses("X", "${env:TOKEN:-d}")
    assert not HOST.server.expresses("X", "${env:token}")


def test_hooks_wait_for_a_review_at_every_scope():
    assert set(HOST.hooks.files) == {"user", "local", "project"}
    assert all("/hooks" in HOST.hooks.notes[scope][0].fix for scope in HOST.hooks.files)
    item = HOST.hooks.item(HookSpec("Stop", "Stop", "run"))
    assert item == {"hooks": [{"type": "command", "command": "run"}]}
    assert (HOST.hooks.time_limit("SessionEnd", 1500), HOST.hooks.time_limit("SessionEnd", None)) == (2000, 60_000)


def test_memory_stands_in_its_own_file_or_in_what_that_imports(here, files):
    def target(scope):
        (block,) = HOST.memory.targets(MemoryRequest(here, here.cwd, scope), files)
        return block.path

    assert target("user") == here.home / ".codebuddy" / "CODEBUDDY.md"
    assert target("project") == here.cwd / "CODEBUDDY.md"
    (here.cwd / "CODEBUDDY.md").write_text("@AGENTS.md\n")
    assert target("project") == here.cwd / "AGENTS.md"


def test_it_is_told_from_claude_code():
    env = {"CODEBUDDY_PROJECT_DIR": "/p", "CLAUDE_PROJECT_DIR": "/p"}
    assert current_host(CATALOG, env, "")[0] == "codebuddy"

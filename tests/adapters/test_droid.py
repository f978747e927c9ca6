"""Droid: exact values, a bare map of events in a file of its own, settings that hold hooks already."""

from __future__ import annotations

import json

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.authoring.content import Command, Subagent
from agent_connector.detection import current_host
from agent_connector.host import HookSpec, MemoryRequest, ServerSpec
from agent_connector.surfaces.blockers import Site, hindrances
from trips import trip

HOST = CATALOG.get("droid")
ACME = {
    "id": "acme",
    "version": "1.0.0",
    "server": {"transport": "stdio", "command": "npx", "args": ["-y", "acme-mcp"], "env": {"TOKEN": "${env:TOKEN}"}},
    "hooks": {"PreToolUse": {"decision": "deny", "reason": "no", "matcher": "^acme_write$", "timeout_ms": 1500}},
}
SERVERS = """{
  // mine
  "mcpServers": {
    "weather": {"type": "http", "url": "https://weather.example/mcp", "disabled": false}
  }
}
"""
HOOKS = """{
  "PreToolUse": [ // lint first
    {"matcher": "Edit|Create", "hooks": [{"type": "command", "command": "./lint.sh", "timeout": 30}]}
  ]
}
"""
SETTINGS = """{
  "model": "opus", // the good one
  "hooks": {
    "Stop": [{"hooks": [{"type": "command", "command": "./done.sh"}]}]
  }
}
"""


def render(**fields):
    return HOST.server.render(ServerSpec("acme", **fields))


def test_entries_name_their_transport():
    spec = {"command": "npx", "args": ("x",), "timeout_ms": 9000, "startup_timeout_ms": 3000}
    assert render(transport="stdio", **spec).value == {
        "type": "stdio", "command": "npx", "args": ["x"], "env": {}, "timeout": 9000, "connectTimeout": 3000,
    }  # fmt: skip
    for transport in ("http", "sse"):
        assert render(transport=transport, url="https://x").value == {"type": transport, "url": "https://x"}


def test_a_disabled_server_and_a_choice_of_tools_have_keys():
    value = render(transport="stdio", command="x", enabled=False, include=("a",), exclude=("b",)).value
    assert (value["disabled"], value["enabledTools"], value["disabledTools"]) == (True, ["a"], ["b"])


def test_references_are_expanded_in_the_environment_only():
    assert HOST.server.expresses("TOKEN", "x-${env:OTHER}")
    assert not HOST.server.expresses("TOKEN", "${env:TOKEN:-d}")
    assert not HOST.server.expresses("", "${env:TOKEN}")
    assert render(transport="stdio", command="x", env={"A": "${env:A:-b}"}).value is None


@pytest.mark.parametrize(("scope", "folder"), [("user", ".factory"), ("project", "work/shop/.factory")])
def test_a_persons_files_keep_their_comments(desk, scope, folder):
    before = {f"{folder}/mcp.json": SERVERS, f"{folder}/hooks.json": HOOKS}
    written = trip(desk, "droid", scope, ACME, before)

    servers, hooks = written[f"{folder}/mcp.json"], written[f"{folder}/hooks.json"]
    assert '"disabled": false},\n    "acme": {"type": "stdio", "command": ' in servers
    assert '"env": {"TOKEN": "${TOKEN}"}}\n  }\n}\n' in servers
    assert '"PreToolUse": [ // lint first\n' in hooks
    assert '{"matcher": "(?:^|___)acme_write$", "hooks": [{"type": "command", "command": ' in hooks
    assert f"{folder}/settings.json" not in written


def test_a_new_file_holds_the_bare_map(desk):
    written = trip(desk, "droid", "user", ACME, {})

    content = json.loads(written[".factory/hooks.json"])
    assert content["PreToolUse"] == [
        {
            "matcher": "(?:^|___)acme_write$",
            "hooks": [
                {"type": "command", "command": "LAUNCHER hook droid PreToolUse --connector acme", "timeout": 2}
            ],
        }
    ]


def test_settings_that_hold_hooks_get_ours_too(desk):
    """In a file of its own a map of hooks would take the place of what the settings say about the same event."""
    written = trip(desk, "droid", "user", ACME, {".factory/settings.json": SETTINGS})

    assert ".factory/hooks.json" not in written
    assert '"model": "opus", // the good one' in written[".factory/settings.json"]
    assert "LAUNCHER hook droid PreToolUse --connector acme" in written[".factory/settings.json"]


def test_times_of_hooks_are_seconds():
    item = HOST.hooks.item(HookSpec("Stop", "Stop", "run", timeout_ms=1500))
    assert item == {"hooks": [{"type": "command", "command": "run", "timeout": 2}]}
    assert (HOST.hooks.time_limit("Stop", 1500), HOST.hooks.time_limit("Stop", None)) == (2000, 60_000)


def test_events_that_were_not_seen_are_for_native_hooks():
    assert "UserPromptSubmit" not in HOST.hooks.events
    assert HOST.hooks.native_events("UserPromptSubmit")
    assert not HOST.hooks.native_events("SubagentStart")


def test_hooks_that_are_switched_off_are_told(here, files):
    (here.home / ".factory").mkdir()
    (here.home / ".factory" / "hooks.json").write_text('{"hooksDisabled": true}')
    (found,) = hindrances(Site(HOST, "user", here, here.cwd, files), "hooks")
    assert "hooksDisabled" in found.text


def test_content_files():
    command = Command(name="greet", description="Greets", prompt="Hello $ARGUMENTS", argument_hint="[name]")
    head = 'description: Greets\nargument-hint: "[name]"'
    assert HOST.commands.render(command).files == {"greet.md": f"---\n{head}\n---\n\nHello $ARGUMENTS\n"}
    content = HOST.subagents.render(Subagent(name="helper", description="Helps", prompt="x", readonly=True))
    assert content.files == {"helper.md": "---\nname: helper\ndescription: Helps\n---\n\nx\n"}
    assert len(content.notes) == 1


def test_memory_stands_in_agents_md(here, files):
    (mine,) = HOST.memory.targets(MemoryRequest(here, here.cwd, "user"), files)
    (ours,) = HOST.memory.targets(MemoryRequest(here, here.cwd, "project"), files)
    assert (mine.path, ours.path) == (here.home / ".factory" / "AGENTS.md", here.cwd / "AGENTS.md")


@pytest.mark.parametrize(
    ("env", "client"),
    [({"FACTORY_PROJECT_DIR": "/p", "CLAUDE_PROJECT_DIR": "/p"}, ""), ({}, "factory-cli")],
)
def test_it_is_told_from_claude_code(env, client):
    assert current_host(CATALOG, env, client)[0] == "droid"

"""Qwen Code: exact values, settings with comments, its own key per transport, seconds that become milliseconds."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.adapters.qwen_code import hooks
from agent_connector.authoring.content import Command, Skill, Subagent
from agent_connector.host import HookSpec, MemoryRequest, ServerSpec
from agent_connector.surfaces.blockers import Site, hindrances
from trips import trip

INSTALLED = Path(__file__).parent / "installed"
HOST = CATALOG.get("qwen-code")
SETTINGS = """{
  // mine
  "$version": 4,
  "mcpServers": {
    "weather": {"httpUrl": "https://weather.example/mcp"} // remote
  },
  "ui": {"theme": "Qwen Dark"},
}
"""
ACME = {
    "id": "acme",
    "version": "1.0.0",
    "server": {
        "transport": "stdio",
        "command": "npx",
        "args": ["-y", "acme-mcp"],
        "env": {"MODE": "fast", "ACME_TOKEN": "${env:ACME_TOKEN}"},
    },
    "hooks": {
        "PreToolUse": {"decision": "deny", "reason": "no", "matcher": "^acme_write$", "timeout_ms": 1500},
        "Stop": {"command": ["true"]},
    },
    "statusline": {"command": ["true"], "options": {"refresh_interval": 5}},
}


def render(**fields):
    return HOST.server.render(ServerSpec("acme", **fields))


def test_a_stdio_entry():
    spec = {"transport": "stdio", "command": "npx", "args": ("x",), "timeout_ms": 9000, "startup_timeout_ms": 3000}
    assert render(**spec).value == {
        "command": "npx", "args": ["x"], "env": {}, "timeout": 9000, "discoveryTimeoutMs": 3000,
    }  # fmt: skip


def test_the_key_of_an_address_says_the_transport():
    assert render(transport="http", url="https://x/mcp").value == {"httpUrl": "https://x/mcp"}
    assert render(transport="sse", url="https://x/sse").value == {"url": "https://x/sse"}
    assert render(transport="ws", url="wss://x").value is None


def test_a_reference_is_expanded_by_the_host_but_for_one_with_a_default():
    assert render(transport="stdio", command="${env:BIN}", args=("x",)).value["command"] == "${BIN}"
    rendered = render(transport="stdio", command="x", env={"A": "${env:A:-b}"})
    assert rendered.value is None
    assert "no defaults" in rendered.notes[0].text
    assert not HOST.server.expresses("A", "${env:A:-b}")


def test_a_default_is_left_to_the_wrapper(desk):
    server = {"transport": "stdio", "command": "npx", "args": ["x"], "env": {"A": "${env:A:-b}"}}
    written = trip(desk, "qwen-code", "user", {"id": "acme", "version": "1.0.0", "server": server}, {})
    entry = json.loads(written[".qwen/settings.json"])["mcpServers"]["acme"]
    assert entry["env"] == {}
    assert "A={env:A:-b}" in entry["args"]


def test_files_of_a_person_and_of_a_project(linux):
    place = HOST.server.places["user"].location
    assert place.resolve(linux, linux.cwd) == PurePosixPath("/home/dev/.qwen/settings.json")
    moved = linux.with_env({"QWEN_HOME": "/cfg"})
    assert place.resolve(moved, moved.cwd) == PurePosixPath("/cfg/settings.json")


def test_a_persons_settings_keep_their_comments(desk):
    written = trip(desk, "qwen-code", "user", ACME, {".qwen/settings.json": SETTINGS})

    assert written[".qwen/settings.json"] == (INSTALLED / "qwen-code.jsonc").read_text(encoding="utf-8")


def test_a_projects_settings(desk):
    written = trip(desk, "qwen-code", "project", ACME, {"work/shop/.qwen/settings.json": SETTINGS})

    text = written["work/shop/.qwen/settings.json"]
    assert '"acme": {"command": "npx", "args": ["-y", "acme-mcp"], "env": {"MODE": "fast"' in text
    assert '"theme": "Qwen Dark", "statusLine": {"type": "command"' in text


@pytest.mark.parametrize(
    ("asked", "written", "given"),
    [(1, 1, 1000), (1500, 2, 2000), (999_000, 999, 999_000), (999_001, 1_000_000, 1_000_000), (7_200_000,) * 3],
)
def test_times_of_hooks_are_seconds_below_a_thousand_and_milliseconds_from_there(asked, written, given):
    item = HOST.hooks.item(HookSpec("Stop", "Stop", "run", timeout_ms=asked))
    assert item["hooks"][0]["timeout"] == written
    assert HOST.hooks.time_limit("Stop", asked) == given


def test_a_prompt_that_comes_again_with_a_tools_result_is_none():
    prompt = {"prompt": "", "session_id": "s"}
    assert hooks.repeats("UserPromptSubmit", prompt)
    assert not hooks.repeats("UserPromptSubmit", {**prompt, "submitted_prompt": ""})
    assert not hooks.repeats("UserPromptSubmit", {**prompt, "prompt": "from the shell's history"})
    assert not hooks.repeats("PreToolUse", prompt)


@pytest.mark.parametrize(
    ("settings", "scope", "told"),
    [
        ({}, "project", False),
        ({"security": {"folderTrust": {"enabled": True}}}, "project", True),
        ({"disableAllHooks": True}, "user", True),
    ],
)
def test_what_keeps_hooks_from_running_is_told(here, files, settings, scope, told):
    (here.home / ".qwen").mkdir()
    (here.home / ".qwen" / "settings.json").write_text(json.dumps(settings))
    assert bool(list(hindrances(Site(HOST, scope, here, here.cwd, files), "hooks"))) == told


def test_the_status_line_slot():
    options = {"refresh_interval": 5, "respect_user_colors": True, "hide_context_indicator": False}
    assert HOST.statusline.places["user"].at == ("ui", "statusLine")
    assert HOST.statusline.render("run", options) == {
        "type": "command", "command": "run", "refreshInterval": 5, "respectUserColors": True,
        "hideContextIndicator": False,
    }  # fmt: skip


def test_content_files():
    command = Command(name="greet", description="Greets", prompt="Hello $ARGUMENTS")
    assert HOST.commands.render(command).files == {"greet.md": "---\ndescription: Greets\n---\n\nHello {{args}}\n"}
    skill = Skill(name="greeter", description="Greets", body="Hi.", disable_model_invocation=True)
    head = "name: greeter\ndescription: Greets\ndisable-model-invocation: true"
    assert HOST.skills.render(skill).files == {"greeter/SKILL.md": f"---\n{head}\n---\n\nHi.\n"}
    subagent = Subagent(name="helper", description="Helps", prompt="You help.", readonly=True)
    blocked = '["edit", "write_file", "notebook_edit", "run_shell_command"]'
    assert HOST.subagents.render(subagent).files == {
        "helper.md": f"---\nname: helper\ndescription: Helps\ndisallowedTools: {blocked}\n---\n\nYou help.\n"
    }


def test_memory_of_a_project_is_the_file_that_other_hosts_read_too(here, files):
    (here.cwd / "QWEN.md").write_text("Be kind.\n")
    (mine,) = HOST.memory.targets(MemoryRequest(here, here.cwd, "user"), files)
    (ours,) = HOST.memory.targets(MemoryRequest(here, here.cwd, "project"), files)
    assert (mine.path, ours.path) == (here.home / ".qwen" / "QWEN.md", here.cwd / "AGENTS.md")


@pytest.mark.parametrize("key", ["ui", "ui.statusLine", "env", "env.OPENAI_API_KEY", "security.auth", "$version"])
def test_sensitive_settings_are_not_patched(key):
    assert HOST.config_patch.refuses(key)


def test_other_settings_may_be_patched():
    assert HOST.config_patch.refuses("ui.theme") == ""

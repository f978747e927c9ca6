"""Cursor: exact values, and the files that one bad entry would kill."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.authoring.content import Command, Skill, Subagent, ToolPolicy
from agent_connector.host import HookSpec, MemoryRequest, ServerSpec
from agent_connector.location import EVENT, NAME

HOST = CATALOG.get("cursor")


def render(**fields):
    return HOST.server.render(ServerSpec("acme", **fields))


def test_a_stdio_entry():
    entry = render(
        transport="stdio",
        command="npx",
        args=("-y", "${env:PKG}"),
        env={"A": "${env:A}", "B": "${env:B:-b}"},
        cwd="/srv",
    ).value
    assert entry == {
        "type": "stdio",
        "command": "npx",
        "args": ["-y", "${env:PKG}"],
        "env": {"A": "${env:A}", "B": "${B:-b}"},
        "cwd": "/srv",
    }


@pytest.mark.parametrize("transport", ["http", "sse"])
def test_a_remote_entry(transport):
    assert render(transport=transport, url="https://x/mcp", bearer_env="TOK").value == {
        "type": transport,
        "url": "https://x/mcp",
        "headers": {"Authorization": "Bearer ${env:TOK}"},
    }


def test_transports_it_has_not():
    rendered = render(transport="ws", url="wss://x")
    assert rendered.value is None
    assert "ws" in rendered.notes[0].text


@pytest.mark.parametrize(
    "extra",
    [
        {"env": {"PORT": 8080}},
        {"env": {"FLAG": True}},
        {"env": None},
        {"args": "x"},
        {"args": [1]},
        {"command": ["npx"]},
        {"cwd": 3},
        {"headers": {"X": None}},
    ],
)
def test_an_entry_that_would_kill_the_file_is_not_written(extra):
    rendered = render(transport="stdio", command="npx", args=("x",), extra=extra)
    assert rendered.value is None
    assert rendered.notes[-1].level == "warn"
    assert rendered.notes[-1].fix


def test_a_command_with_spaces_and_without_arguments_is_warned_about():
    assert [note.level for note in render(transport="stdio", command="/opt/my app/run").notes] == ["warn"]
    assert not render(transport="stdio", command="/opt/my app/run", args=("x",)).notes


def test_what_it_has_no_key_for():
    rendered = render(transport="stdio", command="x", args=("y",), timeout_ms=5, startup_timeout_ms=5, exclude=("a",))
    assert sorted(note.level for note in rendered.notes) == ["info", "info", "warn"]
    assert rendered.value.keys() == {"type", "command", "args", "env"}
    disabled = render(transport="stdio", command="x", enabled=False)
    assert (disabled.value, [note.level for note in disabled.notes]) == (None, ["info"])


def test_files(linux, windows):
    user = HOST.server.places["user"]
    assert (user.format, user.at) == ("jsonc", ("mcpServers", NAME))
    assert user.location.resolve(windows, windows.cwd) == PureWindowsPath("C:/Users/dev/.cursor/mcp.json")
    (hooks,) = HOST.hooks.files["project"]
    assert hooks.place.location.resolve(linux, linux.cwd) == PurePosixPath("/home/dev/app/.cursor/hooks.json")
    assert hooks.place.at == ("hooks", EVENT)
    assert hooks.scaffold == {"version": 1}


def test_a_hook_entry_is_flat_and_counts_seconds():
    spec = HookSpec("PreToolUse", "preToolUse", "run", "MCP:acme_write", 1)
    assert HOST.hooks.item(spec) == {"command": "run", "matcher": "MCP:acme_write", "timeout": 1}
    assert HOST.hooks.item(HookSpec("Stop", "stop", "run")) == {"command": "run"}


def test_an_event_it_does_not_know_is_never_registered():
    assert HOST.hooks.native_events("afterFileEdit")
    assert not HOST.hooks.native_events("TaskCompleted")
    assert not HOST.hooks.native_events("PreToolUse")
    assert not {"Notification", "PermissionRequest", "PostCompact"} & HOST.hooks.events.keys()


def test_silence_is_spoken():
    from agent_connector.adapters.cursor.hooks import neutral

    assert neutral("PreToolUse") == ("{}", 0)
    assert neutral("afterFileEdit") == ("{}", 0)


def test_a_command_is_its_body_alone():
    command = Command(name="greet", description="d", prompt="Hello", model="x", tools=ToolPolicy(allow=("Read",)))
    content = HOST.commands.render(command)
    assert content.files == {"greet.md": "Hello\n"}
    assert sorted(note.level for note in content.notes) == ["info", "warn"]


def test_a_skill_and_a_subagent():
    skill = Skill(name="s", description="d", body="b", disable_model_invocation=True)
    assert HOST.skills.render(skill).files == {
        "s/SKILL.md": "---\nname: s\ndescription: d\ndisable-model-invocation: true\n---\n\nb\n"
    }
    subagent = Subagent(
        name="helper",
        description="Helps\n  a lot",
        prompt="You help.",
        readonly=True,
        model="inherit",
        tools=ToolPolicy(allow=("Read", "Grep")),
    )
    assert HOST.subagents.render(subagent).files == {
        "helper.md": "---\nname: helper\ndescription: Helps a lot\nmodel: inherit\nreadonly: true\n"
        "tools: Read, Grep\n---\n\nYou help.\n"
    }


def test_memory_is_the_projects_agents_md_and_there_is_none_for_a_user(here, files):
    assert HOST.memory.scopes == ("project",)
    (block,) = HOST.memory.targets(MemoryRequest(here, here.cwd, "project"), files)
    assert block.path == here.cwd / "AGENTS.md"


def test_the_status_line_of_its_command_line(linux):
    place = HOST.statusline.places["user"]
    assert str(place.location.resolve(linux, linux.cwd)) == "/home/dev/.cursor/cli-config.json"
    assert HOST.statusline.render("run", {}) == {"type": "command", "command": "run"}
    assert HOST.statusline.options == ()


def test_it_reads_files_of_others():
    read = {other.host: other.surfaces for other in HOST.also_reads}
    assert read["claude-code"] == {"hooks", "skills", "subagents", "memory"}
    assert read["codex"] == {"skills"}

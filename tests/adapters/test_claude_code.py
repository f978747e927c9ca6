"""Claude Code: exact values, as the host itself writes them."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.authoring.content import Command, Skill, Subagent, ToolPolicy
from agent_connector.host import HookSpec, ServerSpec
from agent_connector.location import EVENT, NAME, PROJECT

HOST = CATALOG.get("claude-code")


def value(**fields):
    return HOST.server.render(ServerSpec("acme", **fields)).value


def notes(**fields):
    return [(note.level, note.text) for note in HOST.server.render(ServerSpec("acme", **fields)).notes]


def test_a_stdio_entry_has_the_keys_of_claude_mcp_add_in_their_order():
    entry = value(transport="stdio", command="npx", args=("-y", "thing"), env={"B": "2"})
    assert entry == {"type": "stdio", "command": "npx", "args": ["-y", "thing"], "env": {"B": "2"}}
    assert list(entry) == ["type", "command", "args", "env"]
    assert value(transport="stdio", command="npx")["env"] == {}


@pytest.mark.parametrize("transport", ["http", "sse", "ws"])
def test_a_remote_entry_names_its_transport_and_leaves_out_empty_headers(transport):
    url = "https://example.com/mcp"
    assert value(transport=transport, url=url) == {"type": transport, "url": url}
    assert value(transport=transport, url=url, headers={"X-K": "v"})["headers"] == {"X-K": "v"}


def test_references_become_the_hosts_own_everywhere_it_expands_them():
    entry = value(
        transport="stdio", command="${env:BIN}", args=("--x=${env:X:-1}", "$HOME"), env={"T": "a-${env:T}-${env:U:-}"}
    )
    assert entry["command"] == "${BIN}"
    assert entry["args"] == ["--x=${X:-1}", "$HOME"]
    assert entry["env"] == {"T": "a-${T}-${U:-}"}
    remote = value(transport="http", url="https://${env:H:-h}/mcp", headers={"X": "${env:X}"}, bearer_env="TOK")
    assert remote["url"] == "https://${H:-h}/mcp"
    assert remote["headers"] == {"X": "${X}", "Authorization": "Bearer ${TOK}"}


def test_a_header_of_the_authors_wins_over_the_bearer_variable():
    entry = value(transport="http", url="https://x", headers={"authorization": "Basic abc"}, bearer_env="TOK")
    assert entry["headers"] == {"authorization": "Basic abc"}


def test_the_time_of_a_tool_call_is_kept_in_milliseconds_and_a_starts_time_is_told():
    fields = {"transport": "stdio", "command": "x", "timeout_ms": 2000, "startup_timeout_ms": 9000}
    assert value(**fields)["timeout"] == 2000
    assert notes(**fields) == [("info", "Claude Code has no key for the time-out of a server's start: left out")]


def test_a_tool_filter_and_a_folder_are_warned_about():
    assert [level for level, _ in notes(transport="stdio", command="x", include=("a_*",))] == ["warn"]
    assert [level for level, _ in notes(transport="stdio", command="x", exclude=("a",))] == ["warn"]
    assert [level for level, _ in notes(transport="stdio", command="x", cwd="/srv")] == ["warn"]
    assert not HOST.server.has_cwd


def test_a_disabled_server_is_not_registered():
    assert value(transport="stdio", command="x", enabled=False) is None
    assert [level for level, _ in notes(transport="stdio", command="x", enabled=False)] == ["info"]


def test_server_files_and_places(linux, windows):
    places = HOST.server.places
    assert places["user"].at == ("mcpServers", NAME)
    assert places["local"].at == ("projects", PROJECT, "mcpServers", NAME)
    assert places["project"].location.resolve(linux, linux.cwd) == PurePosixPath("/home/dev/app/.mcp.json")
    for scope in ("user", "local"):
        location = places[scope].location
        assert location.resolve(linux, linux.cwd) == PurePosixPath("/home/dev/.claude.json")
        assert location.resolve(windows, windows.cwd) == PureWindowsPath("C:/Users/dev/.claude.json")
        moved = linux.with_env({"CLAUDE_CONFIG_DIR": "/cfg"})
        assert location.resolve(moved, moved.cwd) == PurePosixPath("/cfg/.claude.json")


def test_hook_files_and_places(linux, macos):
    files = {scope: found for scope, (found,) in HOST.hooks.files.items()}
    assert {file.place.at for file in files.values()} == {("hooks", EVENT)}
    paths = {scope: str(file.place.location.resolve(linux, linux.cwd)) for scope, file in files.items()}
    assert paths == {
        "user": "/home/dev/.claude/settings.json",
        "local": "/home/dev/app/.claude/settings.local.json",
        "project": "/home/dev/app/.claude/settings.json",
    }
    moved = macos.with_env({"CLAUDE_CONFIG_DIR": "~/cfg"})
    user = files["user"].place.location.resolve(moved, moved.cwd)
    assert user == PurePosixPath("/Users/dev/cfg/settings.json")


def test_a_hook_group_has_seconds_and_a_matcher_only_where_there_is_one():
    assert HOST.hooks.item(HookSpec("Stop", "Stop", "run me")) == {
        "hooks": [{"type": "command", "command": "run me"}]
    }
    item = HOST.hooks.item(HookSpec("PreToolUse", "PreToolUse", "run me", "Bash", 20_001, "run me on windows"))
    assert item == {"matcher": "Bash", "hooks": [{"type": "command", "command": "run me", "timeout": 21}]}
    assert list(item) == ["matcher", "hooks"]


def test_every_event_has_its_own_name_and_any_other_may_be_native():
    assert len(HOST.hooks.events) == 13
    assert all(canonical == native for canonical, native in HOST.hooks.events.items())
    assert HOST.native_hooks
    assert HOST.hooks.native_events("AnEventOfNextYear")


def test_a_command_file():
    command = Command(
        name="greet",
        description="Greets: politely",
        prompt="Hello $ARGUMENTS",
        argument_hint="[name]",
        tools=ToolPolicy(allow=("Read", "Bash(git *)")),
        model="haiku",
        subtask=True,
        extra={"model": "opus", "x-custom": True},
    )
    assert HOST.commands.render(command).files == {
        "greet.md": '---\ndescription: "Greets: politely"\nargument-hint: "[name]"\n'
        'allowed-tools: "Read, Bash(git *)"\nmodel: opus\ncontext: fork\nx-custom: true\n---\n\nHello $ARGUMENTS\n'
    }


def test_a_command_of_a_prompt_alone_has_no_frontmatter():
    assert HOST.commands.render(Command(name="greet", prompt="Hello\n")).files == {"greet.md": "Hello\n"}


def test_a_skill_folder():
    skill = Skill(
        name="greeter",
        description="Greets people",
        body="Say hello.",
        disable_model_invocation=True,
        resources={"scripts/hi.py": "print('hi')\n"},
    )
    assert HOST.skills.render(skill).files == {
        "greeter/SKILL.md": "---\nname: greeter\ndescription: Greets people\ndisable-model-invocation: true\n---\n\n"
        "Say hello.\n",
        "greeter/scripts/hi.py": "print('hi')\n",
    }


def test_a_subagent_file():
    subagent = Subagent(
        name="helper",
        description="Helps",
        prompt="You help.",
        tools=ToolPolicy(allow=("Read", "mcp__acme__read"), deny=("Bash",)),
        model="inherit",
        readonly=True,
    )
    content = HOST.subagents.render(subagent)
    assert content.files == {
        "helper.md": "---\nname: helper\ndescription: Helps\ntools: Read, mcp__acme__read\n"
        "disallowedTools: Bash, Edit, Write, NotebookEdit\nmodel: inherit\n---\n\nYou help.\n"
    }
    assert content.notes == ()


def test_a_read_only_subagent_with_a_shell_says_so():
    content = HOST.subagents.render(Subagent(name="helper", description="Helps", prompt="x", readonly=True))
    assert [note.level for note in content.notes] == ["info"]
    assert "keeps the shell" in content.notes[0].text


def test_the_status_line_slot():
    dialect = HOST.statusline
    assert dialect.places.keys() == {"user", "local", "project"}
    assert dialect.places["user"].at == ("statusLine",)
    assert dialect.render("run", {}) == {"type": "command", "command": "run"}
    assert dialect.render("run", {"refresh_interval": 5}) == {
        "type": "command",
        "command": "run",
        "refreshInterval": 5,
    }


@pytest.mark.parametrize(
    "key",
    [
        "permissions", "permissions.allow", "allowedTools", "disallowedToolsExtra", "apiKeyHelper", "awsAuthRefresh",
        "awsCredentialExport", "forceLoginMethod", "forceLoginOrgUUID", "otelHeadersHelper", "env.ANTHROPIC_BASE_URL",
        "env.AWS_REGION", "env.HTTPS_PROXY", "env.https_proxy", "env.MY_TOKEN_X", "env.OPENAI_API_KEY",
        "env.CLIENT_SECRET", "env", "hooks", "hooks.Stop", "mcpServers.x", "statusLine", "statusLine.command",
        "enabledMcpjsonServers", "disabledMcpjsonServers", "enableAllProjectMcpServers",
    ],
)  # fmt: skip
def test_sensitive_settings_are_not_patched(key):
    assert HOST.config_patch.refuses(key)


@pytest.mark.parametrize(
    "key", ["env.CLAUDE_CODE_EXPERIMENTAL_AGENT_TEAMS", "cleanupPeriodDays", "outputStyle", "spinner.tips"]
)
def test_other_settings_may_be_patched(key):
    assert HOST.config_patch.refuses(key) == ""


def test_patches_go_into_settings_at_the_root():
    assert {place.at for place in HOST.config_patch.places.values()} == {()}


def test_claude_code_is_not_told_by_a_variable_that_others_set():
    runtime = HOST.detection.runtime
    assert "CLAUDECODE" in runtime.env
    assert "CLAUDE_PROJECT_DIR" not in runtime.env
    assert "CLAUDECODE" in CATALOG.get("cursor").detection.runtime.not_env

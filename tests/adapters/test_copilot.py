"""Copilot CLI, in Visual Studio Code and in JetBrains IDEs: exact values, and the hook files that all three read."""

from __future__ import annotations

import json
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.adapters.copilot_cli.hooks import repeats
from agent_connector.authoring.content import Command, Skill, Subagent, ToolPolicy
from agent_connector.detection import current_host
from agent_connector.host import HookSpec, MemoryRequest, ServerSpec
from agent_connector.runtime.caller import caller_of
from agent_connector.runtime.hook_record import _readers
from trips import trip

CLI, CODE, JETBRAINS = (CATALOG.get(host) for host in ("copilot-cli", "vscode-copilot", "jetbrains-copilot"))
ALL = pytest.mark.parametrize("host", [CLI, CODE, JETBRAINS], ids=lambda host: host.id)
ACME = {
    "id": "acme",
    "version": "1.0.0",
    "server": {"transport": "stdio", "command": "npx", "args": ["-y", "acme-mcp"], "env": {"MODE": "fast"}},
    "hooks": {
        "PreToolUse": {"matcher": "^write$", "decision": "deny", "reason": "no", "timeout_ms": 4000},
        "UserPromptSubmit": {"decision": "context", "additional_context": "Prices are in cents."},
    },
}
CODE_SERVERS = """{
\t// servers of the team
\t"inputs": [
\t\t{ "type": "promptString", "id": "key", "description": "Key", "password": true }
\t],
\t"servers": {
\t\t"weather": {
\t\t\t"type": "stdio",
\t\t\t"command": "npx",
\t\t\t"args": ["-y", "weather-mcp"],
\t\t\t"env": { "KEY": "${input:key}" }
\t\t}
\t}
}
"""


def render(host, **fields):
    return host.server.render(ServerSpec("acme", **fields))


# --- servers ---------------------------------------------------------------------------------------------------


@ALL
def test_a_stdio_entry(host):
    value = render(host, transport="stdio", command="npx", args=("-y", "x"), env={"A": "1"}).value
    assert value == {"type": "stdio", "command": "npx", "args": ["-y", "x"], "env": {"A": "1"}}


@ALL
@pytest.mark.parametrize("transport", ["http", "sse"])
def test_a_remote_entry(host, transport):
    rendered = render(host, transport=transport, url="https://x/mcp", headers={"X-Team": "db"})
    assert rendered.value == {"type": transport, "url": "https://x/mcp", "headers": {"X-Team": "db"}}


def test_how_each_spells_a_reference():
    env = {"A": "${env:A}"}
    assert render(CLI, transport="stdio", command="x", env={**env, "B": "${env:B:-b}"}).value["env"] == {
        "A": "${A}",
        "B": "${B:-b}",
    }
    assert render(CODE, transport="stdio", command="x", env=env).value["env"] == {"A": "${env:A}"}
    assert render(CODE, transport="http", url="https://x", bearer_env="T").value["headers"] == {
        "Authorization": "Bearer ${env:T}"
    }
    assert render(CODE, transport="http", url="${env:URL:-https://x}").value is None
    assert not CODE.server.expresses("A", "${env:A:-a}")
    assert render(JETBRAINS, transport="stdio", command="x", env=env).value is None


def test_what_the_command_line_chooses_itself():
    value = render(CLI, transport="stdio", command="x", include=("a", "b"), timeout_ms=9000).value
    assert (value["tools"], value["timeout"]) == (["a", "b"], 9000)
    assert CLI.server.chooses(("a",), ())
    assert not CLI.server.chooses(("*",), ("a",))
    assert not CLI.server.chooses(("a*",), ())


def test_in_a_project_the_command_line_reads_claude_codes_file():
    spec = {"transport": "stdio", "command": "npx", "args": ("x",), "env": {"A": "${env:A:-a}"}}
    claude = CATALOG.get("claude-code")
    assert CLI.server.places["project"] == claude.server.places["project"]
    assert render(CLI, **spec).value == render(claude, **spec).value


def test_files_on_every_system(linux, macos, windows):
    user = CODE.server.places["user"].location
    assert user.resolve(linux, linux.cwd) == PurePosixPath("/home/dev/.config/Code/User/mcp.json")
    assert user.resolve(macos, macos.cwd) == PurePosixPath(
        "/Users/dev/Library/Application Support/Code/User/mcp.json"
    )
    assert user.resolve(windows, windows.cwd) == PureWindowsPath("C:/Users/dev/AppData/Roaming/Code/User/mcp.json")
    plugin = JETBRAINS.server.places["user"].location
    assert plugin.resolve(linux, linux.cwd) == PurePosixPath("/home/dev/.config/github-copilot/intellij/mcp.json")
    assert plugin.resolve(windows, windows.cwd) == PureWindowsPath(
        "C:/Users/dev/AppData/Local/github-copilot/intellij/mcp.json"
    )
    moved = linux.with_env({"COPILOT_HOME": "/conf"})
    assert CLI.server.places["user"].location.resolve(moved, moved.cwd) == PurePosixPath("/conf/mcp-config.json")


def test_servers_and_inputs_of_a_team_stay_as_they_are(desk):
    acme = {"id": "acme", "version": "1.0.0", "server": {**ACME["server"], "env": {"TOKEN": "${env:TOKEN}"}}}
    changed = trip(desk, "vscode-copilot", "project", acme, {"work/shop/.vscode/mcp.json": CODE_SERVERS})
    assert changed == {
        "work/shop/.vscode/mcp.json": CODE_SERVERS.replace(
            """\t\t\t"env": { "KEY": "${input:key}" }
\t\t}
""",
            """\t\t\t"env": { "KEY": "${input:key}" }
\t\t},
\t\t"acme": {
\t\t\t"type": "stdio",
\t\t\t"command": "npx",
\t\t\t"args": [
\t\t\t\t"-y",
\t\t\t\t"acme-mcp"
\t\t\t],
\t\t\t"env": {
\t\t\t\t"TOKEN": "${env:TOKEN}"
\t\t\t}
\t\t}
""",
        )
    }


def test_both_editions_of_visual_studio_code(desk, home):
    for edition in ("Code", "Code - Insiders"):
        (home / ".config" / edition / "User").mkdir(parents=True)
    server = {key: ACME[key] for key in ("id", "version", "server")}
    assert trip(desk, "vscode-copilot", "user", server, {}).keys() == {
        ".config/Code/User/mcp.json",
        ".config/Code - Insiders/User/mcp.json",
    }


# --- hooks -----------------------------------------------------------------------------------------------------


@ALL
def test_an_entry_of_a_hook(host):
    spec = HookSpec("PreToolUse", "preToolUse", "run", "m", 1001, "run.cmd", "sh")
    assert host.hooks.item(spec) == {
        "type": "command",
        "bash": "run",
        "powershell": "run.cmd",
        "matcher": "m",
        "timeoutSec": 2,
    }
    assert host.hooks.item(HookSpec("Stop", "agentStop", "run", shell="powershell")) == {
        "type": "command",
        "powershell": "run",
    }
    assert host.hooks.time_limit("PreToolUse", None) == 30_000


def test_a_projects_hooks_serve_every_system_and_every_reader(desk):
    hooks = {key: ACME[key] for key in ("id", "version", "hooks")}
    changed = trip(desk, "copilot-cli", "project", hooks, {})
    (text,) = (changed.pop("work/shop/.github/hooks/agent-connector.json"),)
    assert changed == {}
    content = json.loads(text)
    assert content["version"] == 1
    assert content["hooks"].keys() == {"preToolUse", "userPromptSubmitted"}
    (entry,) = content["hooks"]["preToolUse"]
    assert entry == {
        "type": "command",
        "bash": '[ ! -x "${AGENT_CONNECTOR_DATA_DIR:-$HOME/.agent-connector}/bin/agent-connector" ] || '
        '"${AGENT_CONNECTOR_DATA_DIR:-$HOME/.agent-connector}/bin/agent-connector" '
        "hook copilot-cli PreToolUse --connector acme",
        "powershell": 'if (Test-Path "$HOME\\.agent-connector\\bin\\agent-connector.cmd") '
        '{ & "$HOME\\.agent-connector\\bin\\agent-connector.cmd" hook copilot-cli PreToolUse --connector acme }',
        "matcher": ".*(?:(?:^|-)write$).*",
        "timeoutSec": 4,
    }


def test_the_command_line_fails_closed_so_a_launcher_that_is_gone_says_nothing(desk):
    changed = trip(desk, "copilot-cli", "user", {key: ACME[key] for key in ("id", "version", "hooks")}, {})
    (entry,) = json.loads(changed[".copilot/hooks/agent-connector.json"])["hooks"]["preToolUse"]
    assert entry["bash"] == "[ ! -x LAUNCHER ] || LAUNCHER hook copilot-cli PreToolUse --connector acme"


def test_three_hosts_in_one_file_of_a_project(desk, project):
    hooks = {key: ACME[key] for key in ("id", "version", "hooks")}
    targets = ("copilot-cli", "vscode-copilot", "jetbrains-copilot")
    assert desk.install(hooks, targets=targets, scope="project").exit_code == 0
    file = project / ".github" / "hooks" / "agent-connector.json"
    called = [
        entry["bash"].split(" hook ")[1].split()[0] for entry in json.loads(file.read_text())["hooks"]["preToolUse"]
    ]
    assert sorted(called) == sorted(targets)
    for host in targets:
        assert file.exists()
        desk.uninstall("acme", targets=(host,), scope="project")
    assert not file.exists()


PAYLOADS = {
    "copilot-cli": {"sessionId": "s", "timestamp": 1, "cwd": "/p", "toolName": "x", "toolArgs": {}},
    "vscode-copilot": {"timestamp": "t", "hook_event_name": "PreToolUse", "session_id": "s", "cwd": "/p"},
    "jetbrains-copilot": {"timestamp": 1, "cwd": "/p", "toolName": "x", "toolArgs": "{}"},
}


@pytest.mark.parametrize("calling", PAYLOADS)
@pytest.mark.parametrize("registered", PAYLOADS)
def test_a_hook_process_knows_which_of_them_called(registered, calling):
    found = caller_of(_readers(registered, CATALOG), PAYLOADS[calling], lambda _name: "")
    assert found == ("" if registered == calling else calling)


def test_claude_codes_own_calls_are_not_taken_for_visual_studio_codes():
    payload = {"hook_event_name": "PreToolUse", "session_id": "s", "transcript_path": "/t", "cwd": "/p"}
    assert caller_of(_readers("claude-code", CATALOG), payload, lambda _name: "") == ""
    assert (
        caller_of(_readers("claude-code", CATALOG), PAYLOADS["vscode-copilot"], lambda _name: "") == "vscode-copilot"
    )


def test_a_subagents_end_is_no_end_of_the_turn():
    assert repeats("Stop", {"sessionId": "s", "agentId": "a"})
    assert not repeats("Stop", {"sessionId": "s"})
    assert not repeats("SubagentStop", {"agentId": "a"})


@pytest.mark.parametrize(
    ("pattern", "native"),
    [("", ""), (".*", ""), ("acme_write", ".*(?:(?:acme_write)).*"), ("mcp__acme__.*", ""), ("(?i)x", "")],
)
def test_a_matcher_of_the_command_line_matches_the_whole_name(pattern, native):
    assert CLI.hooks.matcher("PreToolUse", pattern) == native
    assert CLI.hooks.matcher("PermissionRequest", pattern) == ""
    assert CODE.hooks.matcher("PreToolUse", pattern) == JETBRAINS.hooks.matcher("PreToolUse", pattern) == ""


# --- content ---------------------------------------------------------------------------------------------------


@ALL
def test_content_that_all_of_them_read_is_written_alike(host):
    agent = Subagent(
        name="dba", description="Tunes", prompt="You tune.", tools=ToolPolicy(allow=("read",)), model="gpt-5"
    )
    assert host.subagents.render(agent).files == {
        "dba.agent.md": '---\nname: dba\ndescription: Tunes\ntools: ["read"]\nmodel: gpt-5\n---\n\nYou tune.\n'
    }
    skill = Skill(name="sql", description="Writes SQL", body="# SQL")
    assert host.skills.render(skill).files == {
        "sql/SKILL.md": "---\nname: sql\ndescription: Writes SQL\n---\n\n# SQL\n"
    }
    assert host.skills.folders["project"] == CLI.skills.folders["project"]
    assert host.subagents.folders["project"] == CLI.subagents.folders["project"]


def test_commands_are_prompts_and_the_command_line_has_none():
    command = Command(name="schema", description="Show it", prompt="Show $ARGUMENTS", argument_hint="table")
    written = {"schema.prompt.md": "---\ndescription: Show it\nargument-hint: table\n---\n\nShow $ARGUMENTS\n"}
    assert CODE.commands.render(command).files == JETBRAINS.commands.render(command).files == written
    assert CLI.commands is None


def test_one_copy_serves_three(desk, home):
    skill = {"id": "acme", "version": "1", "skills": [{"name": "sql", "description": "Writes SQL", "body": "b"}]}
    targets = ("copilot-cli", "vscode-copilot", "jetbrains-copilot")
    desk.install(skill, targets=targets, scope="user")
    file = home / ".copilot" / "skills" / "sql" / "SKILL.md"
    for host in targets:
        assert file.exists()
        desk.uninstall("acme", targets=(host,))
    assert not file.exists()


@ALL
def test_memory(host, here, files):
    (block,) = host.memory.targets(MemoryRequest(here, here.cwd, "project"), files)
    assert block.path == here.cwd / "AGENTS.md"
    assert ("user" in host.memory.scopes) == (host is CLI)


def test_memory_of_a_user_of_the_command_line(here, files):
    (block,) = CLI.memory.targets(MemoryRequest(here, here.cwd, "user"), files)
    assert block.path == here.home / ".copilot" / "copilot-instructions.md"


# --- status line, marks ----------------------------------------------------------------------------------------


def test_the_status_line_of_the_command_line(desk):
    acme = {"id": "acme", "version": "1", "statusline": {"command": ["echo", "acme"]}}
    changed = trip(desk, "copilot-cli", "user", acme, {".copilot/settings.json": '{\n  "theme": "dark"\n}\n'})
    settings = json.loads(changed[".copilot/settings.json"])
    assert settings["statusLine"] == {
        "type": "command",
        "command": "LAUNCHER statusline copilot-cli --connector acme",
    }
    assert CLI.statusline.render("run", {"padding": 1, "refresh_interval": 5}) == {
        "type": "command",
        "command": "run",
        "padding": 1,
        "refreshInterval": 5,
    }


def test_marks():
    assert current_host(CATALOG, {"COPILOT_CLI": "1", "CLAUDE_PROJECT_DIR": "/p"})[0] == "copilot-cli"
    assert current_host(CATALOG, {"COPILOT_AGENT_SESSION_ID": "x"})[0] == "copilot-cli"
    assert current_host(CATALOG, {"TERM_PROGRAM": "vscode"}) == ("", "")
    assert current_host(CATALOG, {}, "Visual Studio Code")[0] == "vscode-copilot"

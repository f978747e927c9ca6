"""Goose: exact values, trips through a person's YAML with anchors and comments, hooks in a plugin of their own."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.adapters.goose.hooks import format as reply
from agent_connector.adapters.goose.hooks import parse, tool_names
from agent_connector.authoring.content import Command
from agent_connector.detection import current_host
from agent_connector.host import HookSpec, MemoryRequest, ServerSpec
from agent_connector.operations.requests import StatusRequest
from agent_connector.operations.status import status
from agent_connector.surfaces.blockers import Site, hindrances
from homes import snapshot
from trips import trip

HOST = CATALOG.get("goose")
CONFIG = """\
# My Goose.
GOOSE_PROVIDER: anthropic   # the good one
GOOSE_MODEL: "claude"

defaults: &defaults
  timeout: 300
  bundled: null

extensions:
  developer:
    <<: *defaults
    enabled: true
    type: builtin
    name: developer
  # about time
  time: {enabled: true, type: stdio, name: time, cmd: uvx, args: [mcp-server-time], <<: *defaults}
GOOSE_MODE: smart_approve
"""
ACME = {
    "id": "acme",
    "version": "1.0.0",
    "server": {
        "transport": "stdio",
        "command": "npx",
        "args": ["-y", "acme-mcp"],
        "env": {"MODE": "fast", "TOKEN": "${env:TOKEN}"},
        "timeout_ms": 20_500,
    },
    "hooks": {
        "PreToolUse": {"matcher": "^write$", "decision": "deny", "reason": "no", "timeout_ms": 4000},
        "Stop": {"command": ["true"]},
    },
}


def render(**fields):
    return HOST.server.render(ServerSpec("acme", **fields))


# --- servers -----------------------------------------------------------------------------------------------------


def test_a_stdio_entry():
    rendered = render(transport="stdio", command="npx", args=("x",), env={"A": "1"}, timeout_ms=1, include=("a", "b"))
    assert rendered.value == {
        "enabled": True,
        "type": "stdio",
        "name": "acme",
        "description": "",
        "cmd": "npx",
        "args": ["x"],
        "envs": {"A": "1"},
        "timeout": 1,
        "available_tools": ["a", "b"],
    }
    assert rendered.notes == ()
    assert render(transport="stdio", command="npx", enabled=False).value["enabled"] is False


def test_a_remote_entry_names_the_variables_of_its_headers():
    assert render(transport="http", url="https://x/mcp", headers={"X": "k-${env:K}"}, bearer_env="TOK").value == {
        "enabled": True,
        "type": "streamable_http",
        "name": "acme",
        "description": "",
        "uri": "https://x/mcp",
        "headers": {"X": "k-${K}", "Authorization": "Bearer ${TOK}"},
        "env_keys": ["K", "TOK"],
    }
    assert "env_keys" not in render(transport="http", url="https://x/mcp", headers={"X": "1"}).value


@pytest.mark.parametrize(
    "fields", [{"url": "https://${env:H}/mcp"}, {"url": "https://x", "headers": {"X": "${env:X:-d}"}}]
)
def test_what_it_fills_in_nowhere_else_is_not_registered(fields):
    rendered = render(transport="http", **fields)
    assert rendered.value is None
    assert [note.level for note in rendered.notes] == ["warn"]


def test_what_it_has_no_key_for_is_told():
    told = render(transport="stdio", command="x", env={"PATH": "/x"}, startup_timeout_ms=1, exclude=("drop",)).notes
    assert sorted(note.level for note in told) == ["info", "warn", "warn"]
    assert HOST.server.chooses(("a",), ())
    assert not HOST.server.chooses(("a",), ("a",))
    assert not HOST.server.chooses(("a*",), ())


def test_files_on_every_system(linux, macos, windows):
    user = HOST.server.places["user"].location
    assert user.resolve(linux, linux.cwd) == PurePosixPath("/home/dev/.config/goose/config.yaml")
    assert user.resolve(macos, macos.cwd) == PurePosixPath("/Users/dev/.config/goose/config.yaml")
    assert user.resolve(windows, windows.cwd) == PureWindowsPath(
        "C:/Users/dev/AppData/Roaming/Block/goose/config/config.yaml"
    )
    moved = linux.with_env({"GOOSE_PATH_ROOT": "/g"})
    assert user.resolve(moved, moved.cwd) == PurePosixPath("/g/config/config.yaml")
    hooks = HOST.hooks.files["user"][0].place.location.of("acme")
    assert hooks.resolve(moved, moved.cwd) == PurePosixPath(
        "/g/.agents/plugins/agent-connector-acme/hooks/hooks.json"
    )


def test_a_server_and_a_plugin_of_hooks_go_in_and_come_out(desk):
    changed = trip(desk, "goose", "user", ACME, {".config/goose/config.yaml": CONFIG})
    ours = """
  acme:
    enabled: true
    type: stdio
    name: acme
    description: ""
    cmd: "LAUNCHER"
    args:
      - serve
      - "--connector"
      - acme
      - "--host"
      - goose
      - "--env"
      - "TOKEN={env:TOKEN}"
      - "--"
      - npx
      - "-y"
      - acme-mcp
    envs:
      MODE: fast
    timeout: 21
GOOSE_MODE:"""
    assert changed[".config/goose/config.yaml"] == CONFIG.replace("\nGOOSE_MODE:", ours)
    plugin = ".agents/plugins/agent-connector-acme"
    assert json.loads(changed[f"{plugin}/plugin.json"]) == {
        "name": "agent-connector-acme",
        "version": "1.0.0",
        "description": "Hooks of acme, put here by agent-connector",
    }
    line = "LAUNCHER hook goose {} --connector acme"
    assert json.loads(changed[f"{plugin}/hooks/hooks.json"]) == {
        "hooks": {
            "PreToolUse": [
                {
                    "matcher": "(?:^|__)write$",
                    "hooks": [{"type": "command", "command": line.format("PreToolUse"), "timeout": 4}],
                }
            ],
            "Stop": [{"hooks": [{"type": "command", "command": line.format("Stop")}]}],
        }
    }


@pytest.mark.parametrize("before", ["", "# nothing yet\n", "extensions: {}  # none\n", "GOOSE_MODE: auto\r\n"])
def test_files_of_every_kind_come_back(desk, before):
    changed = trip(desk, "goose", "user", ACME, {".config/goose/config.yaml": before})
    assert "LAUNCHER" in changed[".config/goose/config.yaml"]


def test_a_map_that_an_alias_shares_is_left_alone_and_said(desk):
    config = Path(desk.context.machine.home) / ".config" / "goose" / "config.yaml"
    config.parent.mkdir(parents=True)
    text = "all: &all {time: {enabled: true}}\nextensions: *all\n"
    config.write_text(text, encoding="utf-8")
    report = desk.install({**ACME, "hooks": {}}, targets=("goose",))
    assert report.exit_code == 1
    assert config.read_text(encoding="utf-8") == text
    assert any("alias" in change.detail for change in report.changes if change.action == "warn")


# --- hooks -------------------------------------------------------------------------------------------------------


def test_each_connector_has_a_plugin_of_its_own(desk):
    home = Path(desk.context.machine.home)
    plugins = home / ".agents" / "plugins"
    (home / ".config" / "goose").mkdir(parents=True)
    (home / ".config" / "goose" / "config.yaml").write_text("GOOSE_MODE: auto\n", encoding="utf-8")
    before = snapshot(home)
    for name in ("acme", "other"):
        assert desk.install({**ACME, "id": name}, targets=("goose",)).exit_code == 0
    assert sorted(folder.name for folder in plugins.iterdir()) == ["agent-connector-acme", "agent-connector-other"]
    assert desk.uninstall("acme", targets=("goose",)).exit_code == 0
    assert [folder.name for folder in plugins.iterdir()] == ["agent-connector-other"]
    assert desk.uninstall("other", targets=("goose",)).exit_code == 0
    assert snapshot(home) == before


def test_a_plugin_with_native_hooks_too_is_described_once(desk):
    native = {"BeforeShellExecution": [{"matcher": "sudo", "command": ["true"]}]}
    definition = {**ACME, "platforms": {"goose": {"native_hooks": native}}}
    changed = trip(desk, "goose", "user", definition, {".config/goose/config.yaml": "GOOSE_MODE: auto\n"})
    hooks = json.loads(changed[".agents/plugins/agent-connector-acme/hooks/hooks.json"])["hooks"]
    assert list(hooks) == ["PreToolUse", "Stop", "BeforeShellExecution"]


def test_a_plugin_is_known_without_a_ledger(desk):
    home = Path(desk.context.machine.home)
    (home / ".config" / "goose").mkdir(parents=True)
    (home / ".config" / "goose" / "config.yaml").write_text("GOOSE_MODE: auto\n", encoding="utf-8")
    assert desk.install(ACME, targets=("goose",)).exit_code == 0
    (Path(desk.context.machine.data_root) / "state.db").unlink()
    assert desk.uninstall("acme", targets=("goose",)).exit_code == 0
    plugin = home / ".agents" / "plugins" / "agent-connector-acme"
    assert not (plugin / "plugin.json").exists()
    assert "agent-connector" not in (plugin / "hooks" / "hooks.json").read_text(encoding="utf-8")
    assert (home / ".config" / "goose" / "config.yaml").read_text(encoding="utf-8") == (
        "GOOSE_MODE: auto\nextensions: {}\n"  # whose the empty map was, nobody remembers
    )


def test_registered_events_are_told(desk):
    (Path(desk.context.machine.home) / ".config" / "goose").mkdir(parents=True)
    desk.install(ACME, targets=("goose",))
    (goose,) = [host for host in status(StatusRequest(), desk.context).hosts if host.id == "goose"]
    assert {event for state in goose.hooks for event in state.events} == {"PreToolUse", "Stop"}


@pytest.mark.parametrize(("asked", "seconds"), [(None, 30), (1, 1), (1500, 2)])
def test_times_of_hooks_are_seconds(asked, seconds):
    (handler,) = HOST.hooks.item(HookSpec("Stop", "Stop", "run", timeout_ms=asked))["hooks"]
    assert handler.get("timeout", 30) == seconds
    assert HOST.hooks.time_limit("Stop", asked) == seconds * 1000


@pytest.mark.parametrize(
    ("path", "text", "hindered"),
    [
        ("config.yaml", "plugins:\n  /h/.agents/plugins/agent-connector-acme: {enabled: false}\n", True),
        ("config.yaml", "plugins:\n  /h/.agents/plugins/agent-connector-acme: {enabled: true}\n", False),
        ("config.yaml", "plugins:\n  /h/.agents/plugins/lint: {enabled: false}\n", False),
        ("settings.json", '{"disabledPlugins": ["agent-connector-acme"]}', True),
        ("settings.json", '{"disabledPlugins": ["lint"]}', False),
    ],
)
def test_a_plugin_that_is_switched_off_is_told(path, text, hindered, here, files):
    folder = Path(here.home) / ".config" / "goose"
    folder.mkdir(parents=True)
    (folder / path).write_text(text, encoding="utf-8")
    found = list(hindrances(Site(HOST, "user", here, here.cwd, files), "hooks"))
    assert len(found) == hindered


def test_a_block_is_all_it_takes():
    denied = reply("PreToolUse", {"decision": "deny", "reason": "no"}, {})
    assert (json.loads(denied.stdout), denied.verdict) == ({"decision": "block", "reason": "no"}, "honored")
    for event, response in (
        ("PreToolUse", {"decision": "ask"}),
        ("PreToolUse", {"decision": "modify", "updated_input": {}}),
        ("UserPromptSubmit", {"decision": "deny", "reason": "no"}),
        ("SessionStart", {"decision": "context", "additional_context": "c"}),
    ):
        answered = reply(event, response, {})
        assert (answered.stdout, answered.verdict) == ("", "dropped"), event


def test_payloads_are_read():
    failed = {"event": "PostToolUseFailure", "session_id": "s", "tool_name": "acme__x", "tool_call_id": "c"}
    assert parse("PostToolUseFailure", failed) == {"session_id": "s", "tool_name": "acme__x", "tool_use_id": "c"}
    content = [{"type": "text", "text": "rows"}]
    assert parse("PostToolUse", {"session_id": "s", "tool_output": content})["tool_output"] == "rows"
    assert tool_names("acme-db__acme_query") == ("acme-db__acme_query", "acme_query")
    assert tool_names("shell") == ("shell",)


# --- content -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("said", "user", "project"),
    [
        ("", ".goosehints", "AGENTS.md"),
        ('["CLAUDE.md", ".goosehints"]', ".goosehints", "CLAUDE.md"),
        ('["rules.txt"]', "rules.txt", "rules.txt"),
        ("no list", ".goosehints", "AGENTS.md"),
    ],
)
def test_memory_stands_in_a_file_that_is_read(said, user, project, here, files):
    machine = here.with_env({"CONTEXT_FILE_NAMES": said} if said else {})
    for scope, path in (("user", here.home / ".config" / "goose" / user), ("project", here.cwd / project)):
        (block,) = HOST.memory.targets(MemoryRequest(machine, machine.cwd, scope), files)
        assert block.path == path


def test_a_command_becomes_a_skill_of_its_own_folder():
    assert "greet/SKILL.md" in HOST.commands.render(Command(name="greet", prompt="Greet $ARGUMENTS.")).files
    assert "skills" not in str(HOST.skills.folders["user"].parts[0])


@pytest.mark.parametrize(("env", "client"), [({"GOOSE_TERMINAL": "1"}, ""), ({}, "goose-cli"), ({}, "goose-desktop")])
def test_a_process_knows_where_it_is(env, client):
    assert current_host(CATALOG, env, client)[0] == "goose"

"""Gemini CLI: exact values, settings with comments, trust by folder, and memory by the name the settings give it."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.authoring.content import Command, Skill, Subagent, ToolPolicy
from agent_connector.detection import current_host
from agent_connector.host import HookSpec, MemoryRequest, ServerSpec
from agent_connector.surfaces.blockers import Site, hindrances
from trips import trip

INSTALLED = Path(__file__).parent / "installed"
HOST = CATALOG.get("gemini-cli")
SETTINGS = """{
  // signed in
  "security": {"auth": {"selectedType": "gemini-api-key"}},
  "mcpServers": {
    "weather": {"command": "npx", "args": ["-y", "weather-mcp"]} /* from npm */
  },
  "hooks": {
    "BeforeTool": [
      {"matcher": "write_file", "hooks": [{"type": "command", "command": "./lint.sh", "timeout": 5000}]}
    ]
  }
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
}


def render(**fields):
    return HOST.server.render(ServerSpec("acme", **fields))


def test_a_stdio_entry_has_no_type():
    spec = {"transport": "stdio", "command": "npx", "args": ("-y", "x"), "env": {"A": "1"}, "timeout_ms": 1500}
    assert render(**spec, cwd="/srv").value == {
        "command": "npx", "args": ["-y", "x"], "env": {"A": "1"}, "cwd": "/srv", "timeout": 1500,
    }  # fmt: skip


@pytest.mark.parametrize("transport", ["http", "sse"])
def test_a_remote_entry_names_its_transport(transport):
    rendered = render(transport=transport, url="https://x/mcp", bearer_env="TOK")
    headers = {"Authorization": "Bearer ${TOK}"}
    assert rendered.value == {"type": transport, "url": "https://x/mcp", "headers": headers}


def test_references_are_expanded_by_the_host_in_every_string():
    spec = {"transport": "stdio", "command": "${env:BIN}", "args": ("${env:A:-1}",), "env": {"T": "a-${env:T}"}}
    assert render(**spec).value == {"command": "${BIN}", "args": ["${A:-1}"], "env": {"T": "a-${T}"}}


def test_tools_are_chosen_by_exact_names():
    spec = {"transport": "stdio", "command": "x", "include": ("a", "b"), "exclude": ("c",)}
    value = render(**spec).value
    assert (value["includeTools"], value["excludeTools"]) == (["a", "b"], ["c"])
    assert HOST.server.chooses(("a",), ())
    assert not HOST.server.chooses(("a_*",), ())


def test_a_variable_that_is_kept_from_servers_is_listed_where_the_wrapper_needs_it():
    value = render(transport="stdio", command="x", pass_env=("ACME_TOKEN", "DATABASE_URL", "ACME_MODE")).value
    assert value["env"] == {"ACME_TOKEN": "${ACME_TOKEN}", "DATABASE_URL": "${DATABASE_URL}"}
    assert not HOST.server.env_pass


def test_a_disabled_server_is_not_registered():
    rendered = render(transport="stdio", command="x", enabled=False)
    assert (rendered.value, [note.level for note in rendered.notes]) == (None, ["info"])


def test_files_on_every_system(linux, macos, windows):
    place = HOST.server.places["user"].location
    assert place.resolve(linux, linux.cwd) == PurePosixPath("/home/dev/.gemini/settings.json")
    assert place.resolve(macos, macos.cwd) == PurePosixPath("/Users/dev/.gemini/settings.json")
    assert place.resolve(windows, windows.cwd) == PureWindowsPath("C:/Users/dev/.gemini/settings.json")
    moved = linux.with_env({"GEMINI_CLI_HOME": "/cfg"})
    assert place.resolve(moved, moved.cwd) == PurePosixPath("/cfg/.gemini/settings.json")
    project = HOST.hooks.files["project"][0].place.location
    assert project.resolve(linux, linux.cwd) == PurePosixPath("/home/dev/app/.gemini/settings.json")


def test_a_persons_settings_keep_their_comments(desk):
    written = trip(desk, "gemini-cli", "user", ACME, {".gemini/settings.json": SETTINGS})

    assert written[".gemini/settings.json"] == (INSTALLED / "gemini-cli.jsonc").read_text(encoding="utf-8")


def test_a_projects_settings_carry_the_plain_command(desk):
    written = trip(desk, "gemini-cli", "project", ACME, {})

    content = json.loads(written["work/shop/.gemini/settings.json"])
    env = {"MODE": "fast", "ACME_TOKEN": "${ACME_TOKEN}"}
    assert content["mcpServers"] == {"acme": {"command": "npx", "args": ["-y", "acme-mcp"], "env": env}}
    (group,) = content["hooks"]["BeforeTool"]
    assert group["matcher"] == "(?:^|_)acme_write$"
    assert group["hooks"][0]["command"].endswith('" hook gemini-cli PreToolUse --connector acme')


def test_times_of_hooks_are_milliseconds():
    item = HOST.hooks.item(HookSpec("PreToolUse", "BeforeTool", "run me", "x", 1500))
    assert item == {"matcher": "x", "hooks": [{"type": "command", "command": "run me", "timeout": 1500}]}
    assert HOST.hooks.time_limit("PreToolUse", 1500) == 1500
    assert HOST.hooks.time_limit("PreToolUse", None) == 60_000


def test_matchers_find_a_tools_own_name_in_the_native_one():
    assert HOST.hooks.matcher("PreToolUse", "^acme_write$") == "(?:^|_)acme_write$"
    assert HOST.hooks.matcher("UserPromptSubmit", "x") == ""


def test_events_of_the_model_can_be_native():
    assert HOST.hooks.native_events("AfterModel")
    assert not HOST.hooks.native_events("PreToolUse")


@pytest.mark.parametrize(
    ("trusted", "settings", "told"),
    [
        (None, None, True),
        ({"{project}": "TRUST_FOLDER"}, None, False),
        ({"{project}": "DO_NOT_TRUST"}, None, True),
        ({"{parent}": "TRUST_FOLDER"}, None, False),
        (None, {"security": {"folderTrust": {"enabled": False}}}, False),
    ],
)
def test_a_folder_that_is_not_trusted_is_told(here, files, trusted, settings, told):
    folder = here.home / ".gemini"
    folder.mkdir()
    if trusted:
        names = {"{project}": str(here.cwd), "{parent}": str(here.cwd.parent)}
        rules = {names[key]: value for key, value in trusted.items()}
        (folder / "trustedFolders.json").write_text(json.dumps(rules))
    if settings:
        (folder / "settings.json").write_text(json.dumps(settings))
    found = list(hindrances(Site(HOST, "project", here, here.cwd, files), "hooks"))
    assert bool(found) == told
    assert list(hindrances(Site(HOST, "user", here, here.cwd, files), "hooks")) == []


def test_hooks_that_are_switched_off_are_told(here, files):
    (here.home / ".gemini").mkdir()
    (here.home / ".gemini" / "settings.json").write_text('{"hooksConfig": {"enabled": false} /* for now */}')
    (found,) = hindrances(Site(HOST, "user", here, here.cwd, files), "hooks")
    assert "hooksConfig.enabled" in found.text


def test_a_command_is_toml_and_takes_all_arguments_at_once():
    command = Command(name="greet", description='Greets "all"', prompt="Hello $ARGUMENTS\nand bye", model="x")
    content = HOST.commands.render(command)
    assert content.files == {
        "greet.toml": 'description = "Greets \\"all\\""\nprompt = """\nHello {{args}}\nand bye"""\n'
    }
    assert ["model" in note.text for note in content.notes] == [True]


def test_a_skill_that_only_the_user_may_start_is_told():
    skill = Skill(name="greeter", description="Greets", body="Say hello.", disable_model_invocation=True)
    content = HOST.skills.render(skill)
    assert content.files == {"greeter/SKILL.md": "---\nname: greeter\ndescription: Greets\n---\n\nSay hello.\n"}
    assert len(content.notes) == 1


def test_a_subagent_file():
    tools = ToolPolicy(allow=("read_file", "mcp_acme_*"))
    content = HOST.subagents.render(Subagent(name="helper", description="Helps", prompt="You help.", tools=tools))
    assert content.files == {
        "helper.md": '---\nname: helper\ndescription: Helps\ntools: ["read_file", "mcp_acme_*"]\n---\n\nYou help.\n'
    }
    readonly = HOST.subagents.render(Subagent(name="helper", description="Helps", prompt="x", readonly=True))
    assert [note.level for note in readonly.notes] == ["warn"]


@pytest.mark.parametrize(
    ("settings", "there", "user", "project"),
    [
        ("", {}, "GEMINI.md", "GEMINI.md"),
        ('{"context": {"fileName": "AGENTS.md"}}', {}, "AGENTS.md", "AGENTS.md"),
        ('{"context": {"fileName": ["AGENTS.md", "GEMINI.md"]} /* both */}', {}, "GEMINI.md", "AGENTS.md"),
        ('{"context": {"fileName": ["AGENTS.md", "GEMINI.md"]}}', {"home": "AGENTS.md"}, "AGENTS.md", "AGENTS.md"),
        ('{"context": {"fileName": "TEAM.md"}}', {}, "TEAM.md", "TEAM.md"),
        ('{"context": {"fileName": "../../etc/x.md"}}', {}, "GEMINI.md", "GEMINI.md"),
        ("{broken", {}, "GEMINI.md", "GEMINI.md"),
        ("", {"import": "@AGENTS.md"}, "GEMINI.md", "AGENTS.md"),
        ("", {"import": "`@AGENTS.md`"}, "GEMINI.md", "GEMINI.md"),
    ],
)
def test_memory_stands_where_it_is_read(here, files, settings, there, user, project):
    folder = here.home / ".gemini"
    folder.mkdir()
    if settings:
        (folder / "settings.json").write_text(settings)
    if "home" in there:
        (folder / there["home"]).write_text("Be kind.\n")
    if "import" in there:
        (here.cwd / "GEMINI.md").write_text(f"See {there['import']}\n")
    (mine,) = HOST.memory.targets(MemoryRequest(here, here.cwd, "user"), files)
    (ours,) = HOST.memory.targets(MemoryRequest(here, here.cwd, "project"), files)
    assert (mine.path, ours.path) == (folder / user, here.cwd / project)


@pytest.mark.parametrize(
    ("env", "client", "host"),
    [
        ({"GEMINI_CLI": "1", "CLAUDE_PROJECT_DIR": "/p"}, "", "gemini-cli"),
        ({"GEMINI_SESSION_ID": "s", "GEMINI_PROJECT_DIR": "/p", "CLAUDE_PROJECT_DIR": "/p"}, "", "gemini-cli"),
        ({"QWEN_PROJECT_DIR": "/p", "GEMINI_PROJECT_DIR": "/p", "CLAUDE_PROJECT_DIR": "/p"}, "", "qwen-code"),
        ({"QWEN_CODE_SESSION_ID": "s"}, "", "qwen-code"),
        ({}, "gemini-cli-mcp-client", "gemini-cli"),
        ({}, "qwen-cli-mcp-client-acme", "qwen-code"),
    ],
)
def test_it_is_told_from_its_descendant_and_from_claude_code(env, client, host):
    assert current_host(CATALOG, env, client)[0] == host


@pytest.mark.parametrize("key", ["hooks.BeforeTool", "mcpServers.x", "mcp.allowed", "security.auth", "tools.sandbox"])
def test_sensitive_settings_are_not_patched(key):
    assert HOST.config_patch.refuses(key)


def test_other_settings_may_be_patched():
    assert HOST.config_patch.refuses("ui.theme") == ""

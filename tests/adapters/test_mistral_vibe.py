"""Mistral Vibe: exact values, and trips through a person's list of servers, which is kept by name."""

from __future__ import annotations

import json
import re
import tomllib
from pathlib import Path

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.adapters.mistral_vibe.hooks import format as reply
from agent_connector.adapters.mistral_vibe.hooks import parse, tool_names
from agent_connector.authoring.content import Command, Subagent, ToolPolicy
from agent_connector.detection import current_host
from agent_connector.host import HookSpec, MemoryRequest, ServerSpec
from agent_connector.operations.requests import ConnectorSource, StatusRequest, UninstallRequest
from agent_connector.operations.status import status
from agent_connector.operations.uninstall import uninstall
from homes import snapshot
from trips import trip

HOST = CATALOG.get("mistral-vibe")
SAMPLES = Path(__file__).parents[2] / "adapters" / "mistral_vibe" / "samples"
CONFIG = """\
# My Vibe.
active_model = "devstral"   # the good one

[[providers]]
name = "mistral"

[[mcp_servers]] # about time
name = 'time'
transport = "stdio"
command = "uvx mcp-server-time"

[[mcp_servers]]
name = "linear"
transport = "streamable-http"
url = "https://mcp.linear.app/mcp"
# which workspace?
[mcp_servers.auth]
type = "oauth"
scopes = ["read"] # never write

[tools.bash]
permission = "ask"
"""
HOOKS = """\
# Mine.
[[hooks]]
name = "lint"
type = "post_agent"
command = "eslint --quiet ." # quick
"""
ACME = {
    "id": "acme",
    "version": "1.0.0",
    "server": {
        "transport": "stdio",
        "command": "npx",
        "args": ["-y", "acme-mcp"],
        "env": {"MODE": "fast"},
        "timeout_ms": 20_500,
        "startup_timeout_ms": 9000,
        "tools": {"exclude": ["drop"]},
    },
    "hooks": {
        "PreToolUse": {"matcher": "^write$", "decision": "deny", "reason": "no", "timeout_ms": 4000},
        "Stop": {"command": ["true"]},
    },
}


def render(**fields):
    return HOST.server.render(ServerSpec("acme", **fields))


def sample(name):
    return json.loads((SAMPLES / f"{name}.json").read_text(encoding="utf-8"))


# --- servers -----------------------------------------------------------------------------------------------------


def test_a_stdio_entry():
    rendered = render(
        transport="stdio",
        command="npx",
        args=("x",),
        env={"A": "1"},
        cwd="/srv",
        timeout_ms=1,
        startup_timeout_ms=2500,
        enabled=False,
        exclude=("drop",),
    )
    assert rendered.value == {
        "transport": "stdio", "command": "npx", "args": ["x"], "env": {"A": "1"}, "cwd": "/srv", "disabled": True,
        "tool_timeout_sec": 1, "disabled_tools": ["drop"], "startup_timeout_sec": 3,
    }  # fmt: skip
    assert rendered.notes == ()


@pytest.mark.parametrize("command", ["/home/Zoë O'Neil/x", "C:\\x\\y.cmd", "a b", '"x"', "$HOME/x"])
def test_a_command_that_splitting_would_change_is_a_list(command):
    assert render(transport="stdio", command=command).value["command"] == [command]


@pytest.mark.parametrize(
    ("fields", "auth"),
    [
        ({}, None),
        ({"headers": {"X-Team": "core"}}, {"type": "static", "headers": {"X-Team": "core"}}),
        ({"bearer_env": "TOK"}, {"type": "static", "api_key_env": "TOK"}),
        (
            {"bearer_env": "TOK", "headers": {"authorization": "Basic x"}},
            {"type": "static", "headers": {"authorization": "Basic x"}},
        ),
        (
            {"headers": {"X-Key": "k-${env:KEY}", "X-Team": "core"}},
            {
                "type": "static", "headers": {"X-Team": "core"}, "api_key_env": "KEY", "api_key_header": "X-Key",
                "api_key_format": "k-{token}",
            },
        ),
    ],
)  # fmt: skip
def test_a_remote_entry(fields, auth):
    expected = {"transport": "streamable-http", "url": "https://x/mcp", **({"auth": auth} if auth else {})}
    assert render(transport="http", url="https://x/mcp", **fields).value == expected


@pytest.mark.parametrize(
    "headers",
    [{"A": "${env:A}", "B": "${env:B}"}, {"A": "${env:A:-d}"}, {"A": "${env:A}${env:B}"}, {"A": "{${env:A}}"}],
)
def test_more_than_one_token_of_a_variable_is_not_registered(headers):
    rendered = render(transport="http", url="https://x/mcp", headers=headers)
    assert rendered.value is None
    assert [note.level for note in rendered.notes] == ["warn"]


def test_a_variable_that_reaches_no_server_is_told():
    needed = {"transport": "stdio", "command": "x", "pass_env": ("HOME", "TOKEN")}
    told = render(args=("--env", "T={env:TOKEN}"), **needed)
    assert (told.value, [note.level for note in told.notes]) == (None, ["warn"])
    assert "(TOKEN)" in told.notes[0].text
    default = render(args=("--env", "T={env:TOKEN:-none}"), **needed)
    assert default.value["env"] == {}
    assert "defaults stand in" in default.notes[0].text


def test_tools_are_hidden_by_name_and_chosen_by_the_proxy():
    assert HOST.server.chooses(("*",), ("drop",))
    assert not HOST.server.chooses(("a",), ())
    assert not HOST.server.chooses(("*",), ("drop*",))


def test_a_server_stands_behind_a_persons_own(desk):
    changed = trip(desk, "mistral-vibe", "user", ACME, {".vibe/config.toml": CONFIG, ".vibe/hooks.toml": HOOKS})
    ours = """

[[mcp_servers]]
name = "acme"
transport = "stdio"
command = ["LAUNCHER"]
args = ["serve", "--connector", "acme", "--host", "mistral-vibe", "--", "npx", "-y", "acme-mcp"]
tool_timeout_sec = 21
disabled_tools = ["drop"]
startup_timeout_sec = 9

[mcp_servers.env]
MODE = "fast\""""
    assert changed[".vibe/config.toml"] == CONFIG.replace(" # never write", f" # never write{ours}")
    assert (
        changed[".vibe/hooks.toml"]
        == HOOKS
        + """
[[hooks]]
name = "acme PreToolUse"
type = "pre_tool"
match = "re:.*(?:(?:^|\\\\.)write$).*"
command = "LAUNCHER hook mistral-vibe PreToolUse --connector acme"
timeout = 4

[[hooks]]
name = "acme Stop"
type = "post_agent"
command = "LAUNCHER hook mistral-vibe Stop --connector acme"
"""
    )


@pytest.mark.parametrize(
    "before",
    [
        "",
        "# nothing yet\n",
        "mcp_servers = [] # none\n",
        'mcp_servers = [{name = "time", transport = "stdio", command = "uvx"}]\r\n',
        'active_model = "x"\r\n',
    ],
)
def test_files_of_every_kind_come_back(desk, before):
    changed = trip(desk, "mistral-vibe", "user", ACME, {".vibe/config.toml": before})
    names = [server["name"] for server in tomllib.loads(changed[".vibe/config.toml"])["mcp_servers"]]
    assert names[-1] == "acme"


def test_an_upgrade_replaces_the_one_element_where_it_stands(desk):
    home = Path(desk.context.machine.home)
    config = home / ".vibe" / "config.toml"
    config.parent.mkdir()
    config.write_text(CONFIG, encoding="utf-8")
    found = snapshot(home)
    assert desk.install(ACME, targets=("mistral-vibe",), scope="user").exit_code == 0
    text = config.read_text(encoding="utf-8").replace(
        "[tools.bash]", '[[mcp_servers]]\nname = "last"\n\n[tools.bash]'
    )
    config.write_text(text, encoding="utf-8")
    server = {**ACME["server"], "args": ["-y", "acme-mcp@2"], "env": {}}
    assert desk.install({**ACME, "version": "2.0.0", "server": server}, targets=("mistral-vibe",)).exit_code == 0
    written = tomllib.loads(config.read_text(encoding="utf-8"))["mcp_servers"]
    assert [entry["name"] for entry in written] == ["time", "linear", "acme", "last"]
    assert written[2]["args"][-1] == "acme-mcp@2"
    assert desk.uninstall("acme", targets=("mistral-vibe",)).exit_code == 0
    assert config.read_text(encoding="utf-8") == CONFIG.replace(
        "[tools.bash]", '[[mcp_servers]]\nname = "last"\n\n[tools.bash]'
    )
    config.write_text(CONFIG, encoding="utf-8")
    assert snapshot(home) == found


@pytest.mark.parametrize(
    ("there", "told"),
    [
        ('[[mcp_servers]]\nname = "acme"\ntransport = "stdio"\ncommand = "mine"\n', "exists and is not ours"),
        ('[[mcp_servers]]\nname = "-acme_"\ncommand = "mine"\n', "is the same name to Mistral Vibe"),
        ('[mcp_servers.acme]\ncommand = "mine"\n', "not an array"),
        ('[[mcp_servers]]\nname = "acme"\n[[mcp_servers]]\nname = "acme"\n', "exists and is not ours"),
    ],
)
def test_what_others_call_by_our_name_is_left_alone_and_said(desk, there, told):
    config = Path(desk.context.machine.home) / ".vibe" / "config.toml"
    config.parent.mkdir()
    config.write_text(there, encoding="utf-8")
    report = desk.install({**ACME, "hooks": {}}, targets=("mistral-vibe",), scope="user")
    assert report.exit_code == 1
    assert config.read_text(encoding="utf-8") == there
    assert any(told in change.detail and change.action == "warn" for change in report.changes)


def test_a_servers_place_is_told_as_people_write_it(desk):
    (Path(desk.context.machine.home) / ".vibe").mkdir()
    report = desk.install({**ACME, "hooks": {}}, targets=("mistral-vibe",), scope="user")
    (made,) = [change for change in report.changes if change.surface == "server" and change.action == "create"]
    assert made.detail.startswith("mcp_servers[name=acme]")


def test_an_override_renames_no_element(desk):
    (Path(desk.context.machine.home) / ".vibe").mkdir()
    named = {**ACME, "hooks": {}, "platforms": {"mistral-vibe": {"extra": {"name": "other", "prompt": "Use it."}}}}
    report = desk.install(named, targets=("mistral-vibe",), scope="user")
    assert report.exit_code == 0
    assert any('"name" of an override is not taken' in change.detail for change in report.changes)
    text = (Path(desk.context.machine.home) / ".vibe" / "config.toml").read_text(encoding="utf-8")
    (entry,) = tomllib.loads(text)["mcp_servers"]
    assert (entry["name"], entry["prompt"]) == ("acme", "Use it.")


def test_what_calls_our_launcher_is_known_without_a_ledger(desk):
    config = Path(desk.context.machine.home) / ".vibe" / "config.toml"
    config.parent.mkdir()
    config.write_text(CONFIG, encoding="utf-8")
    assert desk.install(ACME, targets=("mistral-vibe",), scope="user").exit_code == 0
    (Path(desk.context.machine.data_root) / "state.db").unlink()
    assert desk.uninstall("acme", targets=("mistral-vibe",), scope="user").exit_code == 0
    assert config.read_text(encoding="utf-8") == CONFIG


def test_a_teammate_without_a_ledger_takes_out_what_was_committed(desk):
    project = Path(desk.context.machine.cwd)
    config = project / ".vibe" / "config.toml"
    config.parent.mkdir()
    mine = '[[mcp_servers]]\nname = "time"\ncommand = "uvx"\n'
    config.write_text(mine, encoding="utf-8")
    assert desk.install(ACME, targets=("mistral-vibe",), scope="project").exit_code == 0
    assert '"npx"' in config.read_text(encoding="utf-8")
    (Path(desk.context.machine.data_root) / "state.db").unlink()
    wish = UninstallRequest(source=ConnectorSource(inline=ACME), targets=("mistral-vibe",), scope="project")
    assert uninstall(wish, desk.context).exit_code == 0
    assert config.read_text(encoding="utf-8") == mine
    assert not (project / ".vibe" / "hooks.toml").read_bytes().strip()


@pytest.mark.parametrize(
    ("content", "count"),
    [
        ({}, 0),
        ({"enable_mcp": False}, 1),
        ({"mcp_servers": {"x": {}}}, 1),
        ({"mcp_servers": [{"name": "x"}, {"name": "x_"}, {"name": "y"}]}, 1),
    ],
)
def test_what_costs_all_servers_of_a_file(content, count):
    assert len(list(HOST.server.faults(content, {}))) == count


# --- hooks -------------------------------------------------------------------------------------------------------


def test_hooks_have_names_that_are_theirs_alone():
    line = "/h/bin/agent-connector hook mistral-vibe {} --connector acme-db"
    first = HookSpec("PreToolUse", "pre_tool", line.format("PreToolUse"), timeout_ms=1500)
    assert HOST.hooks.item(first) == {
        "name": "acme-db PreToolUse", "type": "pre_tool", "command": first.command, "timeout": 2,
    }  # fmt: skip
    second = HookSpec("pre_tool", "pre_tool", f"{line.format('pre_tool')} --entry 1")
    assert HOST.hooks.item(second)["name"] == "acme-db pre_tool 1"
    assert HOST.hooks.time_limit("Stop", None) == 60_000


@pytest.mark.parametrize(
    ("pattern", "name", "matches"),
    [
        ("^write", "write_all", True),
        ("^write", "mcp_acme.write_all", True),
        ("^write", "mcp_write.read", False),
        ("create-issue$", "mcp_x.create_issue", True),
        ("bash|edit", "file_system.bash", True),
    ],
)
def test_a_matcher_is_for_the_whole_name(pattern, name, matches):
    native = HOST.hooks.matcher("PreToolUse", pattern)
    assert bool(re.fullmatch(native.removeprefix("re:"), name, re.IGNORECASE)) == matches
    assert HOST.hooks.matcher("PreToolUse", "mcp__acme__write") == ""


def test_tools_are_known_by_their_bare_names_too():
    assert tool_names("mcp_acme_db.create_issue") == ("mcp_acme_db.create_issue", "create_issue", "create-issue")
    assert tool_names("file_system.bash") == ("file_system.bash", "bash")


def test_registrations_in_one_list_are_told_by_the_events_they_name(desk):
    (Path(desk.context.machine.home) / ".vibe").mkdir()
    desk.install(ACME, targets=("mistral-vibe",))
    (vibe,) = [host for host in status(StatusRequest(), desk.context).hosts if host.id == "mistral-vibe"]
    assert {event for state in vibe.hooks for event in state.events} == {"PreToolUse", "Stop"}


def test_payloads_are_read():
    assert parse("PreToolUse", sample("PreToolUse.mcp")) == {
        "session_id": "7f7445ee-db32-ed42-fe08-9f2f80619f3d", "project_dir": "/home/dev/project",
        "tool_name": "mcp_echo.echo", "tool_input": {"text": "hi"},
    }  # fmt: skip
    found = parse("PostToolUse", sample("PostToolUse"))
    assert found["tool_output"].startswith("command: echo hi")
    assert found["is_error"] is False
    failed = {**sample("PostToolUse.mcp"), "tool_status": "failure", "tool_output_text": "no such table"}
    assert parse("PostToolUse", failed)["is_error"] is True
    assert parse("Stop", sample("Stop")).keys() == {"session_id", "project_dir"}


ALLOWED = {"decision": "modify", "updated_input": {"text": "x"}}


@pytest.mark.parametrize(
    ("event", "response", "said", "verdict"),
    [
        ("PreToolUse", {}, None, "honored"),
        ("PreToolUse", {"decision": "allow"}, None, "honored"),
        ("PreToolUse", {"decision": "deny", "reason": "no"}, {"decision": "deny", "reason": "no"}, "honored"),
        ("PreToolUse", {"decision": "ask"}, None, "dropped"),
        ("PreToolUse", ALLOWED, {"hook_specific_output": {"tool_input": {"text": "x"}}}, "honored"),
        ("PreToolUse", {"decision": "context", "additional_context": "c"}, None, "dropped"),
        (
            "PostToolUse",
            {"decision": "context", "additional_context": "c"},
            {"hook_specific_output": {"additional_context": "c"}},
            "honored",
        ),
        ("PostToolUse", {"updated_output": "o"}, {"decision": "deny", "reason": "o"}, "honored"),
        ("PostToolUse", {"decision": "deny", "reason": "no"}, {"decision": "deny", "reason": "no"}, "honored"),
        ("PostToolUse", ALLOWED, None, "dropped"),
        ("Stop", {"decision": "deny", "reason": "more"}, {"decision": "deny", "reason": "more"}, "honored"),
        ("Stop", {"decision": "context", "additional_context": "c"}, None, "dropped"),
        ("SessionStart", {"decision": "deny", "reason": "no"}, None, "dropped"),
    ],
)
def test_answers_in_its_own_words(event, response, said, verdict):
    answered = reply(event, response, sample("PreToolUse"))
    assert (json.loads(answered.stdout) if answered.stdout else None, answered.verdict) == (said, verdict)


def test_a_program_that_gets_something_structured_gets_no_context():
    context = {"decision": "context", "additional_context": "c"}
    plain, structured = sample("PostToolUse.mcp"), {**sample("PostToolUse.mcp"), "tool_output": {"rows": []}}
    assert reply("PostToolUse", context, plain).verdict == "honored"
    assert reply("PostToolUse", context, structured).verdict == "dropped"


def test_a_program_is_not_told_why_its_call_was_stopped():
    answered = reply("PreToolUse", {"decision": "deny", "reason": "no"}, sample("PreToolUse.mcp"))
    assert (answered.verdict, json.loads(answered.stdout)["decision"]) == ("degraded", "deny")
    assert "not told why" in answered.why


# --- content -----------------------------------------------------------------------------------------------------


def test_a_command_is_a_skill_that_the_user_alone_starts():
    made = HOST.commands.render(Command(name="greet", description="Greets", prompt="Greet $ARGUMENTS."))
    text = made.files["greet/SKILL.md"]
    assert "name: greet\ndescription: Greets\ndisable-model-invocation: true\n" in text
    assert text.endswith("Greet $ARGUMENTS.\n")
    assert "skills" in HOST.commands.degraded


def test_a_subagent_is_a_toml_file():
    subagent = Subagent(
        name="reviewer",
        description="Reviews",
        prompt="Be kind.",
        model="opus",
        tools=ToolPolicy(allow=("read_file",)),
    )
    made = HOST.subagents.render(subagent)
    assert tomllib.loads(made.files["reviewer.toml"]) == {
        "agent_type": "subagent", "description": "Reviews", "enabled_tools": ["read_file"],
        "instructions": "Be kind.",
    }  # fmt: skip
    assert [note.level for note in made.notes] == ["info"]


def test_memory(here, files):
    for scope, path in (("user", Path(here.home) / ".vibe" / "AGENTS.md"), ("project", Path(here.cwd) / "AGENTS.md")):
        (block,) = HOST.memory.targets(MemoryRequest(here, here.cwd, scope), files)
        assert Path(block.path) == path


def test_a_hook_process_knows_where_it_is():
    assert current_host(CATALOG, {"VIBE_APP_SERVER_BIN": "/x"})[0] == "mistral-vibe"

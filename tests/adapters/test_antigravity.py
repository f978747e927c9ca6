"""Antigravity, command line and editor: hooks keyed by the connector's name, a decision for every call, who calls."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from agent_connector.adapters.antigravity_cli import hooks
from agent_connector.adapters.catalog import CATALOG
from agent_connector.detection import current_host
from agent_connector.host import HookSpec, MemoryRequest, ServerSpec
from agent_connector.runtime.caller import caller_of
from agent_connector.surfaces.blockers import refusals
from trips import trip

CLI, EDITOR = CATALOG.get("antigravity-cli"), CATALOG.get("antigravity")
SERVERS = """{
  "mcpServers": {
    "weather": { "serverUrl": "https://weather.example/mcp", "disabledTools": [] }
  }
}
"""
HOOKS = """{
  "lint": {
    "enabled": true,
    "PostToolUse": [{"matcher": "write_to_file", "hooks": [{"type": "command", "command": "./l.sh", "timeout": 9}]}]
  }
}
"""
ACME = {
    "id": "acme",
    "version": "1.0.0",
    "server": {"transport": "stdio", "command": "npx", "args": ["-y", "acme-mcp"], "env": {"TOKEN": "${env:TOKEN}"}},
    "hooks": {
        "PreToolUse": {"decision": "deny", "reason": "no", "matcher": "^acme_write$", "timeout_ms": 1500},
        "UserPromptSubmit": {"decision": "context", "additional_context": "x"},
    },
}
SAYS = """if [ -x LAUNCHER ]; then LAUNCHER hook {} {} --connector acme; else echo '{}'; fi"""


PLAIN = {**ACME, "server": {**ACME["server"], "env": {}}}


def render(**fields):
    return CLI.server.render(ServerSpec("acme", **fields))


def test_entries_of_each_transport():
    spec = {"command": "npx", "args": ("x",), "cwd": "/srv", "exclude": ("drop",), "enabled": False}
    assert render(transport="stdio", **spec).value == {
        "command": "npx", "args": ["x"], "env": {}, "cwd": "/srv", "disabled": True, "disabledTools": ["drop"],
    }  # fmt: skip
    assert render(transport="http", url="https://x", headers={"A": "b"}).value == {
        "serverUrl": "https://x", "headers": {"A": "b"},
    }  # fmt: skip
    assert render(transport="sse", url="https://x").value is None
    assert render(transport="http", url="https://x", headers={"A": "${env:B}"}).value is None


@pytest.mark.parametrize(
    ("include", "exclude", "itself"),
    [(("*",), ("a",), True), (("a",), (), False), (("*",), ("a*",), False)],
)
def test_it_hides_tools_by_exact_names_and_shows_none_alone(include, exclude, itself):
    assert CLI.server.chooses(include, exclude) is itself
    value = render(transport="stdio", command="x", include=include, exclude=exclude).value
    assert ("disabledTools" in value) is itself


def test_hooks_stand_under_the_connectors_name(desk):
    before = {".gemini/config/mcp_config.json": SERVERS, ".gemini/config/hooks.json": HOOKS}
    written = trip(desk, "antigravity-cli", "user", ACME, before)

    servers = json.loads(written[".gemini/config/mcp_config.json"])["mcpServers"]
    assert (servers["acme"]["command"], servers["acme"]["env"]) == ("LAUNCHER", {})
    hooks_file = written[".gemini/config/hooks.json"]
    assert hooks_file.startswith(HOOKS[: HOOKS.rindex("\n}")])
    line = SAYS.format("antigravity-cli", "PreToolUse", '{"decision":"ask"}')
    prompt = SAYS.format("antigravity-cli", "UserPromptSubmit", "{}")
    assert json.loads(hooks_file)["acme"] == {
        "PreToolUse": [{"hooks": [{"type": "command", "command": line, "timeout": 2}]}],
        "PreInvocation": [{"type": "command", "command": prompt}],
    }


@pytest.mark.parametrize(
    "before", [{}, {"work/shop/.agents/hooks.json": "", "work/shop/.agents/mcp_config.json": ""}]
)
def test_a_committed_file_forbids_nothing_where_agent_connector_is_not_installed(desk, before):
    written = trip(desk, "antigravity-cli", "project", PLAIN, before)

    (group,) = json.loads(written["work/shop/.agents/hooks.json"])["acme"]["PreToolUse"]
    assert group["hooks"][0]["command"].endswith("""else echo '{"decision":"ask"}'; fi""")


def test_without_a_ledger_ours_are_found_by_the_name(desk, project):
    desk.install(ACME, targets=("antigravity-cli",), scope="project")
    file = project / ".agents" / "hooks.json"
    assert "acme" in json.loads(file.read_text())
    (desk.context.data_root / "state.db").unlink()

    desk.uninstall("acme", targets=("antigravity-cli",), scope="project")

    assert "--connector acme" not in (file.read_text() if file.exists() else "")


@pytest.mark.parametrize("newer", [False, True])
def test_the_editor_has_servers_of_its_own_and_the_rest_in_common(desk, newer):
    home = Path(desk.context.machine.home)
    (home / ".gemini" / ("antigravity-ide" if newer else "antigravity")).mkdir(parents=True)
    written = trip(desk, "antigravity", "user", ACME, {})

    place = ".gemini/config/mcp_config.json" if newer else ".gemini/antigravity/mcp_config.json"
    assert set(written) == {place, ".gemini/config/hooks.json"}


def test_both_in_one_project_share_what_one_file_holds_once(desk, project):
    targets = ("antigravity-cli", "antigravity")
    report = desk.install(PLAIN, targets=targets, scope="project")
    assert report.exit_code == 0
    assert [change.action for change in report.changes if change.surface == "server"] == ["create", "skip"]

    events = json.loads((project / ".agents" / "hooks.json").read_text())["acme"]
    assert [group["hooks"][0]["command"].split(" hook ")[1].split()[0] for group in events["PreToolUse"]] == [
        *targets
    ]
    for host in targets:
        assert desk.uninstall("acme", targets=(host,), scope="project").exit_code == 0
    assert not (project / ".agents" / "hooks.json").exists()


def test_where_both_read_one_file_of_a_persons_the_first_ones_entry_serves_both(desk):
    targets = ("antigravity-cli", "antigravity")
    home = Path(desk.context.machine.home)
    (home / ".gemini" / "antigravity-ide").mkdir(parents=True)
    for expected in (["create", "skip"], ["skip", "skip"]):
        report = desk.install(PLAIN, targets=targets, scope="user")
        assert (report.exit_code, [one.action for one in report.changes if one.surface == "server"]) == (0, expected)

    entry = json.loads((home / ".gemini" / "config" / "mcp_config.json").read_text())["mcpServers"]["acme"]
    assert entry["args"][4] == "antigravity-cli"
    for host in targets:
        assert desk.uninstall("acme", targets=(host,), scope="user").exit_code == 0
    assert not (home / ".gemini" / "config" / "mcp_config.json").exists()


@pytest.mark.parametrize(
    ("folder", "told"), [("antigravity-cli", ""), ("antigravity", "antigravity"), ("antigravity-ide", "antigravity")]
)
@pytest.mark.parametrize("separator", ["/", "\\"])
def test_who_called_is_told_by_where_the_transcript_stands(desk, folder, told, separator):
    desk.install(ACME, targets=("antigravity-cli",), scope="user")
    record = json.loads((desk.context.data_root / "connectors" / "acme" / "hooks.json").read_text())
    readers = record["hosts"]["antigravity-cli"]["readers"]
    path = f"/home/antigravity/.gemini/{folder}/brain/x/transcript.jsonl".replace("/", separator)

    assert caller_of(readers, {"transcriptPath": path}, lambda _name: "") == told
    assert caller_of(readers, {"transcriptPath": 3}, lambda _name: "") == ""


def test_a_servers_tool_goes_by_the_name_it_has_in_other_hosts():
    args = {"ServerName": "acme-db", "ToolName": "acme_write", "Arguments": {"sql": "x"}}
    for spelled in (args, {key: json.dumps(value) for key, value in args.items()}):
        found = hooks.parse("PreToolUse", {"toolCall": {"name": "call_mcp_tool", "args": spelled}})
        assert (found["tool_name"], found["tool_input"]) == ("mcp__acme-db__acme_write", {"sql": "x"})
    assert hooks.tool_names("mcp__acme-db__acme_write") == ("call_mcp_tool", "mcp__acme-db__acme_write", "acme_write")
    assert hooks.tool_names("run_command") == ("run_command",)
    broken = hooks.parse("PreToolUse", {"toolCall": {"name": "call_mcp_tool", "args": {"ServerName": '"x'}}})
    assert broken["tool_name"] == "call_mcp_tool"


@pytest.mark.parametrize(("number", "again"), [(0, False), (1, False), (2, True), (None, False), ("2", False)])
def test_a_prompt_is_told_with_the_first_call_of_the_model(number, again):
    assert hooks.repeats("UserPromptSubmit", {"invocationNum": number}) is again
    assert not hooks.repeats("PreToolUse", {"invocationNum": 9})


def test_replies_hold_documented_keys_only():
    said = {
        ("PreToolUse", "deny"): {"decision": "deny", "reason": "no"},
        ("PreToolUse", "ask"): {"decision": "force_ask", "reason": "no"},
        ("Stop", "deny"): {"decision": "continue", "reason": "no"},
        ("PostToolUse", "deny"): {},
    }
    for (event, decision), expected in said.items():
        assert json.loads(hooks.format(event, {"decision": decision, "reason": "no"}, {}).stdout) == expected
    context = {"decision": "context", "additional_context": "x"}
    assert json.loads(hooks.format("UserPromptSubmit", context, {}).stdout) == {
        "injectSteps": [{"ephemeralMessage": "x"}]
    }
    assert json.loads(hooks.format("PreToolUse", context, {}).stdout) == {"decision": "ask"}


@pytest.mark.parametrize(
    ("content", "named"),
    [
        ('{"enabled": true}', "enabled"),
        ('{"mine": []}', "mine"),
        ('{"mine": {"enabled": "no"}}', "mine.enabled"),
        ('{"mine": {"PreToolUse": [{"hooks": [{"type": "COMMAND", "command": "x"}]}]}}', "mine.PreToolUse"),
        ('{"mine": {"Stop": [{"type": "command", "command": "x", "timeout": 1.5}]}}', "mine.Stop"),
    ],
)
def test_what_the_host_refuses_a_file_for_is_told(tmp_path, files, content, named):
    path = tmp_path / "hooks.json"
    path.write_text(content)
    (file,) = CLI.hooks.files["user"]
    assert any(named in note.text for note in refusals(CLI, file, path, files))
    path.write_text(HOOKS)
    assert refusals(CLI, file, path, files) == []


def test_times_and_events_of_hooks():
    assert CLI.hooks.item(HookSpec("Stop", "Stop", "run", timeout_ms=1500)) == {
        "type": "command", "command": "run", "timeout": 2,
    }  # fmt: skip
    assert (CLI.hooks.time_limit("Stop", 1500), CLI.hooks.time_limit("Stop", None)) == (2000, 60_000)
    assert CLI.hooks.native_events("PostInvocation")
    assert not CLI.hooks.native_events("SessionEnd")
    assert CLI.hooks.matcher("PreToolUse", "acme") == ""


def test_the_status_line_is_words_and_no_line_for_a_shell(desk):
    assert CLI.statusline.refuses("/home/dev/bin/agent-connector statusline antigravity-cli --connector acme") == ""
    assert CLI.statusline.refuses("'/home/my dev/bin/agent-connector' statusline")
    statusline = {"id": "acme", "version": "1.0.0", "statusline": {"command": ["true"]}}
    report = desk.install(statusline, targets=("antigravity-cli",), scope="user")
    (told,) = [change for change in report.changes if change.surface == "statusline"]
    assert (told.action, "such characters" in told.detail) == ("warn", True)


def test_memory(here, files):
    for host in (CLI, EDITOR):
        (mine,) = host.memory.targets(MemoryRequest(here, here.cwd, "user"), files)
        (ours,) = host.memory.targets(MemoryRequest(here, here.cwd, "project"), files)
        assert (mine.path, ours.path) == (here.home / ".gemini" / "AGENTS.md", here.cwd / "AGENTS.md")


def test_it_is_told_by_its_clients_name():
    assert current_host(CATALOG, {"GEMINI_PROJECT_DIR": "/p"}, "antigravity-client")[0] == "antigravity-cli"

"""OpenCode: exact values, and trips through a person's files, of which there may be several that count as one."""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.authoring.models import Command, Subagent
from agent_connector.detection import current_host
from agent_connector.host import MemoryRequest, ServerSpec
from agent_connector.operations.doctor import doctor
from agent_connector.operations.explain import explain
from agent_connector.operations.requests import ConnectorSource, DoctorRequest, ExplainRequest, StatusRequest
from agent_connector.operations.status import status
from agent_connector.surfaces.plugins import about_in
from trips import trip

HOST = CATALOG.get("opencode")
CONFIG = """\
{
  "$schema": "https://opencode.ai/config.json",
  // the good one
  "model": "anthropic/opus",
  "mcp": {
    "time": { "type": "local", "command": ["uvx", "mcp-server-time"] }, // about time
  },
}
"""
ACME = {
    "id": "acme",
    "version": "1.2.3",
    "server": {
        "transport": "stdio",
        "command": "npx",
        "args": ["-y", "acme-mcp"],
        "env": {"TOKEN": "${env:TOKEN}"},
        "timeout_ms": 8000,
        "wrap_for_telemetry": False,
    },
    "hooks": {
        "PreToolUse": [
            {"matcher": "^acme_(write|drop)$", "decision": "deny", "reason": "Not // here, <script>"},
            {"matcher": "(?i)acme_odd", "decision": "deny", "reason": "odd"},
            {"matcher": "a+c", "decision": "deny", "reason": "plain"},
            {"matcher": "acme_ask", "decision": "ask", "reason": "Sure?"},
            {"command": ["./guard"], "timeout_ms": 4000},
        ],
        "UserPromptSubmit": {"decision": "context", "additional_context": "x"},
        "Notification": {"command": ["./ring"]},
    },
}
ENTRY = {
    "type": "local",
    "command": ["npx", "-y", "acme-mcp"],
    "environment": {"TOKEN": "{env:TOKEN}"},
    "timeout": 8000,
}
USER = ".config/opencode"
WITH_ACME = CONFIG.replace(
    "// about time\n",
    "// about time\n"
    '    "acme": { "type": "local", "command": ["npx", "-y", "acme-mcp"], '
    '"environment": { "TOKEN": "{env:TOKEN}" }, "timeout": 8000 },\n',
)


def render(**fields):
    return HOST.server.render(ServerSpec("acme", **fields))


def settings_in(text: str):
    line = next(line for line in text.splitlines() if line.startswith("const SETTINGS = "))
    return json.loads(line.removeprefix("const SETTINGS = ").rstrip(";"))


def test_entries_of_each_kind():
    local = render(transport="stdio", command="npx", args=("-y", "x"), cwd="/srv", enabled=False)
    assert local.value == {"type": "local", "command": ["npx", "-y", "x"], "cwd": "/srv", "enabled": False}
    remote = render(transport="http", url="https://acme.example/mcp", bearer_env="KEY", headers={"A": "${env:A}"})
    assert remote.value == {
        "type": "remote",
        "url": "https://acme.example/mcp",
        "headers": {"A": "{env:A}", "Authorization": "Bearer {env:KEY}"},
    }
    assert render(transport="sse", url="https://acme.example/sse").value["type"] == "remote"
    assert render(transport="ws", url="wss://acme.example").value is None


def test_a_variable_with_a_default_is_not_resolved_there():
    assert HOST.server.expresses("K", "a ${env:K} b")
    assert not HOST.server.expresses("K", "${env:K:-d}")


def test_a_persons_file_gets_the_entry_and_the_plugin_folder_the_module(desk):
    before = {f"{USER}/opencode.jsonc": CONFIG}
    made = trip(desk, "opencode", "user", ACME, before)

    assert made.keys() == {f"{USER}/opencode.jsonc", f"{USER}/plugin/acme.js"}
    assert made[f"{USER}/opencode.jsonc"] == WITH_ACME


def test_the_module_says_whose_it_is_and_holds_what_needs_no_code(desk):
    text = trip(desk, "opencode", "user", ACME, {})[f"{USER}/plugin/acme.js"]
    about, settings = about_in(text), settings_in(text)

    assert about == {
        "connector": "acme",
        "version": "1.2.3",
        "host": "opencode",
        "scope": "user",
        "command": "agent-connector hook opencode --stream --connector acme",
        "digest": about["digest"],
    }
    assert re.fullmatch("[0-9a-f]{16}", about["digest"])
    assert settings["launcher"] == str(desk.context.machine.launcher)
    assert settings["events"] == {"PreToolUse": 4000, "UserPromptSubmit": 60_000, "SessionStart": 60_000}
    held = settings["statics"].pop("PreToolUse")
    assert settings["statics"] == {}
    assert [one["reply"]["reason"] for one in held] == ["Not // here, <script>", "plain"]
    assert held[0]["match"]["exact"] == ["acme_write", "acme_drop"]
    assert "// here" not in text


def test_a_project_has_no_path_of_anybodys_home(desk, home):
    made = trip(desk, "opencode", "project", ACME, {})

    (module,) = (text for path, text in made.items() if path.endswith(".opencode/plugin/acme.js"))
    assert settings_in(module)["launcher"] == ""
    assert str(home) not in "".join(made.values())
    (config,) = (text for path, text in made.items() if path.endswith("opencode.json"))
    assert json.loads(config) == {"mcp": {"acme": ENTRY}}


@pytest.mark.parametrize(
    ("there", "written"),
    [
        ((), "opencode.jsonc"),
        (("opencode.json",), "opencode.json"),
        (("opencode.jsonc",), "opencode.jsonc"),
        (("opencode.json", "opencode.jsonc"), "opencode.json"),
    ],
)
def test_of_two_files_that_count_as_one_the_one_is_written_that_opencode_writes(desk, there, written):
    made = trip(desk, "opencode", "user", ACME, {f"{USER}/{name}": CONFIG for name in there})
    assert {path for path in made if "opencode.json" in path} == {f"{USER}/{written}"}


def test_a_server_of_that_name_in_either_file_is_a_persons_own(desk, home):
    own = CONFIG.replace('"time"', '"acme"')
    (home / USER).mkdir(parents=True)
    (home / USER / "opencode.json").write_text("{}", encoding="utf-8")
    (home / USER / "opencode.jsonc").write_text(own, encoding="utf-8")

    report = desk.install(ACME, targets=("opencode",))

    assert any("exists and is not ours" in change.detail for change in report.changes)
    assert (home / USER / "opencode.json").read_text() == "{}"
    assert (home / USER / "opencode.jsonc").read_text() == own


def test_an_event_it_has_not_and_an_unknown_native_one_are_said(desk):
    native = {"platforms": {"opencode": {"native_hooks": {"no.such.hook": [{"command": ["./x"]}]}}}}
    report = desk.install({**ACME, **native}, targets=("opencode",))
    details = [change.detail for change in report.changes]
    assert "OpenCode has no Notification event" in details
    assert "OpenCode knows no event no.such.hook: no native hook is run for it" in details


def test_commands_and_subagents_keep_what_it_has_keys_for():
    command = Command(name="greet", description="Greets", prompt="Hi $1", model="acme/large", subtask=True)
    assert HOST.commands.render(command).files == {
        "greet.md": "---\ndescription: Greets\nmodel: acme/large\nsubtask: true\n---\n\nHi $1\n"
    }
    subagent = Subagent(
        name="dba", description="Tunes", prompt="Tune.", readonly=True, tools={"allow": ["read"]}, model="sonnet"
    )
    rendered = HOST.subagents.render(subagent)
    permission = '{"*": "deny", "read": "allow", "edit": "deny", "bash": "deny"}'
    head = f"description: Tunes\nmode: subagent\npermission: {permission}"
    assert rendered.files == {"dba.md": f"---\n{head}\n---\n\nTune.\n"}
    assert [note.text for note in rendered.notes] == ['OpenCode has no key for the model "sonnet" of "dba": left out']


@pytest.mark.parametrize(
    ("there", "target"),
    [
        ((), f"{USER}/AGENTS.md"),
        ((".claude/CLAUDE.md",), ".claude/CLAUDE.md"),
        ((".claude/CLAUDE.md", f"{USER}/AGENTS.md"), f"{USER}/AGENTS.md"),
    ],
)
def test_memory_hides_nothing_that_it_read_before(here, files, there, target):
    for name in there:
        (Path(here.home) / name).parent.mkdir(parents=True, exist_ok=True)
        (Path(here.home) / name).write_text("mine")
    (block,) = HOST.memory.targets(MemoryRequest(here, here.cwd, "user"), files)
    assert block.path == here.home / target


def test_memory_of_a_project_goes_where_it_looks_first(here, files):
    assert HOST.memory.targets(MemoryRequest(here, here.cwd, "project"), files)[0].path == here.cwd / "AGENTS.md"
    (Path(here.cwd) / "CLAUDE.md").write_text("mine")
    assert HOST.memory.targets(MemoryRequest(here, here.cwd, "project"), files)[0].path == here.cwd / "CLAUDE.md"


def test_its_folder_is_the_same_on_every_system(linux, macos, windows):
    folder = HOST.hooks.plugin.folders["user"]
    assert folder.resolve(linux, linux.cwd) == PurePosixPath("/home/dev/.config/opencode/plugin")
    assert folder.resolve(macos, macos.cwd) == PurePosixPath("/Users/dev/.config/opencode/plugin")
    assert folder.resolve(windows, windows.cwd) == PureWindowsPath("C:/Users/dev/.config/opencode/plugin")


def test_it_is_told_from_forks_that_set_its_variables_too():
    assert current_host(CATALOG, {"OPENCODE": "1", "AGENT": "1"})[0] == "opencode"
    assert current_host(CATALOG, {"OPENCODE": "1", "KILO": "1"})[0] != "opencode"


def test_explain_says_where_hooks_and_native_hooks_stand(context):
    native = {"platforms": {"opencode": {"native_hooks": {"shell.env": [{"command": ["./x"]}]}}}}
    source = ConnectorSource(inline={**ACME, **native})
    rows = {row.surface: row for row in explain(ExplainRequest(source=source, targets=("opencode",)), context).rows}
    assert rows["hooks"].support == rows["nativeHooks"].support == "native"
    assert "plugin/acme.js" in rows["nativeHooks"].reason


def test_a_module_that_is_not_what_would_be_written_is_told_and_mended(desk, home):
    desk.install(ACME, targets=("opencode",))
    module = home / USER / "plugin" / "acme.js"
    assert status(StatusRequest(), desk.context).problems == ()
    assert not [check for check in doctor(DoctorRequest(), desk.context).checks if "stale" in check.message]

    record = Path(desk.context.data_root) / "connectors" / "acme" / "connector.json"
    record.write_text(record.read_text().replace("1.2.3", "1.2.4"), encoding="utf-8")

    (told,) = [check for check in doctor(DoctorRequest(), desk.context).checks if "stale" in check.message]
    assert (told.subject, told.name, told.status) == ("opencode", "acme hook module", "warn")
    assert re.search(
        r"is stale \(version 1.2.3, digest \w+\): version 1.2.4, digest \w+ would be written", told.message
    )
    (problem,) = status(StatusRequest(), desk.context).problems
    assert "acme.js" in problem

    doctor(DoctorRequest(heal=True), desk.context)
    assert about_in(module.read_text())["version"] == "1.2.4"


def test_a_module_that_is_gone_or_was_changed_is_told(desk, home):
    desk.install(ACME, targets=("opencode",))
    module = home / USER / "plugin" / "acme.js"
    text = module.read_text()
    module.unlink()
    assert "vanished" in " ".join(check.message for check in doctor(DoctorRequest(), desk.context).checks)
    module.write_text(text + "// mine")
    assert "was changed" in " ".join(check.message for check in doctor(DoctorRequest(), desk.context).checks)
    report = desk.uninstall("acme", targets=("opencode",))
    assert any("was changed since it was installed; left in place" in change.detail for change in report.changes)
    assert module.exists()


def test_somebody_without_the_ledger_can_take_a_projects_module_out(desk, project):
    desk.install(ACME, targets=("opencode",), scope="project")
    module = project / ".opencode" / "plugin" / "acme.js"
    assert module.exists()
    (Path(desk.context.data_root) / "state.db").unlink()

    desk.uninstall("acme", targets=("opencode",), scope="project")

    assert not module.exists()


def test_status_knows_the_events_of_a_module(desk):
    desk.install(ACME, targets=("opencode",))
    (host,) = [one for one in status(StatusRequest(), desk.context).hosts if one.id == "opencode"]
    assert [set(hooks.events) for hooks in host.hooks] == [{"PreToolUse", "UserPromptSubmit", "SessionStart"}]

"""Pi: exact values, tools that are exposed or hidden, trust by folder, and the memory file that is read."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.adapters.pi.hooks import format as reply
from agent_connector.authoring.content import Command
from agent_connector.detection import current_host
from agent_connector.host import MemoryRequest, ServerSpec
from agent_connector.surfaces.blockers import Site, hindrances
from trips import trip

HOST = CATALOG.get("pi")
MCP = """{
\t"mcpServers": {
\t\t"docs": { "url": "https://docs.example/mcp", "headers": { "Authorization": "Bearer ${DOCS_TOKEN}" } }
\t},
\t"autoEnableCodemode": false
}
"""
ACME = {
    "id": "acme",
    "version": "1.0.0",
    "server": {
        "transport": "stdio",
        "command": "npx",
        "args": ["-y", "acme-mcp"],
        "env": {"MODE": "fast", "PRICE": "$5", "ACME_TOKEN": "${env:ACME_TOKEN}"},
        "timeout_ms": 20_500,
        "tools": {"exclude": ["drop_*"]},
    },
}


def render(**fields):
    return HOST.server.render(ServerSpec("acme", **fields))


def test_a_stdio_entry_shows_its_tools_to_the_model():
    spec = {"command": "npx", "args": ("-y", "x"), "env": {"A": "1"}, "cwd": "/srv", "timeout_ms": 1500}
    assert render(transport="stdio", **spec).value == {
        "command": "npx", "args": ["-y", "x"], "env": {"A": "1"}, "cwd": "/srv", "timeout": 2, "exposure": "direct",
    }  # fmt: skip


def test_a_remote_entry_and_a_disabled_one():
    rendered = render(transport="http", url="https://x/mcp", bearer_env="TOK", enabled=False)
    headers = {"Authorization": "Bearer ${TOK}"}
    assert rendered.value == {
        "url": "https://x/mcp", "headers": headers, "enabled": False, "exposure": "direct",
    }  # fmt: skip
    assert render(transport="sse", url="https://x/sse").value is None


def test_what_would_be_taken_for_a_variable_or_a_command_is_escaped_where_it_would():
    spec = {"command": "$HOME/x", "args": ("$1",), "env": {"A": "!ls", "B": "a$b!", "C": "${env:C}$"}}
    assert render(transport="stdio", **spec).value == {
        "command": "$HOME/x", "args": ["$1"], "env": {"A": "$!ls", "B": "a$$b!", "C": "${C}$$"}, "exposure": "direct",
    }  # fmt: skip


@pytest.mark.parametrize("place", [{"args": ("${env:A}",)}, {"command": "${env:A}"}, {"env": {"A": "${env:A:-1}"}}])
def test_references_elsewhere_and_with_defaults_are_the_wrappers(place):
    rendered = render(**{"transport": "stdio", "command": "x", **place})
    assert (rendered.value, [note.level for note in rendered.notes]) == (None, ["warn"])


@pytest.mark.parametrize(
    ("include", "exclude", "exposed"),
    [
        (("*",), ("drop_*",), {"exposure": "direct", "toolExposure": {"drop_*": "hidden"}}),
        (("a", "get_*"), (), {"exposure": "hidden", "toolExposure": {"a": "direct", "get_*": "direct"}}),
        # An exact name would beat the pattern that hides it.
        (("a", "drop_all"), ("drop_*",), {"exposure": "hidden", "toolExposure": {"drop_*": "hidden", "a": "direct"}}),
    ],
)
def test_tools_are_chosen_by_names_and_stars(include, exclude, exposed):
    assert HOST.server.chooses(include, exclude)
    value = render(transport="stdio", command="x", include=include, exclude=exclude).value
    assert {key: value[key] for key in value if "xposure" in key} == exposed


def test_other_patterns_are_the_proxys():
    assert not HOST.server.chooses(("a?",), ())
    rendered = render(transport="stdio", command="x", include=("a?",))
    assert rendered.value["exposure"] == "direct"
    assert [note.level for note in rendered.notes] == ["warn"]


def test_the_author_may_choose_another_exposure():
    assert render(transport="stdio", command="x", extra={"exposure": "deferred"}).value["exposure"] == "deferred"


def test_files_on_every_system(linux, windows):
    place = HOST.server.places["user"].location
    assert place.resolve(linux, linux.cwd) == PurePosixPath("/home/dev/.pi/agent/mcp.json")
    assert place.resolve(windows, windows.cwd) == PureWindowsPath("C:/Users/dev/.pi/agent/mcp.json")
    moved = linux.with_env({"PI_CODING_AGENT_DIR": "~/pi"})
    assert place.resolve(moved, moved.cwd) == PurePosixPath("/home/dev/pi/mcp.json")


def test_a_server_stands_among_a_persons_own(desk):
    written = trip(desk, "pi", "user", ACME, {".pi/agent/mcp.json": MCP})

    ours = """,
\t\t"acme": { "command": "LAUNCHER", "args": ["serve", "--connector", "acme", "--host", "pi", "--", "npx", "-y", \
"acme-mcp"], "env": { "MODE": "fast", "PRICE": "$$5", "ACME_TOKEN": "${ACME_TOKEN}" }, "timeout": 21, \
"exposure": "direct", "toolExposure": { "drop_*": "hidden" } }
\t},
"""
    assert written[".pi/agent/mcp.json"] == MCP.replace("\n\t},\n", ours, 1)


def test_a_projects_entry_is_the_plain_command(desk):
    written = trip(desk, "pi", "project", ACME, {})
    entry = json.loads(written["work/shop/.pi/mcp.json"])["mcpServers"]["acme"]
    assert (entry["command"], entry["args"]) == ("npx", ["-y", "acme-mcp"])


def test_a_command_is_a_prompt_template():
    command = Command(name="greet", description="Greets", argument_hint="<who>", prompt="Hello $ARGUMENTS", model="m")
    content = HOST.commands.render(command)
    head = '---\ndescription: Greets\nargument-hint: "<who>"\n---\n\n'
    assert content.files == {"greet.md": f"{head}Hello $ARGUMENTS\n"}
    assert ["model" in note.text for note in content.notes] == [True]


@pytest.mark.parametrize(
    ("there", "target"),
    [
        ((), "AGENTS.md"),
        (("CLAUDE.md",), "CLAUDE.md"),
        (("AGENTS.md", "CLAUDE.md"), "AGENTS.md"),
        (("AGENTS.override.md", "AGENTS.md"), "AGENTS.override.md"),
    ],
)
def test_memory_stands_in_the_one_file_of_a_folder_that_is_read(there, target, here, files):
    for folder in (Path(here.home) / ".pi" / "agent", Path(here.cwd)):
        folder.mkdir(parents=True, exist_ok=True)
        for name in there:
            (folder / name).write_text("mine\n", encoding="utf-8")
    (mine,) = HOST.memory.targets(MemoryRequest(here, here.cwd, "user"), files)
    (ours,) = HOST.memory.targets(MemoryRequest(here, here.cwd, "project"), files)
    assert (mine.path, ours.path) == (here.home / ".pi" / "agent" / target, here.cwd / target)


@pytest.mark.parametrize(
    ("env", "client", "host"),
    [
        ({"PI_CODING_AGENT": "true", "PI_SESSION_ID": "s"}, "", "pi"),
        ({"PI_CODING_AGENT": "true", "CLAUDECODE": "1"}, "", "pi"),
        ({}, "pi", "pi"),
    ],
)
def test_a_process_knows_that_it_is_in_it(env, client, host):
    assert current_host(CATALOG, env, client)[0] == host


def test_its_fork_is_not_taken_for_it():
    assert current_host(CATALOG, {"PI_CODING_AGENT": "true", "OMPCODE": "1"})[0] != "pi"


HOOKS = {
    "id": "acme",
    "version": "1.0.0",
    "hooks": {
        "PreToolUse": {"decision": "deny", "reason": "no", "matcher": "^acme_write$"},
        "Stop": {"command": ["true"], "timeout_ms": 1500},
    },
}


@pytest.mark.parametrize(
    ("scope", "file"), [("user", ".pi/agent/extensions/acme.js"), ("project", "work/shop/.pi/extensions/acme.js")]
)
def test_hooks_are_one_module_that_is_gone_again_when_it_is_uninstalled(desk, scope, file):
    written = trip(desk, "pi", scope, HOOKS, {})

    assert list(written) == [file]
    module = written[file]
    assert module.count("export default function (pi)") == 1
    assert '"events": {"PreToolUse": 60000, "Stop": 1500' in module
    assert ('"launcher": ""' in module) == (scope == "project")
    assert '"reply": {"decision": "deny", "reason": "no"}' in module


def test_a_persons_extension_of_the_same_name_is_left_alone_and_said(desk):
    own = Path(desk.context.machine.home) / ".pi" / "agent" / "extensions" / "acme.js"
    own.parent.mkdir(parents=True)
    own.write_text("export default () => {};\n", encoding="utf-8")
    report = desk.install(HOOKS, targets=("pi",), scope="user")
    assert report.exit_code == 1
    assert own.read_text(encoding="utf-8") == "export default () => {};\n"


@pytest.mark.parametrize(
    ("files_", "hindered"),
    [
        ({}, True),
        ({"trust.json": {"{project}": True}}, False),
        ({"trust.json": {"{parent}": True}}, False),
        ({"trust.json": {"{project}": False}}, True),
        ({"settings.json": {"defaultProjectTrust": "always"}}, False),
        ({"settings.json": {"defaultProjectTrust": "never"}}, True),
    ],
)
def test_a_folder_that_is_not_trusted_is_told(files_, hindered, here, files):
    folder = Path(here.home) / ".pi" / "agent"
    folder.mkdir(parents=True)
    names = {"{project}": str(here.cwd), "{parent}": str(here.cwd.parent)}
    for name, content in files_.items():
        renamed = {names.get(key, key): value for key, value in content.items()}
        (folder / name).write_text(json.dumps(renamed), encoding="utf-8")
    found = list(hindrances(Site(HOST, "project", here, here.cwd, files), "hooks"))
    assert bool(found) == hindered
    assert list(hindrances(Site(HOST, "user", here, here.cwd, files), "hooks")) == []


def test_trust_is_handed_over_where_it_is_asked_for_and_taken_back(desk):
    home = Path(desk.context.machine.home)
    desk.install(HOOKS, targets=("pi",), scope="project", trust=True)
    assert json.loads((home / ".pi" / "agent" / "trust.json").read_text()) == {str(desk.context.machine.cwd): True}
    desk.uninstall("acme", targets=("pi",), scope="project")
    assert not (home / ".pi").exists()


def test_native_events_are_those_that_an_answer_is_handed_back_at():
    assert HOST.hooks.native_events("turn_end")
    assert not HOST.hooks.native_events("project_trust")


def test_each_part_of_an_answer_has_a_key_of_its_own():
    said = {"decision": "modify", "updated_input": {"a": 1}, "additional_context": "know"}
    assert json.loads(reply("PreToolUse", said, {}).stdout) == {"input": {"a": 1}, "additionalContext": "know"}
    assert json.loads(reply("PostToolUse", {"updated_output": "x"}, {}).stdout) == {"output": "x"}
    assert json.loads(reply("PreToolUse", {"decision": "ask"}, {}).stdout)["decision"] == "ask"
    assert reply("Stop", {"decision": "allow"}, {}).stdout == ""

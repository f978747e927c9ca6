"""Hermes Agent: exact values, and a trip through a person's YAML."""

from __future__ import annotations

import json
import re
from pathlib import Path, PurePosixPath, PureWindowsPath

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.adapters.hermes.hooks import format as reply
from agent_connector.detection import current_host
from agent_connector.host import HookSpec, MemoryRequest, ServerSpec
from agent_connector.surfaces.blockers import Site, hindrances
from trips import trip

HOST = CATALOG.get("hermes")
CONFIG = """\
# My Hermes.
model: {default: opus, provider: anthropic}   # the good one
terminal:
  backend: local

mcp_servers:
  time:                       # about time
    command: "uvx"
    args: ['mcp-server-time']
    # env: {TZ: UTC}

# Hooks of mine.
hooks:
  pre_tool_call:
  - matcher: terminal
    command: ~/bin/no-rm.sh   # never
display:
  skin: mono
"""
ACME = {
    "id": "acme",
    "version": "1.0.0",
    "server": {
        "transport": "stdio",
        "command": "npx",
        "args": ["-y", "acme-mcp"],
        "env": {"TOKEN": "${env:TOKEN}"},
        "timeout_ms": 20_500,
        "startup_timeout_ms": 9000,
        "tools": {"exclude": ["drop"]},
    },
    "hooks": {
        "PreToolUse": {"matcher": "^write$", "decision": "deny", "reason": "no", "timeout_ms": 4000},
        "UserPromptSubmit": {"decision": "context", "additional_context": "x"},
    },
}


def render(**fields):
    return HOST.server.render(ServerSpec("acme", **fields))


def test_a_stdio_entry():
    rendered = render(
        transport="stdio", command="npx", args=("-y", "x"), env={"A": "${env:B}"}, pass_env=("T",), timeout_ms=1
    )
    assert rendered.value == {
        "command": "npx",
        "args": ["-y", "x"],
        "env": {"T": "${T}", "A": "${B}"},
        "timeout": 1,
    }
    assert rendered.notes == ()


def test_remote_entries():
    assert render(transport="http", url="https://x/mcp", bearer_env="TOK").value == {
        "url": "https://x/mcp",
        "headers": {"Authorization": "Bearer ${TOK}"},
    }
    assert render(transport="sse", url="https://x/sse").value == {"url": "https://x/sse", "transport": "sse"}


def test_a_reference_with_a_default_is_left_to_the_wrapper():
    assert not HOST.server.expresses("A", "${env:A:-d}")
    assert render(transport="stdio", command="x", env={"A": "${env:A:-d}"}).value is None


@pytest.mark.parametrize(
    ("include", "exclude", "tools"),
    [
        (("a", "b"), (), {"include": ["a", "b"]}),
        (("*",), ("c",), {"exclude": ["c"]}),
        (("a", "b"), ("b",), {"include": ["a"]}),
    ],
)
def test_tools_are_chosen_by_exact_name(include, exclude, tools):
    assert HOST.server.chooses(include, exclude)
    assert render(transport="stdio", command="x", include=include, exclude=exclude).value["tools"] == tools


@pytest.mark.parametrize(("include", "exclude"), [(("a*",), ()), (("a",), ("a",))])
def test_what_hermes_cannot_choose_is_the_proxys(include, exclude):
    assert not HOST.server.chooses(include, exclude)
    assert "tools" not in render(transport="stdio", command="x", include=("a*",)).value


def test_a_disabled_server_and_the_time_of_its_start():
    value = render(transport="stdio", command="x", enabled=False, startup_timeout_ms=1500).value
    assert (value["enabled"], value["connect_timeout"]) == (False, 2)


def test_files_on_every_system(linux, windows):
    user = HOST.server.places["user"].location
    assert user.resolve(linux, linux.cwd) == PurePosixPath("/home/dev/.hermes/config.yaml")
    assert user.resolve(windows, windows.cwd) == PureWindowsPath("C:/Users/dev/AppData/Local/hermes/config.yaml")


def test_server_and_hooks_stand_among_a_persons_own(desk):
    changed = trip(desk, "hermes", "user", ACME, {".hermes/config.yaml": CONFIG})
    ours = """\
  acme:
    command: "LAUNCHER"
    args:
    - serve
    - "--connector"
    - acme
    - "--host"
    - hermes
    - "--"
    - npx
    - "-y"
    - acme-mcp
    env:
      TOKEN: "${TOKEN}"
    timeout: 21
    connect_timeout: 9
    tools:
      exclude:
      - drop
"""
    hook = """\
  - matcher: ".*(?:(?:^|__)write$).*"
    command: "LAUNCHER hook hermes PreToolUse --connector acme"
    timeout: 4
  pre_llm_call:
  - command: "LAUNCHER hook hermes UserPromptSubmit --connector acme"
"""
    text = changed[".hermes/config.yaml"]
    assert text == CONFIG.replace("\n# Hooks of mine", f"{ours}\n# Hooks of mine").replace(
        "display:", f"{hook}display:"
    )


@pytest.mark.parametrize("before", ["", "# nothing yet\n", "mcp_servers: {}\nhooks: {}  # none\n", "a: 1\r\n"])
def test_files_of_every_kind_come_back(desk, before):
    changed = trip(desk, "hermes", "user", ACME, {".hermes/config.yaml": before})
    assert "LAUNCHER" in changed[".hermes/config.yaml"]


def test_a_file_that_cannot_be_edited_is_left_alone_and_said(desk):
    path = Path(desk.context.machine.home) / ".hermes" / "config.yaml"
    text = "s: &s {a: {command: x}}\nmcp_servers: *s\n"
    path.parent.mkdir(parents=True)
    path.write_text(text, encoding="utf-8")
    report = desk.install({**ACME, "hooks": {}}, targets=("hermes",), scope="user")
    assert report.exit_code == 1
    assert path.read_text(encoding="utf-8") == text
    (told,) = [change for change in report.changes if change.action == "warn" and "alias" in change.detail]
    assert "mcp_servers.acme" in told.fix


def test_a_hook_entry_counts_seconds_up_to_five_minutes():
    assert HOST.hooks.item(HookSpec("PreToolUse", "pre_tool_call", "run", "m", 400_000)) == {
        "matcher": "m",
        "command": "run",
        "timeout": 300,
    }
    assert HOST.hooks.time_limit("PreToolUse", None) == 60_000
    assert HOST.hooks.time_limit("PreToolUse", 999_999) == 300_000


def test_the_matcher_is_for_the_whole_name_and_for_tools_only():
    native = HOST.hooks.matcher("PreToolUse", "^write")
    assert re.fullmatch(native, "mcp__acme__write_all")
    assert re.fullmatch(native, "write")
    assert re.fullmatch(HOST.hooks.matcher("PreToolUse", "mcp__acme-db__x"), "mcp__acme_db__x")
    assert HOST.hooks.matcher("SubagentStop", "x") == ""


def test_a_block_and_context_are_all_it_takes():
    assert json.loads(reply("PreToolUse", {"decision": "deny", "reason": "no"}, {}).stdout) == {
        "decision": "block",
        "reason": "no",
    }
    asked = reply("PreToolUse", {"decision": "ask"}, {})
    assert (asked.stdout, asked.verdict) == ("", "dropped")
    assert "THE TOOL RUNS" in asked.why
    both = reply("UserPromptSubmit", {"decision": "deny", "additional_context": "know"}, {})
    assert json.loads(both.stdout) == {"context": "know"}
    assert both.verdict == "dropped"


AGREED = '{"approvals": [{"command": "/h/bin/agent-connector hook hermes PreToolUse --connector acme"}]}'


@pytest.mark.parametrize(
    ("name", "text", "hindered"),
    [
        ("other", "", True),
        ("config.yaml", "hooks_auto_accept: true\n", False),
        ("config.yaml", "hooks_auto_accept: false\n", True),
        ("shell-hooks-allowlist.json", '{"approvals": []}', True),
        ("shell-hooks-allowlist.json", AGREED, False),
    ],
)
def test_consent_that_is_missing_is_told(name, text, hindered, here, files):
    folder = Path(here.home) / ".hermes"
    folder.mkdir()
    (folder / name).write_text(text, encoding="utf-8")
    found = list(hindrances(Site(HOST, "user", here, here.cwd, files), "hooks"))
    assert [(one.status, one.noted) for one in found] == [("warn", True)] * hindered


@pytest.mark.parametrize(
    ("there", "target"),
    [
        ((), "AGENTS.md"),
        (("CLAUDE.md",), "CLAUDE.md"),
        (("CLAUDE.md", "AGENTS.md"), "AGENTS.md"),
        ((".hermes.md", "AGENTS.md"), ".hermes.md"),
    ],
)
def test_memory_stands_in_the_file_that_is_read(there, target, here, files):
    for name in there:
        (Path(here.cwd) / name).write_text("mine\n", encoding="utf-8")
    (block,) = HOST.memory.targets(MemoryRequest(here, here.cwd, "project"), files)
    assert block.path.name == target


def test_a_hook_process_knows_where_it_is():
    assert current_host(CATALOG, {"HERMES_SESSION_ID": "x"})[0] == "hermes"

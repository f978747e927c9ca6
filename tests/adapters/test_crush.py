"""Crush: exact values, and text that its shell must not read."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.adapters.crush.hooks import format as reply
from agent_connector.adapters.crush.hooks import tool_names
from agent_connector.detection import current_host
from agent_connector.host import HookSpec, MemoryRequest, ServerSpec
from trips import trip

HOST = CATALOG.get("crush")
CONFIG = """{
  "$schema": "https://charm.land/crush.json",
  "lsp": { "go": { "command": "gopls" } },
  // servers
  "mcp": {
    "weather": { "type": "stdio", "command": "npx", "args": ["-y", "weather-mcp"] }
  },
  "hooks": {
    "PreToolUse": [
      { "matcher": "^bash$", "command": "./no-rm.sh" }
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
        "env": {"TOKEN": "${env:TOKEN}"},
        "timeout_ms": 20_500,
        "tools": {"exclude": ["drop"]},
    },
    "hooks": {
        "PreToolUse": {"matcher": "^write$", "decision": "deny", "reason": "no", "timeout_ms": 4000},
        "SessionStart": {"decision": "context", "additional_context": "x"},
    },
}


def render(**fields):
    return HOST.server.render(ServerSpec("acme", **fields))


def test_a_stdio_entry():
    rendered = render(
        transport="stdio", command="npx", args=("-y", "x"), env={"A": "${env:A}", "B": "${env:B:-b}"}, timeout_ms=1
    )
    assert rendered.value == {
        "type": "stdio",
        "command": "npx",
        "args": ["-y", "x"],
        "env": {"A": "${A}", "B": "${B:-b}"},
        "timeout": 1,
    }


@pytest.mark.parametrize("transport", ["http", "sse"])
def test_a_remote_entry(transport):
    assert render(transport=transport, url="https://x/mcp", bearer_env="TOK").value == {
        "type": transport,
        "url": "https://x/mcp",
        "headers": {"Authorization": "Bearer ${TOK}"},
    }


@pytest.mark.parametrize(
    ("text", "written"),
    [("a$b", "a\\$b"), ("$(rm -rf ~)", "\\$(rm -rf ~)"), ("`x`", "\\`x\\`"), ("C:\\bin\\x", "C:\\\\bin\\\\x")],
)
def test_plain_text_stays_plain_text(text, written):
    value = render(transport="stdio", command=text, args=(text,), env={"A": f"{text}${{env:A}}"}).value
    assert (value["command"], value["args"], value["env"]["A"]) == (written, [written], written + "${A}")


def test_tools_are_chosen_by_exact_name():
    value = render(transport="stdio", command="x", include=("a", "b"), exclude=("c",)).value
    assert (value["enabled_tools"], value["disabled_tools"]) == (["a", "b"], ["c"])
    assert HOST.server.chooses(("a",), ("c",))
    assert not HOST.server.chooses(("a*",), ())
    rendered = render(transport="stdio", command="x", include=("a*",))
    assert "enabled_tools" not in rendered.value
    assert rendered.notes[0].level == "warn"


def test_a_disabled_server_is_registered_as_such():
    assert render(transport="stdio", command="x", enabled=False).value["disabled"] is True


def test_files_on_every_system(linux, macos, windows):
    user = HOST.server.places["user"].location
    assert user.resolve(linux, linux.cwd) == PurePosixPath("/home/dev/.config/crush/crush.json")
    assert user.resolve(macos, macos.cwd) == PurePosixPath("/Users/dev/.config/crush/crush.json")
    assert user.resolve(windows, windows.cwd) == PureWindowsPath("C:/Users/dev/AppData/Local/crush/crush.json")
    moved = linux.with_env({"CRUSH_GLOBAL_CONFIG": "/conf"})
    assert user.resolve(moved, moved.cwd) == PurePosixPath("/conf/crush.json")


def test_server_and_hook_stand_in_one_file_among_a_persons_own(desk):
    changed = trip(desk, "crush", "user", ACME, {".config/crush/crush.json": CONFIG})
    assert changed == {
        ".config/crush/crush.json": CONFIG.replace(
            """"weather-mcp"] }
""",
            """"weather-mcp"] },
    "acme": { "type": "stdio", "command": "LAUNCHER", "args": ["serve", "--connector", "acme", "--host", "crush", \
"--", "npx", "-y", "acme-mcp"], "env": { "TOKEN": "${TOKEN}" }, "timeout": 21, "disabled_tools": ["drop"] }
""",
        ).replace(
            """"./no-rm.sh" }
""",
            """"./no-rm.sh" },
      { "matcher": "(?:^|_)write$", "command": "LAUNCHER hook crush PreToolUse --connector acme", "timeout": 4 }
""",
        )
    }


def test_a_project(desk):
    acme = {**ACME, "server": {**ACME["server"], "env": {}}}
    changed = trip(desk, "crush", "project", acme, {"work/shop/.crush.json": "{}\n"})
    (text,) = changed.values()
    assert '"npx"' in text
    assert "LAUNCHER" not in text


def test_a_hook_entry_is_flat_and_counts_seconds():
    assert HOST.hooks.item(HookSpec("PreToolUse", "PreToolUse", "run", "m", 1)) == {
        "matcher": "m",
        "command": "run",
        "timeout": 1,
    }
    assert HOST.hooks.time_limit("PreToolUse", None) == 30_000
    assert HOST.hooks.time_limit("PreToolUse", 1001) == 2000


def test_one_shell_on_every_system():
    assert set(HOST.hooks.shells.values()) == {"sh"}


@pytest.mark.parametrize(
    ("name", "names"),
    [
        ("bash", ("bash",)),
        ("mcp_acme_write", ("mcp_acme_write", "write")),
        ("mcp_acme-db_a_b", ("mcp_acme-db_a_b", "a_b")),
        ("mcp_acme", ("mcp_acme",)),
    ],
)
def test_names_of_tools(name, names):
    assert tool_names(name) == names


@pytest.mark.parametrize(
    ("response", "stdout", "verdict"),
    [
        ({"decision": "deny", "reason": "no"}, '{"decision":"deny","reason":"no"}', "honored"),
        ({"decision": "context", "additional_context": "c"}, '{"context":"c"}', "honored"),
        ({"updated_input": {"a": 1, "b": 2}}, '{"updated_input":{"a":1,"b":2}}', "honored"),
        ({"updated_input": {"b": 2}}, '{"updated_input":{"b":2}}', "degraded"),
        ({"decision": "ask", "reason": "?"}, "", "dropped"),
    ],
)
def test_replies(response, stdout, verdict):
    answer = reply("PreToolUse", response, {"tool_input": {"a": 0}})
    assert (answer.stdout, answer.verdict) == (stdout, verdict)


def test_memory_and_marks(here, files):
    def target(scope):
        (block,) = HOST.memory.targets(MemoryRequest(here, here.cwd, scope), files)
        return block.path

    assert target("user") == here.home / ".config" / "AGENTS.md"
    assert target("project") == here.cwd / "AGENTS.md"
    assert current_host(CATALOG, {"CRUSH": "1"})[0] == "crush"

"""Kimi Code: exact values, tables of hooks in a TOML file that takes no key too many, nothing interpolated."""

from __future__ import annotations

import json

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.detection import current_host
from agent_connector.host import HookSpec, MemoryRequest, ServerSpec
from trips import trip

HOST = CATALOG.get("kimi")
CONFIG = """# mine
default_model = "k2" # the good one

[[hooks]]
event = "PreToolUse"
command = "./lint.sh" # first
timeout = 5

[models.k2]
model = "kimi-k2"
"""
ACME = {
    "id": "acme",
    "version": "1.0.0",
    "server": {"transport": "stdio", "command": "npx", "args": ["-y", "acme-mcp"], "env": {"TOKEN": "${env:TOKEN}"}},
    "hooks": {
        "PreToolUse": {"decision": "deny", "reason": "no", "matcher": "^acme_write$", "timeout_ms": 1500},
        "Stop": {"command": ["true"]},
    },
}


def render(**fields):
    return HOST.server.render(ServerSpec("acme", **fields))


def test_entries_of_each_transport():
    spec = {"command": "npx", "args": ("x",), "cwd": "/srv", "timeout_ms": 9000, "startup_timeout_ms": 3000}
    assert render(transport="stdio", **spec).value == {
        "command": "npx", "args": ["x"], "env": {}, "cwd": "/srv", "toolTimeoutMs": 9000, "startupTimeoutMs": 3000,
    }  # fmt: skip
    assert render(transport="http", url="https://x", bearer_env="TOK").value == {
        "url": "https://x", "bearerTokenEnvVar": "TOK",
    }  # fmt: skip
    assert render(transport="sse", url="https://x").value == {"transport": "sse", "url": "https://x"}
    assert render(transport="stdio", command="x", enabled=False, include=("a",)).value == {
        "command": "x", "args": [], "env": {}, "enabled": False, "enabledTools": ["a"],
    }  # fmt: skip


def test_what_it_could_not_resolve_is_left_to_the_wrapper_or_not_registered(desk):
    assert render(transport="http", url="https://x", headers={"X": "${env:X}"}).value is None
    written = trip(desk, "kimi", "user", ACME, {})
    entry = json.loads(written[".kimi-code/mcp.json"])["mcpServers"]["acme"]
    assert (entry["command"], entry["env"]) == ("LAUNCHER", {})
    assert "TOKEN={env:TOKEN}" in entry["args"]


def test_hooks_stand_among_a_persons_own_tables(desk):
    written = trip(desk, "kimi", "user", ACME, {".kimi-code/config.toml": CONFIG})

    text = written[".kimi-code/config.toml"]
    assert text.startswith(CONFIG[: CONFIG.index("[models")])
    hooks = text.split("[[hooks]]\n")[2:]
    line = "LAUNCHER hook kimi {} --connector acme"
    assert f'event = "PreToolUse"\ncommand = "{line.format("PreToolUse")}"\ntimeout = 2\n' in "".join(hooks)
    assert f'event = "Stop"\ncommand = "{line.format("Stop")}"\n' in "".join(hooks)


@pytest.mark.parametrize(("asked", "seconds"), [(1, 1), (1500, 2), (600_000, 600), (900_000, 600)])
def test_times_of_hooks_are_seconds_up_to_ten_minutes(asked, seconds):
    item = HOST.hooks.item(HookSpec("Stop", "Stop", "run", timeout_ms=asked))
    assert item == {"event": "Stop", "command": "run", "timeout": seconds}
    assert HOST.hooks.time_limit("Stop", asked) == seconds * 1000
    assert HOST.hooks.time_limit("Stop", None) == 30_000


def test_hooks_are_a_persons_own_only():
    assert HOST.hooks.files.keys() == {"user"}
    assert HOST.hooks.matcher("PreToolUse", "acme_write") == ""
    assert HOST.hooks.native_events("TurnStarted")


def test_memory_of_a_project(here, files):
    (ours,) = HOST.memory.targets(MemoryRequest(here, here.cwd, "project"), files)
    assert ours.path == here.cwd / "AGENTS.md"


def test_it_is_told_by_its_clients_name():
    assert current_host(CATALOG, {}, "kimi-code")[0] == "kimi"

"""Zed: exact values, a settings file with comments, and the one memory file that it reads."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.detection import current_host
from agent_connector.host import MemoryRequest, ServerSpec
from trips import trip

HOST = CATALOG.get("zed")
SETTINGS = """// My settings
{
  "theme": "One Dark", // dark
  "context_servers": {
    /* weather, from npm */
    "weather": {
      "command": "npx",
      "args": ["-y", "weather-mcp"],
      "env": {},
    },
  },
}
"""
ACME = {
    "id": "acme",
    "version": "1.0.0",
    "server": {"transport": "stdio", "command": "npx", "args": ["-y", "acme-mcp"], "env": {"MODE": "fast"}},
}


def render(**fields):
    return HOST.server.render(ServerSpec("acme", **fields))


def test_a_stdio_entry_has_no_type_and_counts_seconds():
    spec = {"transport": "stdio", "command": "npx", "args": ("-y", "x"), "env": {"A": "1"}, "timeout_ms": 1500}
    assert render(**spec).value == {"command": "npx", "args": ["-y", "x"], "env": {"A": "1"}, "timeout": 2}


def test_a_remote_entry():
    rendered = render(transport="http", url="https://x/mcp", headers={"X-Team": "db"})
    assert rendered.value == {"url": "https://x/mcp", "headers": {"X-Team": "db"}}


def test_a_disabled_server_is_registered_as_such():
    assert render(transport="stdio", command="x", enabled=False).value["enabled"] is False


@pytest.mark.parametrize("transport", ["sse", "ws"])
def test_transports_it_has_not(transport):
    rendered = render(transport=transport, url="https://x")
    assert (rendered.value, rendered.notes[0].level) == (None, "info")


@pytest.mark.parametrize(
    "fields",
    [
        {"transport": "stdio", "command": "x", "env": {"TOKEN": "${env:TOKEN}"}},
        {"transport": "stdio", "command": "x", "args": ("${env:A:-b}",)},
        {"transport": "http", "url": "https://x", "headers": {"X-Key": "${env:KEY}"}},
        {"transport": "http", "url": "https://x", "bearer_env": "TOK"},
    ],
)
def test_what_it_could_not_resolve_is_not_registered(fields):
    rendered = render(**fields)
    assert rendered.value is None
    assert "cannot resolve a reference" in rendered.notes[-1].text


@pytest.mark.parametrize("extra", [{"env": {"PORT": 1}}, {"args": "x"}, {"command": None}])
def test_an_entry_that_would_spoil_the_settings_is_not_written(extra):
    rendered = render(transport="stdio", command="x", extra=extra)
    assert rendered.value is None
    assert "platforms.zed.extra" in rendered.notes[-1].fix


def test_files_on_every_system(linux, macos, windows):
    user = HOST.server.places["user"].location
    assert user.resolve(linux, linux.cwd) == PurePosixPath("/home/dev/.config/zed/settings.json")
    assert user.resolve(macos, macos.cwd) == PurePosixPath("/Users/dev/.config/zed/settings.json")
    assert user.resolve(windows, windows.cwd) == PureWindowsPath("C:/Users/dev/AppData/Roaming/Zed/settings.json")
    assert user.resolve(windows.with_env({"APPDATA": "E:/Data"}), windows.cwd) == PureWindowsPath(
        "E:/Data/Zed/settings.json"
    )
    moved = linux.with_env({"XDG_CONFIG_HOME": "/conf"})
    assert user.resolve(moved, moved.cwd) == PurePosixPath("/conf/zed/settings.json")
    on_a_mac = macos.with_env({"XDG_CONFIG_HOME": "/conf"})
    assert user.resolve(on_a_mac, on_a_mac.cwd) == PurePosixPath("/Users/dev/.config/zed/settings.json")


def test_a_settings_file_with_comments_and_trailing_commas(desk):
    changed = trip(desk, "zed", "user", ACME, {".config/zed/settings.json": SETTINGS})
    assert changed == {
        ".config/zed/settings.json": SETTINGS.replace(
            """      "env": {},
    },
""",
            """      "env": {},
    },
    "acme": {
      "command": "LAUNCHER",
      "args": [
        "serve",
        "--connector",
        "acme",
        "--host",
        "zed",
        "--",
        "npx",
        "-y",
        "acme-mcp",
      ],
      "env": {
        "MODE": "fast",
      },
    },
""",
        )
    }


def test_a_projects_settings_carry_the_plain_command(desk):
    changed = trip(desk, "zed", "project", ACME, {"work/shop/.zed/settings.json": '{"tab_size": 2}\n'})
    assert changed == {
        "work/shop/.zed/settings.json": '{"tab_size": 2, "context_servers": {"acme": {"command": "npx", "args": '
        '["-y", "acme-mcp"], "env": {"MODE": "fast"}}}}\n'
    }


def target(here, files, scope="project"):
    (block,) = HOST.memory.targets(MemoryRequest(here, here.cwd, scope), files)
    return block.path


def test_memory_stands_in_the_first_file_it_reads(here, files):
    assert target(here, files) == here.cwd / "AGENTS.md"
    (here.cwd / "CLAUDE.md").write_text("x")
    # AGENTS.md, made now, would hide CLAUDE.md from it.
    assert target(here, files) == here.cwd / "CLAUDE.md"
    (here.cwd / "AGENTS.md").write_text("x")
    assert target(here, files) == here.cwd / "AGENTS.md"
    (here.cwd / ".github").mkdir()
    (here.cwd / ".github" / "copilot-instructions.md").write_text("x")
    assert target(here, files) == here.cwd / ".github" / "copilot-instructions.md"
    (here.cwd / ".rules").write_text("x")
    assert target(here, files) == here.cwd / ".rules"


def test_a_folder_of_rules_is_no_file_of_rules(here, files):
    (here.cwd / ".clinerules").mkdir()
    assert target(here, files) == here.cwd / "AGENTS.md"


def test_memory_of_a_user(here, files):
    assert target(here, files, "user") == here.home / ".config" / "zed" / "AGENTS.md"


def test_its_terminals_are_not_its_agent():
    assert current_host(CATALOG, {"ZED_TERM": "true"}) == ("", "")
    assert current_host(CATALOG, {}, "Zed")[0] == "zed"

"""Cline: exact values, and the editors that each keep a file of their own."""

from __future__ import annotations

from pathlib import PurePosixPath, PureWindowsPath

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.detection import current_host
from agent_connector.host import MemoryRequest, ServerSpec
from homes import snapshot
from trips import trip

HOST = CATALOG.get("cline")
SERVERS = """{
  "mcpServers": {
    "weather": {
      "command": "npx",
      "args": ["-y", "weather-mcp"],
      "disabled": false,
      "autoApprove": []
    }
  }
}
"""
ACME = {
    "id": "acme",
    "version": "1.0.0",
    "server": {"transport": "stdio", "command": "npx", "args": ["-y", "acme-mcp"], "env": {"MODE": "fast"}},
    "memory": [{"content": "Acme rows are append-only."}],
}
OWN = ".cline/data/settings/cline_mcp_settings.json"


def in_editor(name: str) -> str:
    return f".config/{name}/User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"


def render(**fields):
    return HOST.server.render(ServerSpec("acme", **fields))


def test_a_stdio_entry_is_flat():
    spec = {"transport": "stdio", "command": "npx", "args": ("-y", "x"), "env": {"A": "1"}, "timeout_ms": 30_000}
    assert render(**spec).value == {"command": "npx", "args": ["-y", "x"], "env": {"A": "1"}, "timeout": 30}
    assert render(transport="stdio", command="x", enabled=False).value["disabled"] is True


@pytest.mark.parametrize(("transport", "kind"), [("http", "streamableHttp"), ("sse", "sse")])
def test_a_remote_entry(transport, kind):
    rendered = render(transport=transport, url="https://x/mcp", headers={"X-Team": "db"})
    assert rendered.value == {"type": kind, "url": "https://x/mcp", "headers": {"X-Team": "db"}}


def test_what_it_could_not_resolve_is_not_registered():
    rendered = render(transport="http", url="https://x", bearer_env="TOK")
    assert (rendered.value, rendered.notes[-1].level) == (None, "warn")
    assert not HOST.server.expresses("A", "${env:A}")


def test_editors_on_every_system(linux, macos, windows):
    first = HOST.server.copies["user"][0].place.location
    tail = "User/globalStorage/saoudrizwan.claude-dev/settings/cline_mcp_settings.json"
    assert first.resolve(linux, linux.cwd) == PurePosixPath("/home/dev/.config/Code", tail)
    assert first.resolve(macos, macos.cwd) == PurePosixPath("/Users/dev/Library/Application Support/Code", tail)
    assert first.resolve(windows, windows.cwd) == PureWindowsPath("C:/Users/dev/AppData/Roaming/Code", tail)


def test_its_command_line_alone(desk):
    changed = trip(desk, "cline", "user", ACME, {OWN: SERVERS})
    assert changed == {
        OWN: SERVERS.replace(
            """      "autoApprove": []
    }
""",
            """      "autoApprove": []
    },
    "acme": {
      "command": "LAUNCHER",
      "args": [
        "serve",
        "--connector",
        "acme",
        "--host",
        "cline",
        "--",
        "npx",
        "-y",
        "acme-mcp"
      ],
      "env": {
        "MODE": "fast"
      }
    }
""",
        )
    }


def test_every_editor_that_has_it_gets_the_server(desk):
    before = {in_editor("Code"): SERVERS, in_editor("Cursor"): SERVERS}
    changed = trip(desk, "cline", "user", ACME, before)
    assert changed.keys() == before.keys()
    assert len(set(changed.values())) == 1


def test_editors_and_its_command_line_together(desk):
    before = {OWN: SERVERS, in_editor("VSCodium"): SERVERS}
    assert trip(desk, "cline", "user", ACME, before).keys() == before.keys()


def test_where_nothing_of_it_is_found_the_command_lines_file_is_made(desk):
    assert trip(desk, "cline", "user", ACME, {}).keys() == {OWN}


def test_an_editor_that_comes_later_gets_the_server_with_the_next_upgrade(desk, home):
    (home / ".cline").mkdir()
    desk.install(ACME, targets=("cline",), scope="user")
    (home / in_editor("Code")).parent.parent.mkdir(parents=True)
    desk.install(ACME, targets=("cline",), scope="user")
    assert {OWN, in_editor("Code")} <= snapshot(home).keys()
    desk.uninstall("acme", targets=("cline",))
    assert not {OWN, in_editor("Code")} & snapshot(home).keys()


def test_rules_stand_in_a_file_of_their_own_or_in_the_one_there_is(here, files):
    def target():
        (block,) = HOST.memory.targets(MemoryRequest(here, here.cwd, "project"), files)
        return block.path

    assert target() == here.cwd / ".clinerules" / "agent-connector.md"
    (here.cwd / ".clinerules").write_text("Be brief.")
    assert target() == here.cwd / ".clinerules"


def test_marks():
    assert current_host(CATALOG, {"CLINE_CONNECTOR_CLI_LAUNCH": "{}"})[0] == "cline"
    assert current_host(CATALOG, {}, "@cline/core")[0] == "cline"

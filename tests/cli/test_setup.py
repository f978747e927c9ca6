"""``setup``: the first thing a person runs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from agent_connector.machine import Machine
from agent_connector.mcp_server import itself
from agent_connector.mcp_server.version import VERSION

if TYPE_CHECKING:
    from conftest import Person


def registered(person: Person) -> set[str]:
    """The hosts whose files have our server."""
    files = {"claude-code": ".claude.json", "codex": ".codex/config.toml", "cursor": ".cursor/mcp.json"}
    launcher = str(person.data_root / "bin" / "agent-connector")
    return {host for host, name in files.items() if launcher in (person.home / name).read_text(encoding="utf-8")}


ALL = {"claude-code", "codex", "cursor"}


def test_without_a_terminal_it_prints_the_plan_and_writes_nothing(with_hosts: Person) -> None:
    before = with_hosts.files()
    answer = with_hosts.run("setup")
    assert answer.returncode == 0
    assert "~/.codex/config.toml\n" in answer.stdout
    assert "+[mcp_servers.agent-connector]" in answer.stdout
    assert "Commands that hosts will run:" in answer.stdout
    assert "To apply this plan: agent-connector setup --yes" in answer.stdout
    assert with_hosts.files() == before
    assert not (with_hosts.data_root / "bin").exists()


def test_dry_run_writes_nothing_even_with_yes(with_hosts: Person) -> None:
    before = with_hosts.files()
    answer = with_hosts.run("setup", "--yes", "--dry-run")
    assert answer.returncode == 0
    assert "nothing was written" in answer.stdout
    assert with_hosts.files() == before


def test_yes_registers_in_every_host_and_remove_gives_every_byte_back(with_hosts: Person) -> None:
    before = with_hosts.files()
    done = with_hosts.run("setup", "--yes")
    assert done.returncode == 0, done.stdout + done.stderr
    assert registered(with_hosts) == ALL

    again = with_hosts.run("setup")
    assert again.returncode == 0
    assert "Nothing to do." in again.stdout

    looked = with_hosts.run("setup", "--remove")
    assert looked.returncode == 0
    assert "To apply this plan: agent-connector setup --remove --yes" in looked.stdout
    assert registered(with_hosts) == ALL

    removed = with_hosts.run("setup", "--remove", "--yes")
    assert removed.returncode == 0, removed.stdout + removed.stderr
    assert with_hosts.files() == before
    assert not (with_hosts.data_root / "bin" / "agent-connector").exists()


def test_the_home_launcher_it_makes_answers(with_hosts: Person) -> None:
    with_hosts.run("setup", "--yes", "--targets", "codex")
    shown = subprocess.run(
        [with_hosts.data_root / "bin" / "agent-connector", "--version"],
        env=with_hosts.env,
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert shown.stdout == f"agent-connector {VERSION}\n"
    assert registered(with_hosts) == {"codex"}


def test_as_json_the_plan_first_and_with_yes_what_was_done(with_hosts: Person) -> None:
    plan = json.loads(with_hosts.run("setup", "--json").stdout)
    assert (plan["operation"], plan["exit_code"], plan["result"]["outcome"]) == ("setup", 0, "planned")
    assert plan["result"]["plan_id"]
    assert registered(with_hosts) == set()
    done = json.loads(with_hosts.run("setup", "--json", "--yes").stdout)
    assert (done["operation"], done["result"]["outcome"]) == ("setup", "done")
    assert done["result"].keys() == plan["result"].keys()
    assert registered(with_hosts) == ALL


def test_no_host_is_no_fault_and_says_where_it_looked(person: Person) -> None:
    answer = person.run("setup", "--yes")
    assert answer.returncode == 0
    assert "No AI coding agent found on this machine. Looked for:" in answer.stdout
    assert all(name in answer.stdout for name in ("Claude Code", "Codex", "Cursor"))
    envelope = json.loads(person.run("setup", "--json").stdout)
    assert (envelope["exit_code"], envelope["result"]["outcome"]) == (0, "unchanged")
    assert person.files() == {}


def test_a_file_that_does_not_parse_stops_its_own_host_only(with_hosts: Person) -> None:
    broken = with_hosts.home / ".cursor" / "mcp.json"
    broken.write_bytes(b'{"mcpServers": {')
    answer = with_hosts.run("setup", "--yes")
    assert answer.returncode == 1
    assert "line 1" in answer.stdout
    assert broken.read_bytes() == b'{"mcpServers": {'
    assert registered(with_hosts) == {"claude-code", "codex"}


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX pseudo-terminals")
@pytest.mark.parametrize(("reply", "written"), [("y", True), ("n", False), ("", False)])
def test_on_a_terminal_it_asks(with_hosts: Person, reply: str, written: bool) -> None:
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [with_hosts.command, "setup"],
        env={**with_hosts.env, "TERM": "xterm"},
        cwd=with_hosts.home,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    shown = b""
    os.write(ours, f"{reply}\n".encode())
    while chunk := _read(ours):
        shown += chunk
    os.close(ours)
    assert process.wait(timeout=60) == 0
    assert b"Register it? [y/N]" in shown
    assert registered(with_hosts) == (ALL if written else set())
    assert (b"Nothing was written." in shown) is not written


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 65536)
    except OSError:  # Linux says so when the other end is closed
        return b""


@pytest.mark.parametrize("system", ["linux", "macos", "windows"])
def test_our_own_definition_keeps_every_rule(system: str, tmp_path: Path) -> None:
    from agent_connector.authoring.raw import Definition

    machine = Machine(system, tmp_path, tmp_path)
    connector = Definition(itself.definition(machine, VERSION)).resolve()
    assert connector.id == "agent-connector"
    assert connector.server.command == str(machine.launcher)
    assert list(connector.server.args) == ["mcp"]
    assert connector.server.wrap_for_telemetry is False
    assert connector.server.startup_timeout_ms >= 20_000


def test_a_command_that_becomes_a_skill_meets_no_skill_of_its_name(tmp_path: Path) -> None:
    raw = itself.definition(Machine("linux", tmp_path, tmp_path), VERSION)
    assert not {one["name"] for one in raw["skills"]} & {one["name"] for one in raw["commands"]}

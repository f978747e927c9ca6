"""Install and uninstall over whole homes: every byte, mode and folder is back."""

from __future__ import annotations

import itertools
import json
import tomllib
from pathlib import Path

import pytest
from homes import ACME, CLAUDE_JSON, CODEX_TOML, CURSOR_JSON, Desk, folders, snapshot


def test_uninstall_gives_back_every_byte_mode_and_folder(hosts: Path, desk: Desk) -> None:
    before, before_folders = snapshot(hosts), folders(hosts)
    installed = desk.install()
    assert installed.outcome == "done", installed.changes
    assert snapshot(hosts) != before
    removed = desk.uninstall()
    assert removed.outcome == "done", removed.changes
    assert snapshot(hosts) == before
    assert folders(hosts) == before_folders


def test_installing_twice_plans_nothing(hosts: Path, desk: Desk) -> None:
    desk.install()
    once = snapshot(hosts)
    again = desk.install()
    assert again.outcome == "unchanged"
    assert {change.action for change in again.changes} <= {"skip", "info"}
    assert snapshot(hosts) == once


def test_a_dry_run_shows_the_same_plan_and_writes_nothing(hosts: Path, desk: Desk) -> None:
    before = snapshot(hosts)
    dry = desk.install(dry_run=True)
    assert dry.outcome == "planned"
    assert snapshot(hosts) == before
    real = desk.install()
    assert real.plan_id == dry.plan_id
    assert real.diffs == dry.diffs


@pytest.mark.parametrize("order", list(itertools.permutations(["acme-db", "zeta", "mid"])))
def test_connectors_leave_in_any_order(hosts: Path, desk: Desk, order: tuple[str, ...]) -> None:
    before = snapshot(hosts)
    for name in ("acme-db", "zeta", "mid"):
        assert desk.install({**ACME, "id": name, "platforms": {}}).outcome in ("done", "partial")
    for name in order:
        desk.uninstall(name)
    assert snapshot(hosts) == before


def test_a_home_without_any_config_is_empty_again(home: Path, desk: Desk) -> None:
    assert desk.install(targets=("claude-code", "codex", "cursor")).outcome == "done"
    assert snapshot(home)
    desk.uninstall()
    assert snapshot(home) == {}
    assert folders(home) == {"work", "work/shop"}


def test_entries_are_in_each_hosts_own_dialect(hosts: Path, desk: Desk) -> None:
    desk.install()
    launcher = str(hosts / ".agent-connector" / "bin" / "agent-connector")
    claude = json.loads((hosts / ".claude.json").read_bytes())["mcpServers"]["acme-db"]
    assert claude["command"] == launcher
    assert claude["args"][:5] == ["serve", "--connector", "acme-db", "--host", "claude-code"]
    assert claude["args"][-3:] == ["npx", "-y", "@acme/acme-db-mcp"]
    assert claude["env"] == {"ACME_DB_DSN": "${ACME_DB_DSN:-sqlite://}"}
    codex = tomllib.loads((hosts / ".codex" / "config.toml").read_text(encoding="utf-8"))["mcp_servers"]["acme-db"]
    assert codex["command"] == launcher
    assert codex["tool_timeout_sec"] == 30
    assert "ACME_DB_DSN={env:ACME_DB_DSN:-sqlite://}" in codex["args"]
    assert codex["env_vars"] == ["ACME_DB_DSN"]
    hooks = json.loads((hosts / ".claude" / "settings.json").read_bytes())["hooks"]
    assert set(hooks) == {"PreToolUse", "SessionStart"}


def test_foreign_edits_in_between_survive(hosts: Path, desk: Desk) -> None:
    desk.install()
    for name, edit in {
        ".claude.json": lambda text: text.replace('"numStartups"', '"userID": "x",\n  "numStartups"'),
        ".codex/config.toml": lambda text: (
            text.replace('trust_level = "trusted"', 'trust_level = "untrusted"') + "\n#!"
        ),
        ".cursor/mcp.json": lambda text: text.replace("// my servers", "// all my servers"),
        ".claude/CLAUDE.md": lambda text: text.replace("Be brief.", "Be very brief."),
    }.items():
        path = hosts / name
        edited = edit(path.read_text(encoding="utf-8"))
        assert edited != path.read_text(encoding="utf-8")
        path.write_text(edited, encoding="utf-8")
    desk.uninstall()
    assert (hosts / ".claude.json").read_text(encoding="utf-8") == CLAUDE_JSON.replace(
        '"numStartups"', '"userID": "x",\n  "numStartups"'
    )
    assert (hosts / ".codex/config.toml").read_text(encoding="utf-8") == CODEX_TOML.replace(
        'trust_level = "trusted"', 'trust_level = "untrusted"'
    ) + "\n#!"
    assert (hosts / ".cursor/mcp.json").read_text(encoding="utf-8") == CURSOR_JSON.replace(
        "// my servers", "// all my servers"
    )
    assert (hosts / ".claude/CLAUDE.md").read_text(encoding="utf-8") == "# Mine\n\nBe very brief."


def test_every_block_under_the_connectors_name_goes(hosts: Path, desk: Desk) -> None:
    path = hosts / ".claude" / "CLAUDE.md"
    desk.install({"id": "acme-db", "memory": [{"name": "old", "content": "Old."}]}, targets=("claude-code",))
    old = path.read_bytes().partition(b"\n\n<!--")[2]
    desk.uninstall()
    path.write_bytes(b"# Mine\n\n<!--" + old.replace(b"acme-db", b"acme-db-two") + b"\n<!--" + old)
    desk.install({"id": "acme-db", "memory": [{"content": "New."}]}, targets=("claude-code",))
    desk.uninstall()
    assert path.read_bytes() == b"# Mine\n\n<!--" + old.replace(b"acme-db", b"acme-db-two")

"""Hostile and unlucky input: configs, definitions and records of ours that nobody writes on purpose."""

from __future__ import annotations

import json
import sqlite3
import time
from pathlib import Path

import pytest
from agent_connector.changes.journal import recover
from agent_connector.changes.ledger import Ledger
from agent_connector.errors import LedgerError
from agent_connector.masking import MASK, mask, mask_line
from agent_connector.mcp_server.cli.given import Given, source
from agent_connector.operations.context import Context
from agent_connector.operations.reports import ChangeReport, to_json
from homes import ACME, Desk, snapshot

PASSWORD = "hunter2-Pa55word"


def warned(report: ChangeReport, host: str) -> str:
    return "\n".join(change.detail for change in report.changes if change.host == host and change.action == "warn")


@pytest.mark.parametrize(
    ("name", "host", "content"),
    [
        (".claude.json", "claude-code", b'{"mcpServers": {}, "mcpServers": {"a": {"command": "x"}}}'),
        (".claude/settings.json", "claude-code", b'{"hooks": {}, "hooks": {}}'),
        (".cursor/mcp.json", "cursor", b'{"mcpServers": {}, "mcpServers": {}}'),
        (".codex/hooks.json", "codex", b'{"hooks": {}, "hooks": {}}'),
    ],
)
def test_a_key_that_stands_twice_stops_that_host_alone(
    hosts: Path, desk: Desk, name: str, host: str, content: bytes
) -> None:
    (hosts / name).write_bytes(content)
    report = desk.install()
    assert report.outcome == "partial"
    assert report.exit_code == 1
    assert "second time" in warned(report, host)
    assert name in warned(report, host)
    assert (hosts / name).read_bytes() == content
    for other in {"claude-code", "codex", "cursor"} - {host}:
        assert any(change.host == other and change.action == "create" for change in report.changes)


def test_a_key_that_came_to_stand_twice_does_not_stop_the_removal_elsewhere(hosts: Path, desk: Desk) -> None:
    before = snapshot(hosts)
    desk.install()
    path = hosts / ".claude.json"
    servers = json.dumps(json.loads(path.read_bytes())["mcpServers"]).encode()
    twice = path.read_bytes().rstrip()[:-1] + b', "mcpServers": ' + servers + b"}"
    path.write_bytes(twice)
    report = desk.uninstall()
    assert path.read_bytes() == twice
    after = snapshot(hosts)
    others = [name for name in before if not name.startswith(".claude")]
    assert {name: after.get(name) for name in others} == {name: before[name] for name in others}
    assert ".claude.json" in warned(report, "claude-code")
    assert report.exit_code == 1


def test_the_commands_of_a_report_hide_secrets(hosts: Path, desk: Desk) -> None:
    server = {**ACME["server"], "args": ["--api-key", PASSWORD, "--url", f"https://me:{PASSWORD}@example.org/"]}
    report = desk.install({**ACME, "server": server}, dry_run=True)
    assert report.commands
    assert PASSWORD not in json.dumps(to_json("install", report))


@pytest.mark.parametrize("name", ["PASS", "DB_PASS", "dbPass", "PGPASS", "pass"])
def test_what_stands_under_the_short_word_for_password_is_a_secret(name: str) -> None:
    assert mask({name: PASSWORD}) == {name: MASK}
    assert PASSWORD not in mask_line(f'      "{name}": "{PASSWORD}"')


@pytest.mark.parametrize("name", ["passthrough", "bypass", "compass", "pass_env_vars"])
def test_words_that_only_hold_it_are_none(name: str) -> None:
    assert mask({name: "all"}) == {name: "all"}


@pytest.mark.parametrize("piece", ["p", "a.", "x-", "auth", "_", "a=", "sk-a_"])
def test_masking_takes_time_in_proportion_to_the_length_of_a_line(piece: str) -> None:
    def cost(length: int) -> float:
        line = piece * (length // len(piece))
        begun = time.process_time()
        mask_line(line)
        return time.process_time() - begun

    cost(1000)
    assert cost(80_000) < 20 * cost(8_000) + 0.2


@pytest.mark.parametrize(
    ("change", "value"),
    [
        ("UPDATE owned SET place = ?", "not json"),
        ("UPDATE owned SET place = ?", "[1, null]"),
        ("UPDATE owned SET place = ?", '"text"'),
        ("UPDATE owned SET place = ? WHERE kind = 'block'", "[]"),
        ("UPDATE owned SET value = ?", "{"),
        ("UPDATE owned SET path = ?", "../../x"),
        ("UPDATE installs SET roots = ?", "zz"),
        ("UPDATE installs SET roots = ?", "[1]"),
    ],
)
def test_rows_that_nobody_wrote_are_a_damaged_ledger(
    hosts: Path, desk: Desk, context: Context, change: str, value: str
) -> None:
    desk.install()
    before = snapshot(hosts)
    connection = sqlite3.connect(context.data_root / "state.db")
    with connection:
        connection.execute(change, (value,))
    connection.close()
    with pytest.raises(LedgerError, match="damaged") as refused:
        desk.uninstall()
    assert "doctor --heal" in refused.value.hint
    assert snapshot(hosts) == before


@pytest.mark.parametrize("content", [b"{", b"[]", b"\xff", b"[" * 100_000])
def test_installing_makes_a_damaged_record_anew(desk: Desk, context: Context, content: bytes, hosts: Path) -> None:
    desk.install()
    record = context.data_root / "connectors" / "acme-db" / "connector.json"
    whole = record.read_bytes()
    record.write_bytes(content)
    assert desk.install().exit_code == 0
    assert record.read_bytes() == whole


def test_a_journal_that_nests_without_end_is_put_aside(context: Context) -> None:
    folder = context.data_root / "journal"
    folder.mkdir(parents=True)
    (folder / "1.json").write_bytes(b"[" * 100_000)
    with Ledger.open(context.data_root, create=True) as ledger:
        assert [one.outcome for one in recover(ledger, context.data_root)] == ["unreadable"]


def test_a_journal_cannot_name_a_file_elsewhere_to_be_cleaned_up(context: Context, tmp_path: Path) -> None:
    precious = tmp_path / "precious"
    precious.write_text("mine", encoding="utf-8")
    folder = context.data_root / "journal"
    folder.mkdir(parents=True)
    entry = {
        "host": "codex", "path": str(tmp_path / "below" / "x"), "before": None, "after": None,
        "temporary": "../precious", "folders": [], "adds": [], "drops": [], "origins": [], "forgets": [],
    }  # fmt: skip
    (tmp_path / "below").mkdir()
    (folder / "1.json").write_text(json.dumps({"version": 1, "files": [entry]}), encoding="utf-8")
    with Ledger.open(context.data_root, create=True) as ledger:
        recover(ledger, context.data_root)
    assert precious.exists()


def test_a_reference_longer_than_any_file_name_is_an_id(context: Context) -> None:
    assert source(Given(reference="x" * 300), context.machine).id == "x" * 300

"""telemetry and leaderboard as a person types them."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from agent_connector.mcp_server.cli.render import telemetry as render
from telemetry import spooling

from .conftest import Person


def spool(person: Person, *rows: dict[str, Any]) -> None:
    spooling.spool(person.data_root, rows, day=time.strftime("%Y-%m-%d", time.gmtime()))


def row(**more: Any) -> dict[str, Any]:
    return spooling.row(int(time.time() * 1000) - 60_000, **more)


def test_a_report_is_a_table_with_bars(person: Person) -> None:
    spool(person, row(tool="small"), row(tool="big", out=250_000, ms=310.0, error=1))
    shown = person.run("telemetry", "report")
    assert shown.returncode == 0, shown.stderr
    lines = shown.stdout.splitlines()
    assert lines[0] == "By tool"
    assert lines[1].split() == [
        "TOOL", "TOKENS", "IN", "OUT", "DEFS", "CALLS", "ERRORS", "P50", "MS", "P95", "MS", "CONFIDENCE",
    ]  # fmt: skip
    big, small, total = lines[2:5]
    assert big.startswith("acme · big")
    assert big.count("█") == 12
    assert "250.0k" in big
    assert small.count("█") == 1
    assert total.split()[-5:-3] == ["2", "1"]
    assert {len(line) for line in lines[1:4]} != {0}


def test_json_has_every_number_as_it_is(person: Person) -> None:
    spool(person, row(out=123_456))
    envelope = json.loads(person.run("telemetry", "report", "--by", "connector", "--since", "1h", "--json").stdout)
    assert envelope["operation"] == "telemetry_report"
    assert envelope["result"]["rows"][0]["tokens_out"] == 123_456


@pytest.mark.parametrize("arguments", [("telemetry", "report"), ("leaderboard",), ("telemetry", "leaderboard")])
def test_with_nothing_counted_it_says_how_rows_come_and_succeeds(person: Person, arguments: tuple[str, ...]) -> None:
    shown = person.run(*arguments)
    assert shown.returncode == 0
    assert "Nothing has been counted yet" in shown.stdout
    assert not (person.data_root / "telemetry").exists()


def test_boards_are_titled_by_origin_and_never_added_up(person: Person) -> None:
    spool(person, row(), row(scope="model_turn", conf="host-native"))
    shown = person.run("leaderboard").stdout
    assert "(mcp-self)" in shown
    assert "(host-native-live)" in shown
    assert "total" not in shown
    assert "(host-native-live)" not in person.run("telemetry", "leaderboard").stdout


def test_exports_go_where_they_are_told(person: Person) -> None:
    spool(person, row(), row(tool="write"))
    assert [one["toolName"] for one in json.loads(person.run("telemetry", "export").stdout)] == ["query", "write"]
    done = person.run("telemetry", "export", "--format", "csv", "--out", "rows.csv")
    assert (done.stdout, done.returncode) == ("", 0)
    assert "2 rows to" in done.stderr
    assert len((person.home / "rows.csv").read_text().splitlines()) == 3


def test_paths_are_forgotten_when_asked(person: Person) -> None:
    spool(person, row(project="00aa"))
    told = person.data_root / "telemetry" / "projects.ndjson"
    told.write_text(json.dumps({"project": "00aa", "path": str(person.home / "shop"), "t": 1}) + "\n")
    assert "~/shop" in person.run("telemetry", "report", "--by", "project").stdout
    assert "1 paths of projects" in person.run("telemetry", "prune", "--paths").stdout
    assert "~/shop" not in person.run("telemetry", "report", "--by", "project").stdout


@pytest.mark.parametrize("arguments", [("telemetry",), ("telemetry", "--help"), ("help", "telemetry")])
def test_a_group_lists_its_verbs(person: Person, arguments: tuple[str, ...]) -> None:
    shown = person.run(*arguments)
    listed = [line.split()[:2] for line in shown.stdout.splitlines() if line.startswith("  ")]
    assert shown.returncode == 0
    assert listed == [["telemetry", verb] for verb in ("report", "export", "leaderboard", "prune")]


def test_help_of_a_verb_of_two_words(person: Person) -> None:
    pages = {
        person.run(*arguments).stdout
        for arguments in (("telemetry", "report", "--help"), ("help", "telemetry", "report"))
    }
    assert len(pages) == 1
    assert "--since SINCE" in pages.pop()


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("telemetry", "reprot"), "did you mean telemetry report"),
        (("telemetry", "report", "--since", "soon"), "not a time to begin at"),
        (("telemetry", "report", "--by", "mood"), "mood"),
        (("telemetry", "report", "--host", "nowhere"), "nowhere"),
        (("telemetry", "export", "--format", "otlp"), "no collector was named"),
        (("telemetry", "export", "--format", "parquet"), "--out FILE"),
        (("telemetry", "export", "--endpoint", "http://localhost:4318"), "--format otlp"),
    ],
)
def test_what_is_not_understood_says_what_to_do(person: Person, arguments: tuple[str, ...], said: str) -> None:
    shown = person.run(*arguments)
    assert shown.returncode == 2
    assert said in shown.stderr
    assert "Traceback" not in shown.stderr


def test_an_error_in_json_names_the_operation(person: Person) -> None:
    envelope = json.loads(person.run("telemetry", "report", "--since", "soon", "--json").stdout)
    assert (envelope["operation"], envelope["error"]["code"]) == ("telemetry_report", "usage")


def test_names_that_play_tricks_are_written_out(person: Person) -> None:
    spool(person, row(tool="\x1b[31mred\u202e"))
    shown = person.run("telemetry", "report").stdout
    assert "\x1b" not in shown
    assert "\\x1b[31mred\\u202e" in shown


def test_long_names_are_cut_in_tables_and_whole_in_json(person: Person) -> None:
    spool(person, row(tool="n" * 900))
    for verb in (("telemetry", "report"), ("leaderboard", "--by", "tool")):
        assert max(map(len, person.run(*verb).stdout.splitlines())) < 200
        assert "n" * 900 in person.run(*verb, "--json").stdout


@pytest.mark.parametrize(
    ("number", "shown"),
    [(0, "-"), (7, "7"), (99_999, "99999"), (100_000, "100.0k"), (1_250_000, "1.2M"), (3 * 10**9, "3.0G")],
)
def test_numbers_are_short(number: int, shown: str) -> None:
    assert render._short(number) == shown


def test_a_newer_database_is_refused_politely(person: Person, tmp_path: Path) -> None:
    import sqlite3

    spool(person, row())
    person.run("telemetry", "report")
    connection = sqlite3.connect(person.data_root / "telemetry" / "telemetry.db")
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    shown = person.run("telemetry", "report")
    assert shown.returncode == 1
    assert "newer agent-connector" in shown.stderr
    assert "Traceback" not in shown.stderr

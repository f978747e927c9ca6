"""Reports, exports and leaderboards as they are asked for, over what connectors left behind."""

from __future__ import annotations

import csv
import io
import json
import stat
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agent_connector.errors import FileError, UsageError
from agent_connector.operations.context import Context
from agent_connector.operations.leaderboard import leaderboard
from agent_connector.operations.reports import to_json
from agent_connector.operations.telemetry import (
    LeaderboardReport,
    LeaderboardRequest,
    TelemetryExportRequest,
    TelemetryPruneRequest,
    TelemetryReport,
    TelemetryReportRequest,
)
from agent_connector.operations.telemetry_export import telemetry_export
from agent_connector.operations.telemetry_prune import telemetry_prune
from agent_connector.operations.telemetry_report import telemetry_report
from agent_connector.telemetry.tokens import tokens
from homes import ACME, Desk
from telemetry import spooling

Spool = Callable[..., Path]
HOUR = 3_600_000


def row(age_hours: float = 1, **more: Any) -> dict[str, Any]:
    return spooling.row(int(time.time() * 1000 - age_hours * HOUR), **more)


@pytest.fixture
def spool(context: Context) -> Spool:
    def add(*rows: dict[str, Any] | bytes) -> Path:
        return spooling.spool(context.data_root, rows, day=time.strftime("%Y-%m-%d", time.gmtime()))

    return add


def log(context: Context, connector: str, *rows: dict[str, Any]) -> None:
    folder = context.data_root / "telemetry" / "log"
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / f"{connector}.ndjson").open("a") as file:
        file.writelines(json.dumps(one) + "\n" for one in rows)


def report(context: Context, **asked: Any) -> TelemetryReport:
    return telemetry_report(TelemetryReportRequest(**asked), context)


def defined(tool: str, cost: int, **more: Any) -> dict[str, Any]:
    return row(scope="tool_defs", tool=tool, defs="g1", out=cost, **{"in": 0, "inb": 0, **more})


# --- report -------------------------------------------------------------------------------------------------------


def test_the_costliest_tool_comes_first_with_all_that_is_known_of_it(context: Context, spool: Spool) -> None:
    spool(row(tool="small"), row(tool="big", out=5000, error=1), row(tool="big", conf="tokenizer-approx"))
    spool(defined("big", 700, host="codex"), defined("big", 900, host="cursor", conf="tokenizer-approx"))
    found = report(context)
    assert [(one.connector, one.tool) for one in found.rows] == [("acme", "big"), ("acme", "small")]
    big = found.rows[0]
    assert (big.calls, big.errors, big.tokens_in, big.tokens_out) == (2, 1, 18, 5099)
    assert (big.bytes_in, big.bytes_out) == (80, 800)
    assert big.definition_tokens == 900  # of one host's context, the dearest
    assert big.confidence == "tokenizer-approx"
    assert big.mix == {"tokenizer-approx": 1, "tokenizer-exact": 1}
    assert big.p50_ms == pytest.approx(12.5, rel=0.06)
    assert (found.total.calls, found.total.tokens_out, found.total.definition_tokens) == (3, 5198, 900)


def test_a_tool_that_was_never_called_still_costs_its_definition(context: Context, spool: Spool) -> None:
    spool(row(tool="used"), defined("unused", 4000))
    found = report(context)
    assert [(one.tool, one.calls, one.definition_tokens) for one in found.rows] == [
        ("unused", 0, 4000),
        ("used", 1, 0),
    ]
    assert found.rows[0].confidence == "tokenizer-exact"
    assert [(one.host, one.definition_tokens) for one in report(context, by="host").rows] == [("codex", 4000)]


def test_a_window_leaves_calls_out_and_never_definitions(context: Context, spool: Spool) -> None:
    spool(row(50, tool="old"), row(1, tool="new"), defined("old", 30))
    found = report(context, since="24h")
    assert [(one.tool, one.calls, one.definition_tokens) for one in found.rows] == [("new", 1, 0), ("old", 0, 30)]
    assert found.since.endswith("Z")


@pytest.mark.parametrize(
    ("by", "expected"),
    [
        ("connector", {("acme",): 3}),
        ("host", {("codex",): 2, ("cursor",): 1}),
        ("session", {("s1", "codex"): 2, ("s2", "cursor"): 1}),
        ("project", {("00aa",): 2, ("",): 1}),
    ],
)
def test_calls_are_told_apart_by_what_is_asked(
    context: Context, spool: Spool, by: Any, expected: dict[tuple[str, ...], int]
) -> None:
    spool(row(project="00aa"), row(project="00aa"), row(host="cursor", session="s2"))
    names = {"session": ("session", "host")}.get(by, (by,))
    assert {tuple(getattr(one, n) for n in names): one.calls for one in report(context, by=by).rows} == expected


def test_projects_are_shown_by_their_folder_where_it_is_known(context: Context, spool: Spool) -> None:
    spool(row(project="00aa"))
    (context.data_root / "telemetry" / "projects.ndjson").write_text('{"project":"00aa","path":"/srv/shop","t":1}\n')
    assert [(one.project, one.path) for one in report(context, by="project").rows] == [("00aa", "/srv/shop")]


def test_days_come_in_their_order(context: Context, spool: Spool) -> None:
    spool(row(1), row(49), row(25), row(25))
    assert [one.calls for one in report(context, by="day").rows] == [1, 2, 1]


def test_events_are_those_of_hooks_with_their_verdicts(context: Context, spool: Spool) -> None:
    hook = {"scope": "hook", "tool": "Bash", "inb": 400, "outb": 0, "conf": "heuristic"}
    spool(*(row(event="PreToolUse", verdict=verdict, **hook) for verdict in ("honored", "honored", "dropped")), row())
    found = report(context, by="event")
    assert found.scope == "hook"
    assert {(one.event, one.verdict): one.calls for one in found.rows} == {
        ("PreToolUse", "honored"): 2,
        ("PreToolUse", "dropped"): 1,
    }


def test_hooks_and_turns_are_never_mixed_into_calls(context: Context, spool: Spool) -> None:
    spool(row(), row(scope="hook", event="Stop"), row(scope="model_turn", conf="host-native", out=10**6))
    assert report(context).total.calls == 1
    assert report(context, scope="model_turn").total.tokens_out == 10**6
    assert report(context).recorded == {"call": 1, "hook": 1, "model_turn": 1}


def test_a_connector_that_keeps_its_own_lines_is_read_from_them(context: Context, spool: Spool) -> None:
    spool(row())
    log(context, "noted", row(connector="noted"), row(30, connector="noted"), defined("query", 5, connector="noted"))
    for _ in range(2):
        calls = {one.connector: (one.calls, one.definition_tokens) for one in report(context, by="connector").rows}
        assert calls == {"acme": (1, 0), "noted": (2, 5)}
    assert report(context, connector="noted", since="24h").total.calls == 1
    assert report(context, connector="acme").total.calls == 1


def test_with_nothing_counted_it_says_how_rows_come_and_makes_nothing(context: Context) -> None:
    found = report(context)
    assert found.rows == ()
    assert "Nothing has been counted yet" in found.notes[0]
    assert "serve" in found.notes[0]
    assert not (context.data_root / "telemetry").exists()


def test_an_empty_answer_says_what_there_is_instead(context: Context, spool: Spool) -> None:
    spool(row(100), row(scope="hook"))
    notes = report(context, since="1h", connector="acme").notes
    assert notes[0] == "No rows of scope call since then of connector acme."
    assert "1 of scope call, 1 of scope hook" in notes[1]


def test_that_counting_is_switched_off_is_said(context: Context, spool: Spool) -> None:
    spool(row())
    off = replace(context, machine=context.machine.with_env({"AGENT_CONNECTOR_TELEMETRY": "0"}))
    assert "counts nothing" not in " ".join(report(context).notes)
    assert "AGENT_CONNECTOR_TELEMETRY=0" in report(off).notes[0]


def test_what_cannot_be_understood_is_refused(context: Context) -> None:
    with pytest.raises(UsageError, match="not a time"):
        report(context, since="soon")
    with pytest.raises(UsageError, match="nowhere"):
        report(context, host="nowhere")


def test_the_report_is_json(context: Context, spool: Spool) -> None:
    spool(row())
    envelope = json.loads(json.dumps(to_json("telemetry_report", report(context))))
    assert envelope["result"]["rows"][0]["mix"] == {"tokenizer-exact": 1}


# --- export -------------------------------------------------------------------------------------------------------


def export(context: Context, **asked: Any) -> str:
    return telemetry_export(TelemetryExportRequest(**asked), context).text


def test_exported_rows_have_the_names_of_the_specification_and_no_paths(context: Context, spool: Spool) -> None:
    spool(row(2, project="00aa"), row(1, scope="hook", event="Stop", error=1))
    (context.data_root / "telemetry" / "projects.ndjson").write_text('{"project":"00aa","path":"/srv/shop","t":1}\n')
    log(context, "noted", row(connector="noted"))
    text = export(context)
    call, hook, noted = json.loads(text)
    assert "/srv/shop" not in text
    assert (call["connectorId"], call["toolName"], call["hostPlatform"]) == ("acme", "query", "codex")
    assert (call["inputTokens"], call["outputTokens"], call["confidenceSource"]) == (9, 99, "tokenizer-exact")
    assert (call["surfaceKind"], call["isError"], call["latencyMs"]) == ("server", False, 12.5)
    assert (hook["surfaceKind"], hook["event"], hook["isError"]) == ("hook", "Stop", True)
    assert noted["connectorId"] == "noted"
    assert [one["projectDir"] for one in json.loads(export(context, paths=True))] == ["/srv/shop", "", ""]


def test_csv_has_a_line_per_row_and_no_formula(context: Context, spool: Spool) -> None:
    spool(row(tool="=cmd()"), row(tool='with "quotes", and\nlines'))
    rows = list(csv.DictReader(io.StringIO(export(context, format="csv"))))
    assert {one["toolName"] for one in rows} == {"'=cmd()", 'with "quotes", and\nlines'}
    assert {one["isError"] for one in rows} == {"0"}


def test_parquet_holds_the_same_rows(context: Context, spool: Spool, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    spool(row(tool="a"), row(tool="b", ms=None))
    done = telemetry_export(TelemetryExportRequest("parquet", str(tmp_path / "rows.parquet")), context)
    table = parquet.read_table(done.out).to_pylist()
    assert done.rows == 2
    assert {(one["toolName"], one["latencyMs"], one["isError"]) for one in table} == {
        ("a", 12.5, False),
        ("b", None, False),
    }


def test_parquet_needs_its_library_and_a_file(context: Context, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UsageError, match="no text"):
        export(context, format="parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(UsageError, match="pyarrow") as refused:
        export(context, format="parquet", out="x.parquet")
    assert "pip install" in refused.value.hint


def test_a_file_is_replaced_as_a_whole_and_private(context: Context, spool: Spool, tmp_path: Path) -> None:
    spool(row())
    out = tmp_path / "rows.json"
    out.write_text("what was there before, which is longer than nothing")
    out.chmod(0o644)
    done = telemetry_export(TelemetryExportRequest(out=str(out)), context)
    assert (done.rows, done.text) == (1, "")
    assert len(json.loads(out.read_text())) == 1
    assert stat.S_IMODE(out.stat().st_mode) == 0o600
    assert sorted(path.name for path in tmp_path.iterdir() if path.name.startswith((".", "rows"))) == ["rows.json"]


def test_a_file_that_cannot_be_written_leaves_nothing(context: Context, spool: Spool, tmp_path: Path) -> None:
    spool(row())
    with pytest.raises(FileError, match="cannot write"):
        telemetry_export(TelemetryExportRequest(out=str(tmp_path / "missing" / "rows.json")), context)
    (tmp_path / "folder").mkdir()
    with pytest.raises(FileError, match="cannot write"):
        telemetry_export(TelemetryExportRequest(out=str(tmp_path / "folder")), context)
    assert list(tmp_path.glob(".folder*")) == []


def test_of_nothing_an_empty_list_is_exported_and_said(context: Context) -> None:
    done = telemetry_export(TelemetryExportRequest(), context)
    assert json.loads(done.text) == []
    assert "Nothing has been counted yet" in done.notes[0]
    assert list(csv.DictReader(io.StringIO(export(context, format="csv")))) == []


# --- leaderboards -------------------------------------------------------------------------------------------------


def boards(context: Context, **asked: Any) -> LeaderboardReport:
    return leaderboard(LeaderboardRequest(**asked), context)


def test_boards_of_different_origins_stand_apart(context: Context, spool: Spool) -> None:
    spool(row(), row(connector="other", out=1000), row(scope="model_turn", conf="host-native", out=50_000))
    mcp, turns = boards(context).boards
    assert (mcp.origin, turns.origin) == ("mcp-self", "host-native-live")
    assert [(one.rank, one.connector, one.tokens) for one in mcp.rows] == [(1, "other", 1009), (2, "acme", 108)]
    assert sum(one.share for one in mcp.rows) == pytest.approx(1, abs=0.001)
    assert [(one.host, one.tokens, one.confidence) for one in turns.rows] == [("codex", 50_009, "host-native")]
    assert [board.origin for board in boards(context, origins=("mcp-self",)).boards] == ["mcp-self"]


def test_definitions_count_once_and_scopes_slice_the_board(context: Context, spool: Spool) -> None:
    spool(row(), defined("a", 300), defined("b", 200), row(scope="hook", event="Stop", out=7))

    def tokens_of(**asked: Any) -> dict[str, int]:
        return {one.name: one.tokens for one in boards(context, **asked).boards[0].rows}

    assert tokens_of() == {"acme": 608}
    assert tokens_of(scope="call") == {"acme": 108}
    assert tokens_of(scope="tool_defs") == {"acme": 500}
    assert tokens_of(scope="hook") == {"acme": 16}
    assert tokens_of(by="tool") == {"acme · a": 300, "acme · b": 200, "acme · query": 108}


def test_by_surface_the_texts_that_are_installed_are_counted(
    context: Context, hosts: Path, desk: Desk, spool: Spool
) -> None:
    desk.install()
    spool(row(connector="acme-db"), row(connector="acme-db", scope="hook", event="SessionStart"))
    (board, _) = boards(context, by="surface").boards
    found = {(one.connector, one.surface): one for one in board.rows}
    assert set(found) == {
        ("acme-db", surface) for surface in ("server", "hook", "command", "skill", "subagent", "memory")
    }
    memory = found["acme-db", "memory"]
    assert memory.tokens == tokens().count(ACME["memory"][0]["content"] + "\n")
    assert memory.confidence == "tokenizer-approx"
    command = (hosts / ".claude" / "commands").rglob("*.md")
    assert found["acme-db", "command"].tokens >= max(tokens().count(path.read_text()) for path in command)
    assert any("memory is in every prompt" in note for note in boards(context, by="surface").notes)


def test_texts_are_counted_when_the_definition_is_gone_and_not_after_it_was_removed(
    context: Context, hosts: Path, desk: Desk
) -> None:
    desk.install()
    assert len(boards(context, by="surface").boards[0].rows) == 4
    desk.uninstall()
    (board, _) = boards(context, by="surface").boards
    assert board.rows == ()
    assert "Nothing has been counted yet" in board.empty


def test_with_nothing_counted_every_board_says_how_rows_come(context: Context) -> None:
    mcp, turns = boards(context).boards
    assert "serve" in mcp.empty
    assert "host_native_usage" in turns.empty


# --- prune --------------------------------------------------------------------------------------------------------


def test_paths_are_forgotten_and_counts_are_not(context: Context, spool: Spool) -> None:
    spool(row(project="00aa"))
    (context.data_root / "telemetry" / "projects.ndjson").write_text('{"project":"00aa","path":"/srv/shop","t":1}\n')
    assert telemetry_prune(TelemetryPruneRequest(paths=True), context).paths == 1
    assert [(one.project, one.path) for one in report(context, by="project").rows] == [("00aa", "")]


def test_rows_too_old_go_at_once(context: Context, spool: Spool) -> None:
    spool(row())
    report(context)  # today's own pruning is done with this
    spool(row(500 * 24), row(500 * 24))
    assert telemetry_prune(TelemetryPruneRequest(), context).rows == 2
    assert report(context).total.calls == 3


def test_pruning_nothing_makes_nothing(context: Context) -> None:
    assert telemetry_prune(TelemetryPruneRequest(), context).rows == 0
    assert not (context.data_root / "telemetry").exists()

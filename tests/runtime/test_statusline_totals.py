"""Totals per tool, as status lines and actions read them."""

from __future__ import annotations

import datetime as dt
import json
import time
from pathlib import Path
from typing import Any

import pytest
from agent_connector import HostCtx, StatuslineContext, ToolTotals
from agent_connector.telemetry.totals import tool_totals

pytestmark = pytest.mark.xdist_group("runtime")

NOW = 1_800_000_000_000


@pytest.fixture
def spool(tmp_path: Path):
    """Adds lines as the hook path writes them."""
    file = tmp_path / "telemetry" / "spool.ndjson"
    file.parent.mkdir()

    def adding(
        *events: str, tool: str = "mcp__acme__write", t: int = NOW, connector: str = "acme", **more: Any
    ) -> None:
        line = {
            "t": t,
            "scope": "hook",
            "connector": connector,
            "host": "claude-code",
            "tool": tool,
            "in": 40,
            "out": 8,
        }
        with file.open("a") as out:
            for event in events:
                out.write(json.dumps({**line, "event": event, **more}, separators=(",", ":")) + "\n")

    adding.file = file  # type: ignore[attr-defined]
    return adding


def totals(root: Path, since: int | None = None) -> list[tuple[Any, ...]]:
    return [
        (one.tool, one.calls, one.errors, one.tokens_in, one.tokens_out, one.confidence)
        for one in tool_totals(str(root), "acme", since)
    ]


def test_a_call_that_is_told_twice_counts_once(spool, tmp_path):
    spool("PreToolUse", "PostToolUse")
    spool("PreToolUse", "PostToolUseFailure")
    spool("PermissionRequest")

    assert totals(tmp_path) == [("mcp__acme__write", 2, 1, 50, 10, "heuristic")]


def test_a_call_counts_whichever_event_tells_it(spool, tmp_path):
    spool("PostToolUse", "PostToolUse", tool="a")
    spool("PermissionRequest", tool="b")
    spool("PostToolUseFailure", tool="c")

    assert [(tool, calls, errors) for tool, calls, errors, *_ in totals(tmp_path)] == [
        ("a", 2, 0),
        ("b", 1, 0),
        ("c", 1, 1),
    ]


def test_hosts_that_tell_different_events_of_one_tool_are_added(spool, tmp_path):
    spool("PreToolUse", "PostToolUse", tool="a")
    spool("PreToolUse", tool="a", host="cursor")

    assert totals(tmp_path)[0][:2] == ("a", 2)


def test_only_what_is_the_connectors_own_of_a_tool_and_recent_counts(spool, tmp_path):
    spool("PreToolUse", connector="other")
    spool("PreToolUse", tool="")
    spool("PreToolUse", tool="old", t=NOW - 1)
    spool("PreToolUse", tool="new")

    assert [one[0] for one in totals(tmp_path)] == ["new", "old"]
    assert [one[0] for one in totals(tmp_path, NOW)] == ["new"]


def test_lines_that_are_torn_or_odd_are_passed_over(spool, tmp_path):
    spool("PreToolUse", t="yesterday")
    spool("PreToolUse", tool=7)
    spool("PreToolUse", **{"in": "many"})
    with spool.file.open("ab") as out:
        out.write(
            b'{"connector":"acme","tool":"x\n[{"connector":"acme"}]\n\xff"connector":"acme"\n{"t":1,"connector":"acme"'
        )

    assert totals(tmp_path) == [("mcp__acme__write", 1, 0, 0, 2, "heuristic")]


def test_without_a_spool_there_is_nothing(tmp_path):
    assert tool_totals(str(tmp_path), "acme", None) == ()


def test_a_long_spool_is_read_in_pieces(spool, tmp_path):
    spool(*(["PreToolUse"] * 20_000))

    assert totals(tmp_path)[0][1] == 20_000


@pytest.mark.parametrize("kind", [HostCtx, StatuslineContext])
def test_a_context_counts_from_a_moment_or_a_span(spool, tmp_path, kind):
    now = int(time.time() * 1000)
    spool("PreToolUse", tool="new", t=now - 1000)
    spool("PreToolUse", tool="old", t=now - 3_600_000)
    read = kind({"host": "cursor", "connector": "acme"}, str(tmp_path)).telemetry

    def tools(since: Any = None) -> list[str]:
        return [one.tool for one in read.totals(since)]

    minute = dt.timedelta(minutes=1)
    assert tools() == ["new", "old"]
    assert tools(minute) == ["new"]
    assert tools(dt.datetime.now(dt.UTC) - minute) == ["new"]
    assert tools(dt.datetime.now() - minute) == ["new"]  # noqa: DTZ005 - local without a zone
    with pytest.raises(TypeError, match="not a int"):
        tools(60)


def test_totals_are_values():
    one = ToolTotals("t", 1, 0, 2, 3, "heuristic")

    assert one == ToolTotals("t", 1, 0, 2, 3, "heuristic")
    assert one != ToolTotals("t", 2, 0, 2, 3, "heuristic")
    assert len({one, ToolTotals("t", 1, 0, 2, 3, "heuristic")}) == 1
    assert "calls=1" in repr(one)


COUNTED = """
from agent_connector import Response, action, define_connector, hook

connector = define_connector(
    id="acme", version="1.0.0",
    hooks=[hook("PreToolUse", response=Response.deny("no")), hook("PostToolUse", response=Response.context("told"))],
    actions=[action("report", lambda ctx: repr(ctx.telemetry.totals()))],
)
"""


def test_what_hooks_count_is_what_an_action_reads(install_hooks):
    hooks = install_hooks(COUNTED)
    for event in ("PreToolUse", "PostToolUse", "PreToolUse"):
        hooks.call("claude-code", event, hooks.tool_call("mcp__acme__drop"))

    report = hooks.run([hooks.root / "bin" / "agent-connector", "action", "codex", "report", "--connector", "acme"])

    assert report.stdout.startswith(b"(ToolTotals('drop', calls=2, errors=0, tokens_in=")
    assert b"tokens_in=0" not in report.stdout
    assert b"tokens_out=0" not in report.stdout

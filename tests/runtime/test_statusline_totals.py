"""Totals per tool, as status lines and actions read them."""

from __future__ import annotations

import datetime as dt
import json
import time
from pathlib import Path
from typing import Any

import pytest
from agent_connector import HostCtx, StatuslineContext, ToolTotals
from agent_connector.runtime.spool import append_row
from agent_connector.telemetry.store import Store
from agent_connector.telemetry.totals import tool_totals

NOW = 1_800_000_000_000


@pytest.fixture
def call(tmp_path: Path):
    """Adds rows as a proxy writes them."""

    def adding(*tools: str, t: int = NOW, connector: str = "acme", **more: Any) -> None:
        for tool in tools:
            row = {"t": t, "scope": "call", "connector": connector, "host": "claude-code", "tool": tool}
            counted = {"in": 10, "out": 4, "inb": 40, "outb": 16, "conf": "tokenizer-exact", "ms": 1.5}
            assert append_row(str(tmp_path), {**row, **counted, **more})

    return adding


def totals(root: Path, since: int | None = None) -> list[tuple[Any, ...]]:
    return [
        (one.tool, one.calls, one.errors, one.tokens_in, one.tokens_out, one.confidence)
        for one in tool_totals(str(root), "acme", since)
    ]


def test_calls_of_a_tool_are_added_up_over_hosts_and_the_most_called_comes_first(call, tmp_path):
    call("read", "write", "write")
    call("write", host="codex", error=1)

    assert totals(tmp_path) == [
        ("write", 3, 1, 30, 12, "tokenizer-exact"),
        ("read", 1, 0, 10, 4, "tokenizer-exact"),
    ]
    assert totals(tmp_path)[0][1] == 3, "asking twice counts nothing twice"


def test_a_sum_is_as_certain_as_its_least_certain_call(call, tmp_path):
    call("read")
    call("read", conf="heuristic")

    assert totals(tmp_path)[0][-1] == "heuristic"


def test_only_what_is_the_connectors_own_and_recent_counts(call, tmp_path):
    call("theirs", connector="other")
    call("old", t=NOW - 1)
    call("new")

    assert [one[0] for one in totals(tmp_path)] == ["new", "old"]
    assert [one[0] for one in totals(tmp_path, NOW)] == ["new"]


def test_a_connector_that_keeps_a_log_of_its_own_is_read_from_it(tmp_path):
    row = {"t": NOW, "scope": "call", "connector": "acme", "host": "codex", "tool": "read", "inb": 40, "outb": 16}
    assert append_row(str(tmp_path), row, log_only=True)

    assert totals(tmp_path) == [("read", 1, 0, 10, 4, "heuristic")]


def test_without_anything_counted_there_is_nothing_and_nothing_is_made(tmp_path):
    assert tool_totals(str(tmp_path), "acme", None) == ()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", [HostCtx, StatuslineContext])
def test_a_context_counts_from_a_moment_or_a_span(call, tmp_path, kind):
    now = int(time.time() * 1000)
    call("new", t=now - 1000)
    call("old", t=now - 3_600_000)
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
from agent_connector import action, define_connector

connector = define_connector(
    id="acme", version="1.0.0",
    server={"transport": "stdio", "command": "cat"},
    actions=[action("report", lambda ctx: repr(ctx.telemetry.totals()))],
)
"""


def test_what_a_proxy_counts_is_what_an_action_reads(install_hooks):
    installed = install_hooks(COUNTED)
    launcher = installed.root / "bin" / "agent-connector"
    asked = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "drop", "arguments": {"t": "x"}}}
    answered = {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": "gone"}]}}
    server = ["sh", "-c", f"read line; printf '%s\\n' '{json.dumps(answered)}'; cat >/dev/null"]
    installed.run(
        [launcher, "serve", "--connector", "acme", "--host", "codex", "--", *server],
        (json.dumps(asked) + "\n").encode(),
    )

    report = installed.run([launcher, "action", "codex", "report", "--connector", "acme"])

    assert report.stdout.startswith(b"(ToolTotals('drop', calls=1, errors=0, tokens_in=")
    assert b"tokens_in=0" not in report.stdout
    assert b"tokens_out=0" not in report.stdout


def test_what_was_taken_into_the_database_and_what_was_not_count_once(call, tmp_path):
    call("read", u=1)
    call("write", u=3)
    with Store.open(tmp_path) as store:
        store.fold()
    call("read", u=2)
    call("read", u=2, conf="heuristic")  # told twice
    assert totals(tmp_path) == [
        ("read", 2, 0, 20, 8, "tokenizer-exact"),
        ("write", 1, 0, 10, 4, "tokenizer-exact"),
    ]


def test_a_database_that_cannot_be_used_leaves_what_is_in_files(call, tmp_path):
    call("read")
    (tmp_path / "telemetry" / "telemetry.db").write_bytes(b"this was never a database" * 100)
    assert totals(tmp_path) == [("read", 1, 0, 10, 4, "tokenizer-exact")]

"""explain and simulate as people meet them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from agent_connector.mcp_server.cli.render import explain as rendered
from agent_connector.mcp_server.cli.terminal import Look, look_of
from agent_connector.operations.reports import ExplainReport, ExplainRow, HonorRow

if TYPE_CHECKING:
    from conftest import Person

TOML = """
id = "acme"
version = "1.0.0"
[hooks.PreToolUse]
matcher = "drop$"
decision = "deny"
reason = "no drop"
[[actions]]
id = "sync"
command = ["sync"]
"""
DROP = '{"tool_name": "mcp__acme__drop", "tool_input": {}}'


@pytest.fixture
def definition(person: Person) -> Path:
    file = person.home / "agent-connector.config.toml"
    file.write_text(TOML)
    return file


def test_explain_is_a_line_per_surface_and_a_table_per_host(person: Person, definition: Path) -> None:
    done = person.run("explain", str(definition), "--host", "codex")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "explain acme"
    assert "Codex (codex)" in lines
    assert any(line.split()[:2] == ["native", "hooks"] and "~/.codex/hooks.json" in line for line in lines)
    assert any(line.split()[:3] == ["skip-warn", "actions", "sync"] for line in lines)
    (row,) = [line.split() for line in lines if line.strip().startswith("PreToolUse")]
    (head,) = [line.split() for line in lines if line.strip().startswith("HOOKS")]
    assert head[1:] == ["deny", "ask", "modify", "context", "output", "allow"]
    assert row[2] == "✓"  # behind the number of the note on when hooks run
    note = row[3].removeprefix("✗")
    (text,) = [line for line in lines if line.split()[:1] == [note]]
    assert "THE TOOL RUNS" in text
    assert "✓ honored, ~ degraded, ✗ dropped" in lines[-1]


def test_without_a_connector_the_hosts_are_explained(person: Person, definition: Path) -> None:
    done = person.run("explain", "--targets", "claude-code,cursor", "--json")
    result = json.loads(done.stdout)["result"]
    assert (result["connector"], result["rows"]) == ("", [])
    assert {row["host"] for row in result["honor"]} == {"claude-code", "cursor"}


def test_where_symbols_cannot_be_written_ascii_takes_their_place() -> None:
    report = ExplainReport(
        "acme",
        (ExplainRow("codex", "hooks", "native", "in x"),),
        (
            HonorRow("codex", "Stop", "deny", "honored"),
            HonorRow("codex", "Stop", "ask", "dropped", "why"),
            HonorRow("codex", "Stop", "context", "degraded", "why"),
        ),
    )
    text = "\n".join(rendered.lines(report, Look(symbols=False), {}))
    assert text.isascii()
    assert "Stop   +     x1   ~1" in text
    with open("/dev/null", "w", encoding="ascii") as stream:  # noqa: PTH123
        assert not look_of(stream, {}).symbols


def test_simulate_says_whether_and_why(person: Person, definition: Path) -> None:
    done = person.run("simulate", str(definition), "--host", "claude-code", "--event", "PreToolUse", "--input", DROP)
    assert done.returncode == 0
    lines = done.stdout.splitlines()
    assert lines[0] == "simulate acme: PreToolUse in Claude Code"
    assert lines[1] == "honored: Claude Code honors deny on PreToolUse"
    assert "  handler 1: static deny: deny" in lines
    (said,) = [line for line in lines if line.startswith("  the host reads: ")]
    assert json.loads(said.partition(": ")[2])["hookSpecificOutput"]["permissionDecision"] == "deny"


def test_input_may_be_a_file_standard_input_or_json(person: Person, definition: Path) -> None:
    (person.home / "call.json").write_text(DROP)
    arguments = ("simulate", "--host", "codex", "--event", "PreToolUse", "--json", "--input")
    results = [
        json.loads(person.run(*arguments, given, stdin=stdin).stdout)["result"]
        for given, stdin in (("call.json", ""), ("-", DROP), (DROP, ""))
    ]
    assert results[0]["honored"]
    assert results[0] == results[1] == results[2]


def test_standard_input_is_taken_as_it_is(person: Person, definition: Path) -> None:
    done = person.run("simulate", "--host", "codex", "--event", "PreToolUse", "--input", "-", stdin="no json")
    assert done.returncode == 0
    assert "not honored: the input cannot be read as one JSON object, so no handler was run" in done.stdout
    assert "the host reads: nothing" in done.stdout
    assert "fault: bad-payload" in done.stdout


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("--event", "Stop"), "--host"),
        (("--host", "codx", "--event", "Stop"), "Did you mean codex"),
        (("--host", "codex", "--event", "Stopp"), "Stop"),
        (("--host", "codex", "--event", "PreToolUse", "--input", "nowhere.json"), "cannot be read"),
    ],
)
def test_what_is_not_understood_exits_2_with_the_nearest(
    person: Person, definition: Path, arguments: tuple[str, ...], words: str
) -> None:
    done = person.run("simulate", *arguments)
    assert done.returncode == 2
    assert words in done.stderr


def test_nothing_is_left_in_the_home(person: Person, definition: Path) -> None:
    before = person.files()
    person.run("simulate", "--host", "codex", "--event", "PreToolUse")
    person.run("explain", ".")
    assert person.files() == before
    assert not person.data_root.exists()


def test_what_a_definition_holds_cannot_play_tricks_on_a_terminal(person: Person) -> None:
    (person.home / "agent-connector.config.json").write_text(
        json.dumps({"id": "a", "version": "1", "hooks": {"Stop": {"decision": "deny", "reason": "x\x1b[31m\u202e"}}})
    )
    done = person.run("simulate", "--host", "codex", "--event", "Stop")
    assert done.returncode == 0
    assert "\x1b" not in done.stdout
    assert "\u202e" not in done.stdout

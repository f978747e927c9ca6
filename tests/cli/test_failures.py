"""Faults of every kind, through the whole command line in this process."""

from __future__ import annotations

import json
import stat
from dataclasses import replace
from pathlib import Path

import pytest
from agent_connector.errors import DocumentError, LedgerError
from agent_connector.machine import Machine
from agent_connector.mcp_server.cli.commandline import Program
from agent_connector.mcp_server.cli.given import Given
from agent_connector.mcp_server.cli.program import agent_connector, execute
from agent_connector.mcp_server.cli.verbs import STATUS
from agent_connector.mcp_server.composition import context


def failing_with(problem: BaseException, home: Path) -> Program:
    """The command line, with a ``status`` that fails."""

    def run(_program: Program, _given: Given) -> int:
        raise problem

    machine = Machine("linux", home, home)
    return replace(agent_connector(context(machine)), verbs=(replace(STATUS, run=run),))


def test_what_we_raise_on_purpose_says_what_and_what_to_do(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    problem = DocumentError("unexpected\x1b comma", line=3, column=7, hint="fix the file\nthen run this again")
    assert execute(failing_with(problem, tmp_path), ["status"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "agent-connector: line 3, column 7: unexpected\\x1b comma\n"
        "  hint: fix the file\n"
        "        then run this again\n"
    )
    assert not (tmp_path / ".agent-connector").exists()


def test_its_code_is_in_the_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(failing_with(LedgerError("newer", hint="upgrade"), tmp_path), ["status", "--json"]) == 1
    assert json.loads(capsys.readouterr().out) == {
        "version": 1,
        "operation": "status",
        "exit_code": 1,
        "error": {"code": "ledger", "message": "newer", "hint": "upgrade"},
    }


def test_a_fault_of_ours_is_one_line_and_a_private_log(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert execute(failing_with(RuntimeError("boom"), tmp_path), ["status"]) == 1
    err = capsys.readouterr().err
    (log,) = (tmp_path / ".agent-connector" / "logs").iterdir()
    assert err.startswith("agent-connector: unexpected RuntimeError: boom\n")
    assert str(log) in err
    assert "Traceback" not in err
    assert "RuntimeError: boom" in log.read_text(encoding="utf-8")
    assert stat.S_IMODE(log.stat().st_mode) == 0o600
    assert stat.S_IMODE(log.parent.parent.stat().st_mode) == 0o700


def test_a_log_that_cannot_be_written_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / ".agent-connector").write_text("in the way", encoding="utf-8")
    assert execute(failing_with(RuntimeError("boom"), tmp_path), ["status"]) == 1
    assert "could not be written" in capsys.readouterr().err


def test_an_interrupt_is_quiet_and_has_the_code_that_shells_give_it(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert execute(failing_with(KeyboardInterrupt(), tmp_path), ["status"]) == 130
    assert capsys.readouterr().err.strip() == "agent-connector: interrupted"

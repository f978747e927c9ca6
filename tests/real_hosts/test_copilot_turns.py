"""Whole turns of Copilot CLI, what its verdicts promise, and the launcher that is gone."""

from __future__ import annotations

from pathlib import Path

import pytest
from copilot_home import CopilotCli
from host_homes import Home
from installed_connector import ANSWERING, Installed
from model_server import Model

pytestmark = pytest.mark.real_host

DENY = {"decision": "deny", "reason": "Orders are closed."}
MODIFY = {"decision": "modify", "updated_input": {"sql": "select 'rewritten' as marker"}}


def context(text: str) -> dict[str, str]:
    return {"decision": "context", "additional_context": text}


@pytest.fixture
def connector(tmp_path: Path, model: Model) -> Installed:
    home = Home(tmp_path / "home").create()
    return Installed(CopilotCli(home, model), home.path / "connector")


def test_a_turn_does_what_the_verdicts_say(connector: Installed) -> None:
    events = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse")
    connector.define(dict.fromkeys(events, ANSWERING))
    connector.answer(
        ("SessionStart", context("Context of the start.")),
        ("UserPromptSubmit", context("Context of the prompt.")),
        ("PreToolUse", DENY, "acme_write"),
        ("PreToolUse", MODIFY, "to-be-changed"),
        ("PreToolUse", context("Context before the call."), "to-be-left"),
        ("PostToolUse", context("Context after the call."), "to-be-left"),
        ("PostToolUse", {"updated_output": "redacted"}, "to-be-hidden"),
    )

    turn = connector.turn(
        "\n".join(
            [
                connector.calls_tool("acme_query", sql="select 'to-be-changed' as marker"),
                connector.calls_tool("acme_query", sql="select 'to-be-left' as marker"),
                connector.calls_tool("acme_query", sql="select 'to-be-hidden' as marker"),
                connector.calls_tool("acme_write", sql="delete from orders"),
                "SAY done",
            ]
        )
    )

    turn.finished.succeeded()
    assert [call["arguments"]["sql"] for call in turn.calls] == [
        "select 'rewritten' as marker",
        "select 'to-be-left' as marker",
        "select 'to-be-hidden' as marker",
    ]
    for said in ("the start", "the prompt", "before the call", "after the call"):
        assert f"Context {said if said.startswith(('before', 'after')) else f'of {said}'}." in turn.read
    assert "redacted" in turn.results[2]
    assert "Orders are closed." in turn.results[3]
    assert connector.log("logs/hooks.ndjson") == []


def test_a_turn_that_was_sent_back_goes_on_once_with_the_reason_and_ends(connector: Installed) -> None:
    connector.define({"Stop": ANSWERING})
    connector.answer(("Stop", {"decision": "deny", "reason": "The tests were not run."}))

    turn = connector.turn("SAY done")

    assert len(turn.told) == 2
    assert "The tests were not run." in turn.requests[-1].conversation


def test_a_launcher_that_is_gone_denies_nothing(connector: Installed) -> None:
    connector.define({"PreToolUse": DENY})
    (connector.host.home.path / ".agent-connector" / "bin" / "agent-connector").unlink()

    script = 'CALL bash {"command": "echo hello", "description": "x"}\nSAY done'
    finished = connector.host.turn(script)

    finished.succeeded()
    (result,) = connector.host.model.requests[-1].tool_results
    assert "hello" in result[0]

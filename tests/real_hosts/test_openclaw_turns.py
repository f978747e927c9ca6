"""Whole turns of OpenClaw without its Gateway: our tool is called through ``serve``, and the plugin of our hooks does
what the verdicts say. A turn takes most of a minute, so each test has few."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest
from host_homes import Home
from installed_connector import ANSWERING, Installed
from model_server import Model
from node_homes import OpenClaw

pytestmark = pytest.mark.real_host

HOOKS = import_module("agent_connector.adapters.openclaw.hooks")
DENY = {"decision": "deny", "reason": "Orders are closed."}


def context(text: str) -> dict[str, str]:
    return {"decision": "context", "additional_context": text}


@pytest.fixture
def connector(tmp_path: Path, model: Model) -> Installed:
    home = Home(tmp_path / "home").create()
    return Installed(OpenClaw(home, model), home.path / "connector")


def test_a_turn_does_what_the_verdicts_say_and_everything_comes_back(connector: Installed) -> None:
    config = connector.home.path / ".openclaw" / "openclaw.json"
    before = config.read_bytes()
    told = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure")
    connector.define(dict.fromkeys((*told, "Stop"), ANSWERING), memory=[{"content": "Amounts are in cents."}])
    modify = {"decision": "modify", "updated_input": {"sql": "select 'rewritten' as marker"}}
    connector.answer(
        ("PreToolUse", DENY, "acme_write"),
        ("PreToolUse", {"decision": "ask", "reason": "Really?"}, "to-be-asked"),
        ("PreToolUse", modify, "to-be-changed"),
        ("PostToolUse", {"updated_output": "redacted"}, "to-be-replaced"),
        *((event, context(f"Context of {event}.")) for event in told),
    )
    reading = [
        connector.calls_tool("acme_query", sql=f"select '{marker}' as marker")
        for marker in ("to-be-changed", "to-be-replaced", "to-be-asked")
    ]
    write = connector.calls_tool("acme_write", sql="delete from orders")

    turn = connector.turn("\n".join([*reading, write, "SAY done"]))

    turn.finished.succeeded()
    called = [call["arguments"]["sql"] for call in turn.calls]
    assert called == ["select 'rewritten' as marker", "select 'to-be-replaced' as marker"]
    changed, replaced, asked, refused = turn.results
    assert "rewritten" in changed
    assert "to-be-replaced" in replaced
    assert "redacted" not in turn.read
    assert "Plugin approval" in asked
    assert refused == "Orders are closed."
    for event in told:
        verdict = HOOKS.format(event, context("x"), turn.payload(event)).verdict
        assert (f"Context of {event}." in turn.read) == (verdict == "honored"), event
    assert [turn.events.count(event) for event in (*told[:2], "Stop")] == [1, 1, 1]
    assert "Amounts are in cents." in turn.read
    assert connector.log("logs/hooks.ndjson") == []
    connector.agent_connector("uninstall", "acme-db", "--json").succeeded()
    assert json.loads(config.read_bytes()).keys() >= json.loads(before).keys()
    assert "acme-db" not in config.read_text(encoding="utf-8")
    assert not (connector.home.path / ".openclaw" / "extensions").exists()


def test_a_turn_that_was_sent_back_goes_on_with_the_reason_and_ends(connector: Installed) -> None:
    connector.define({"Stop": ANSWERING, "UserPromptSubmit": ANSWERING})
    connector.answer(("Stop", {"decision": "deny", "reason": "The tests were not run."}))

    turn = connector.turn("SAY done")

    assert [event["stop_hook_active"] for event in turn.told if event["event"] == "Stop"] == [False, True]
    assert turn.events.count("UserPromptSubmit") == 1
    assert "The tests were not run." in turn.requests[-1].conversation


def test_a_blocked_prompt_reaches_no_model(connector: Installed) -> None:
    connector.define({"UserPromptSubmit": {"decision": "deny", "reason": "Not on Sundays."}})

    turn = connector.turn("SAY done")

    assert turn.requests == []
    assert "Not on Sundays." in f"{turn.finished.stdout}{turn.finished.stderr}"


def test_tools_that_are_looked_up_are_held_to_the_same(connector: Installed) -> None:
    config = connector.home.path / ".openclaw" / "openclaw.json"
    settings = json.loads(config.read_text(encoding="utf-8"))
    del settings["tools"]
    config.write_text(json.dumps(settings), encoding="utf-8")
    connector.define({"PreToolUse": {**DENY, "matcher": "^acme_write$"}})
    calls = [
        {"id": connector.tool("acme_query"), "args": {"sql": "select 'one' as marker"}},
        {"id": connector.tool("acme_write"), "args": {"sql": "delete from orders"}},
    ]

    turn = connector.turn("\n".join([*(f"CALL tool_call {json.dumps(call)}" for call in calls), "SAY done"]))

    assert [call["arguments"]["sql"] for call in turn.calls] == ["select 'one' as marker"]
    assert "Orders are closed." in turn.results[-1]

"""Whole turns of hosts from the npm registry: our tool is called through ``serve``, a deny stops it, a changed input
arrives and context reaches the model, as far as the verdicts promise and no further."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest
from agent_connector.adapters.catalog import CATALOG
from host_homes import Home
from installed_connector import ANSWERING, Installed
from model_server import Model
from node_homes import Droid, GeminiCli, Kimi, QwenCode

pytestmark = pytest.mark.real_host

HOSTS = {host.id: host for host in (GeminiCli, QwenCode, Droid, Kimi)}
EVENTS = {host: import_module(f"agent_connector.adapters.{host.replace('-', '_')}.hooks").EVENTS for host in HOSTS}
TOLD = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse")
DENY = {"decision": "deny", "reason": "Orders are closed."}
MODIFY = {"decision": "modify", "updated_input": {"sql": "select 'rewritten' as marker"}}


def context(text: str) -> dict[str, str]:
    return {"decision": "context", "additional_context": text}


@pytest.fixture(params=HOSTS)
def connector(request: pytest.FixtureRequest, tmp_path: Path, model: Model) -> Installed:
    home = Home(tmp_path / "home").create()
    return Installed(HOSTS[request.param](home, model), home.path / "connector")


def arrives(connector: Installed, event: str, answer: dict[str, object], payload: dict[str, object]) -> bool:
    hooks = import_module(f"agent_connector.adapters.{connector.host_id.replace('-', '_')}.hooks")
    return hooks.format(event, answer, payload).verdict != "dropped"


def test_a_turn_does_what_the_verdicts_say(connector: Installed) -> None:
    told = {event: f"Context of {event}." for event in TOLD if event in EVENTS[connector.host_id]}
    connector.define(dict.fromkeys(told, ANSWERING))
    where = {"PreToolUse": "to-be-left", "PostToolUse": "to-be-left"}
    connector.answer(
        ("PreToolUse", DENY, "acme_write"),
        ("PreToolUse", MODIFY, "to-be-changed"),
        *((event, context(text), where.get(event, "")) for event, text in told.items()),
    )

    turn = connector.turn(
        "\n".join(
            [
                connector.calls_tool("acme_query", sql="select 'to-be-changed' as marker"),
                connector.calls_tool("acme_query", sql="select 'to-be-left' as marker"),
                connector.calls_tool("acme_write", sql="delete from orders"),
                "SAY done",
            ]
        )
    )

    turn.finished.succeeded()
    assert len(turn.results) >= 3, str(turn.finished)
    first, _, third = turn.results[-3:]
    called = [call["arguments"]["sql"] for call in turn.calls]
    payload = turn.payload("PreToolUse", "to-be-changed")
    changes = arrives(connector, "PreToolUse", MODIFY, payload)
    changed = "rewritten" if changes else "to-be-changed"
    assert called == [f"select '{changed}' as marker", "select 'to-be-left' as marker"]
    assert changed in first
    assert "Orders are closed." in third
    for event, text in told.items():
        assert (text in turn.read) == arrives(connector, event, context(text), turn.payload(event)), event
    assert turn.events.count("UserPromptSubmit") == ("UserPromptSubmit" in told)
    assert connector.log("logs/hooks.ndjson") == []


def test_a_turn_that_was_sent_back_goes_on_once_with_the_reason_and_ends(connector: Installed) -> None:
    connector.define({"Stop": ANSWERING})
    connector.answer(("Stop", {"decision": "deny", "reason": "The tests were not run."}))

    turn = connector.turn("SAY done")

    told = [event["stop_hook_active"] for event in turn.told]
    assert told == ([False] if connector.host_id == "kimi" else [False, True])
    assert "The tests were not run." in turn.requests[-1].conversation


def test_a_blocked_prompt_reaches_no_model(connector: Installed) -> None:
    if "UserPromptSubmit" not in EVENTS[connector.host_id]:
        pytest.skip("it tells no prompts")
    connector.define({"UserPromptSubmit": {"decision": "deny", "reason": "Not on Sundays."}})

    assert connector.turn("SAY done").requests == []


def test_another_output_and_a_deny_after_the_call(connector: Installed) -> None:
    connector.define({"PostToolUse": ANSWERING})
    connector.answer(("PostToolUse", {"updated_output": "redacted"}, "one"), ("PostToolUse", DENY, "two"))

    turn = connector.turn(
        "\n".join(
            [*(connector.calls_tool("acme_query", sql=f"select '{name}'") for name in ("one", "two")), "SAY done"]
        )
    )

    replaced = connector.host_id == "gemini-cli"
    first, second = turn.results[-2:]
    assert ("redacted" in first) == replaced
    assert ("rows" in first) == (not replaced)
    denied = arrives(connector, "PostToolUse", DENY, turn.payload("PostToolUse"))
    assert ("Orders are closed." in turn.read) == denied
    assert ("rows" in second) == (not replaced)


def test_a_projects_hooks_work_too(connector: Installed) -> None:
    if "project" not in CATALOG.get(connector.host_id).hooks.files:
        pytest.skip("its hooks are a person's own")
    connector.define({})
    gate = {"id": "gate", "version": "1.0.0", "hooks": {"PreToolUse": {**DENY, "matcher": "acme_write"}}}
    definition = connector.home.path / "gate.json"
    definition.write_text(json.dumps(gate), encoding="utf-8")
    options = ("--targets", connector.host_id, "--scope", "project", "--json")
    connector.agent_connector("install", "--connector", definition, *options).succeeded()

    turn = connector.turn(
        "\n".join(
            [
                connector.calls_tool("acme_query", sql="select 1"),
                connector.calls_tool("acme_write", sql="delete from orders"),
                "SAY done",
            ]
        )
    )

    assert [call["tool"] for call in turn.calls] == ["acme_query"]
    assert "Orders are closed." in turn.results[-1]


def test_content_reaches_the_model_and_all_of_it_goes_again(connector: Installed) -> None:
    if CATALOG.get(connector.host_id).commands is None:
        pytest.skip("it has no commands of one's own")
    before = connector.home.files()
    connector.define(
        {},
        memory=[{"content": "Amounts are in cents."}],
        commands=[{"name": "greet", "description": "Greets", "prompt": "Greet $ARGUMENTS politely.\n\nSAY hello"}],
        skills=[{"name": "ledger", "description": "Reads the ledger of orders", "body": "Read it."}],
    )

    turn = connector.turn("/greet Bob")

    assert "Greet Bob politely." in turn.read
    assert "Amounts are in cents." in turn.read
    assert "Reads the ledger of orders" in turn.read + json.dumps([request.body for request in turn.requests])
    connector.agent_connector("uninstall", "acme-db", "--json").succeeded()
    after = connector.home.files()
    assert {path: data for path, data in after.items() if path in before} == before

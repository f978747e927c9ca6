"""Whole turns of OpenCode: its plugin is our module, and does what the verdicts promise and no more."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from agent_connector.adapters.opencode.hooks import EVENTS
from host_homes import Home
from installed_connector import ANSWERING, Installed
from model_server import Model
from opencode_home import OpenCode

pytestmark = pytest.mark.real_host

DENY = {"decision": "deny", "reason": "Orders are closed."}
MODIFY = {"decision": "modify", "updated_input": {"sql": "select 'rewritten' as marker"}}
NATIVE = {
    "native.py": "def env(event):\n    return {'env': {'FROM_A_HOOK': 'handed on'}}\n",
}


def context(text: str) -> dict[str, str]:
    return {"decision": "context", "additional_context": text}


@pytest.fixture
def connector(tmp_path: Path, model: Model) -> Installed:
    home = Home(tmp_path / "home").create()
    return Installed(OpenCode(home, model), home.path / "connector")


def query(connector: Installed, marker: str) -> str:
    return connector.calls_tool("acme_query", sql=f"select '{marker}' as marker")


def shell(command: str) -> str:
    return f"CALL bash {json.dumps({'command': command, 'description': 'd'})}"


def test_a_turn_does_what_the_verdicts_say_and_the_session_ends(connector: Installed) -> None:
    connector.define(dict.fromkeys(EVENTS, ANSWERING))
    connector.answer(
        ("PreToolUse", DENY, "acme_write"),
        ("PreToolUse", MODIFY, "to-be-changed"),
        ("SessionStart", context("CONTEXT-START")),
        ("UserPromptSubmit", context("CONTEXT-PROMPT")),
        ("PreToolUse", context("CONTEXT-BEFORE"), "to-be-left"),
        ("PostToolUse", context("CONTEXT-AFTER"), "to-be-left"),
        ("PostToolUse", DENY, "to-be-blamed"),
    )
    write = connector.calls_tool("acme_write", sql="delete from orders")
    script = [*(query(connector, f"to-be-{what}") for what in ("changed", "left", "blamed")), write, "SAY done"]

    turn = connector.turn("\n".join(script))

    turn.finished.succeeded()
    called = [call["arguments"]["sql"] for call in turn.calls]
    assert called == [f"select '{marker}' as marker" for marker in ("rewritten", "to-be-left", "to-be-blamed")]
    changed, left, blamed, denied = turn.results[-4:]
    assert "rewritten" in changed
    assert left.endswith("CONTEXT-BEFORE\n\nCONTEXT-AFTER")
    assert "to-be-blamed" in blamed
    assert blamed.endswith("Orders are closed.")
    assert denied == "Orders are closed."
    assert "CONTEXT-START" in turn.read
    assert "CONTEXT-PROMPT" in turn.read
    assert turn.events[:2] == ["SessionStart", "UserPromptSubmit"]
    assert turn.events[-2:] == ["Stop", "SessionEnd"]
    assert turn.events.count("SessionStart") == turn.events.count("SessionEnd") == 1
    assert turn.payload("SessionStart")["source"] == "startup"
    assert "PostToolUseFailure" in turn.events
    assert connector.log("logs/hooks.ndjson") == []

    connector.answer(("UserPromptSubmit", DENY))
    again = connector.turn("SAY more", "--continue")
    assert again.requests == []
    assert again.payload("SessionStart")["source"] == "resume"


def test_outputs_are_replaced_a_subagent_is_told_and_native_hooks_change_what_they_are_handed(
    connector: Installed,
) -> None:
    native = {"opencode": {"nativeHooks": {"shell.env": [{"handler": "./native.py:env"}]}}}
    connector.define(dict.fromkeys(EVENTS, ANSWERING), NATIVE, platforms=native)
    connector.answer(("PostToolUse", {"updated_output": "redacted"}, "secret"))
    task = {"description": "look", "prompt": "SAY seen", "subagent_type": "general"}
    script = [
        query(connector, "secret"),
        shell("echo $FROM_A_HOOK"),
        shell("echo secret"),
        f"CALL task {json.dumps(task)}",
    ]

    turn = connector.turn("\n".join([*script, "SAY done"]))

    first, second, third = turn.results[-4:-1]
    assert (first, third) == ("redacted", "redacted")
    assert second.strip() == "handed on"
    (began,) = [event for event in turn.told if event["event"] == "SubagentStart"]
    (ended,) = [event for event in turn.told if event["event"] == "SubagentStop"]
    assert began["agent_type"] == ended["agent_type"] == "general"
    assert began["session_id"] == ended["session_id"] == turn.told[0]["session_id"] != began["agent_id"]
    assert turn.events.count("UserPromptSubmit") == 1


def test_a_static_deny_holds_when_everything_of_ours_is_gone(connector: Installed) -> None:
    connector.define({"PreToolUse": [{**DENY, "matcher": "acme_write"}, ANSWERING]})
    (connector.data_root / "bin" / "agent-connector").unlink()
    config = connector.home.path / ".config" / "opencode" / "opencode.json"
    server = json.loads(config.read_text(encoding="utf-8"))
    wrapped = server["mcp"]["acme-db"]["command"]
    server["mcp"]["acme-db"]["command"] = wrapped[wrapped.index("--") + 1 :]
    server["mcp"]["acme-db"]["environment"] = connector.server["env"]
    config.write_text(json.dumps(server), encoding="utf-8")

    write = connector.calls_tool("acme_write", sql="delete from orders")
    turn = connector.turn("\n".join([query(connector, "still"), write, "SAY done"]))

    assert [call["tool"] for call in turn.calls] == ["acme_query"]
    assert turn.results[-1] == "Orders are closed."


def test_a_projects_plugin_and_content_work_and_all_of_it_goes_again(connector: Installed) -> None:
    connector.define(
        {},
        memory=[{"content": "Amounts are in cents."}],
        commands=[{"name": "greet", "description": "Greets", "prompt": "Greet $ARGUMENTS politely.\n\nSAY hello"}],
        skills=[{"name": "ledger", "description": "Reads the ledger of orders", "body": "Read it."}],
    )
    gate = {"id": "gate", "version": "1.0.0", "hooks": {"PreToolUse": {**DENY, "matcher": "acme_write"}}}
    definition = connector.home.path / "gate.json"
    definition.write_text(json.dumps(gate), encoding="utf-8")
    options = ("--targets", "opencode", "--scope", "project", "--json")
    connector.agent_connector("install", "--connector", definition, *options).succeeded()
    write = connector.calls_tool("acme_write", sql="delete from orders")

    turn = connector.turn("\n".join([query(connector, "mine"), write, "SAY done"]))

    assert [call["tool"] for call in turn.calls] == ["acme_query"]
    assert turn.results[-1] == "Orders are closed."
    assert "Amounts are in cents." in turn.read
    assert "Reads the ledger of orders" in turn.read + json.dumps([request.body for request in turn.requests])
    assert "Greet Bob" in connector.turn("Bob", "--command", "greet").read

    connector.agent_connector("uninstall", "acme-db", "--json").succeeded()
    connector.agent_connector("uninstall", "gate", "--scope", "project", "--json").succeeded()
    ours = [path for path in connector.home.files() if "acme" in path or "gate" in Path(path).name]
    assert [path for path in ours if path.startswith((".config", "project"))] == []

"""Whole turns of Pi: our tool is called through ``serve``, and the module of our hooks does what the verdicts say."""

from __future__ import annotations

import json
from importlib import import_module
from pathlib import Path

import pytest
from host_homes import Home
from installed_connector import ANSWERING, Installed
from model_server import Model
from node_homes import Pi
from pi_rpc import conversation

pytestmark = pytest.mark.real_host

HOOKS = import_module("agent_connector.adapters.pi.hooks")
DENY = {"decision": "deny", "reason": "Orders are closed."}


def context(text: str) -> dict[str, str]:
    return {"decision": "context", "additional_context": text}


@pytest.fixture
def connector(tmp_path: Path, model: Model) -> Installed:
    home = Home(tmp_path / "home").create()
    return Installed(Pi(home, model), home.path / "connector")


def queries(connector: Installed, *markers: str) -> list[str]:
    return [connector.calls_tool("acme_query", sql=f"select '{marker}' as marker") for marker in markers]


def test_tools_that_are_chosen_are_shown_to_the_model_and_called_through_serve(connector: Installed) -> None:
    server = {**connector.server, "tools": {"exclude": ["*_write"]}}
    connector.define({}, server=server)
    write = connector.calls_tool("acme_write", sql="delete from orders")

    turn = connector.turn("\n".join([*queries(connector, "one"), write, "SAY done"]))

    turn.finished.succeeded()
    assert [call["arguments"]["sql"] for call in turn.calls] == ["select 'one' as marker"]
    assert '"one"' in turn.results[0]
    offered = turn.requests[0].offered_tools
    assert (connector.tool("acme_query") in offered, connector.tool("acme_write") in offered) == (True, False)


def test_a_turn_does_what_the_verdicts_say_and_everything_comes_back(connector: Installed) -> None:
    before = connector.home.files()
    told = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure")
    connector.define(dict.fromkeys((*told, "Stop", "SessionEnd"), ANSWERING))
    modify = {"decision": "modify", "updated_input": {"sql": "select 'rewritten' as marker"}}
    connector.answer(
        ("PreToolUse", DENY, "acme_write"),
        ("PreToolUse", {"decision": "ask", "reason": "Really?"}, "to-be-asked"),
        ("PreToolUse", modify, "to-be-changed"),
        ("PostToolUse", {"updated_output": "redacted"}, "to-be-replaced"),
        ("PostToolUse", DENY, "to-be-denied"),
        *((event, context(f"Context of {event}.")) for event in told),
    )
    failing = [connector.calls_tool("acme_query", sql="select nonsense")]
    write = [connector.calls_tool("acme_write", sql="delete from orders")]
    script = [*queries(connector, "to-be-changed", "to-be-replaced", "to-be-denied", "to-be-asked"), *write, *failing]

    turn = connector.turn("\n".join([*script, "SAY done"]))

    turn.finished.succeeded()
    called = [call["arguments"]["sql"] for call in turn.calls]
    assert called == [
        "select 'rewritten' as marker",
        "select 'to-be-replaced' as marker",
        "select 'to-be-denied' as marker",
        "select nonsense",
    ]
    changed, replaced, denied, asked, refused, _failed = turn.results
    assert "rewritten" in changed
    assert "redacted" in replaced
    assert "to-be-replaced" not in replaced
    assert '"to-be-denied"' in denied
    assert "Orders are closed." in denied
    assert (asked, refused) == ("Really?", "Orders are closed.")
    for event in told:
        verdict = HOOKS.format(event, context("x"), turn.payload(event)).verdict
        assert (f"Context of {event}." in turn.read) == (verdict == "honored"), event
    assert turn.events.count("UserPromptSubmit") == turn.events.count("Stop") == turn.events.count("SessionEnd") == 1
    assert connector.log("logs/hooks.ndjson") == []
    connector.agent_connector("uninstall", "acme-db", "--json").succeeded()
    after = connector.home.files()
    assert {path: data for path, data in after.items() if path in before} == before
    assert not [path for path in after if path.startswith((".pi/agent/extensions", ".pi/agent/mcp.json"))]


def test_a_script_of_the_models_is_held_to_the_same(connector: Installed) -> None:
    connector.define({"PreToolUse": ANSWERING, "PostToolUse": ANSWERING})
    connector.answer(
        ("PreToolUse", DENY, '"sql": "delete'), ("PostToolUse", context("Amounts are in cents."), "parentToolCallId")
    )
    read, write = ({"sql": sql} for sql in ("select 'one' as marker", "delete from orders"))
    code = (
        f"const r = await tools.{connector.tool('acme_query')}({json.dumps(read)}); text('read');"
        f"try {{ await tools.{connector.tool('acme_write')}({json.dumps(write)}) }} catch (e) {{ text(String(e)) }}"
    )

    turn = connector.turn(f"CALL codemode {json.dumps({'code': code})}\nSAY done", "--tools", "read,codemode,mcp__*")

    assert [call["arguments"]["sql"] for call in turn.calls] == ["select 'one' as marker"]
    assert "Orders are closed." in turn.results[0]
    assert "Amounts are in cents." in turn.results[0]


def test_where_somebody_can_be_asked_a_dialog_decides(connector: Installed) -> None:
    pi = connector.host
    assert isinstance(pi, Pi)
    asking = ("first", "second")
    connector.define({"PreToolUse": ANSWERING})
    connector.answer(*(("PreToolUse", {"decision": "ask", "reason": f"The {one}?"}, one) for one in asking))

    with conversation(pi, lambda message: message == "The second?") as session:
        session.prompt("\n".join([*queries(connector, *asking), "SAY done"]))

    assert session.asked == ["The first?", "The second?"]
    assert [call["arguments"]["sql"] for call in connector.calls] == ["select 'second' as marker"]
    assert connector.model.last.tool_results[0][0] == "The first?"
    assert {event["raw"]["has_ui"] for event in connector.told} == {True}


def test_a_compaction_is_refused_or_followed_by_what_the_model_is_to_know(connector: Installed) -> None:
    pi = connector.host
    assert isinstance(pi, Pi)
    pi.write(".pi/agent/settings.json", {"compaction": {"keepRecentTokens": 5}})
    connector.define({"PreCompact": ANSWERING, "PostCompact": ANSWERING, "SessionEnd": ANSWERING})
    connector.answer(("PreCompact", {"decision": "deny", "reason": "Not now."}))

    with conversation(pi) as session:
        for number in ("one", "two"):
            session.prompt(f"CALL bash {json.dumps({'command': f'echo {number}'})}\nSAY {number}")
        refused = session.compact()
        connector.answer(("PostCompact", context("Amounts are in cents.")))
        followed = session.compact()
        session.prompt("SAY three")

    assert (refused["success"], followed["success"]) == (False, True)
    assert "Amounts are in cents." in connector.model.last.conversation
    told = [(event["event"], event.get("trigger")) for event in connector.told]
    assert told == [
        ("PreCompact", "manual"),
        ("PreCompact", "manual"),
        ("PostCompact", "manual"),
        ("SessionEnd", None),
    ]


def test_a_turn_that_was_sent_back_goes_on_once_with_the_reason_and_ends(connector: Installed) -> None:
    connector.define({"Stop": ANSWERING})
    connector.answer(("Stop", {"decision": "deny", "reason": "The tests were not run."}))

    turn = connector.turn("SAY done")

    assert [event["stop_hook_active"] for event in turn.told] == [False, True]
    assert "The tests were not run." in turn.requests[-1].conversation


def test_a_native_hook_answers_in_pis_own_words(connector: Installed) -> None:
    answer = {"message": {"customType": "acme", "content": "Amounts are in cents.", "display": False}}
    native = {"before_agent_start": {"command": ["echo", json.dumps(answer)]}}
    connector.define({}, platforms={"pi": {"native_hooks": native}})

    turn = connector.turn("SAY done")

    assert "Amounts are in cents." in turn.read


def test_a_blocked_prompt_reaches_no_model_and_the_person_hears_why(connector: Installed) -> None:
    connector.define({"UserPromptSubmit": {"decision": "deny", "reason": "Not on Sundays."}})

    turn = connector.turn("SAY done")

    assert turn.requests == []
    assert "Not on Sundays." in turn.finished.succeeded().stderr


def test_what_the_definition_denies_holds_where_our_runtime_is_gone(connector: Installed) -> None:
    connector.define({"PreToolUse": {**DENY, "matcher": "^bash$"}, "PostToolUse": ANSWERING})
    (connector.data_root / "bin" / "agent-connector").unlink()
    (connector.home.project / "notes.txt").write_text("what stands in it", encoding="utf-8")
    calls = [("bash", {"command": "echo acme"}), ("read", {"path": "notes.txt"})]

    turn = connector.turn("\n".join([*(f"CALL {tool} {json.dumps(given)}" for tool, given in calls), "SAY done"]))

    turn.finished.succeeded()
    denied, read = turn.results
    assert denied == "Orders are closed."
    assert "what stands in it" in read


def install_gate(connector: Installed, *scopes: str) -> None:
    connector.write({})
    gate = {"id": "gate", "version": "1.0.0", "hooks": {"PreToolUse": ANSWERING}}
    connector.definition.write_text(json.dumps(gate), encoding="utf-8")
    for scope in scopes:
        options = ("--targets", "pi", "--scope", scope, "--trust", "--json")
        connector.agent_connector("install", "--connector", connector.definition, *options).succeeded()
    connector.answer(("PreToolUse", DENY))


SHELL = f"CALL bash {json.dumps({'command': 'echo hi'})}\nSAY done"


def test_a_projects_hooks_work_where_the_folder_is_trusted(connector: Installed) -> None:
    install_gate(connector, "project")

    assert connector.turn(SHELL).results == ["Orders are closed."]
    assert connector.turn(SHELL, "--no-approve").results == ["hi\n"]


def test_a_connector_of_the_person_and_of_the_project_answers_once(connector: Installed) -> None:
    install_gate(connector, "user", "project")

    turn = connector.turn(SHELL)

    assert turn.results == ["Orders are closed."]
    assert turn.events == ["PreToolUse"]


def test_content_reaches_the_model_and_all_of_it_goes_again(connector: Installed) -> None:
    before = connector.home.files()
    connector.define(
        {},
        memory=[{"content": "Amounts are in cents."}],
        commands=[{"name": "greet", "description": "Greets", "prompt": "Greet $ARGUMENTS politely.\n\nSAY hello"}],
        skills=[{"name": "ledger", "description": "Reads the ledger of orders", "body": "Read it."}],
    )

    turn = connector.turn("/greet Bob")

    for text in ("Greet Bob politely.", "Amounts are in cents.", "Reads the ledger of orders"):
        assert text in turn.read
    connector.agent_connector("uninstall", "acme-db", "--json").succeeded()
    after = connector.home.files()
    assert {path: data for path, data in after.items() if path in before} == before

"""Hooks that our command installed, in whole turns of real hosts: what reaches the server, what the model reads."""

from __future__ import annotations

from pathlib import Path

import pytest
from codex_app_server import listed_hooks, trust
from host_homes import ClaudeCode, Codex, Home
from installed_connector import ANSWERING, Installed
from model_server import Model

pytestmark = pytest.mark.real_host

HANDLERS = """
import asyncio

def rewrite(event):
    return {"decision": "modify", "updated_input": {**event.tool_input, "sql": "select 'rewritten' as marker"}}

async def remark(event):
    await asyncio.sleep(0)
    return {"decision": "context", "additional_context": f"An async handler saw {len(event.tool_output)} characters."}

def expansion(event):
    said = f"{event.raw['command_name']} was expanded for {event.raw['command_args']}"
    return {"hookSpecificOutput": {"hookEventName": "UserPromptExpansion", "additionalContext": said}}
"""

GUARD_JS = """
let data = "";
process.stdin.on("data", (chunk) => { data += chunk; });
process.stdin.on("end", () => {
  const event = JSON.parse(data);
  console.log(JSON.stringify({ additionalContext: `Node saw ${event.event} of ${event.host}.` }));
});
"""

FILES = {"handlers.py": HANDLERS, "guard.js": GUARD_JS}


@pytest.fixture(params=["claude-code", "codex"])
def connector(request: pytest.FixtureRequest, tmp_path: Path, model: Model) -> Installed:
    home = Home(tmp_path / "home").create()
    host = (ClaudeCode if request.param == "claude-code" else Codex)(home, model)
    return Installed(host, home.path / "connector")


only_claude_code = pytest.mark.parametrize("connector", ["claude-code"], indirect=True)
only_codex = pytest.mark.parametrize("connector", ["codex"], indirect=True)


def test_handlers_of_every_kind_do_what_they_say_and_matchers_narrow(connector: Installed) -> None:
    connector.define(
        {
            "SessionStart": {"decision": "context", "additional_context": "Schema twelve is loaded."},
            "UserPromptSubmit": {"command": ["node", "./guard.js"]},
            "PreToolUse": [
                {"matcher": "acme_query", "handler": "./handlers.py:rewrite"},
                {"matcher": "acme_write", "handler": "./handlers.py:rewrite"},
                {"matcher": "acme_write", "decision": "deny", "reason": "Orders are closed."},
            ],
            "PostToolUse": [
                {"matcher": "acme_query", "handler": "./handlers.py:remark"},
                {"matcher": "acme_query", "decision": "context", "additional_context": "Amounts are in cents."},
            ],
        },
        FILES,
    )

    turn = connector.converse(
        connector.calls_tool("acme_query", sql="select 'original' as marker", note="untouched"),
        connector.calls_tool("acme_write", sql="delete from orders"),
        connector.calls_shell("echo from-the-shell"),
        "SAY done",
    )

    changed = {"sql": "select 'rewritten' as marker", "note": "untouched"}
    assert turn.calls == [{"tool": "acme_query", "arguments": changed}]
    read = turn.requests[-1].conversation
    queried, refused, printed = [text for text in turn.results if "ready: true" not in text]
    assert "rewritten" in queried
    assert "Orders are closed." in refused
    assert printed.strip().endswith("from-the-shell")
    assert "Schema twelve is loaded." in read
    assert f"Node saw UserPromptSubmit of {connector.host_id}." in read
    assert read.count("An async handler saw ") == 1
    assert read.count("characters.\n\nAmounts are in cents.") == 1
    assert connector.log("logs/hooks.ndjson") == []


@only_claude_code
def test_the_reason_of_a_deny_is_all_that_the_model_of_claude_code_gets(connector: Installed) -> None:
    connector.define({"PreToolUse": {"matcher": "acme_query", "decision": "deny", "reason": "Orders are closed."}})

    turn = connector.converse(connector.calls_tool("acme_query", sql="select 1"), "SAY done")

    assert turn.calls == []
    assert turn.requests[-1].tool_results[-1] == ("Orders are closed.", True)


def test_an_allow_before_a_call_grants_nothing(connector: Installed) -> None:
    connector.define({"PreToolUse": {"decision": "allow", "reason": "fine"}})

    turn = connector.converse(connector.calls_tool("acme_write", sql="delete from orders"), "SAY done")

    assert turn.calls == []
    words = {"claude-code": "haven't granted it", "codex": "requires approval"}
    assert words[connector.host_id] in turn.results[-1]


def test_a_turn_that_was_sent_back_goes_on_once_with_the_reason_and_ends(connector: Installed) -> None:
    connector.define(dict.fromkeys(("Stop", "SessionEnd"), ANSWERING))
    connector.answer(("Stop", {"decision": "deny", "reason": "The tests were not run."}))

    turn = connector.converse("SAY done")

    stops = [event["stop_hook_active"] for event in turn.told if event["event"] == "Stop"]
    assert stops == [False, True]
    assert len(turn.requests) == 2
    assert "The tests were not run." in turn.requests[-1].conversation
    assert turn.events[-1] == "SessionEnd"
    assert turn.told[-1]["reason"] == "other"


def test_a_blocked_prompt_reaches_no_model(connector: Installed) -> None:
    connector.define({"UserPromptSubmit": {"decision": "deny", "reason": "Not on Sundays."}})

    turn = connector.converse("SAY done")

    assert turn.requests == []
    if connector.host_id == "claude-code":
        assert "Not on Sundays." in turn.finished.json["result"]


@only_claude_code
def test_a_native_hook_answers_in_the_hosts_own_words(connector: Installed) -> None:
    connector.define(
        {},
        FILES,
        commands=[{"name": "greet", "description": "Greets", "prompt": "Greet $ARGUMENTS.\n\nSAY hello"}],
        platforms={"claude-code": {"native_hooks": {"UserPromptExpansion": {"handler": "./handlers.py:expansion"}}}},
    )

    turn = connector.converse("/greet Bob")

    assert "Greet Bob." in turn.read
    assert "greet was expanded for Bob" in turn.read


@only_codex
def test_codex_runs_a_hook_once_it_is_trusted(connector: Installed) -> None:
    codex = connector.host
    assert isinstance(codex, Codex)
    connector.define({"PreToolUse": {"matcher": "acme_query", "decision": "deny", "reason": "Orders are closed."}})
    query = connector.calls_tool("acme_query", sql="select 1")
    assert len(connector.turn(query).calls) == 1, "it ran although nobody trusts it"

    (hook,) = listed_hooks(codex)["hooks"]
    assert hook["trustStatus"] == "untrusted"
    trust(codex)

    turn = connector.turn(query)
    assert turn.calls == []
    assert "Orders are closed." in turn.results[-1]


@only_codex
def test_hooks_stand_inline_where_codex_has_some_there(connector: Installed) -> None:
    codex = connector.host
    assert isinstance(codex, Codex)
    codex.user_config.parent.mkdir()
    theirs = (
        "[[hooks.SessionStart]]\n[[hooks.SessionStart.hooks]]\ntype = 'command'\ncommand = 'echo THEIRS'  # mine\n"
    )
    codex.user_config.write_text(theirs, encoding="utf-8")
    connector.define({"SessionStart": {"decision": "context", "additional_context": "Schema twelve is loaded."}})

    turn = connector.converse("SAY done")

    assert not codex.hooks_file.exists()
    assert codex.user_config.read_text(encoding="utf-8").startswith(theirs)
    assert "THEIRS" in turn.read
    assert "Schema twelve is loaded." in turn.read
    assert "prefer a single representation" not in turn.finished.stdout

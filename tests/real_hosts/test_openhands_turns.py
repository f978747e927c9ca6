"""Whole turns of OpenHands: our tool is called through ``serve``, a deny stops it, context stands beside the prompt,
a denied end goes on, and the first file of hooks hides the other."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_homes import Home
from installed_connector import ANSWERING, Installed
from model_server import Model
from pypi_hosts import OpenHands

pytestmark = pytest.mark.real_host

EVENTS = ("SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")


@pytest.fixture
def connector(tmp_path: Path, model: Model) -> Installed:
    home = Home(tmp_path / "home").create()
    return Installed(OpenHands(home, model), home.path / "connector")


def test_a_turn_does_what_the_verdicts_say_and_the_files_come_back(connector: Installed) -> None:
    host = connector.host
    assert isinstance(host, OpenHands)
    before = host.servers.read_bytes()
    connector.define(dict.fromkeys(EVENTS, ANSWERING))
    installed = {path: path.read_bytes() for path in (host.servers, host.hooks)}
    connector.answer(
        ("PreToolUse", {"decision": "deny", "reason": "Orders are closed."}, "delete from orders"),
        *((event, {"decision": "context", "additional_context": f"Context of {event}."}) for event in EVENTS),
    )

    turn = connector.turn(
        "\n".join(
            [
                connector.calls_tool("acme_query", sql="select 1 as marker", **host.CONSENT),
                connector.calls_tool("acme_write", sql="delete from orders", **host.CONSENT),
                "SAY done",
            ]
        )
    )

    turn.finished.succeeded()
    assert [call["arguments"] for call in turn.calls] == [{"sql": "select 1 as marker"}]
    assert "Orders are closed." in turn.results[-1]
    assert {event for event in EVENTS if f"Context of {event}." in turn.read} == {"UserPromptSubmit"}
    assert set(turn.events) == set(EVENTS)
    assert [event["tool_input"] for event in turn.told if event["event"] == "PreToolUse"] == [
        {"sql": "select 1 as marker"},
        {"sql": "delete from orders"},
    ]
    assert [event["is_error"] for event in turn.told if event["event"] == "PostToolUse"] == [False]
    assert connector.log("logs/hooks.ndjson") == []
    assert {path: path.read_bytes() for path in installed} == installed
    connector.agent_connector("uninstall", "acme-db", "--targets", "openhands").succeeded()
    assert host.servers.read_bytes() == before
    assert not host.hooks.exists()


DENIED_ONCE = """
from pathlib import Path

def deny(event):
    mark = Path(__file__).with_name("denied")
    if mark.exists():
        return None
    mark.touch()
    return {"decision": "deny", "reason": "Say when it is due."}
"""


def test_an_end_that_is_denied_goes_on_and_a_prompt_that_is_denied_reaches_no_model(connector: Installed) -> None:
    hooks = {"UserPromptSubmit": ANSWERING, "Stop": {"handler": "./once.py:deny"}}
    connector.define(hooks, {"once.py": DENIED_ONCE})

    turn = connector.turn("SAY done")

    assert "Say when it is due." in turn.read

    connector.answer(("UserPromptSubmit", {"decision": "deny", "reason": "Not now."}))

    assert connector.turn("SAY done").requests == []


def test_hooks_of_a_project_hide_the_persons_own(connector: Installed) -> None:
    connector.define({"UserPromptSubmit": ANSWERING})
    assert connector.turn("SAY done").events == ["UserPromptSubmit"]

    folder = connector.home.project / ".openhands"
    folder.mkdir()
    (folder / "hooks.json").write_text('{"hooks": {}}')

    assert connector.turn("SAY done").events == []

"""Whole turns of Hermes Agent: our tool is called through ``serve``, a deny stops it, context stands behind the
prompt, and nothing else of an answer arrives."""

from __future__ import annotations

from pathlib import Path

import pytest
from host_homes import Home
from installed_connector import ANSWERING, Installed
from model_server import Model
from pypi_hosts import Hermes

pytestmark = pytest.mark.real_host


@pytest.fixture
def connector(tmp_path: Path, model: Model) -> Installed:
    home = Home(tmp_path / "home").create()
    return Installed(Hermes(home, model), home.path / "connector")


def test_a_turn_does_what_the_verdicts_say_and_the_config_comes_back(connector: Installed) -> None:
    host = connector.host
    assert isinstance(host, Hermes)
    before = host.config.read_bytes()
    events = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")
    connector.define(dict.fromkeys(events, ANSWERING))
    installed = host.config.read_bytes()
    connector.answer(
        ("PreToolUse", {"decision": "deny", "reason": "Orders are closed."}, "acme_write"),
        *((event, {"decision": "context", "additional_context": f"Context of {event}."}) for event in events),
    )

    turn = connector.turn(
        "\n".join(
            [
                connector.calls_tool("acme_query", sql="select 1 as marker"),
                connector.calls_tool("acme_write", sql="delete from orders"),
                "SAY done",
            ]
        )
    )

    turn.finished.succeeded()
    assert [call["arguments"]["sql"] for call in turn.calls] == ["select 1 as marker"]
    assert "Orders are closed." in turn.results[-1]
    assert {event for event in events if f"Context of {event}." in turn.read} == {"UserPromptSubmit"}
    assert set(turn.events) == set(events)
    assert [event["is_error"] for event in turn.told if event["event"] == "PostToolUse"] == [False, True]
    assert connector.log("logs/hooks.ndjson") == []
    assert host.config.read_bytes() == installed
    connector.agent_connector("uninstall", "acme-db", "--targets", "hermes").succeeded()
    assert host.config.read_bytes() == before

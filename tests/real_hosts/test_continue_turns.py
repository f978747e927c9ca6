"""Whole turns of Continue's command line: our tool is called through ``serve``, what was installed reaches the model,
and the hooks it reads are still called by nobody."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from continue_homes import Continue
from host_homes import Home
from installed_connector import Installed
from model_server import Model

pytestmark = pytest.mark.real_host


@pytest.fixture
def connector(tmp_path: Path, model: Model) -> Installed:
    home = Home(tmp_path / "home").create()
    return Installed(Continue(home, model), home.path / "connector")


def test_a_turn_calls_our_tool_and_the_config_comes_back(connector: Installed) -> None:
    host = connector.host
    assert isinstance(host, Continue)
    before = host.config.read_bytes()
    connector.define(
        {},
        memory=[{"content": "Amounts are in cents."}],
        skills=[{"name": "ledger", "description": "Reads the ledger of orders", "body": "Read it."}],
    )
    installed = host.config.read_bytes()
    assert before in installed

    turn = connector.turn("\n".join([connector.calls_tool("acme_query", sql="select 1 as marker"), "SAY done"]))

    turn.finished.succeeded()
    assert [call["arguments"]["sql"] for call in turn.calls] == ["select 1 as marker"]
    assert "marker" in turn.results[-1]
    assert "Amounts are in cents." in turn.read
    assert "Reads the ledger of orders" in json.dumps(turn.requests[0].body)
    assert host.config.read_bytes() == installed
    connector.agent_connector("uninstall", "acme-db", "--targets", "continue").succeeded()
    assert host.config.read_bytes() == before


def test_a_server_that_does_not_start_ends_a_headless_run(connector: Installed) -> None:
    host = connector.host
    assert isinstance(host, Continue)
    broken = "mcpServers:\n  - name: broken\n    command: /no/such/program\n"
    host.config.write_text(host.config.read_text(encoding="utf-8") + broken, encoding="utf-8")

    turn = connector.turn("SAY done") if connector.define({}) else None

    assert turn is not None
    assert "broken" in turn.finished.stderr
    assert turn.requests == []


def test_hooks_are_read_and_never_called(connector: Installed) -> None:
    told = connector.home.path / "told"
    hook = {"hooks": [{"type": "command", "command": f"touch {told}"}]}
    events = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")
    settings = {"hooks": {event: [hook] for event in events}}
    for folder in (".continue", ".claude"):
        file = connector.home.path / folder / "settings.json"
        file.parent.mkdir(exist_ok=True)
        file.write_text(json.dumps(settings), encoding="utf-8")
    connector.define({})

    turn = connector.turn("\n".join([connector.calls_tool("acme_query", sql="select 1"), "SAY done"]))

    turn.finished.succeeded()
    assert len(turn.calls) == 1
    assert not told.exists(), "its hooks are called now: describe them"

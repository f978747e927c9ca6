"""Whole turns of Mistral Vibe: what its verdicts promise of our tool, and of a tool of its own."""

from __future__ import annotations

import json
import tomllib
from pathlib import Path

import pytest
from host_homes import Home
from installed_connector import ANSWERING, Installed
from model_server import Model
from vibe_homes import MistralVibe

pytestmark = pytest.mark.real_host

EVENTS = ("PreToolUse", "PostToolUse", "Stop")
DENY = {"decision": "deny", "reason": "Orders are closed."}


@pytest.fixture
def connector(tmp_path: Path, model: Model) -> Installed:
    home = Home(tmp_path / "home").create()
    return Installed(MistralVibe(home, model), home.path / "connector")


def test_a_turn_does_what_the_verdicts_say_and_the_files_come_back(connector: Installed) -> None:
    host = connector.host
    assert isinstance(host, MistralVibe)
    before = host.config.read_bytes()
    connector.define(dict.fromkeys(EVENTS, ANSWERING))
    installed = host.config.read_bytes()
    connector.answer(
        ("PreToolUse", DENY, "acme_write"),
        ("PreToolUse", DENY, "echo denied"),
        ("PreToolUse", {"decision": "modify", "updated_input": {"sql": "select 'rewritten' as marker"}}, "to-change"),
        ("PostToolUse", {"decision": "context", "additional_context": "Amounts are in cents."}, "to-explain"),
        ("PostToolUse", {"decision": "allow", "updated_output": "redacted"}, "to-hide"),
        ("PreToolUse", {"decision": "context", "additional_context": "Lost before a tool."}, "to-explain"),
    )

    turn = connector.turn(
        "\n".join(
            [
                connector.calls_tool("acme_query", sql="select 'to-change' as marker"),
                connector.calls_tool("acme_query", sql="select 'to-explain' as marker"),
                connector.calls_tool("acme_query", sql="select 'to-hide' as marker"),
                connector.calls_tool("acme_write", sql="delete from orders"),
                'CALL bash {"command": "echo denied > by-hand"}',
                'CALL bash {"command": "echo to-explain"}',
                "SAY done",
            ]
        )
    )

    turn.finished.succeeded()
    assert [call["arguments"]["sql"] for call in turn.calls] == [
        "select 'rewritten' as marker",
        "select 'to-explain' as marker",
        "select 'to-hide' as marker",
    ]
    changed, structured, hidden, denied, by_hand, explained = turn.results[-6:]
    assert "rewritten" in changed
    assert "Amounts are in cents." in explained
    assert "Amounts are in cents." not in structured, "a program gets what is structured alone"
    assert "redacted" in hidden
    assert "rows" not in hidden
    assert "Orders are closed." not in denied, "a program is not told why"
    assert "Orders are closed." in by_hand
    assert not (connector.home.project / "by-hand").exists()
    assert "Lost before a tool." not in turn.read
    assert set(turn.events) == set(EVENTS)
    assert connector.log("logs/hooks.ndjson") == []
    assert host.config.read_bytes() == installed
    connector.agent_connector("uninstall", "acme-db", "--targets", "mistral-vibe").succeeded()
    assert host.config.read_bytes() == before
    assert not (host.config.parent / "hooks.toml").exists()


def test_a_denied_stop_goes_on_with_the_reason(connector: Installed) -> None:
    connector.define({"Stop": ANSWERING})
    connector.answer(("Stop", {"decision": "deny", "reason": "Run the tests first."}))

    turn = connector.turn("SAY done")

    turn.finished.succeeded()
    assert "Run the tests first." in turn.requests[-1].conversation
    assert 2 <= len(turn.events) <= 4


def test_a_projects_hooks_run_once_the_folder_is_trusted(connector: Installed) -> None:
    connector.define({})
    gate = {"id": "gate", "version": "1.0.0", "hooks": {"PreToolUse": {**DENY, "matcher": "^acme-write$"}}}
    definition = connector.home.path / "gate.json"
    definition.write_text(json.dumps(gate), encoding="utf-8")
    options = ("--connector", definition, "--targets", "mistral-vibe", "--scope", "project", "--json")
    script = [connector.calls_tool("acme_query", sql="select 1"), connector.calls_tool("acme_write", sql="delete")]

    connector.agent_connector("install", *options).succeeded()
    before = connector.turn("\n".join([*script, "SAY done"]))
    connector.agent_connector("install", "--trust", *options).succeeded()
    after = connector.turn("\n".join([*script, "SAY done"]))

    assert [call["tool"] for call in before.calls] == ["acme_query", "acme_write"]
    assert [call["tool"] for call in after.calls] == ["acme_query"]


def test_the_hosts_own_commands_know_our_entry(connector: Installed) -> None:
    host = connector.host
    assert isinstance(host, MistralVibe)
    connector.define({})
    host.run("mcp", "add", "other", "--transport", "stdio", "--command", "true").succeeded()
    names = [server["name"] for server in tomllib.loads(host.config.read_text(encoding="utf-8"))["mcp_servers"]]
    assert names == ["acme-db", "other"]
    assert "# A person's own." not in host.config.read_text(encoding="utf-8"), "it keeps comments now: say so"
    host.run("mcp", "remove", "acme-db").succeeded()
    connector.agent_connector("uninstall", "acme-db", "--targets", "mistral-vibe").succeeded()
    names = [server["name"] for server in tomllib.loads(host.config.read_text(encoding="utf-8"))["mcp_servers"]]
    assert names == ["other"]

"""Connectors kept as JSON."""

from __future__ import annotations

import json

import pytest
from agent_connector import ConnectorConfigError, define_connector
from agent_connector.authoring.identity import Identity
from agent_connector.authoring.records import from_record, to_record


def line(context):
    return "x"


EVERYTHING = {
    "id": "acme-db",
    "display_name": "Acme DB",
    "version": "1.2.3",
    "mcp": {"name": "@acme/acme-db-mcp", "mcp_name": "io.github.acme/db", "command": "acme-db"},
    "server": {
        "transport": "stdio",
        "command": "npx",
        "args": ["-y", "acme"],
        "env": {"A": "${env:A:-x}", "S": "${secret:s}"},
        "tools": {"exclude": ["drop_*"]},
        "timeout_ms": 30000,
    },
    "hooks": {
        "PreToolUse": [{"matcher": "w", "decision": "ask", "reason": "r"}, {"command": ["node", "g.js"]}, "m:f"],
        "SessionStart": {"additional_context": "x"},
    },
    "telemetry": {"enabled": False},
    "commands": [{"name": "a", "prompt": "p", "tools": {"allow": ["Read"]}, "extra": {"x": None}}],
    "skills": [{"name": "a", "description": "d", "body": "b", "resources": {"x/y.md": "z"}}],
    "subagents": [{"name": "a", "description": "d", "prompt": "p", "readonly": True}],
    "memory": [{"content": "ü\n"}],
    "statusline": {"render": "./h.py:r", "options": {"max_lines": 1}, "hosts": {"codex": {"command": ["x"]}}},
    "actions": [
        {
            "id": "a",
            "run": "m:f",
            "confirm": {"title": "t"},
            "placement": "menu",
            "hosts": {"codex": {"confirm": False}},
        }
    ],
    "platforms": {
        "codex": {
            "server": {"env": {"T": "${secret:t}"}},
            "hooks": {"Stop": "m:f"},
            "native_hooks": {"X": {"handler": "m:f", "matcher": "y"}},
            "config_patch": [{"key": "a.b", "value": None, "reason": "r"}],
            "memory": {"path": "x.md"},
            "extra": {"k": [1, 2.5, None]},
            "scope": "project",
        },
        "cursor": {"server": False, "memory": False, "hooks": False},
    },
    "targets": ["codex", "cursor"],
    "publish": {"registry_namespace": "n", "author": {"name": "a"}},
    "oauth": {"g": {"provider": "google", "client_id": "c", "scopes": ["s"]}},
}
REMOTE = {
    "id": "r",
    "server": {"transport": "http", "url": "https://x", "auth": {"type": "bearerEnv", "bearer_env_var": "T"}},
    "platforms": {"codex": {"server": {"wrap_for_telemetry": True}}},
}


EMPTY_PARTS = {"id": "e", "memory": [{"content": "x"}], "publish": {}, "platforms": {"codex": {}}, "telemetry": {}}


@pytest.mark.parametrize("definition", [EVERYTHING, REMOTE, EMPTY_PARTS])
def test_a_declarative_connector_comes_back_equal(definition):
    connector = define_connector(definition).resolve(identity=Identity())
    record = json.loads(json.dumps(to_record(connector)))
    again = from_record(record)
    assert again == connector
    assert to_record(again) == record


def test_derived_identity_is_kept():
    connector = define_connector(memory=[{"content": "x"}]).resolve(
        identity=Identity(name="acme-db-mcp", version="1.0", scripts=("acme-db",))
    )
    assert from_record(to_record(connector)) == connector


def test_secrets_are_kept_as_references_only():
    record = to_record(define_connector(EVERYTHING).resolve(identity=Identity()))
    assert record["server"]["env"] == {"A": "${env:A:-x}", "S": "${secret:s}"}
    assert "secret_env" not in json.dumps(record)


def test_functions_are_kept_as_the_place_of_their_code():
    connector = define_connector(id="a", hooks={"Stop": line}, statusline={"render": line}).resolve(
        identity=Identity()
    )
    record = to_record(connector)
    place = {"kind": "python", "file": __file__, "qualname": "line"}
    assert record["hooks"]["Stop"] == [{"handler": place}]
    assert record["statusline"]["render"] == place
    again = from_record(json.loads(json.dumps(record)), source=connector.source)
    assert again == connector
    assert again.source == __file__
    assert again.hooks["Stop"][0].handler.function is None


def test_only_records_may_hold_places_of_code(faults):
    place = {"kind": "python", "file": "/x.py", "qualname": "f"}
    assert list(faults(hooks={"Stop": {"handler": place}})) == ["hooks.Stop.handler"]


def test_a_damaged_record_is_refused_with_what_is_wrong():
    with pytest.raises(ConnectorConfigError) as caught:
        from_record({"id": "../../x", "memory": [{"content": "x"}]})
    assert [problem.path for problem in caught.value.problems] == ["id"]


def test_a_record_says_the_same_every_time():
    texts = {json.dumps(to_record(define_connector(EVERYTHING).resolve(identity=Identity()))) for _ in range(3)}
    assert len(texts) == 1

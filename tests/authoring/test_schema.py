"""The JSON schema that editors use."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import jsonschema
import pytest
from agent_connector.authoring.schema import definition_schema

COMMITTED = Path(__file__).parents[2] / "docs" / "definition.schema.json"


@pytest.fixture(scope="module")
def validator():
    schema = definition_schema()
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_the_committed_schema_is_not_stale():
    printed = subprocess.run(
        [sys.executable, "-m", "agent_connector.authoring.schema"], capture_output=True, check=True, encoding="utf-8"
    ).stdout
    assert COMMITTED.read_text("utf-8") == printed, (
        "python -m agent_connector.authoring.schema > docs/definition.schema.json"
    )


@pytest.mark.parametrize(
    "definition",
    [
        {"server": {"transport": "stdio", "command": "x", "timeoutMs": 3, "startup_timeout_ms": 4}},
        {"hooks": {"PreToolUse": {"decision": "ask"}, "Stop": ["m:f", {"command": ["x"]}], "SessionEnd": "m:f"}},
        {
            "hosts": {
                "codex": {"server": {"env": {}}, "hooks": False, "nativeHooks": {"X": "m:f"}, "memory": {"path": "x"}}
            }
        },
        {"actions": [{"id": "a", "run": "m:f", "placement": "menu", "confirm": True}]},
        {"oauth": {"g": {"provider": "google", "clientId": "x", "scopes": ["s"]}}},
        {"oauth": {"g": {"provider": "google", "client_id": "x", "scopes": ["s"]}}},
        {"$schema": "x", "targets": "auto"},
        {"targets": ["codex"]},
    ],
)
def test_definitions_that_are_fine(validator, definition):
    assert [error.message for error in validator.iter_errors(definition)] == []


@pytest.mark.parametrize(
    "definition",
    [
        {"sever": {}},
        {"server": {"transport": "tcp"}},
        {"server": {"transport": "stdio", "secret_env": {}}},
        {"hooks": {"preToolUse": "m:f"}},
        {"skills": [{"name": "a"}]},
        {"skills": [{"name": "A b", "description": "d", "body": "b"}]},
        {"oauth": {"g": {"provider": "google", "scopes": ["s"]}}},
        {"targets": "codex"},
    ],
)
def test_definitions_that_are_not(validator, definition):
    assert list(validator.iter_errors(definition))


def test_keys_are_explained():
    properties = definition_schema()["$defs"]["Server"]["properties"]
    assert "Milliseconds" in properties["timeout_ms"]["description"]
    assert json.dumps(properties).count("``") == 0

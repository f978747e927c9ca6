"""Whatever stands in a definition: a connector or a list of problems, never another error."""

from __future__ import annotations

import copy

from agent_connector import ConnectorConfigError, define_connector
from agent_connector.authoring.identity import Identity
from agent_connector.authoring.records import from_record, to_record
from hypothesis import given, settings
from hypothesis import strategies as st

VALID = {
    "id": "acme-db",
    "mcp": {"name": "n", "mcp_name": "m"},
    "server": {
        "transport": "stdio",
        "command": "npx",
        "args": ["-y"],
        "env": {"S": "${secret:s}"},
        "tools": {"include": ["*"]},
        "auth": {"type": "none"},
        "timeoutMs": 1,
    },
    "hooks": {"PreToolUse": [{"matcher": "w", "decision": "ask"}, "m:f"], "Stop": {"command": ["x"]}},
    "telemetry": {"enabled": False, "calibration": {"anthropicCountTokens": False}},
    "commands": [{"name": "a", "prompt": "p", "tools": {"allow": ["Read"]}, "extra": {"x": None}}],
    "skills": [{"name": "a", "description": "d", "body": "b", "resources": {"x/y.md": "z"}}],
    "subagents": [{"name": "a", "description": "d", "prompt": "p"}],
    "memory": [{"content": "x"}],
    "statusline": {"render": "m:f", "options": {"max_lines": 1}, "hosts": {"codex": {"command": ["x"]}}},
    "actions": [{"id": "a", "run": "m:f", "confirm": {"title": "t"}, "placement": "menu", "hosts": {"codex": {}}}],
    "platforms": {
        "codex": {
            "server": {"env": {}, "transport": "http", "url": "https://x"},
            "hooks": {"Stop": "m:f"},
            "native_hooks": {"X": {"handler": "m:f"}},
            "config_patch": [{"key": "a.b", "value": 1, "reason": "r"}],
            "memory": {"path": "x.md"},
            "extra": {"k": 1},
        }
    },
    "targets": ["codex"],
    "publish": {"author": {"name": "a"}, "registryBaseUrl": "https://x"},
    "oauth": {"g": {"provider": "generic", "clientId": "c", "scopes": ["s"], "issuer": "https://x"}},
}

WORDS = st.sampled_from(
    ["", "id", "server", "name", "command", "Stop", "codex", "${secret:a}", "timeoutMs", "\0", "é"]
)
SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-2, 9), st.just(float("nan")), WORDS, st.just(b"x"), st.just(object())
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3), st.dictionaries(st.one_of(WORDS, st.integers(0, 2)), inner, max_size=3)
    ),
    max_leaves=6,
)


def places(value, at=()):
    yield at
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*at, key))


ALL_PLACES = [place for place in places(VALID) if place]


@settings(max_examples=150, deadline=None)
@given(st.lists(st.tuples(st.sampled_from(ALL_PLACES), WORDS, VALUES, st.booleans()), min_size=1, max_size=4))
def test_any_values_anywhere_give_a_connector_or_problems(changes):
    raw = copy.deepcopy(VALID)
    for place, word, value, add in changes:
        holder = raw
        for key in place[:-1]:
            holder = holder[key] if _has(holder, key) else {}
        if isinstance(holder, dict):
            holder[word if add else place[-1]] = value
        elif isinstance(holder, list) and _has(holder, place[-1]):
            holder[place[-1]] = value
    try:
        connector = define_connector(raw).resolve(identity=Identity(), known_hosts=["codex"])
    except ConnectorConfigError as error:
        assert error.problems
        assert all(problem.reason for problem in error.problems)
        assert str(error)
        return
    assert from_record(to_record(connector)) == connector


def _has(holder, key):
    if isinstance(holder, list):
        return isinstance(key, int) and key < len(holder)
    return isinstance(holder, dict) and key in holder


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(WORDS, VALUES))
def test_any_mapping_is_refused_in_order(raw):
    try:
        define_connector(raw).resolve(identity=Identity())
    except ConnectorConfigError as error:
        again = []
        try:
            define_connector(raw).resolve(identity=Identity())
        except ConnectorConfigError as second:
            again = second.problems
        assert error.problems == again

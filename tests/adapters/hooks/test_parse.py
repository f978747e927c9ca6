"""What hosts sent becomes the normalized fields; what is odd about a payload is left out and never raises."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from agent_connector.adapters.families.hook_payloads import FIELDS, TYPES

NORMALIZED = Path(__file__).parent / "normalized"
OUTPUT_FIELDS = {"tool_output", "is_error"}


def test_every_sample_becomes_the_normalized_fields(host, hooks, samples):
    expected = json.loads((NORMALIZED / f"{host}.json").read_text(encoding="utf-8"))

    assert {name: hooks.parse(name.partition(".")[0], payload) for name, payload in samples.items()} == expected


def test_every_event_of_a_host_has_a_sample(hooks, samples):
    assert set(hooks.EVENTS) == {name.partition(".")[0] for name in samples}


def test_every_sample_names_its_event_natively(hooks, samples):
    for name, payload in samples.items():
        said = payload.get("hook_event_name", payload.get("event"))
        event = name.partition(".")[0]
        assert said in (None, event, hooks.EVENTS[event])


def test_samples_stand_in_no_real_home(samples):
    text = json.dumps(samples)
    assert "/home/dev" in text
    assert "/work" not in text
    assert "/root" not in text


def test_an_empty_payload_has_no_session_and_no_fields(hooks):
    for event in hooks.EVENTS:
        assert hooks.parse(event, {}) == {"session_id": ""}


def test_unknown_fields_change_nothing(hooks, samples):
    for name, payload in samples.items():
        event = name.partition(".")[0]
        more = {**payload, "new_in_the_next_version": {"a": [1]}, "raw": 1, "event": "X", "host": "Y"}
        assert hooks.parse(event, more) == hooks.parse(event, payload)


def test_one_missing_field_leaves_the_others(hooks, samples):
    for name, payload in samples.items():
        event = name.partition(".")[0]
        whole = hooks.parse(event, payload)
        # These hold more than one field: all of an event's own in Hermes, a tool and its input in Antigravity, what
        # plugins are handed.
        for key in payload.keys() - {"extra", "toolCall", "input", "output", "emitted", "call"}:
            rest = hooks.parse(event, {other: value for other, value in payload.items() if other != key})
            changed = {field for field in whole if rest.get(field) != whole[field]}
            assert len(changed - {"is_error"}) <= 1, (name, key)
            assert set(rest) | changed == set(whole)


WRONG = [
    None,
    0,
    1,
    1.5,
    True,
    "",
    "text",
    [],
    [None],
    [{"type": "text"}],
    {},
    {"content": 1},
    {"content": [1, {"text": 2}]},
]


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_a_value_of_the_wrong_type_is_absent_and_never_raises(hooks, samples, wrong):
    for name, payload in samples.items():
        event = name.partition(".")[0]
        for key in payload:
            found = hooks.parse(event, {**payload, key: wrong})
            assert isinstance(found["session_id"], str)
            assert isinstance(found.get("project_dir", ""), str)
            assert set(found) <= {"session_id", "project_dir", *FIELDS[event], *OUTPUT_FIELDS}
            for field in FIELDS[event]:
                if field in found:
                    assert isinstance(found[field], TYPES[field])


def test_true_is_no_duration(hooks):
    for key in ("duration_ms", "duration"):
        assert "duration_ms" not in hooks.parse("PostToolUseFailure", {key: True})


def test_an_event_the_host_does_not_have_is_read_as_far_as_it_goes(hooks):
    payload = {"session_id": "s", "sessionId": "s", "tool_name": "t", "toolName": "t"}
    assert hooks.parse("SomethingNew", payload).keys() == {"session_id"}


@pytest.mark.parametrize(
    ("host", "response", "expected"),
    [
        ("claude-code", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}], "a\nb"),
        ("claude-code", [{"type": "image", "data": "AAAA"}], ""),
        ("claude-code", [{"type": "resource", "resource": {"uri": "x", "text": "inside"}}], "inside"),
        ("claude-code", [{"type": "resource", "resource": {"uri": "x", "blob": "AAAA"}}, 3, None], ""),
        ("claude-code", {"stdout": "out", "stderr": "err"}, "out\nerr"),
        ("claude-code", {"stdout": "", "stderr": "err"}, "err"),
        ("claude-code", {"type": "text", "file": {"content": "x"}}, '{"type":"text","file":{"content":"x"}}'),
        ("claude-code", "plain", "plain"),
        ("codex", {"content": [{"type": "text", "text": "a"}]}, "a"),
        ("codex", "plain\n", "plain\n"),
        ("codex", {"other": 1}, '{"other":1}'),
    ],
)
def test_a_tools_result_becomes_text(hooks, response, expected):
    assert hooks.parse("PostToolUse", {"tool_response": response})["tool_output"] == expected


@pytest.mark.parametrize(
    ("host", "written", "expected"),
    [
        ("cursor", '{"content":[{"type":"text","text":"a"}],"isError":true}', {"tool_output": "a", "is_error": True}),
        ("cursor", '{"error":"no"}', {"tool_output": '{"error":"no"}', "is_error": True}),
        (
            "cursor",
            '{"rejected":true,"reason":"no"}',
            {"tool_output": '{"rejected":true,"reason":"no"}', "is_error": True},
        ),
        ("cursor", '{"output":"x"}', {"tool_output": '{"output":"x"}'}),
        ("cursor", '{"output":"x\\n","exitCode":0}', {"tool_output": "x\n"}),
        ("cursor", "no JSON {", {"tool_output": "no JSON {"}),
        ("cursor", "[1]", {"tool_output": "[1]"}),
        ("cursor", "half a pair \ud800", {"tool_output": "half a pair \ud800"}),
    ],
)
def test_a_result_that_is_written_as_json_is_read(hooks, written, expected):
    found = hooks.parse("PostToolUse", {"tool_output": written})
    assert {key: found[key] for key in found if key in OUTPUT_FIELDS} == expected


@pytest.mark.parametrize(
    ("host", "name", "expected"),
    [
        ("claude-code", "Bash", ("Bash",)),
        ("claude-code", "mcp__acme__write", ("mcp__acme__write", "write")),
        ("claude-code", "mcp__acme__a__b", ("mcp__acme__a__b", "a__b")),
        ("claude-code", "mcp__plugin_acme_db__write", ("mcp__plugin_acme_db__write", "write")),
        ("claude-code", "mcp__acme", ("mcp__acme",)),
        ("claude-code", "mcp__acme__", ("mcp__acme__",)),
        ("codex", "mcp__my_server__echo", ("mcp__my_server__echo", "echo")),
        ("codex", "apply_patch", ("apply_patch",)),
        ("cursor", "MCP:acme_write", ("MCP:acme_write", "acme_write")),
        ("cursor", "Shell", ("Shell",)),
        ("cursor", "MCP:", ("MCP:",)),
    ],
)
def test_matchers_are_tested_against_the_native_and_the_bare_name(hooks, name, expected):
    assert hooks.tool_names(name) == expected

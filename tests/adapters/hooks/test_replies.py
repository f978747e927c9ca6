"""The honor matrix, host by host: what becomes of each decision at each event, and what else there is to say."""

from __future__ import annotations

import json
from typing import Any

import pytest

DENY: dict[str, Any] = {"decision": "deny", "reason": "Not on a Friday."}
CONTEXT: dict[str, Any] = {"decision": "context", "additional_context": "Prices are in cents."}
ASK: dict[str, Any] = {"decision": "ask", "reason": "Sure?"}
MODIFY: dict[str, Any] = {"decision": "modify", "updated_input": {"text": "new"}}
OUTPUT: dict[str, Any] = {"decision": "allow", "updated_output": "redacted"}
RESPONSES = {"deny": DENY, "context": CONTEXT, "ask": ASK, "modify": MODIFY, "output": OUTPUT}

# h: honored, d: degraded, -: dropped; in the order of RESPONSES
MATRIX = {
    "claude-code": {
        "SessionStart":       "- h - - -",
        "SessionEnd":         "- - - - -",
        "UserPromptSubmit":   "h h - - -",
        "PreToolUse":         "h h h h -",
        "PostToolUse":        "h h - - h",
        "PostToolUseFailure": "d h - - -",
        "PreCompact":         "h d - - -",
        "PostCompact":        "- - - - -",
        "Stop":               "h h - - -",
        "Notification":       "- - - - -",
        "PermissionRequest":  "h - h - -",
        "SubagentStart":      "d h - - -",
        "SubagentStop":       "h h - - -",
    },
    "codex": {
        "SessionStart":       "h h - - -",
        "SessionEnd":         "- - - - -",
        "UserPromptSubmit":   "h h - - -",
        "PreToolUse":         "h h - h -",
        "PostToolUse":        "h h - - h",
        "PostToolUseFailure": "- - - - -",
        "PreCompact":         "- - - - -",
        "PostCompact":        "- - - - -",
        "Stop":               "h - - - -",
        "Notification":       "- - - - -",
        "PermissionRequest":  "h - h - -",
        "SubagentStart":      "d h - - -",
        "SubagentStop":       "h - - - -",
    },
    "cursor": {
        "SessionStart":       "h h - - -",
        "SessionEnd":         "- - - - -",
        "UserPromptSubmit":   "h h - - -",
        "PreToolUse":         "h h - h -",
        "PostToolUse":        "d h - - h",
        "PostToolUseFailure": "d h - - -",
        "PreCompact":         "- - - - -",
        "PostCompact":        "- - - - -",
        "Stop":               "h - - - -",
        "Notification":       "- - - - -",
        "PermissionRequest":  "- - - - -",
        "SubagentStart":      "h d - - -",
        "SubagentStop":       "h - - - -",
    },
    "gemini-cli": {
        "SessionStart":       "- h - - -",
        "SessionEnd":         "- - - - -",
        "UserPromptSubmit":   "h h - - -",
        "PreToolUse":         "h - - h -",
        "PostToolUse":        "h h - - d",
        "PostToolUseFailure": "- - - - -",
        "PreCompact":         "- - - - -",
        "PostCompact":        "- - - - -",
        "Stop":               "h - - - -",
        "Notification":       "- - - - -",
        "PermissionRequest":  "- - - - -",
        "SubagentStart":      "- - - - -",
        "SubagentStop":       "- - - - -",
    },
    "droid": {
        "SessionStart":       "- h - - -",
        "SessionEnd":         "- - - - -",
        "UserPromptSubmit":   "- - - - -",
        "PreToolUse":         "h - - h -",
        "PostToolUse":        "d h - - -",
        "Stop":               "h - - - -",
    },
    "kimi": {
        "SessionStart":       "- - - - -",
        "SessionEnd":         "- - - - -",
        "UserPromptSubmit":   "h d - - -",
        "PreToolUse":         "h - - - -",
        "PostToolUse":        "- - - - -",
        "PostToolUseFailure": "- - - - -",
        "Stop":               "h - - - -",
    },
    "qwen-code": {
        "SessionStart":       "- h - - -",
        "SessionEnd":         "- - - - -",
        "UserPromptSubmit":   "h h - - -",
        "PreToolUse":         "h - h - -",
        "PostToolUse":        "d h - - -",
        "PostToolUseFailure": "d h - - -",
        "PreCompact":         "- - - - -",
        "PostCompact":        "- - - - -",
        "Stop":               "h - - - -",
        "Notification":       "- - - - -",
        "PermissionRequest":  "h - h - -",
        "SubagentStart":      "- - - - -",
        "SubagentStop":       "h - - - -",
    },
    "copilot-cli": {
        "SessionStart":       "- h - - -",
        "SessionEnd":         "- - - - -",
        "UserPromptSubmit":   "h h - - -",
        "PreToolUse":         "h h h h -",
        "PostToolUse":        "h h - - h",
        "PostToolUseFailure": "d h - - -",
        "PreCompact":         "- - - - -",
        "PostCompact":        "- - - - -",
        "Stop":               "h - - - -",
        "Notification":       "- - - - -",
        "PermissionRequest":  "h - h - -",
        "SubagentStart":      "d h - - -",
        "SubagentStop":       "- - - - -",
    },
    "vscode-copilot": {
        "SessionStart":       "- h - - -",
        "SessionEnd":         "- - - - -",
        "UserPromptSubmit":   "h h - - -",
        "PreToolUse":         "h h h h -",
        "PostToolUse":        "h h - - -",
        "PostToolUseFailure": "- - - - -",
        "PreCompact":         "- - - - -",
        "Stop":               "h - - - -",
        "PermissionRequest":  "- - - - -",
        "SubagentStart":      "d h - - -",
        "SubagentStop":       "h - - - -",
    },
    "jetbrains-copilot": {
        "SessionStart":       "- - - - -",
        "SessionEnd":         "- - - - -",
        "UserPromptSubmit":   "- - - - -",
        "PreToolUse":         "h - - - -",
        "PostToolUse":        "- - - - -",
        "Stop":               "- - - - -",
        "SubagentStop":       "- - - - -",
    },
    "hermes": {
        "SessionStart":       "- - - - -",
        "SessionEnd":         "- - - - -",
        "UserPromptSubmit":   "- h - - -",
        "PreToolUse":         "h - - - -",
        "PostToolUse":        "- - - - -",
        "PostToolUseFailure": "- - - - -",
        "Stop":               "- - - - -",
        "SubagentStart":      "- - - - -",
        "SubagentStop":       "- - - - -",
    },
    "opencode": {
        "SessionStart":       "- h - - -",
        "SessionEnd":         "- - - - -",
        "UserPromptSubmit":   "h h - - -",
        "PreToolUse":         "h h - h -",
        "PostToolUse":        "h h - - h",
        "PostToolUseFailure": "- - - - -",
        "PermissionRequest":  "- - h - -",
        "Stop":               "- - - - -",
        "SubagentStart":      "- - - - -",
        "SubagentStop":       "- - - - -",
        "PreCompact":         "- h - - -",
        "PostCompact":        "- - - - -",
    },
    "pi": {
        "SessionStart":       "- h - - -",
        "SessionEnd":         "- - - - -",
        "UserPromptSubmit":   "h h - - -",
        "PreToolUse":         "h h h h -",
        "PostToolUse":        "h h - - h",
        "PostToolUseFailure": "h h - - -",
        "PreCompact":         "h - - - -",
        "PostCompact":        "- h - - -",
        "Stop":               "h h - - -",
    },
    "openclaw": {
        "SessionStart":       "- h - - -",
        "SessionEnd":         "- - - - -",
        "UserPromptSubmit":   "h h - - -",
        "PreToolUse":         "h - h h -",
        "PostToolUse":        "- - - - -",
        "PostToolUseFailure": "- - - - -",
        "PreCompact":         "- - - - -",
        "PostCompact":        "- - - - -",
        "Stop":               "d - - - -",
        "SubagentStart":      "- - - - -",
        "SubagentStop":       "- - - - -",
    },
    "openhands": {
        "SessionStart":       "- - - - -",
        "SessionEnd":         "- - - - -",
        "UserPromptSubmit":   "h h - - -",
        "PreToolUse":         "h - - - -",
        "PostToolUse":        "- - - - -",
        "PostToolUseFailure": "- - - - -",
        "Stop":               "h - - - -",
    },
    "mistral-vibe": {
        "SessionStart":       "- - - - -",
        "UserPromptSubmit":   "- - - - -",
        "PreToolUse":         "h - - h -",
        "PostToolUse":        "h h - - h",
        "PostToolUseFailure": "- - - - -",
        "Stop":               "h - - - -",
        "SubagentStop":       "- - - - -",
    },
    "antigravity-cli": {
        "SessionStart":       "- - - - -",
        "UserPromptSubmit":   "- h - - -",
        "PreToolUse":         "h - h - -",
        "PostToolUse":        "- - - - -",
        "Stop":               "h - - - -",
    },
    "antigravity": {
        "SessionStart":       "- - - - -",
        "UserPromptSubmit":   "- h - - -",
        "PreToolUse":         "h - h - -",
        "PostToolUse":        "- - - - -",
        "Stop":               "h - - - -",
    },
    "goose": {
        "SessionStart":       "- - - - -",
        "SessionEnd":         "- - - - -",
        "UserPromptSubmit":   "- - - - -",
        "PreToolUse":         "h - - - -",
        "PostToolUse":        "- - - - -",
        "PostToolUseFailure": "- - - - -",
        "Stop":               "h - - - -",
    },
    "codebuddy": {
        "SessionStart":       "- h - - -",
        "SessionEnd":         "- - - - -",
        "UserPromptSubmit":   "h h - - -",
        "PreToolUse":         "h - h - -",
        "PostToolUse":        "h h - - -",
        "PostToolUseFailure": "- - - - -",
        "PreCompact":         "h d - - -",
        "Stop":               "h - - - -",
        "Notification":       "- - - - -",
        "PermissionRequest":  "- - - - -",
        "SubagentStart":      "- - - - -",
        "SubagentStop":       "h - - - -",
    },
    "crush": {
        "PreToolUse":         "h h - h -",
        "PostToolUse":        "- - - - -",
        "Stop":               "- - - - -",
    },
}  # fmt: skip
LETTERS = {"h": "honored", "d": "degraded", "-": "dropped"}


def test_the_honor_matrix(host, reply):
    found = {
        event: " ".join(reply(event, **response).verdict for response in RESPONSES.values()) for event in MATRIX[host]
    }

    assert found == {
        event: " ".join(LETTERS[letter] for letter in row.split()) for event, row in MATRIX[host].items()
    }


def test_conditions_are_told_of_events_the_host_has(hooks):
    assert set(hooks.FIRES_WHEN) <= set(hooks.EVENTS)
    assert all(hooks.FIRES_WHEN.values())


def body(reply):
    return json.loads(reply.stdout) if reply.stdout else {}


@pytest.mark.parametrize("host", ["claude-code", "codex"])
@pytest.mark.parametrize("event", ["Stop", "SubagentStop"])
def test_a_denied_stop_goes_on_with_the_reason(reply, event):
    assert body(reply(event, **DENY)) == {"decision": "block", "reason": "Not on a Friday."}


@pytest.mark.parametrize("host", ["cursor"])
@pytest.mark.parametrize("event", ["Stop", "SubagentStop"])
def test_a_denied_stop_goes_on_with_the_reason_in_cursor(reply, event):
    assert body(reply(event, **DENY)) == {"followup_message": "Not on a Friday."}
    assert reply(event, {"status": "aborted"}, **DENY).verdict == "dropped"


@pytest.mark.parametrize(
    ("host", "event"),
    [
        ("claude-code", "PostToolUseFailure"),
        ("claude-code", "SubagentStart"),
        ("codex", "SubagentStart"),
    ],
)
def test_a_deny_where_nothing_can_be_stopped_becomes_context_with_the_reason(reply, event):
    assert body(reply(event, **DENY)) == {
        "hookSpecificOutput": {"hookEventName": event, "additionalContext": "Not on a Friday."}
    }


@pytest.mark.parametrize("host", ["cursor"])
@pytest.mark.parametrize("event", ["PostToolUse", "PostToolUseFailure"])
def test_a_deny_where_nothing_can_be_stopped_becomes_context_in_cursor(reply, event):
    assert body(reply(event, **DENY)) == {"additional_context": "Not on a Friday."}


def test_context_beside_a_deny_is_told_with_the_reason(reply):
    answer = reply("PreToolUse", **DENY, additional_context="Prices are in cents.")

    assert answer.verdict == "honored"
    assert "Not on a Friday.\\n\\nPrices are in cents." in answer.stdout


def test_context_arrives_beside_a_changed_input_where_both_arrive_alone(reply):
    context, modify = reply("PreToolUse", **CONTEXT), reply("PreToolUse", **MODIFY)
    answer = reply("PreToolUse", **MODIFY, additional_context="Prices are in cents.")

    both = context.verdict == modify.verdict == "honored"
    assert (answer.verdict == "honored") == both
    assert ("Prices are in cents." in answer.stdout) == (context.verdict == "honored")
    assert ('{"text":"new"}' in answer.stdout) == (modify.verdict == "honored")


def test_what_a_host_cannot_do_beside_what_it_can_is_degraded(reply):
    arriving = ("PreToolUse", "SessionStart")
    event = next((event for event in arriving if reply(event, **CONTEXT).verdict == "honored"), None)
    if event is None:
        pytest.skip("no context arrives in this host")
    answer = reply(event, **CONTEXT, updated_output="redacted")

    assert answer.verdict == "degraded"
    assert "Prices are in cents." in answer.stdout


def test_an_input_without_a_decision_is_a_modification(reply):
    modified = reply("PreToolUse", **MODIFY)
    assert reply("PreToolUse", updated_input={"text": "new"}).stdout == modified.stdout
    assert reply("PreToolUse", decision="allow", updated_input={"text": "new"}).verdict == modified.verdict


@pytest.mark.parametrize(
    "response",
    [
        {"decision": "modify"},
        {"decision": "context"},
        {"decision": "block", "reason": "x"},
        {"decision": ["deny"]},
        {"reason": "x"},
    ],
    ids=str,
)
def test_a_decision_that_cannot_be_understood_is_dropped_with_the_reason(hooks, reply, response):
    answer = reply("PreToolUse", **response)

    assert (answer.stdout, answer.verdict) == (hooks.neutral("PreToolUse")[0], "dropped")
    assert answer.why


@pytest.mark.parametrize("host", ["claude-code"])
def test_an_ask_without_anybody_to_ask_is_told(reply):
    assert "-p" in reply("PreToolUse", **ASK).why


@pytest.mark.parametrize("host", ["claude-code"])
@pytest.mark.parametrize("event", ["Stop", "SubagentStop"])
def test_context_at_stop_is_given_once_for_it_makes_the_model_go_on(reply, event):
    assert reply(event, {"stop_hook_active": False}, **CONTEXT).verdict == "honored"
    again = reply(event, {"stop_hook_active": True}, **CONTEXT)
    assert (again.stdout, again.verdict) == ("", "dropped")


@pytest.mark.parametrize("host", ["claude-code"])
@pytest.mark.parametrize(
    ("context", "written"),
    [
        ("Keep the totals.", "Keep the totals."),
        ('{"decision":"block"}', 'Note: {"decision":"block"}'),
        ("\n {", "Note: \n {"),
        ("half \ud800", "half ?"),
    ],
)
def test_context_before_a_compaction_is_bare_text_that_is_never_taken_for_json(reply, context, written):
    answer = reply("PreCompact", additional_context=context)

    assert (answer.stdout, answer.verdict) == (written, "degraded")


@pytest.mark.parametrize("host", ["claude-code"])
def test_the_output_of_other_tools_is_not_replaced(reply):
    answer = reply("PostToolUse", {"tool_name": "Read", "tool_response": {"type": "text"}}, **OUTPUT)
    assert (answer.stdout, answer.verdict) == ("", "dropped")


@pytest.mark.parametrize("host", ["cursor"])
def test_the_output_of_other_tools_is_not_replaced_in_cursor(reply):
    answer = reply("PostToolUse", {"tool_name": "Shell"}, **OUTPUT)
    assert (answer.stdout, answer.verdict) == ("{}", "dropped")


@pytest.mark.parametrize("output", ["", "  \n"])
def test_an_emptied_output_is_said_to_be_empty(reply, output):
    """Empty text is an error to models' interfaces, and a block without a reason is none."""
    answer = reply("PostToolUse", updated_output=output)
    assert "(a hook removed this output)" in answer.stdout or answer.verdict == "dropped"


@pytest.mark.parametrize("host", ["codex"])
def test_a_deny_replaces_the_output_before_another_output_does(reply):
    assert body(reply("PostToolUse", **DENY, updated_output="x")) == {
        "decision": "block",
        "reason": "Not on a Friday.",
    }


@pytest.mark.parametrize("host", ["cursor"])
def test_context_is_cut_to_what_cursor_takes(reply):
    fits = reply("PostToolUse", additional_context="x" * 10_000)
    assert (len(body(fits)["additional_context"]), fits.verdict) == (10_000, "honored")

    for context in ("x" * 10_001, "\U0001f600" * 5_001, "x" + "\U0001f600" * 20_000):
        answer = reply("PostToolUse", additional_context=context)
        cut = body(answer)["additional_context"]
        assert 9_900 < len(cut.encode("utf-16-le")) // 2 <= 10_000
        assert cut.endswith("[cut]")
        assert "\ufffd" not in cut
        assert answer.verdict == "degraded"


@pytest.mark.parametrize("host", ["cursor"])
def test_a_long_reason_that_becomes_context_is_cut_too(reply):
    assert len(body(reply("PostToolUse", decision="deny", reason="x" * 20_000))["additional_context"]) == 10_000


@pytest.mark.parametrize("host", ["cursor"])
@pytest.mark.parametrize(
    ("tool", "before", "after", "verdict"),
    [
        ("MCP:echo", {"text": "hi"}, {"text": "new", "more": 1}, "honored"),
        ("MCP:echo", {"text": "hi", "secret": 1}, {"text": "new"}, "degraded"),
        ("MCP:echo", {"text": "hi", "secret": 1}, {"text": "hi"}, "dropped"),
        ("Shell", {"command": "rm", "cwd": "/"}, {"command": "ls", "cwd": "/"}, "honored"),
        ("Write", {"file_path": "a", "content": "key"}, {"file_path": "a", "content": "***"}, "dropped"),
        ("Write", {"file_path": "a", "content": "key"}, {"file_path": "b", "content": "***"}, "degraded"),
        ("NewTool", {"a": 1}, {"a": 2}, "dropped"),
    ],
)
def test_cursor_changes_the_fields_of_an_input_that_it_knows(reply, tool, before, after, verdict):
    answer = reply("PreToolUse", {"tool_name": tool, "tool_input": before}, decision="modify", updated_input=after)

    assert body(answer) == {"updated_input": after}
    assert answer.verdict == verdict

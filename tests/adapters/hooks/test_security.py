"""What no host may ever be told, whatever a handler answers. Each rule has its own tests."""

from __future__ import annotations

import itertools
import json

import pytest
from agent_connector.runtime import jsontext

EVENTS = (
    "SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "PreCompact",
    "PostCompact", "Stop", "Notification", "PermissionRequest", "SubagentStart", "SubagentStop",
)  # fmt: skip

PARTS = {
    "decision": (None, "allow", "deny", "modify", "context", "ask", "DENY", 7),
    "reason": (None, "", "Not on a Friday."),
    "updated_input": (None, {}, {"text": "changed"}, "no object"),
    "additional_context": (None, "Prices are in cents."),
    "updated_output": (None, "", "redacted"),
}
RESPONSES = [
    {name: value for name, value in zip(PARTS, values, strict=True) if value is not None}
    for values in itertools.product(*PARTS.values())
]
SPOKEN = {"permission", "permissionDecision", "decision", "behavior", "continue"}


def body(reply):
    return json.loads(reply.stdout) if reply.stdout.startswith("{") else {}


def said(value, key):
    """Every value of ``key`` anywhere in ``value``."""
    if isinstance(value, dict):
        return [item for name, item in value.items() if name == key] + [
            found for item in value.values() for found in said(item, key)
        ]
    return []


def grants(reply) -> bool:
    answer = body(reply)
    specific = answer.get("hookSpecificOutput", {})
    decision = specific.get("decision")
    return (
        "allow" in (answer.get("permission"), answer.get("permissionDecision"), answer.get("behavior"))
        or answer.get("decision") in ("approve", "allow")
        or specific.get("permissionDecision") == "allow"
        or (isinstance(decision, dict) and decision.get("behavior") == "allow")
    )


@pytest.mark.parametrize("event", EVENTS)
def test_allow_is_no_opinion_everywhere_but_on_permission_requests(hooks, reply, event):
    if event == "PermissionRequest":
        pytest.skip("the one event where it is a grant")
    for response in ({"decision": "allow"}, {"decision": "allow", "reason": "Fine."}):
        answer = reply(event, **response)
        assert (answer.stdout, answer.exit_code) == hooks.neutral(event)
        assert answer.verdict == "honored"


def test_no_answer_before_a_tool_call_grants_it(host, reply):
    for response in RESPONSES:
        answer = reply("PreToolUse", **response)
        # Codex takes another input only beside this word, which does not spare its own approval.
        if host == "codex" and "updatedInput" in body(answer).get("hookSpecificOutput", {}):
            continue
        assert not grants(answer), response


def test_only_an_explicit_allow_grants_a_permission_request(hooks, reply):
    for response in RESPONSES:
        if grants(reply("PermissionRequest", **response)):
            assert response.get("decision") == "allow"
            assert "updated_output" not in response
            assert response.get("updated_input") is None or isinstance(response["updated_input"], dict)
    answer = reply("PermissionRequest", decision="allow")
    # Some hosts tell of such a request and take no answer.
    assert grants(answer) == ("PermissionRequest" in hooks.EVENTS and answer.verdict == "honored")


def test_what_is_no_explicit_allow_leaves_the_dialog_to_the_person(hooks, reply):
    for response in RESPONSES:
        if response.get("decision") not in ("allow", "deny"):
            answer = reply("PermissionRequest", **response)
            assert (answer.stdout, answer.exit_code) == hooks.neutral("PermissionRequest"), response


def test_no_grant_for_an_answer_that_is_not_understood(hooks, reply):
    answer = reply("PermissionRequest", decision="allow", updated_input="rm -rf")

    assert (answer.stdout, answer.exit_code) == hooks.neutral("PermissionRequest")
    assert answer.verdict == "dropped"


@pytest.mark.parametrize("host", ["codex"])
def test_codex_is_not_granted_the_old_input_where_a_changed_one_was_granted(reply):
    # Codex fails closed on updatedInput here, and a bare allow would run what nobody allowed.
    answer = reply("PermissionRequest", decision="allow", updated_input={"text": "safe"})

    assert answer.stdout == ""
    assert answer.verdict == "dropped"


@pytest.mark.parametrize("host", ["claude-code"])
def test_claude_code_is_granted_exactly_the_changed_input(reply):
    answer = reply("PermissionRequest", decision="allow", updated_input={"text": "safe"})

    assert body(answer)["hookSpecificOutput"]["decision"] == {"behavior": "allow", "updatedInput": {"text": "safe"}}


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_a_modification_never_grants_a_permission_request(reply):
    answer = reply("PermissionRequest", decision="modify", updated_input={"text": "safe"})

    assert answer.stdout == ""
    assert answer.verdict == "dropped"


@pytest.mark.parametrize("host", ["claude-code"])
def test_claude_code_gets_a_changed_input_without_a_decision(reply):
    specific = body(reply("PreToolUse", decision="modify", updated_input={"text": "new"}))["hookSpecificOutput"]

    assert specific == {"hookEventName": "PreToolUse", "updatedInput": {"text": "new"}}


@pytest.mark.parametrize("host", ["codex"])
def test_codex_gets_a_changed_input_beside_the_allow_that_it_demands(reply):
    specific = body(reply("PreToolUse", decision="modify", updated_input={"text": "new"}))["hookSpecificOutput"]

    assert specific == {
        "hookEventName": "PreToolUse", "permissionDecision": "allow", "updatedInput": {"text": "new"},
    }  # fmt: skip


@pytest.mark.parametrize("host", ["cursor"])
def test_cursor_gets_a_changed_input_without_a_permission(reply):
    assert body(reply("PreToolUse", decision="modify", updated_input={"text": "new"})) == {
        "updated_input": {"text": "new"}
    }


def test_every_deny_carries_a_reason(reply):
    for event, response in itertools.product(EVENTS, RESPONSES):
        if response.get("decision") != "deny":
            continue
        formatted = reply(event, **response)
        answer = body(formatted)
        words = [
            *said(answer, "permissionDecisionReason"), *said(answer, "reason"), *said(answer, "message"),
            *said(answer, "stopReason"), *said(answer, "user_message"), *said(answer, "followup_message"),
            *said(answer, "additionalContext"), *said(answer, "additional_context"),
        ]  # fmt: skip
        if any(said(answer, key) for key in SPOKEN):
            assert words, (event, response)
        assert all(isinstance(word, str) and word.strip() for word in words)
        if formatted.verdict != "dropped" and response.get("reason"):
            assert any(response["reason"] in word for word in words)


def test_a_deny_stays_a_deny_whatever_stands_beside_it(host, reply):
    for response in RESPONSES:
        if response.get("decision") == "deny":
            answer = reply("PreToolUse", **response)
            words = ("permissionDecision", "permission", "decision")
            assert {"deny", "block"} & {word for key in words for word in said(body(answer), key)}
            assert not said(body(answer), "updatedInput")
            assert "updated_input" not in body(answer)


def test_nothing_asked_is_the_neutral_reply(hooks, payload):
    for event in EVENTS:
        for response in ({}, {"decision": None}, dict.fromkeys(PARTS)):
            answer = hooks.format(event, response, payload(event))
            assert (answer.stdout, answer.exit_code) == hooks.neutral(event)
            assert (answer.verdict, answer.why) == ("honored", "")


def test_what_is_dropped_is_never_called_honored(hooks, reply):
    """What is asked for and leaves nothing in the reply did not happen, but for an ask that the host asks itself."""
    for event, response in itertools.product(EVENTS, RESPONSES):
        answer = reply(event, **response)
        silent = answer.stdout == hooks.neutral(event)[0]
        if silent and (event, response.get("decision")) != ("PermissionRequest", "ask"):
            wanted = response.get("decision") not in (None, "allow") or "updated_input" in response
            if wanted or response.get("additional_context") or "updated_output" in response:
                assert answer.verdict == "dropped", (event, response)
        if answer.verdict != "honored":
            assert answer.why, (event, response)


@pytest.mark.parametrize("host", ["codex", "cursor"])
def test_an_ask_that_lets_the_tool_run_is_dropped_loudly(reply):
    for more in ({}, {"additional_context": "Prices are in cents."}):
        answer = reply("PreToolUse", decision="ask", reason="Sure?", **more)
        assert answer.verdict == "dropped"
        assert "THE TOOL RUNS" in answer.why


def test_replies_never_say_anything_on_standard_error_or_by_exit_code(reply):
    """Exit 2 puts the hook's command line before the model's eyes."""
    for event, response in itertools.product(EVENTS, RESPONSES):
        answer = reply(event, **response)
        assert (answer.stderr, answer.exit_code) == ("", 0)


BARE_TEXT = {("claude-code", "PreCompact"), ("codebuddy", "PreCompact"), ("kimi", "UserPromptSubmit")}
"""Where context is bare text: it guides the summary, or stands before the prompt."""


def test_every_reply_is_nothing_or_one_line_of_ascii_json(host, reply):
    for event, response in itertools.product(EVENTS, RESPONSES):
        if (host, event) in BARE_TEXT and response.get("decision") != "deny":
            continue
        answer = reply(event, **response)
        assert answer.stdout.isascii()
        assert "\n" not in answer.stdout
        if answer.stdout or host == "cursor":
            assert isinstance(jsontext.loads(answer.stdout.encode()), dict)


CODEX_KEYS = {
    "SessionStart": ({"continue", "stopReason"}, {"additionalContext"}),
    "UserPromptSubmit": ({"decision", "reason"}, {"additionalContext"}),
    "PreToolUse": (
        set(),
        {"permissionDecision", "permissionDecisionReason", "updatedInput", "additionalContext"},
    ),
    "PermissionRequest": (set(), {"decision"}),
    "PostToolUse": ({"decision", "reason"}, {"additionalContext"}),
    "SubagentStart": (set(), {"additionalContext"}),
    "Stop": ({"decision", "reason"}, set()),
    "SubagentStop": ({"decision", "reason"}, set()),
}
"""Event -> the keys (outside and inside hookSpecificOutput) that Codex was seen to honor. One other voids a reply."""


@pytest.mark.parametrize("host", ["codex"])
@pytest.mark.parametrize("event", EVENTS)
def test_codex_gets_only_keys_that_it_takes_on_that_event(reply, event):
    top, inside = CODEX_KEYS.get(event, (set(), set()))
    for response in RESPONSES:
        answer = body(reply(event, **response))
        specific = answer.pop("hookSpecificOutput", {})
        assert set(answer) <= top
        assert set(specific) <= {"hookEventName", *inside}
        assert answer.get("decision") in (None, "block")
        decision = specific.get("decision", {"behavior": "allow"})
        assert set(decision) == {"behavior", "message"} if decision["behavior"] == "deny" else {"behavior"}
        if "permissionDecision" in specific:
            assert specific["permissionDecision"] == "deny" or "updatedInput" in specific


@pytest.mark.parametrize("host", ["claude-code", "codex"])
def test_what_is_specific_to_an_event_names_the_event(reply):
    for event, response in itertools.product(EVENTS, RESPONSES):
        specific = body(reply(event, **response)).get("hookSpecificOutput")
        if specific is not None:
            assert specific["hookEventName"] == event
            assert len(specific) > 1


CURSOR_KEYS = {
    "SessionStart": {"continue", "user_message", "additional_context"},
    "UserPromptSubmit": {"continue", "user_message", "additional_context"},
    "PreToolUse": {"permission", "user_message", "agent_message", "updated_input", "additional_context"},
    "PostToolUse": {"additional_context", "updated_mcp_tool_output"},
    "PostToolUseFailure": {"additional_context"},
    "SubagentStart": {"permission", "user_message", "additional_context"},
    "SubagentStop": {"followup_message"},
    "Stop": {"followup_message"},
}


@pytest.mark.parametrize("host", ["cursor"])
@pytest.mark.parametrize("event", EVENTS)
def test_cursor_gets_an_object_with_only_keys_that_it_takes_on_that_event(reply, event):
    for response in RESPONSES:
        answer = json.loads(reply(event, **response).stdout)
        assert set(answer) <= CURSOR_KEYS.get(event, set())


def test_half_a_surrogate_pair_in_a_reason_cannot_void_a_deny(reply):
    answer = reply("PreToolUse", decision="deny", reason="no \ud800 way")

    assert "\\ufffd" in answer.stdout


@pytest.mark.parametrize("odd", [None, 1, "x", [], {"tool_name": 3, "tool_input": "x", "tool_response": 1}])
def test_odd_payloads_do_not_keep_a_deny_from_being_said(hooks, odd):
    payload = odd if isinstance(odd, dict) else {"tool_name": odd, "tool_input": odd, "tool_response": odd}
    for event, response in itertools.product(EVENTS, RESPONSES):
        hooks.format(event, response, payload)
    denied = json.loads(hooks.format("PreToolUse", {"decision": "deny"}, payload).stdout)
    words = ("permissionDecision", "permission", "decision")
    assert {"deny", "block"} & {word for key in words for word in said(denied, key)}

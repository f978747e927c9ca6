"""The verdicts of ``format`` against what the real hosts did with the same replies.

``contracts/<host>.json`` records replies that were tried in real turns. Each case is either one that ``format`` can
produce (then the reply must have the shape that was tried, and the verdict must agree) or one it never writes.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

CONTRACTS = Path(__file__).parent / "contracts"
RECORDED = {
    host: [tuple(case) for case in json.loads((CONTRACTS / f"{host}.json").read_text(encoding="utf-8"))["cases"]]
    for host in ("claude-code", "codex", "copilot-cli", "droid", "gemini-cli", "hermes", "kimi", "qwen-code")
}

DENY: dict[str, Any] = {"decision": "deny", "reason": "no"}
CONTEXT: dict[str, Any] = {"decision": "context", "additional_context": "know"}
MODIFY: dict[str, Any] = {"decision": "modify", "updated_input": {"text": "new"}}
OUTPUT: dict[str, Any] = {"updated_output": "other"}
ALLOW: dict[str, Any] = {"decision": "allow"}
ASK: dict[str, Any] = {"decision": "ask", "reason": "sure?"}
BASH = {"tool_name": "Bash", "tool_response": {"stdout": "x", "stderr": "", "interrupted": False}}

# (event, recorded case) -> (response, changes to the sample payload, what the reply must contain)
PRODUCED: dict[str, dict[tuple[str, str], tuple[dict[str, Any], dict[str, Any], str]]] = {
    "claude-code": {
        ("PreToolUse", "deny+reason"): (DENY, {}, '"permissionDecision":"deny","permissionDecisionReason":"no"'),
        ("PreToolUse", "updatedInput only"): (MODIFY, {}, '"PreToolUse","updatedInput":{"text":"new"}'),
        ("PreToolUse", "ask (TUI)"): (ASK, {}, '"permissionDecision":"ask"'),
        ("PreToolUse", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("PostToolUse", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("PostToolUse", "decision:block"): (DENY, {}, '"decision":"block","reason":"no"'),
        ("PostToolUse", "updatedMCPToolOutput array"): (OUTPUT, {}, '"updatedMCPToolOutput":[{"type":"text"'),
        ("PostToolUse", "updatedToolOutput Bash-shaped object"): (
            OUTPUT, BASH, '"updatedToolOutput":{"stdout":"other","stderr":"","interrupted":false}',
        ),
        ("PostToolUse", "decision:block + additionalContext + updatedToolOutput"): (
            {**DENY, **OUTPUT}, BASH, '"decision":"block","reason":"no","hookSpecificOutput":{"hookEventName"',
        ),
        ("PostToolUseFailure", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("SubagentStart", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("SubagentStop", "decision:block"): (DENY, {}, '"decision":"block","reason":"no"'),
        ("SubagentStop", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("PreCompact", "decision:block"): (DENY, {}, '"decision":"block","reason":"no"'),
        ("PreCompact", "plain stdout"): (CONTEXT, {}, "know"),
        ("UserPromptSubmit", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("UserPromptSubmit", "decision:block"): (DENY, {}, '"decision":"block","reason":"no"'),
        ("SessionStart", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("SessionStart", "continue:false"): (DENY, {}, ""),
        ("Stop", "decision:block"): (DENY, {}, '"decision":"block","reason":"no"'),
        ("Stop", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("PermissionRequest", "allow (TUI)"): (ALLOW, {}, '"decision":{"behavior":"allow"}'),
        ("PermissionRequest", "allow+updatedInput (TUI)"): (
            {**ALLOW, "updated_input": {"text": "new"}}, {}, '{"behavior":"allow","updatedInput":{"text":"new"}}',
        ),
        ("PermissionRequest", "deny+message (TUI)"): (DENY, {}, '{"behavior":"deny","message":"no"}'),
    },
    "copilot-cli": {
        ("PreToolUse", "deny+reason"): (DENY, {}, '{"permissionDecision":"deny","permissionDecisionReason":"no"}'),
        ("PreToolUse", "ask"): (ASK, {}, '{"permissionDecision":"ask","permissionDecisionReason":'),
        ("PreToolUse", "modifiedArgs"): (MODIFY, {}, '{"modifiedArgs":{"text":"new"}}'),
        ("PreToolUse", "additionalContext"): (CONTEXT, {}, '{"additionalContext":"know"}'),
        ("PostToolUse", "additionalContext"): (CONTEXT, {}, '{"additionalContext":"know"}'),
        ("PostToolUse", "modifiedResult"): (
            OUTPUT, {}, '{"modifiedResult":{"textResultForLlm":"other","resultType":"success"}}',
        ),
        ("PostToolUse", "decision:block"): (DENY, {}, '{"decision":"block","reason":"no"}'),
        ("PostToolUseFailure", "additionalContext"): (CONTEXT, {}, '{"additionalContext":"know"}'),
        ("UserPromptSubmit", "additionalContext"): (CONTEXT, {}, '{"additionalContext":"know"}'),
        ("UserPromptSubmit", "decision:block"): (DENY, {}, '{"decision":"block","reason":"no"}'),
        ("SessionStart", "additionalContext"): (CONTEXT, {}, '{"additionalContext":"know"}'),
        ("SubagentStart", "additionalContext"): (CONTEXT, {}, '{"additionalContext":"know"}'),
        ("PermissionRequest", "behavior:allow"): (ALLOW, {}, '{"behavior":"allow"}'),
        ("PermissionRequest", "behavior:deny"): (DENY, {}, '{"behavior":"deny","message":"no"}'),
        ("Stop", "decision:block"): (DENY, {}, '{"decision":"block","reason":"no"}'),
    },
    "droid": {
        ("PreToolUse", "deny+reason"): (DENY, {}, '"permissionDecision":"deny","permissionDecisionReason":"no"'),
        ("PreToolUse", "updatedInput only"): (MODIFY, {}, '"updatedInput":{'),
        ("PreToolUse", "ask"): (ASK, {}, ""),
        ("PostToolUse", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("SessionStart", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("Stop", "decision:block"): (DENY, {}, '"decision":"block","reason":"no"'),
    },
    "gemini-cli": {
        ("PreToolUse", "deny+reason"): (DENY, {}, '"decision":"deny","reason":"no"'),
        ("PreToolUse", "tool_input"): (MODIFY, {}, '"tool_input":{"text":"new"'),
        ("PreToolUse", "additionalContext"): (CONTEXT, {}, ""),
        ("PreToolUse", "ask"): (ASK, {}, ""),
        ("PostToolUse", "deny+reason"): (DENY, {}, '"decision":"deny","reason":"no"'),
        ("PostToolUse", "deny+output"): (OUTPUT, {}, '"decision":"deny","reason":"other"'),
        ("PostToolUse", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("UserPromptSubmit", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("UserPromptSubmit", "deny+reason"): (DENY, {}, '"decision":"deny","reason":"no"'),
        ("SessionStart", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("Stop", "deny+reason"): (DENY, {}, '"decision":"deny","reason":"no"'),
    },
    "kimi": {
        ("PreToolUse", "deny+reason"): (DENY, {}, '"permissionDecision":"deny","permissionDecisionReason":"no"'),
        ("UserPromptSubmit", "deny+reason"): (DENY, {}, '"permissionDecision":"deny"'),
        ("UserPromptSubmit", "plain stdout"): (CONTEXT, {}, "know"),
        ("Stop", "deny+reason"): (DENY, {}, '"permissionDecision":"deny","permissionDecisionReason":"no"'),
    },
    "qwen-code": {
        ("PreToolUse", "deny+reason"): (DENY, {}, '"permissionDecision":"deny","permissionDecisionReason":"no"'),
        ("PreToolUse", "ask"): (ASK, {}, '"permissionDecision":"ask"'),
        ("PreToolUse", "updatedInput only"): (MODIFY, {}, ""),
        ("PreToolUse", "additionalContext"): (CONTEXT, {}, ""),
        ("PostToolUse", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("PostToolUse", "updatedToolOutput any shape"): (OUTPUT, {}, ""),
        ("PostToolUseFailure", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("UserPromptSubmit", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("UserPromptSubmit", "decision:block"): (DENY, {}, '"decision":"block","reason":"no"'),
        ("SessionStart", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("Stop", "decision:block"): (DENY, {}, '"decision":"block","reason":"no"'),
        ("SubagentStart", "additionalContext"): (CONTEXT, {}, ""),
        ("PermissionRequest", "allow+updatedInput (TUI)"): (
            {**ALLOW, "updated_input": {"text": "new"}}, {}, '{"behavior":"allow","updatedInput":{"text":"new"',
        ),
    },
    "hermes": {
        ("PreToolUse", "decision:block"): (DENY, {}, '{"decision":"block","reason":"no"}'),
        ("PreToolUse", "additionalContext"): (CONTEXT, {}, ""),
        ("UserPromptSubmit", "context"): (CONTEXT, {}, '{"context":"know"}'),
    },
    "codex": {
        ("PreToolUse", "deny+reason"): (DENY, {}, '"permissionDecision":"deny","permissionDecisionReason":"no"'),
        ("PreToolUse", "allow+updatedInput"): (MODIFY, {}, '"permissionDecision":"allow","updatedInput"'),
        ("PreToolUse", "allow+updatedInput+additionalContext"): (
            {**MODIFY, "additional_context": "know"}, {}, '"updatedInput":{"text":"new"},"additionalContext":"know"',
        ),
        ("PreToolUse", "ask"): (ASK, {}, ""),
        ("PreToolUse", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("PostToolUse", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("PostToolUse", "decision:block"): (DENY, {}, '"decision":"block","reason":"no"'),
        ("PostToolUse", "decision:block + additionalContext"): (
            {**OUTPUT, "additional_context": "know"}, {}, '{"decision":"block","reason":"other","hookSpecificOutput"',
        ),
        ("UserPromptSubmit", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("UserPromptSubmit", "decision:block"): (DENY, {}, '"decision":"block","reason":"no"'),
        ("SessionStart", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("SessionStart", "continue:false"): (DENY, {}, '"continue":false,"stopReason":"no"'),
        ("Stop", "decision:block"): (DENY, {}, '"decision":"block","reason":"no"'),
        ("Stop", "additionalContext"): (CONTEXT, {}, ""),
        ("PermissionRequest", "allow"): (ALLOW, {}, '"decision":{"behavior":"allow"}'),
        ("PermissionRequest", "deny+message"): (DENY, {}, '{"behavior":"deny","message":"no"}'),
        ("SubagentStart", "additionalContext"): (CONTEXT, {}, '"additionalContext":"know"'),
        ("SubagentStop", "decision:block"): (DENY, {}, '"decision":"block","reason":"no"'),
    },
}  # fmt: skip

NEVER_WRITTEN = {
    "exit 1", "exit 2", "exit 2 (TUI)", "exit 2 with allow JSON", "plain stdout", "text before JSON", "systemMessage",
    "defer", "defer (-p)", "deny + unknown key", "deny + unknown keys", "deny + suppressOutput:true",
    "deny without reason", "deny without hookEventName", "deny + systemMessage + additionalContext",
    "deny + decision:block", "decision:block+reason", "continue:false+stopReason",
    "updatedMCPToolOutput object", "updatedMCPToolOutput string", "updatedMCPToolOutput any shape",
    "updatedToolOutput any shape", "updatedToolOutput array/string on MCP", "updatedToolOutput string on Bash",
    "additionalContext + updatedMCPToolOutput",
}  # fmt: skip
"""Shapes that are not in any reply of ours."""

NOT_ABOUT_A_REPLY = {
    "deny after timeout", "one hook denies, another allows+updates", "allow against a deny rule", "any (-p)",
    "MCP isError result", "ask (-p)",
}  # fmt: skip
"""Times, conditions and several hooks together: said in ``why`` or ``FIRES_WHEN``, no verdict of one reply."""

NEVER_WRITTEN_THERE = {
    ("copilot-cli", "PreToolUse", "allow"),
    ("copilot-cli", "PreToolUse", "updatedInput flat"),
    ("copilot-cli", "PreToolUse", "decision:block"),
    ("copilot-cli", "PreToolUse", "continue:false"),
    ("copilot-cli", "PreToolUse", "hookSpecificOutput"),
    ("copilot-cli", "UserPromptSubmit", "modifiedPrompt"),
    ("copilot-cli", "UserPromptSubmit", "handled"),
    ("copilot-cli", "PermissionRequest", "hookSpecificOutput.decision"),
    ("claude-code", "PreToolUse", "allow"),
    ("claude-code", "PreToolUse", "deny + additionalContext"),  # the reason carries it
    ("claude-code", "PreCompact", "additionalContext"),
    ("codex", "PreCompact", "continue:false"),
    ("claude-code", "PreToolUse", "allow+updatedInput"),
    ("claude-code", "PreToolUse", "continue:false"),
    ("claude-code", "PostToolUse", "continue:false"),
    ("codex", "PreToolUse", "allow"),
    ("codex", "PreToolUse", "updatedInput only"),
    ("codex", "PreToolUse", "continue:false"),
    ("codex", "PermissionRequest", "allow+updatedInput"),
    ("droid", "PreToolUse", "allow+updatedInput"),  # the allow would grant the call
    ("gemini-cli", "PreToolUse", "continue:false"),
    ("gemini-cli", "PostToolUse", "tailToolCallRequest"),
    ("gemini-cli", "UserPromptSubmit", "continue:false"),
    ("gemini-cli", "Stop", "continue:false"),
    ("qwen-code", "PreToolUse", "decision:block"),
    ("qwen-code", "PreToolUse", "continue:false"),
    ("qwen-code", "PreToolUse", "allow"),
    ("qwen-code", "PostToolUse", "decision:block"),
}


@pytest.mark.parametrize("host", RECORDED)
def test_every_recorded_case_is_accounted_for(host):
    unaccounted = [
        (event, case)
        for event, case, _ in RECORDED[host]
        if (event, case) not in PRODUCED[host]
        and case not in NEVER_WRITTEN | NOT_ABOUT_A_REPLY
        and (host, event, case) not in NEVER_WRITTEN_THERE
    ]
    assert unaccounted == []
    recorded = {(event, case) for event, case, _ in RECORDED[host]}
    assert set(PRODUCED[host]) <= recorded


@pytest.mark.parametrize(
    ("host", "event", "case", "seen"),
    [
        pytest.param(host, event, case, seen, id=f"{host}-{event}-{case}")
        for host, cases in RECORDED.items()
        for event, case, seen in cases
        if (event, case) in PRODUCED[host]
    ],
)
def test_the_verdict_agrees_with_what_the_host_did(hooks, payload, host, event, case, seen):
    response, changes, written = PRODUCED[host][event, case]

    reply = hooks.format(event, response, payload(event, **changes))

    if written:
        assert written in reply.stdout
    else:
        assert reply.stdout == ""
    verdict = seen.partition(",")[0].split()[0].strip(":")
    assert reply.verdict == (verdict if verdict in ("honored", "degraded") else "dropped")


@pytest.mark.parametrize("host", ["codex"])
def test_what_codex_drops_as_another_output_is_said_the_way_it_honors(hooks, payload):
    """No key of its own does it there, but what a block says replaces the output."""
    recorded = {(event, case): seen for event, case, seen in RECORDED["codex"]}
    assert recorded["PostToolUse", "updatedMCPToolOutput any shape"] == "dropped"
    assert recorded["PostToolUse", "decision:block"] == "honored, replaces the output"

    reply = hooks.format("PostToolUse", OUTPUT, payload("PostToolUse"))

    assert json.loads(reply.stdout) == {"decision": "block", "reason": "other"}
    assert reply.verdict == "honored"

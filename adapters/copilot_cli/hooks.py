"""Copilot CLI's hooks, as of 1.0.102: camelCase payloads, flat replies. Hook processes load this and light siblings.

A hook that fails before a tool call denies the call, so a reply always ends well. Keys stand at the top: inside a
``hookSpecificOutput`` they are passed over without a word.
"""

from agent_connector.adapters.families.hook_payloads import dashed_tool_names, fields_of, silence
from agent_connector.adapters.families.hook_wishes import NO_REASON_ASKING, Outcome, Wish, without_event
from agent_connector.runtime.jsontext import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agent_connector.runtime.reply import Reply

EVENTS = {
    "SessionStart": "sessionStart",
    "SessionEnd": "sessionEnd",
    "UserPromptSubmit": "userPromptSubmitted",
    "PreToolUse": "preToolUse",
    "PostToolUse": "postToolUse",
    "PostToolUseFailure": "postToolUseFailure",
    "PermissionRequest": "permissionRequest",
    "Notification": "notification",
    "Stop": "agentStop",
    "SubagentStart": "subagentStart",
    "SubagentStop": "subagentStop",
    "PreCompact": "preCompact",
}
"""Canonical event -> the host's own name. In PascalCase each would come with another payload."""

HOST_EVENTS = (*EVENTS.values(), "userPromptTransformed", "preMcpToolCall", "postCompact", "errorOccurred")
"""All events of the host; ``postCompact`` was never seen to come."""

FIRES_WHEN = {
    "Notification": "only in interactive sessions",
    "PostToolUse": "only after a tool succeeded; PostToolUseFailure comes after one that failed",
    "PostToolUseFailure": "only after a tool failed; a command that ends with a status other than 0 has not",
    "Stop": "not after eight continuations in a row",
}
"""Canonical event -> under which conditions its hooks run; an event that is not named has none."""


_TOOL = {"tool_name": "toolName", "tool_input": "toolArgs"}
_AGENT = {"agent_id": "agentId", "agent_type": "agentType"}
_CALLED = {
    "PreToolUse": _TOOL,
    "PostToolUse": _TOOL,
    "PostToolUseFailure": _TOOL,
    "PermissionRequest": {
        "tool_name": "toolName",
        "tool_input": "toolInput",
        "permission_suggestions": "permissionSuggestions",
    },
    "SubagentStart": _AGENT,
    "SubagentStop": {**_AGENT, "last_assistant_message": "response"},
}


def parse(event: str, payload: "dict[str, Any]") -> "dict[str, Any]":
    """What the normalized event has of ``payload``: ``session_id``, ``project_dir`` and its own fields."""
    found = fields_of(event, payload, {"session_id": "sessionId", **_CALLED.get(event, {})})
    result = payload.get("toolResult")
    if event == "PostToolUse" and isinstance(result, dict) and isinstance(result.get("textResultForLlm"), str):
        found["tool_output"] = result["textResultForLlm"]
    return found


def repeats(event: str, payload: "dict[str, Any]") -> bool:
    """A subagent that ends says so a second time, as if the turn had ended."""
    return event == "Stop" and "agentId" in payload


neutral = silence
tool_names = dashed_tool_names


def format(event: str, response: "dict[str, Any]", payload: "dict[str, Any]") -> "Reply":  # noqa: A001 - every host's name
    """``response`` in Copilot CLI's words, and what it makes of it."""
    del payload
    if event not in EVENTS:
        return without_event("Copilot CLI", event, response)
    wish = Wish(response)
    outcome = Outcome(wish)
    body: dict[str, Any] = {}
    context = wish.context
    if wish.decision == "deny":
        context = _deny(event, wish, body, outcome)
    elif event == "PermissionRequest":
        _answer_dialog(wish, body, outcome)
    elif wish.decision == "ask":
        _ask(event, wish, body, outcome)
    elif wish.updated_input is not None and event == "PreToolUse":
        body["modifiedArgs"] = wish.updated_input
        outcome.honored()
    elif wish.updated_input is not None:
        outcome.refused(f"there is no input to change at {event}")
    if wish.output is not None:
        _replace_output(event, wish, body, outcome)
    if context and event in _CONTEXT:
        body["additionalContext"] = context
        outcome.honored()
    elif context:
        outcome.lost(f"Copilot CLI gives the model no context at {event}")
    return outcome.reply(dumps(body) if body else "")


_CONTEXT = ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure", "SubagentStart")
_BLOCKS = {
    "UserPromptSubmit": "the model is not asked; with -p the run ends with status 1",
    "PostToolUse": "the tool has run: the model gets the reason in place of the output",
    "Stop": "the turn goes on with the reason",
}
_FEEDBACK = {
    "PostToolUseFailure": "nothing is left to stop: the model gets the reason as context",
    "SubagentStart": "a start cannot be stopped: the subagent gets the reason as context",
}


def _deny(event: str, wish: "Wish", body: "dict[str, Any]", outcome: "Outcome") -> str:
    """Returns what is still to be said as context: a reason carries the rest."""
    if event == "PreToolUse":
        body.update(permissionDecision="deny", permissionDecisionReason=wish.refusal)
        outcome.honored()
    elif event == "PermissionRequest":
        body.update(behavior="deny", message=wish.refusal)
        outcome.honored()
    elif event in _BLOCKS:
        body.update(decision="block", reason=wish.refusal)
        outcome.honored(_BLOCKS[event])
    elif event in _FEEDBACK:
        body["additionalContext"] = wish.refusal
        outcome.degraded(_FEEDBACK[event])
    else:
        outcome.refused(f"Copilot CLI lets nothing be stopped at {event}")
        return wish.context
    return ""


def _ask(event: str, wish: "Wish", body: "dict[str, Any]", outcome: "Outcome") -> None:
    if event != "PreToolUse":
        outcome.refused(f"Copilot CLI cannot ask at {event}")
        return
    body.update(permissionDecision="ask", permissionDecisionReason=wish.reason or NO_REASON_ASKING)
    outcome.honored("with -p, where nobody can be asked, the call is denied with the reason")
    if wish.updated_input is not None:
        outcome.lost("a call is asked about with the input it came with")


def _answer_dialog(wish: "Wish", body: "dict[str, Any]", outcome: "Outcome") -> None:
    """Only an explicit allow grants, and nothing that is not about this request in full."""
    if wish.decision == "ask":
        outcome.honored("Copilot CLI's own dialog asks")
    if wish.updated_input is not None:
        outcome.refused("Copilot CLI changes the input of a call only before it (PreToolUse)")
    elif wish.decision == "allow" and (wish.unclear or wish.output is not None):
        outcome.refused("an answer that is not about this request in full grants nothing")
    elif wish.decision == "allow":
        body["behavior"] = "allow"
        outcome.honored()


def _replace_output(event: str, wish: "Wish", body: "dict[str, Any]", outcome: "Outcome") -> None:
    if event != "PostToolUse":
        outcome.lost(f"there is no output to replace at {event}")
    elif wish.decision == "deny":
        outcome.lost("the reason stands in the output's place")
    else:
        body["modifiedResult"] = {"textResultForLlm": wish.output, "resultType": "success"}
        outcome.honored()

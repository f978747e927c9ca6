"""The hooks of Copilot in JetBrains IDEs, as in the backend it ships (1.539.0, read, not run): nothing but a deny
before a tool call does anything. A hook process imports this and light siblings."""

from agent_connector.adapters.families.hook_payloads import (
    dashed_tool_names,
    fields_of,
    silence,
    underscored_tool_names,
)
from agent_connector.adapters.families.hook_wishes import Outcome, Wish
from agent_connector.runtime.jsontext import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agent_connector.runtime.reply import Reply

EVENTS = {
    "PreToolUse": "preToolUse",
    "PostToolUse": "postToolUse",
    "UserPromptSubmit": "userPromptSubmitted",
    "SessionStart": "sessionStart",
    "SessionEnd": "sessionEnd",
    "Stop": "agentStop",
}
"""Canonical event -> the host's own name. In PascalCase they are passed over without a word."""

HOST_EVENTS = (*EVENTS.values(), "errorOccurred")
"""All events of the host."""

_GATES = "in a trusted workspace, where agent.enableHooks and the organisation's policy let hooks run"
_UNSEEN = f"{_GATES}; whether it ever comes is not established"

FIRES_WHEN = dict.fromkeys(EVENTS, _GATES) | dict.fromkeys(("SessionStart", "SessionEnd", "Stop"), _UNSEEN)
"""Canonical event -> under which conditions its hooks run."""


neutral = silence


def parse(event: str, payload: "dict[str, Any]") -> "dict[str, Any]":
    """What the normalized event has of ``payload``; the host tells no session."""
    arguments = payload.get("toolArgs")
    if isinstance(arguments, str):  # JSON inside a text
        try:
            arguments = loads(arguments.encode("utf-8", "replace"))
        except ValueError:
            arguments = None
    payload = {**payload, "toolArgs": arguments}
    found = fields_of(event, payload, {"tool_name": "toolName", "tool_input": "toolArgs"})
    result = payload.get("toolResult")
    if event == "PostToolUse" and isinstance(result, dict):
        if isinstance(result.get("textResultForLlm"), str):
            found["tool_output"] = result["textResultForLlm"]
        if isinstance(result.get("resultType"), str):
            found["is_error"] = result["resultType"] != "success"
    return found


def tool_names(name: str) -> "tuple[str, ...]":
    """What matchers are tested against: the native name, and what may be a server's tool in it. How the host spells
    those is not established, so both ways of its kin are tried."""
    return tuple(dict.fromkeys((*underscored_tool_names(name), *dashed_tool_names(name))))


def format(event: str, response: "dict[str, Any]", payload: "dict[str, Any]") -> "Reply":  # noqa: A001 - every host's name
    """``response`` in the host's words, and what the host makes of it."""
    del payload
    wish = Wish(response)
    outcome = Outcome(wish)
    if event == "PreToolUse" and wish.decision == "deny":
        outcome.honored()
        if wish.output is not None:
            outcome.lost("there is no output to replace at PreToolUse")
        return outcome.reply(dumps({"permissionDecision": "deny", "permissionDecisionReason": wish.refusal}))
    if not wish.is_no_opinion:
        loud = "THE TOOL RUNS: " if (event, wish.decision) == ("PreToolUse", "ask") else ""
        outcome.refused(f"{loud}Copilot in JetBrains IDEs heeds nothing but a deny at PreToolUse")
    return outcome.reply("")

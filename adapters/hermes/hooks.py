"""Hermes Agent's hooks, as of 0.19.0: snake-case events, one payload shape, two replies. A hook process imports this
and light siblings."""

from agent_connector.adapters.families.hook_payloads import fields_of, mcp_tool_names, silence
from agent_connector.adapters.families.hook_wishes import Outcome, Wish, without_event
from agent_connector.runtime.jsontext import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agent_connector.runtime.reply import Reply

EVENTS = {
    "SessionStart": "on_session_start",
    "SessionEnd": "on_session_finalize",  # on_session_end comes at the end of every turn
    "UserPromptSubmit": "pre_llm_call",
    "PreToolUse": "pre_tool_call",
    "PostToolUse": "post_tool_call",
    "Stop": "post_llm_call",
    "SubagentStart": "subagent_start",
    "SubagentStop": "subagent_stop",
}
"""Canonical event -> the host's own name."""

HOST_EVENTS = (
    *EVENTS.values(),
    "on_session_end",
    "on_session_reset",
    "transform_terminal_output",
    "transform_tool_result",
    "transform_llm_output",
    "pre_verify",
    "pre_api_request",
    "post_api_request",
    "api_request_error",
    "pre_gateway_dispatch",
    "pre_approval_request",
    "post_approval_response",
)
"""Events the host takes registrations for, without those of its boards."""

_CONSENT = "once the person has agreed to the command (Hermes asks at its next start in a terminal)"

FIRES_WHEN = dict.fromkeys(EVENTS, _CONSENT) | {
    "SessionStart": f"{_CONSENT}; with the first turn",
    "SessionEnd": f"{_CONSENT}; at the end of an interactive session, not of a headless run",
    "UserPromptSubmit": f"{_CONSENT}; once a turn, before the model is asked",
    "PostToolUse": f"{_CONSENT}; after calls that failed or were blocked too",
}
"""Canonical event -> under which conditions its hooks run."""

_CALLED = {
    "SessionEnd": {"reason": "reason"},
    "UserPromptSubmit": {"prompt": "user_message"},
    "SubagentStart": {"agent_id": "child_session_id", "agent_type": "child_role"},
    "SubagentStop": {
        "agent_id": "child_session_id",
        "agent_type": "child_role",
        "last_assistant_message": "child_summary",
    },
}
"""Canonical event -> its fields that stand in ``extra``, and what the host calls them."""


def parse(event: str, payload: "dict[str, Any]") -> "dict[str, Any]":
    """What the normalized event has of ``payload``: ``session_id``, ``project_dir`` and its own fields."""
    extra = payload.get("extra")
    if not isinstance(extra, dict):
        extra = {}
    own = extra if event in _CALLED else payload
    about = {key: payload.get(key) for key in ("session_id", "cwd")}
    found = fields_of(event, {**own, **about}, _CALLED.get(event, {}))
    if event == "PostToolUse":
        # A server's result is JSON too: {"result": …} or {"error": …}.
        found.update({"tool_output": extra["result"]} if isinstance(extra.get("result"), str) else {})
        found.update({"is_error": extra["status"] != "ok"} if isinstance(extra.get("status"), str) else {})
    return found


neutral = silence
tool_names = mcp_tool_names


def format(event: str, response: "dict[str, Any]", payload: "dict[str, Any]") -> "Reply":  # noqa: A001 - every host's name
    """``response`` in Hermes' words, and what Hermes makes of it: a block before a tool, context with a prompt."""
    del payload
    if event not in EVENTS:
        return without_event("Hermes", event, response)
    wish = Wish(response)
    outcome = Outcome(wish)
    body: dict[str, Any] = {}
    if wish.decision == "deny" and event == "PreToolUse":
        body.update(decision="block", reason=wish.refusal)
        outcome.honored()
        if wish.output is not None:
            outcome.lost("there is no output to replace at PreToolUse")
        return outcome.reply(dumps(body))
    if wish.decision in _NOT_DONE:
        outcome.refused(f"Hermes {_NOT_DONE[wish.decision]} at {event}{_RUNS.get(event, '')}")
    elif wish.updated_input is not None:
        outcome.lost(f"Hermes takes no other input at {event}")
    if wish.context and event == "UserPromptSubmit":
        body["context"] = wish.context
        outcome.honored()
    elif wish.context:
        outcome.lost(f"Hermes gives the model no context at {event}")
    if wish.output is not None:
        outcome.lost(f"Hermes takes no other output at {event}")
    return outcome.reply(dumps(body) if body else "")


_NOT_DONE = {
    "deny": "stops nothing",
    "ask": "cannot be made to ask",
    "modify": "takes no other input",
}
_RUNS = {
    "PreToolUse": ": THE TOOL RUNS unless Hermes itself asks",
    "UserPromptSubmit": ": THE PROMPT REACHES THE MODEL",
}

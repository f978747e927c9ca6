"""Kimi Code's hooks, as of 2.1.0: events, payloads, replies. A hook process imports this and light siblings."""

from agent_connector.adapters.families.hook_payloads import fields_of, mcp_tool_names, silence, text_of_content
from agent_connector.adapters.families.nested_hook_replies import Dialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EVENTS = {
    "SessionStart": "SessionStart",
    "UserPromptSubmit": "UserPromptSubmit",
    "PreToolUse": "PreToolUse",
    "PostToolUse": "PostToolUse",
    "PostToolUseFailure": "PostToolUseFailure",
    "Stop": "Stop",
}
"""Canonical event -> the host's own name: those that were seen in a run."""

HOST_EVENTS = (
    *EVENTS.values(),
    *("SessionEnd", "SessionHeartbeat", "UserPromptQueued", "TurnStarted", "PermissionRequest", "PermissionResult"),
    *("StopFailure", "Interrupt", "SubagentStart", "SubagentStop", "TaskStarted", "PreCompact", "PostCompact"),
    "Notification",
)
"""All events of the host."""

FIRES_WHEN = {
    "PostToolUse": "only after a tool succeeded, and nobody waits for it: with -p the process may end before",
    "PostToolUseFailure": "only after a tool failed or was denied, and nobody waits for it",
}
"""Canonical event -> under which conditions its hooks run; an event that is not named has none."""


def parse(event: str, payload: "dict[str, Any]") -> "dict[str, Any]":
    """What the normalized event has of ``payload``: ``session_id``, ``project_dir`` and its own fields. A prompt is
    a list of parts here, an error an object."""
    payload = dict(payload)
    prompt, error = payload.get("prompt"), payload.get("error")
    if isinstance(prompt, list):
        payload["prompt"] = text_of_content(prompt)
    if isinstance(error, dict):
        payload["error"] = error.get("message")
    found = fields_of(event, payload, {"tool_use_id": "tool_call_id"})
    if event == "PostToolUse" and isinstance(payload.get("tool_output"), str):
        found["tool_output"] = payload["tool_output"]
    return found


neutral = silence
tool_names = mcp_tool_names
format = Dialect(  # noqa: A001 - every host's name
    "Kimi Code",
    EVENTS,
    deny={
        "PreToolUse": ("permission", ""),
        "UserPromptSubmit": ("permission", "the prompt reaches no model"),
        "Stop": ("permission", "the turn goes on once with the reason"),
    },
    ask={"PreToolUse": ("", "Kimi Code does not ask: THE TOOL RUNS; deny it instead")},
    modify="Kimi Code changes no input",
    context=(),
    plain_context={"UserPromptSubmit": "it stands before the prompt, and is printed for the person too"},
    output="Kimi Code replaces no tool's output",
).format

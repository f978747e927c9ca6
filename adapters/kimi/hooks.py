"""Kimi Code's hooks, as of 2.1.0: events, payloads, replies. A hook process imports this and light siblings."""

from agent_connector.adapters.families.hook_payloads import mcp_tool_names, own_fields, text, text_of_content
from agent_connector.adapters.families.nested_hook_replies import Dialect, Draft, formatted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agent_connector.runtime.reply import Reply

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


def neutral(event: str) -> "tuple[str, int]":
    """(stdout, exit code) that says "no opinion": silence, whatever the event."""
    del event
    return "", 0


def parse(event: str, payload: "dict[str, Any]") -> "dict[str, Any]":
    """What the normalized event has of ``payload``: ``session_id``, ``project_dir`` and its own fields. A prompt is
    a list of parts here, an error an object."""
    payload = dict(payload)
    prompt, error = payload.get("prompt"), payload.get("error")
    if isinstance(prompt, list):
        payload["prompt"] = text_of_content(prompt)
    if isinstance(error, dict):
        payload["error"] = error.get("message")
    found = own_fields(event, payload, {"tool_use_id": "tool_call_id"})
    found["session_id"] = text(payload.get("session_id"))
    if text(payload.get("cwd")):
        found["project_dir"] = payload["cwd"]
    if event == "PostToolUse" and isinstance(payload.get("tool_output"), str):
        found["tool_output"] = payload["tool_output"]
    return found


def tool_names(name: str) -> "tuple[str, ...]":
    """What matchers are tested against: the native name, and for a server's tool its bare name."""
    return mcp_tool_names(name)


def format(event: str, response: "dict[str, Any]", payload: "dict[str, Any]") -> "Reply":  # noqa: A001 - every host's name
    """``response`` in Kimi Code's words, and what Kimi Code makes of it."""
    return formatted(_DIALECT, event, response, payload)


def _lost_context(event: str, _payload: "dict[str, Any]") -> str:
    return f"Kimi Code gives the model no context at {event}"


def _replace_output(draft: "Draft", _output: str, _payload: "dict[str, Any]") -> None:
    draft.outcome.lost("Kimi Code replaces no tool's output")


_DIALECT = Dialect(
    "Kimi Code",
    EVENTS,
    deny={
        "PreToolUse": ("permission", ""),
        "UserPromptSubmit": ("permission", "the prompt reaches no model"),
        "Stop": ("permission", "the turn goes on once with the reason"),
    },
    ask={"PreToolUse": ("", "Kimi Code does not ask: THE TOOL RUNS; deny it instead")},
    modify="Kimi Code changes no input",
    lost_context=_lost_context,
    context_notes={},
    plain_context={"UserPromptSubmit": "it stands before the prompt, and is printed for the person too"},
    output=_replace_output,
)

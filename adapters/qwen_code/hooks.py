"""Qwen Code's hooks, as of 0.24.4: events, payloads, replies. A hook process imports this and light siblings.

Half of what its documentation promises is dropped; here stands what a run showed.
"""

from agent_connector.adapters.families.gemini_payloads import result_of
from agent_connector.adapters.families.hook_payloads import mcp_tool_names, own_fields, text
from agent_connector.adapters.families.nested_hook_replies import Dialect, Draft, formatted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agent_connector.runtime.reply import Reply

EVENTS = {
    "SessionStart": "SessionStart",
    "SessionEnd": "SessionEnd",
    "UserPromptSubmit": "UserPromptSubmit",
    "PreToolUse": "PreToolUse",
    "PostToolUse": "PostToolUse",
    "PostToolUseFailure": "PostToolUseFailure",
    "PreCompact": "PreCompact",
    "PostCompact": "PostCompact",
    "Stop": "Stop",
    "Notification": "Notification",
    "PermissionRequest": "PermissionRequest",
    "SubagentStart": "SubagentStart",
    "SubagentStop": "SubagentStop",
}
"""Canonical event -> the host's own name."""

FIRES_WHEN = {
    "Notification": "at every start (auth_success), and whenever the terminal is idle",
    "PermissionRequest": "only in interactive sessions, when a dialog would open; never with -p",
    "PostToolUse": "only after a tool succeeded; PostToolUseFailure comes after one that failed",
    "PostToolUseFailure": "only after a tool failed, also when a server's result says isError",
    "PreToolUse": "not where the call needs consent that nobody can give (-p without -y or the server's `trust`)",
    "SessionEnd": "only in interactive sessions, never with -p",
}
"""Canonical event -> under which conditions its hooks run; an event that is not named has none."""


def neutral(event: str) -> "tuple[str, int]":
    """(stdout, exit code) that says "no opinion": silence, whatever the event."""
    del event
    return "", 0


def repeats(event: str, payload: "dict[str, Any]") -> bool:
    """Whether a payload tells anew what was told: a prompt comes once more, empty, with every round of tool results,
    and what is answered would be injected once more too."""
    return event == "UserPromptSubmit" and payload.get("prompt") == "" and "submitted_prompt" not in payload


def parse(event: str, payload: "dict[str, Any]") -> "dict[str, Any]":
    """What the normalized event has of ``payload``: ``session_id``, ``project_dir`` and its own fields."""
    found = {"session_id": text(payload.get("session_id")), **own_fields(event, payload)}
    if text(payload.get("cwd")):
        found["project_dir"] = payload["cwd"]
    return found | result_of(payload.get("tool_response")) if event == "PostToolUse" else found


def tool_names(name: str) -> "tuple[str, ...]":
    """What matchers are tested against: the native name, and for a server's tool its bare name."""
    return mcp_tool_names(name)


def format(event: str, response: "dict[str, Any]", payload: "dict[str, Any]") -> "Reply":  # noqa: A001 - every host's name
    """``response`` in Qwen Code's words, and what Qwen Code makes of it."""
    return formatted(_DIALECT, event, response, payload)


_CONTEXT_EVENTS = ("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure")


def _lost_context(event: str, _payload: "dict[str, Any]") -> str:
    return "" if event in _CONTEXT_EVENTS else f"Qwen Code gives the model no context at {event}"


def _output(draft: "Draft", _output: str, _payload: "dict[str, Any]") -> None:
    draft.outcome.lost("Qwen Code replaces no tool's output, whatever its documentation says")


_DIALECT = Dialect(
    "Qwen Code",
    EVENTS,
    deny={
        "PreToolUse": ("permission", ""),
        "PermissionRequest": ("behavior", ""),
        "UserPromptSubmit": ("block", "the prompt reaches no model; the reason is not shown"),
        "PostToolUse": ("context", "the tool has run: the model gets the reason as context beside the output"),
        "PostToolUseFailure": ("context", "nothing is left to stop: the model gets the reason as context"),
        "Stop": ("block", "the turn goes on with the reason, eight times at most"),
        "SubagentStop": ("block", "the subagent goes on with the reason"),
    },
    ask={"PreToolUse": ("permission", "with -p, where nobody can be asked, the call is denied with the reason")},
    modify="Qwen Code drops a new input before a call; it takes one with a grant at PermissionRequest only",
    lost_context=_lost_context,
    context_notes={},
    plain_context={},
    output=_output,
    grant_takes_input=True,
)

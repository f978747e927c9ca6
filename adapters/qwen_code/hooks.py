"""Qwen Code's hooks, as of 0.24.4: events, payloads, replies. A hook process imports this and light siblings.

Half of what its documentation promises is dropped; here stands what a run showed.
"""

from agent_connector.adapters.families.gemini_payloads import result_of
from agent_connector.adapters.families.hook_payloads import mcp_tool_names, named_alike, parser, silence
from agent_connector.adapters.families.nested_hook_replies import Dialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EVENTS = named_alike()
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


def repeats(event: str, payload: "dict[str, Any]") -> bool:
    """Whether a payload tells anew what was told: a prompt comes once more, empty, with every round of tool results,
    and what is answered would be injected once more too."""
    return event == "UserPromptSubmit" and payload.get("prompt") == "" and "submitted_prompt" not in payload


neutral = silence
parse = parser(result_of)
tool_names = mcp_tool_names
format = Dialect(  # noqa: A001 - every host's name
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
    context=("SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolUseFailure"),
    output="Qwen Code replaces no tool's output, whatever its documentation says",
    grant_takes_input=True,
).format

"""The hooks of Copilot in Visual Studio Code, as documented in 2026 and in its source (it was not run): payloads and
replies like Claude Code's, whatever an event is called in the file. Hook processes load this and light siblings."""

from agent_connector.adapters.families.hook_payloads import (
    fields_of,
    silence,
    text,
    text_output,
    underscored_tool_names,
)
from agent_connector.adapters.families.nested_hook_replies import Dialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EVENTS = {
    "SessionStart": "sessionStart",
    "UserPromptSubmit": "userPromptSubmitted",
    "PreToolUse": "preToolUse",
    "PostToolUse": "postToolUse",
    "PreCompact": "preCompact",
    "Stop": "agentStop",
    "SubagentStart": "subagentStart",
    "SubagentStop": "subagentStop",
}
"""Canonical event -> the name that this host and Copilot CLI both know."""

FIRES_WHEN = dict.fromkeys(EVENTS, "with the local agent; not where an organisation's policy switches hooks off")
"""Canonical event -> under which conditions its hooks run."""


def parse(event: str, payload: "dict[str, Any]") -> "dict[str, Any]":
    """What the normalized event has of ``payload``: ``session_id``, ``project_dir`` and its own fields."""
    found = fields_of(
        event, payload, {"session_id": "session_id" if text(payload.get("session_id")) else "sessionId"}
    )
    return found | text_output(payload.get("tool_response")) if event == "PostToolUse" else found


neutral = silence
tool_names = underscored_tool_names
format = Dialect(  # noqa: A001 - every host's name
    "VS Code",
    {event: event for event in EVENTS},  # a reply names the event so, or it is dropped
    deny={
        "PreToolUse": ("permission", ""),
        "UserPromptSubmit": ("block", ""),
        "PostToolUse": ("block", "the tool has run: the model gets the reason beside the output"),
        "Stop": ("inner block", "the turn goes on with the reason"),
        # Documented at the top, read inside.
        "SubagentStop": ("block twice", "the subagent goes on with the reason"),
        "SubagentStart": ("context", "a start cannot be stopped: the subagent gets the reason as context"),
        "SessionStart": ("", "VS Code starts whatever a hook says"),
        "PreCompact": ("", "VS Code could only end the whole request here"),
    },
    ask={"PreToolUse": ("permission", "")},
    modify=({}, "an input that does not fit the tool's schema is discarded"),
    context=("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"),
    output="VS Code replaces no output",
).format

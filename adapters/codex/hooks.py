"""Codex's hooks, as of 0.171.0: events, payloads, replies. A hook process imports this and light siblings."""

from agent_connector.adapters.families.hook_payloads import (
    json_output,
    mcp_tool_names,
    named_alike,
    parser,
    silence,
    text_of_content,
)
from agent_connector.adapters.families.nested_hook_replies import Dialect, Draft, output_as_reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EVENTS = named_alike("PostToolUseFailure", "Notification")
"""Canonical event -> the host's own name."""

HOST_EVENTS = (*EVENTS.values(), "Interrupt")
"""All events of the host. A registration under another name is ignored without a word."""

SHORT_EVENTS = ("SessionEnd", "Interrupt")
"""Events whose hooks may take three seconds at most: the host cuts a larger time-out, with a warning."""


_TRUSTED = "once the hook is trusted (Codex asks at its next interactive start; codex exec skips it without a word)"

FIRES_WHEN = dict.fromkeys(EVENTS, _TRUSTED) | {
    "SessionStart": f"{_TRUSTED}; with the first turn",
    "PostToolUse": f"{_TRUSTED}; not where an MCP tool's result says isError",
    "PermissionRequest": f"{_TRUSTED}; only where an approval would be needed",
    "SubagentStop": f"{_TRUSTED}; not where the main run ends first",
    "SessionEnd": f"{_TRUSTED}; ended after three seconds",
}
"""Canonical event -> under which conditions its hooks run."""


def _output_of(response: object) -> "dict[str, Any]":
    """A shell's output is text; a server's result an object that holds content blocks."""
    if isinstance(response, dict) and isinstance(response.get("content"), list):
        found: dict[str, Any] = {"tool_output": text_of_content(response["content"])}
        if isinstance(response.get("isError"), bool):
            found["is_error"] = response["isError"]
        return found
    return json_output(response)


neutral = silence
parse = parser(_output_of)
tool_names = mcp_tool_names


def _replace_output(draft: "Draft", output: str, _payload: "dict[str, Any]") -> None:
    """Every key made for this voids the whole reply here. What a block says does replace the output."""
    output_as_reason(
        draft, "block", output, draft.outcome.honored, "said as a block, whose reason takes the output's place"
    )


format = Dialect(  # noqa: A001 - every host's name
    "Codex",
    EVENTS,
    deny={
        "PreToolUse": ("permission", ""),
        "PermissionRequest": ("behavior", ""),
        "UserPromptSubmit": ("block", ""),
        "PostToolUse": ("block", "the tool has run: the model gets the reason in place of the output"),
        "SessionStart": ("stop", "the run ends"),
        "Stop": ("block", "the turn goes on with the reason"),
        "SubagentStop": ("block", "the subagent goes on with the reason"),
        "PreCompact": ("", "Codex could only end the whole run here"),
        "SubagentStart": ("context", "a start cannot be stopped: the subagent gets the reason as context"),
    },
    ask={"PreToolUse": ("", "Codex does not ask: THE TOOL RUNS; deny it, or leave it to Codex's own approval")},
    # Without the allow Codex drops the input. It grants nothing: Codex's own approval still comes.
    modify=({"permissionDecision": "allow"}, ""),
    context=("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"),
    output=_replace_output,
).format

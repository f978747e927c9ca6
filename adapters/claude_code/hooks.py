"""Claude Code's hooks, as of 2.1.197: events, payloads, replies. A hook process imports this and light siblings."""

from agent_connector.adapters.families.hook_payloads import (
    claude_code_parse,
    mcp_tool_names,
    named_alike,
    silence,
    text,
)
from agent_connector.adapters.families.nested_hook_replies import Draft, claude_code_like

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EVENTS = named_alike()
"""Canonical event -> the host's own name."""

FIRES_WHEN = {
    "Notification": "only in interactive sessions, never with -p",
    "PermissionRequest": "only in interactive sessions, when a dialog would open; never with -p",
    "PostToolUse": "only after a tool succeeded; PostToolUseFailure comes after one that failed",
    "PostToolUseFailure": "only after a tool failed, also when a server's result says isError",
    "SessionEnd": "always, but the host waits about 1.5 seconds unless the hook has a time-out of its own",
}
"""Canonical event -> under which conditions its hooks run; an event that is not named has none."""


neutral = silence
parse = claude_code_parse
tool_names = mcp_tool_names


def _replace_output(draft: "Draft", output: str, payload: "dict[str, Any]") -> None:
    """A server's output is a list of content blocks; any other tool's must keep that tool's own shape."""
    if text(payload.get("tool_name")).startswith("mcp__"):
        draft.specific["updatedMCPToolOutput"] = [{"type": "text", "text": output}]
        draft.outcome.honored()
        return
    response = payload.get("tool_response")
    if isinstance(response, dict) and "stdout" in response:
        draft.specific["updatedToolOutput"] = {**response, "stdout": output, "stderr": ""}
        draft.outcome.honored()
        return
    draft.outcome.lost("Claude Code replaces the output of MCP tools and of shell commands only")


format = claude_code_like(  # noqa: A001 - every host's name
    "Claude Code",
    EVENTS,
    output=_replace_output,
    summary="it guides the summary; the conversation gets it only in what /compact printed",
).format

"""Claude Code's hooks, as of 2.1.197: events, payloads, replies. A hook process imports this and light siblings."""

from agent_connector.adapters.families.hook_payloads import (
    json_text,
    mcp_tool_names,
    named_alike,
    parser,
    silence,
    text,
    text_of_content,
)
from agent_connector.adapters.families.nested_hook_replies import Dialect, Draft

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


def _output_of(response: object) -> "dict[str, Any]":
    """A tool's result as text: a server's content blocks, a shell's two streams, else the result as JSON."""
    if isinstance(response, str):
        return {"tool_output": response}
    if isinstance(response, list):
        return {"tool_output": text_of_content(response)}
    if isinstance(response, dict) and isinstance(response.get("stdout"), str):
        streams = (response["stdout"], text(response.get("stderr")))
        return {"tool_output": "\n".join(part for part in streams if part)}
    written = None if response is None else json_text(response)
    return {} if written is None else {"tool_output": written}


neutral = silence
parse = parser(_output_of)
tool_names = mcp_tool_names


def _lost_context(event: str, payload: "dict[str, Any]") -> str:
    if event in ("Stop", "SubagentStop") and payload.get("stop_hook_active") is True:
        # Context makes the model go on here, so saying it each time would never end.
        return f"context at {event} makes the model go on, so it is given once"
    return ""


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


format = Dialect(  # noqa: A001 - every host's name
    "Claude Code",
    EVENTS,
    deny={
        "PreToolUse": ("permission", ""),
        "PermissionRequest": ("behavior", ""),
        "UserPromptSubmit": ("block", ""),
        "PostToolUse": ("block", "the tool has run: the model gets the reason beside the output"),
        "Stop": ("block", "the turn goes on with the reason"),
        "SubagentStop": ("block", "the subagent goes on with the reason"),
        "PreCompact": ("block", "the conversation stays as it is"),
        "PostToolUseFailure": ("context", "nothing is left to stop: the model gets the reason as context"),
        "SubagentStart": ("context", "a start cannot be stopped: the subagent gets the reason as context"),
        "SessionStart": ("", "Claude Code starts whatever a hook says"),
    },
    ask={"PreToolUse": ("permission", "with -p, where nobody can be asked, the call is denied with the reason")},
    modify=({}, ""),
    context=(
        *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"),
        *("Stop", "SubagentStart", "SubagentStop"),
    ),
    lost_context=_lost_context,
    context_notes={"Stop": "the turn goes on with it", "SubagentStop": "the subagent goes on with it"},
    plain_context={"PreCompact": "it guides the summary; the conversation gets it only in what /compact printed"},
    output=_replace_output,
    grant_takes_input=True,
).format

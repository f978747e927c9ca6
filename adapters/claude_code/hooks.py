"""Claude Code's hooks, as of 2.1.197: events, payloads, replies. A hook process imports this and light siblings."""

from agent_connector.adapters.families.hook_payloads import (
    json_text,
    mcp_tool_names,
    own_fields,
    text,
    text_of_content,
)
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
    "Notification": "only in interactive sessions, never with -p",
    "PermissionRequest": "only in interactive sessions, when a dialog would open; never with -p",
    "PostToolUse": "only after a tool succeeded; PostToolUseFailure comes after one that failed",
    "PostToolUseFailure": "only after a tool failed, also when a server's result says isError",
    "SessionEnd": "always, but the host waits about 1.5 seconds unless the hook has a time-out of its own",
}
"""Canonical event -> under which conditions its hooks run; an event that is not named has none."""


def neutral(event: str) -> "tuple[str, int]":
    """(stdout, exit code) that says "no opinion": silence, whatever the event."""
    del event
    return "", 0


def parse(event: str, payload: "dict[str, Any]") -> "dict[str, Any]":
    """What the normalized event has of ``payload``: ``session_id``, ``project_dir`` and its own fields."""
    found = {"session_id": text(payload.get("session_id")), **own_fields(event, payload)}
    if text(payload.get("cwd")):
        found["project_dir"] = payload["cwd"]
    if event == "PostToolUse" and (output := _output_text(payload.get("tool_response"))) is not None:
        found["tool_output"] = output
    return found


def _output_text(response: object) -> "str | None":
    """A tool's result as text: a server's content blocks, a shell's two streams, else the result as JSON."""
    if isinstance(response, str):
        return response
    if isinstance(response, list):
        return text_of_content(response)
    if isinstance(response, dict) and isinstance(response.get("stdout"), str):
        return "\n".join(part for part in (response["stdout"], text(response.get("stderr"))) if part)
    return None if response is None else json_text(response)


def tool_names(name: str) -> "tuple[str, ...]":
    """What matchers are tested against: the native name, and for a server's tool its bare name."""
    return mcp_tool_names(name)


def format(event: str, response: "dict[str, Any]", payload: "dict[str, Any]") -> "Reply":  # noqa: A001 - every host's name
    """``response`` in Claude Code's words, and what Claude Code makes of it."""
    return formatted(_DIALECT, event, response, payload)


_CONTEXT_EVENTS = (
    "SessionStart",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PostToolUseFailure",
    "Stop",
    "SubagentStart",
    "SubagentStop",
)


def _lost_context(event: str, payload: "dict[str, Any]") -> str:
    if event not in _CONTEXT_EVENTS:
        return f"Claude Code gives the model no context at {event}"
    if event in ("Stop", "SubagentStop") and payload.get("stop_hook_active") is True:
        # Context makes the model go on here, so saying it each time would never end.
        return f"context at {event} makes the model go on, so it is given once"
    return ""


def _output(draft: "Draft", output: str, payload: "dict[str, Any]") -> None:
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


_DIALECT = Dialect(
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
    lost_context=_lost_context,
    context_notes={"Stop": "the turn goes on with it", "SubagentStop": "the subagent goes on with it"},
    plain_context={"PreCompact": "it guides the summary; the conversation gets it only in what /compact printed"},
    output=_output,
    grant_takes_input=True,
)

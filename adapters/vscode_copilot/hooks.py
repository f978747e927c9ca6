"""The hooks of Copilot in Visual Studio Code, as documented in 2026 and in its source (it was not run): payloads and
replies like Claude Code's, whatever an event is called in the file. Hook processes load this and light siblings."""

from agent_connector.adapters.families.hook_payloads import own_fields, text, underscored_tool_names
from agent_connector.adapters.families.nested_hook_replies import Dialect, Draft, formatted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agent_connector.runtime.reply import Reply

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


def neutral(event: str) -> "tuple[str, int]":
    """(stdout, exit code) that says "no opinion": silence, whatever the event."""
    del event
    return "", 0


def parse(event: str, payload: "dict[str, Any]") -> "dict[str, Any]":
    """What the normalized event has of ``payload``: ``session_id``, ``project_dir`` and its own fields."""
    session = text(payload.get("session_id")) or text(payload.get("sessionId"))
    found = {"session_id": session, **own_fields(event, payload)}
    if text(payload.get("cwd")):
        found["project_dir"] = payload["cwd"]
    if event == "PostToolUse" and isinstance(payload.get("tool_response"), str):
        found["tool_output"] = payload["tool_response"]
    return found


def tool_names(name: str) -> "tuple[str, ...]":
    """What matchers are tested against: the native name, and for a server's tool its bare name."""
    return underscored_tool_names(name)


def format(event: str, response: "dict[str, Any]", payload: "dict[str, Any]") -> "Reply":  # noqa: A001 - every host's name
    """``response`` in the host's words, and what the host makes of it."""
    return formatted(_DIALECT, event, response, payload)


def _lost_context(event: str, _payload: "dict[str, Any]") -> str:
    arrives = event in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart")
    return "" if arrives else f"VS Code gives the model no context at {event}"


def _output(draft: "Draft", _output: str, _payload: "dict[str, Any]") -> None:
    draft.outcome.lost("VS Code replaces no output")


_DIALECT = Dialect(
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
    lost_context=_lost_context,
    context_notes={},
    plain_context={},
    output=_output,
)

"""Pi's hooks, as of 1.6.0: what the module that runs in it is told, and what it makes of a reply. A hook process
imports this and light siblings.

Payloads are as the module sends them: ``hook`` is Pi's own name, the event's fields stand beside it, and with them
what Pi keeps in a context object (``session_id``, ``cwd``, ``has_ui``).
"""

from agent_connector.adapters.families.hook_payloads import fields_of, mcp_tool_names, silence, text_of_content
from agent_connector.adapters.families.nested_hook_replies import Dialect, Draft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EVENTS = {
    "SessionStart": "session_start",
    "SessionEnd": "session_shutdown",
    "UserPromptSubmit": "input",
    "PreToolUse": "tool_call",
    "PostToolUse": "tool_result",
    "PostToolUseFailure": "tool_result with isError",
    "PreCompact": "session_before_compact",
    "PostCompact": "session_compact",
    "Stop": "agent_before_settle",
}
"""Canonical event -> what the module makes it of."""

HOST_EVENTS = (
    *(
        "session_start",
        "session_info_changed",
        "session_before_switch",
        "session_before_fork",
        "session_before_compact",
    ),
    *("session_compact", "session_compact_failed", "session_before_tree", "session_tree", "session_shutdown"),
    *("resources_discover", "mcp_servers_change", "before_agent_start", "agent_start", "agent_end"),
    *("agent_before_settle", "agent_settled", "ui_prompt_start", "ui_prompt_end", "turn_start", "turn_end"),
    *("message_start", "message_end", "tool_execution_start", "tool_execution_end", "context", "context_with_system"),
    *("before_provider_request", "after_provider_response", "cache_warming_decision", "model_select"),
    *("thinking_level_select", "tool_call", "tool_result", "user_bash", "input"),
)
"""Events a native hook may be on; what it answers is handed to Pi. Left out are ``project_trust``, where no answer is
an error, what is changed in place only, and what comes with every piece of a stream."""

FIRES_WHEN = {
    "UserPromptSubmit": "before templates and skills are put in; not for commands of extensions",
    "PreToolUse": "also for the calls that scripts of codemode make",
    "PostToolUse": "only after a tool succeeded; PostToolUseFailure comes after one that failed",
    "PostToolUseFailure": "only after a tool ran and failed, not where the call was blocked",
    "PostCompact": "only after a compaction that went well",
    "Stop": "since Pi 1.0, but for runs that the person aborted",
}
"""Canonical event -> under which conditions its hooks run; an event that is not named has none."""

neutral = silence

_CALLED = {
    "SessionStart": {"source": "reason"},
    "UserPromptSubmit": {"prompt": "text"},
}
_OF_TOOLS = {"tool_name": "toolName", "tool_input": "input", "tool_use_id": "toolCallId"}


def parse(event: str, payload: "dict[str, Any]") -> "dict[str, Any]":
    """What the normalized event has of ``payload``: ``session_id``, ``project_dir`` and its own fields."""
    found = fields_of(event, payload, _CALLED.get(event, _OF_TOOLS))
    if event in ("PreCompact", "PostCompact") and isinstance(payload.get("reason"), str):
        found["trigger"] = "manual" if payload["reason"] == "manual" else "auto"
    content = payload.get("content")
    if event == "PostToolUse" and isinstance(content, list):
        found["tool_output"] = text_of_content(content)
    if event == "PostToolUse" and isinstance(payload.get("isError"), bool):
        found["is_error"] = payload["isError"]
    if event == "PostToolUseFailure" and isinstance(content, list):
        found["error"] = text_of_content(content)
    return found


def tool_names(name: str) -> "tuple[str, ...]":
    """What matchers are tested against: the native name, and for a server's tool its bare name."""
    return mcp_tool_names(name)


def _replace_output(draft: "Draft", output: str, _payload: "dict[str, Any]") -> None:
    draft.specific["output"] = output
    draft.outcome.honored()


_HAS_RUN = "the tool has run: the model gets the reason behind what it returned"

format = Dialect(  # noqa: A001 - every host's name
    "Pi",
    EVENTS,
    deny={
        "UserPromptSubmit": ("deny", "the prompt reaches no model; a headless run ends with exit code 0"),
        "PreToolUse": ("deny", ""),
        "PostToolUse": ("deny", _HAS_RUN),
        "PostToolUseFailure": ("deny", _HAS_RUN),
        "PreCompact": ("deny", "nothing is compacted"),
        "Stop": ("deny", "the turn goes on with the reason"),
    },
    ask={"PreToolUse": ("spoken", "a dialog asks; a headless run, where nobody can be asked, refuses the call")},
    modify=({}, ""),
    input_key="input",
    context=(
        *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"),
        *("PostCompact", "Stop"),
    ),
    context_notes={
        "PreToolUse": "the model gets it behind what the tool returned",
        "Stop": "the model reads it with the next prompt",
    },
    output=_replace_output,
    flat=True,
).format

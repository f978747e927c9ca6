"""OpenClaw's hooks, as of 2026.9.6: what the module that runs in it is told, and what it makes of a reply. A hook
process imports this and light siblings.

Payloads are as the module sends them: ``hook`` is OpenClaw's own name, the event's fields stand beside it, and with
them what OpenClaw says beside the event (``session_id``, ``cwd`` where it is known, ``agent``, ``trigger``).
"""

from agent_connector.adapters.families.hook_payloads import fields_of, silence, text_of_content
from agent_connector.adapters.families.nested_hook_replies import Dialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EVENTS = {
    "SessionStart": "session_start",
    "SessionEnd": "session_end",
    "UserPromptSubmit": "before_prompt_build",
    "PreToolUse": "before_tool_call",
    "PostToolUse": "after_tool_call",
    "PostToolUseFailure": "after_tool_call with error",
    "PreCompact": "before_compaction",
    "PostCompact": "after_compaction",
    "Stop": "before_agent_finalize",
    "SubagentStart": "subagent_spawned",
    "SubagentStop": "subagent_ended",
}
"""Canonical event -> what the module makes it of."""

_OF_CONVERSATIONS = (
    *("before_model_resolve", "agent_turn_prepare", "before_prompt_build", "before_agent_reply", "before_agent_run"),
    *("llm_input", "llm_output", "before_agent_finalize", "agent_end"),
)
CONVERSATION = frozenset({"SessionStart", "UserPromptSubmit", "Stop", *_OF_CONVERSATIONS})
"""What is called only with ``allowConversationAccess``."""

HOST_EVENTS = (
    *_OF_CONVERSATIONS,
    *("heartbeat_prompt_contribution", "model_call_started", "model_call_ended", "before_tool_call"),
    *("after_tool_call", "resolve_exec_env", "inbound_claim", "channel_pairing_requested", "message_received"),
    *("message_sending", "reply_payload_sending", "message_sent", "before_dispatch", "session_start", "session_end"),
    *("before_compaction", "after_compaction", "before_reset", "subagent_spawned", "subagent_progress"),
    *("subagent_ended", "subagent_delivery_target", "gateway_start", "gateway_stop", "cron_reconciled"),
    *("cron_changed", "before_install", "skill_proposal_changed", "skill_changed"),
)
"""Hooks a native hook may be on; what it answers is handed to OpenClaw. Those it does not wait for are left out."""

_CONVERSATION = "only with hooks.allowConversationAccess in the plugin's entry, which is installed with it"

FIRES_WHEN = {
    "SessionStart": f"with the first prompt of a session in a process; {_CONVERSATION}",
    "SessionEnd": "where the Gateway runs; when it ends, all hooks together have two seconds",
    "UserPromptSubmit": f"for what people send, not for heartbeats and schedules; {_CONVERSATION}",
    "PreToolUse": "also for tool_call, by which the model calls a tool that it looked up, and then for that tool",
    "PostToolUse": "only after a tool succeeded; PostToolUseFailure comes after one that failed or was blocked",
    "Stop": _CONVERSATION,
}
"""Canonical event -> under which conditions its hooks run; an event that is not named has none."""

neutral = silence

_CALLED = {
    "SubagentStart": {"agent_id": "childSessionKey", "agent_type": "agentId"},
    "SubagentStop": {"agent_id": "targetSessionKey", "agent_type": "targetKind"},
}
_NAMES = {
    "tool_name": "toolName",
    "tool_input": "params",
    "tool_use_id": "toolCallId",
    "duration_ms": "durationMs",
    "stop_hook_active": "stopHookActive",
    "trigger": "reason",
}


def parse(event: str, payload: "dict[str, Any]") -> "dict[str, Any]":
    """What the normalized event has of ``payload``: ``session_id``, ``project_dir`` and its own fields."""
    found = fields_of(event, payload, _CALLED.get(event, _NAMES))
    result = payload.get("result")
    content = result.get("content") if isinstance(result, dict) else None
    if event == "PostToolUse" and isinstance(content, list):
        found["tool_output"] = text_of_content(content)
    return found


def tool_names(name: str) -> "tuple[str, ...]":
    """What matchers are tested against: the native name, and for ``server__tool`` also the tool's own."""
    server, _, bare = name.partition("__")
    return (name, bare) if server and bare else (name,)


format = Dialect(  # noqa: A001 - every host's name
    "OpenClaw",
    EVENTS,
    deny={
        "UserPromptSubmit": ("deny", "the prompt reaches no model; the person is told the reason"),
        "PreToolUse": ("deny", ""),
        "Stop": (
            "context",
            "the turn goes on with the reason, three times at most, and only where no tool that changes things ran",
        ),
    },
    ask={"PreToolUse": ("spoken", "an approval is asked for; where nobody can be asked, the call is refused")},
    modify=({}, ""),
    input_key="input",
    context=("SessionStart", "UserPromptSubmit"),
    context_notes={"SessionStart": "it stands in the system prompt of every turn of the session"},
    output="OpenClaw replaces no tool's output: the model reads what the tool returned",
    flat=True,
).format

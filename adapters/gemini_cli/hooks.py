"""Gemini CLI's hooks, as of 0.61.0: events, payloads, replies. A hook process imports this and light siblings."""

from agent_connector.adapters.families.gemini_payloads import result_of
from agent_connector.adapters.families.hook_payloads import parser, silence, text, underscored_tool_names
from agent_connector.adapters.families.nested_hook_replies import Dialect, Draft, output_as_reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EVENTS = {
    "SessionStart": "SessionStart",
    "SessionEnd": "SessionEnd",
    "UserPromptSubmit": "BeforeAgent",
    "PreToolUse": "BeforeTool",
    "PostToolUse": "AfterTool",
    "PreCompact": "PreCompress",
    "Stop": "AfterAgent",
    "Notification": "Notification",
}
"""Canonical event -> the host's own name."""

HOST_EVENTS = (*EVENTS.values(), "BeforeModel", "AfterModel", "BeforeToolSelection")
"""All events of the host."""

FIRES_WHEN = {
    "Notification": "only in interactive sessions, when a tool needs consent; never with -p",
    "PostToolUse": "after every call, also after one that failed: there is no event of its own for that",
    "PreCompact": "before every request to the model (trigger auto), whether anything is compressed or not",
    "PreToolUse": "only for tools that are offered: with -p a server's are not without -y or its `trust`",
    "SessionEnd": "always; on /quit two or three times",
}
"""Canonical event -> under which conditions its hooks run; an event that is not named has none."""


def turn(payload: "dict[str, Any]") -> "dict[str, Any] | None":
    """What an ``AfterModel`` payload says a turn cost; ``None`` where it says nothing, as in most of them: the
    numbers come with the last piece of a response. What was thought counts as output, which the total alone holds."""
    response = payload.get("llm_response")
    usage = response.get("usageMetadata") if isinstance(response, dict) else None
    request = payload.get("llm_request")
    if not isinstance(usage, dict):
        return None
    asked, total = usage.get("promptTokenCount"), usage.get("totalTokenCount")
    if not (isinstance(asked, int) and isinstance(total, int) and 0 <= asked <= total):
        return None
    model = text(request.get("model")) if isinstance(request, dict) else ""
    session = text(payload.get("session_id"))
    return {"model": model, "session_id": session, "input_tokens": asked, "output_tokens": total - asked}


neutral = silence
parse = parser(result_of)
tool_names = underscored_tool_names


def _replace_output(draft: "Draft", output: str, _payload: "dict[str, Any]") -> None:
    output_as_reason(draft, "deny", output, draft.outcome.degraded, "said as a deny: the model gets it as an error")


format = Dialect(  # noqa: A001 - every host's name
    "Gemini CLI",
    EVENTS,
    deny={
        "UserPromptSubmit": ("deny", "the prompt reaches no model; the exit code stays 0"),
        "PreToolUse": ("deny", ""),
        "PostToolUse": ("deny", "the tool has run: the model gets the reason, as an error, in place of the output"),
        "Stop": ("deny", "the turn goes on with the reason"),
    },
    ask={"PreToolUse": ("", "Gemini CLI takes an ask for an allow: THE TOOL RUNS; deny it instead")},
    modify=({}, "the model is told that a hook changed the input"),
    input_key="tool_input",
    merges_input=True,
    context=("SessionStart", "UserPromptSubmit", "PostToolUse"),
    output=_replace_output,
).format

"""Gemini CLI's hooks, as of 0.61.0: events, payloads, replies. A hook process imports this and light siblings."""

from agent_connector.adapters.families.gemini_payloads import result_of
from agent_connector.adapters.families.hook_payloads import own_fields, text
from agent_connector.adapters.families.nested_hook_replies import Dialect, Draft, formatted, output_as_reason

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agent_connector.runtime.reply import Reply

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


def neutral(event: str) -> "tuple[str, int]":
    """(stdout, exit code) that says "no opinion": silence, whatever the event."""
    del event
    return "", 0


def parse(event: str, payload: "dict[str, Any]") -> "dict[str, Any]":
    """What the normalized event has of ``payload``: ``session_id``, ``project_dir`` and its own fields."""
    found = {"session_id": text(payload.get("session_id")), **own_fields(event, payload)}
    if text(payload.get("cwd")):
        found["project_dir"] = payload["cwd"]
    return found | result_of(payload.get("tool_response")) if event == "PostToolUse" else found


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


def tool_names(name: str) -> "tuple[str, ...]":
    """What matchers are tested against: the native name, and for ``mcp_<server>_<tool>`` the tool's own.

    Servers of ours have no ``_`` in their names; of another server's tool the rest behind the first one is taken.
    """
    bare = name[4:].partition("_")[2] if name.startswith("mcp_") else ""
    return (name, bare) if bare else (name,)


def format(event: str, response: "dict[str, Any]", payload: "dict[str, Any]") -> "Reply":  # noqa: A001 - every host's name
    """``response`` in Gemini CLI's words, and what Gemini CLI makes of it."""
    return formatted(_DIALECT, event, response, payload)


def _lost_context(event: str, _payload: "dict[str, Any]") -> str:
    arrives = event in ("SessionStart", "UserPromptSubmit", "PostToolUse")
    return "" if arrives else f"Gemini CLI gives the model no context at {event}"


def _replace_output(draft: "Draft", output: str, _payload: "dict[str, Any]") -> None:
    output_as_reason(draft, "deny", output, draft.outcome.degraded, "said as a deny: the model gets it as an error")


_DIALECT = Dialect(
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
    lost_context=_lost_context,
    context_notes={},
    plain_context={},
    output=_replace_output,
)

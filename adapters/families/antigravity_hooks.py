"""Hooks of Antigravity, the editor and the command line alike: ``toolCall`` payloads, a decision for every call.

Before a tool call silence forbids in some versions and permits in others, ``{}`` forbids and an allow spares the
person's own question: what says nothing here is ``ask``, which leaves the call to what the person has set. Keys that
are not documented can void a reply. Loaded in every hook process of these hosts.
"""

from agent_connector.adapters.families.hook_payloads import fields_of, mcp_tool_names, text
from agent_connector.adapters.families.hook_wishes import NO_REASON_ASKING, Outcome, Wish, without_event
from agent_connector.runtime.jsontext import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agent_connector.runtime.reply import Reply

EVENTS = {
    "UserPromptSubmit": "PreInvocation",
    "PreToolUse": "PreToolUse",
    "PostToolUse": "PostToolUse",
    "Stop": "Stop",
}
"""Canonical event -> the host's own name."""

HOST_EVENTS = (*EVENTS.values(), "PostInvocation", "SessionStart")
"""All events of the host; the last one is known of newer versions only."""

FIRES_WHEN = {
    "UserPromptSubmit": "at the first call of the model in a turn, without the prompt",
    "PostToolUse": "also after a call that failed; without a word on which tool it was, so never with a matcher",
}
"""Canonical event -> under which conditions its hooks run; an event that is not named has none."""

_MCP_CALL = "call_mcp_tool"
"""The one tool through which the model calls all tools of servers."""


def neutral(event: str) -> "tuple[str, int]":
    """(stdout, exit code) that says "no opinion"."""
    return ('{"decision":"ask"}' if event == "PreToolUse" else "{}"), 0


def repeats(event: str, payload: "dict[str, Any]") -> bool:
    """A turn asks the model many times. Whether the first is number 0 or 1 is not agreed on, so both count."""
    number = payload.get("invocationNum")
    return event == "UserPromptSubmit" and isinstance(number, int) and number > 1


def parse(event: str, payload: "dict[str, Any]") -> "dict[str, Any]":
    """What the normalized event has of ``payload``; a server's tool goes by the name it has in other hosts."""
    folders = payload.get("workspacePaths")
    cwd = folders[0] if isinstance(folders, list) and folders else None
    call = payload.get("toolCall")
    name, given = _called(call) if isinstance(call, dict) else (None, None)
    read = {"session_id": payload.get("conversationId"), "cwd": cwd, "tool_name": name, "tool_input": given}
    found = fields_of(event, read)
    if event == "PostToolUse" and isinstance(payload.get("error"), str):
        found["is_error"] = payload["error"] != ""
    return found


def _called(call: "dict[str, Any]") -> "tuple[Any, Any]":
    name, given = call.get("name"), call.get("args")
    if name != _MCP_CALL or not isinstance(given, dict):
        return name, given
    server, tool = (text(_unquoted(given.get(key))) for key in ("ServerName", "ToolName"))
    return (f"mcp__{server}__{tool}", _unquoted(given.get("Arguments"))) if server and tool else (name, given)


def _unquoted(value: object) -> "Any":
    """Values come as they are, or as JSON inside a text."""
    if isinstance(value, str) and value[:1] in ('"', "{"):
        try:
            return loads(value.encode("utf-8", "replace"))
        except ValueError:
            return value
    return value


def tool_names(name: str) -> "tuple[str, ...]":
    """What matchers are tested against: the native name; for a server's tool also its name in other hosts, and the
    bare one."""
    names = mcp_tool_names(name)
    return (_MCP_CALL, *names) if len(names) > 1 else names


def format(event: str, response: "dict[str, Any]", payload: "dict[str, Any]") -> "Reply":  # noqa: A001 - every host's name
    """``response`` in Antigravity's words, and what Antigravity makes of it."""
    del payload
    silence, _ = neutral(event)
    if event not in EVENTS:
        return without_event("Antigravity", event, response, silence)
    wish = Wish(response)
    outcome = Outcome(wish)
    body = _decided(event, wish, outcome)
    if wish.updated_input is not None and wish.decision != "deny":
        outcome.refused("Antigravity changes no input")
    if wish.output is not None:
        outcome.lost("Antigravity replaces no output")
    if wish.context and wish.decision != "deny":
        _add_context(event, wish.context, body, outcome)
    return outcome.reply(dumps(body) if body else silence)


def _decided(event: str, wish: "Wish", outcome: "Outcome") -> "dict[str, Any]":
    if wish.decision == "deny" and event == "PreToolUse":
        outcome.honored()
        return {"decision": "deny", "reason": wish.refusal}
    if wish.decision == "deny" and event == "Stop":
        outcome.honored("the turn goes on with the reason")
        return {"decision": "continue", "reason": wish.refusal}
    if wish.decision == "ask" and event == "PreToolUse":
        outcome.honored("with agy -p, where nobody can be asked, the call is denied")
        return {"decision": "force_ask", "reason": wish.reason or NO_REASON_ASKING}
    if wish.decision == "deny":
        outcome.refused(f"Antigravity lets nothing be stopped at {event}")
    elif wish.decision == "ask":
        outcome.refused(f"Antigravity cannot ask at {event}")
    return {}


def _add_context(event: str, context: str, body: "dict[str, Any]", outcome: "Outcome") -> None:
    if event == "UserPromptSubmit":
        body["injectSteps"] = [{"ephemeralMessage": context}]
        outcome.honored()
    else:
        outcome.lost(f"Antigravity gives the model no context at {event}")

"""Cursor's hooks, as of the agent runtime 1.0.18: events, payloads, replies. A hook process imports this and light
siblings.

Replies are objects in snake_case, never empty: text that is no JSON blocks the call, no text is a failed hook.
"""

from agent_connector.adapters.families.hook_payloads import own_fields, text, text_of_content
from agent_connector.adapters.families.hook_wishes import NO_REASON_ASKING, Outcome, Wish, without_event
from agent_connector.runtime.jsontext import dumps, loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agent_connector.runtime.reply import Reply

EVENTS = {
    "SessionStart": "sessionStart",
    "SessionEnd": "sessionEnd",
    "UserPromptSubmit": "beforeSubmitPrompt",
    "PreToolUse": "preToolUse",
    "PostToolUse": "postToolUse",
    "PostToolUseFailure": "postToolUseFailure",
    "PreCompact": "preCompact",
    "Stop": "stop",
    "SubagentStart": "subagentStart",
    "SubagentStop": "subagentStop",
}
"""Canonical event -> the host's own name."""

HOST_EVENTS = (
    *EVENTS.values(),
    "beforeShellExecution",
    "beforeMCPExecution",
    "beforeReadFile",
    "beforeTabFileRead",
    "afterShellExecution",
    "afterMCPExecution",
    "afterFileEdit",
    "afterTabFileEdit",
    "afterAgentResponse",
    "afterAgentThought",
    "workspaceOpen",
)
"""All events of the host. One other name in a hooks file and the host loads no hook of that file."""


FIRES_WHEN = {
    "UserPromptSubmit": "in the editor; never with cursor-agent -p",
    "Stop": "in the editor; never with cursor-agent -p; not after five continuations in a row",
    "SubagentStop": "not after five continuations in a row",
}
"""Canonical event -> under which conditions its hooks run; an event that is not named has none."""

CONTEXT_LIMIT = 10_000
"""UTF-16 units of ``additional_context`` beyond which Cursor drops all of it."""


def neutral(event: str) -> "tuple[str, int]":
    """(stdout, exit code) that says "no opinion". Silence counts as a failed hook here, so it is spoken."""
    del event
    return "{}", 0


_CALLED = {
    "PostToolUseFailure": {"error": "error_message", "duration_ms": "duration"},
    "SubagentStart": {"agent_id": "subagent_id", "agent_type": "subagent_type"},
    "SubagentStop": {
        "agent_id": "subagent_id",
        "agent_type": "subagent_type",
        "last_assistant_message": "summary",
    },
}


def parse(event: str, payload: "dict[str, Any]") -> "dict[str, Any]":
    """What the normalized event has of ``payload``: ``session_id``, ``project_dir`` and its own fields."""
    session = text(payload.get("session_id")) or text(payload.get("conversation_id"))
    found = {"session_id": session, **own_fields(event, payload, _CALLED.get(event, {}))}
    if project := _project(payload):
        found["project_dir"] = project
    loops = payload.get("loop_count")
    if event in ("Stop", "SubagentStop") and isinstance(loops, int):
        found["stop_hook_active"] = loops > 0
    if event == "PostToolUse":
        found.update(_output(payload.get("tool_output")))
    return found


def _project(payload: "dict[str, Any]") -> str:
    """The workspace's first folder. A hook's own folder is the one its file stands in, so that tells nothing."""
    roots = payload.get("workspace_roots")
    first = text(roots[0]) if isinstance(roots, list) and roots else ""
    return first or text(payload.get("cwd"))


def _output(written: object) -> "dict[str, Any]":
    """A tool's result is JSON text: a server's content blocks or fault, a shell's output, others as they are."""
    if not isinstance(written, str):
        return {}
    try:
        result = loads(written.encode("utf-8", "replace"))
    except ValueError:
        return {"tool_output": written}
    if not isinstance(result, dict):
        return {"tool_output": written}
    found: dict[str, Any] = {"tool_output": written}
    if isinstance(result.get("content"), list):
        found["tool_output"] = text_of_content(result["content"])
    elif "exitCode" in result and isinstance(result.get("output"), str):
        found["tool_output"] = result["output"]
    if isinstance(result.get("isError"), bool):
        found["is_error"] = result["isError"]
    elif result.keys() & {"rejected", "permissionDenied"} or result.keys() == {"error"}:
        found["is_error"] = True
    return found


def tool_names(name: str) -> "tuple[str, ...]":
    """What matchers are tested against: the native name, and for a server's tool (``MCP:<tool>``) its bare name."""
    return (name, name[4:]) if name.startswith("MCP:") and name[4:] else (name,)


def format(event: str, response: "dict[str, Any]", payload: "dict[str, Any]") -> "Reply":  # noqa: A001 - every host's name
    """``response`` in Cursor's words, and what Cursor makes of it."""
    if event not in EVENTS:
        return without_event("Cursor", event, response, "{}")
    wish = Wish(response)
    outcome = Outcome(wish)
    body: dict[str, Any] = {}
    context = wish.context
    if wish.decision == "deny":
        context = _deny(event, wish, payload, body, outcome)
    elif wish.decision == "ask":
        _ask(event, wish, body, outcome)
    if wish.updated_input is not None and wish.decision != "deny":
        _modify(event, wish.decision, wish.updated_input, payload, body, outcome)
    if context:
        _add_context(event, context, body, outcome)
    if wish.output is not None:
        _replace_output(event, wish.output, payload, body, outcome)
    return outcome.reply(dumps(body))


_FOLLOWED_UP = {"Stop": "the turn goes on with the reason", "SubagentStop": "the subagent goes on with the reason"}
_FEEDBACK = {
    "PostToolUse": "the tool has run: the model gets the reason as context beside the output",
    "PostToolUseFailure": "nothing is left to stop: the model gets the reason as context",
}


def _deny(event: str, wish: "Wish", payload: "dict[str, Any]", body: "dict[str, Any]", outcome: "Outcome") -> str:
    """Returns what is still to be said as context."""
    if event in ("PreToolUse", "SubagentStart"):
        # This is what the agent reads too.
        body.update(permission="deny", user_message=wish.refusal)
        outcome.honored()
    elif event in ("UserPromptSubmit", "SessionStart"):
        body.update({"continue": False, "user_message": wish.refusal})
        outcome.honored()
    elif event in _FOLLOWED_UP and payload.get("status") in ("aborted", "error"):
        outcome.refused("a turn that was aborted or failed does not go on")
    elif event in _FOLLOWED_UP:
        body["followup_message"] = wish.refusal
        outcome.honored(_FOLLOWED_UP[event])
    elif event in _FEEDBACK:
        outcome.degraded(_FEEDBACK[event])
        return wish.refusal
    else:
        outcome.refused(f"Cursor lets nothing be stopped at {event}")
        return wish.context
    return ""


def _ask(event: str, wish: "Wish", body: "dict[str, Any]", outcome: "Outcome") -> None:
    if event != "PreToolUse":
        outcome.refused(f"Cursor cannot ask at {event}")
        return
    # Said nevertheless: the host accepts it, and one that heeds it would ask.
    body.update(permission="ask", user_message=wish.reason or NO_REASON_ASKING)
    outcome.refused("Cursor accepts ask before a tool call and does not ask: THE TOOL RUNS unless it asks by itself")


_CHANGEABLE = {
    "Shell": ("command", "cwd", "timeout"),
    "Read": ("file_path",),
    "Write": ("file_path",),
    "Delete": ("file_path",),
    "List": ("file_path",),
    "ReadLints": ("file_path",),
    "Grep": ("pattern", "file_path"),
    "Fetch": ("url",),
    "ListMcpResources": ("server",),
    "FetchMcpResource": ("server", "uri", "download_path"),
}
"""Tool -> the fields of its input that Cursor lets a hook change."""


def _modify(
    event: str,
    decision: str,
    updated_input: "dict[str, Any]",
    payload: "dict[str, Any]",
    body: "dict[str, Any]",
    outcome: "Outcome",
) -> None:
    """No permission stands beside the new input, so Cursor's own flow decides about it."""
    if event != "PreToolUse":
        outcome.refused(f"there is no input to change at {event}")
        return
    if decision == "ask":
        outcome.lost("a call is asked about with the input it came with")
        return
    body["updated_input"] = updated_input
    tool = text(payload.get("tool_name"))
    original = payload.get("tool_input")
    before: dict[str, Any] = original if isinstance(original, dict) else {}
    changed = [key for key, value in updated_input.items() if key not in before or before[key] != value]
    stay = [key for key in before if key not in updated_input]
    known = None if tool.startswith("MCP:") else _CHANGEABLE.get(tool, ())
    if known is not None:
        stay += [key for key in changed if key not in known]
        changed = [key for key in changed if key in known]
    if not stay:
        outcome.honored()
    elif changed:
        outcome.degraded(f"Cursor leaves these fields of the input as they were: {', '.join(stay)}")
    else:
        outcome.refused(f"Cursor changes none of these fields of {tool or 'the tool'}: {', '.join(stay)}")


def _add_context(event: str, context: str, body: "dict[str, Any]", outcome: "Outcome") -> None:
    if event == "SubagentStart":
        body["additional_context"] = cut(context)
        outcome.degraded("Cursor passes context on, but whether the subagent reads it is not established")
        return
    if event not in ("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"):
        outcome.lost(f"Cursor gives the model no context at {event}")
        return
    body["additional_context"] = cut(context)
    if body["additional_context"] != context:
        outcome.degraded(f"Cursor drops context over {CONTEXT_LIMIT:,} characters, so its end is cut off")
    else:
        outcome.honored()


_CUT = "\n[cut]"


def cut(context: str) -> str:
    """``context`` as Cursor still takes it. It counts in UTF-16."""
    if len(context) <= CONTEXT_LIMIT // 2:
        return context
    units = context.encode("utf-16-le", "replace")
    if len(units) <= CONTEXT_LIMIT * 2:
        return context
    return units[: (CONTEXT_LIMIT - len(_CUT)) * 2].decode("utf-16-le", "ignore") + _CUT


def _replace_output(
    event: str, output: str, payload: "dict[str, Any]", body: "dict[str, Any]", outcome: "Outcome"
) -> None:
    if event != "PostToolUse":
        outcome.lost(f"there is no output to replace at {event}")
    elif not text(payload.get("tool_name")).startswith("MCP:"):
        outcome.lost("Cursor replaces the output of MCP tools only")
    else:
        body["updated_mcp_tool_output"] = output
        outcome.honored()

"""OpenCode's hooks, as of 1.18.33: what its plugin is told, and what the module that runs there makes of a reply. A
hook process imports this and light siblings.

Payloads are as the module sends them: ``hook`` names what OpenCode called, with its ``input`` and ``output`` or its
``emitted`` event; ``session`` and ``source`` where the module itself found out; ``directory`` in all of them.
"""

from agent_connector.adapters.families.hook_payloads import own_fields, silence, text, text_of_content
from agent_connector.adapters.families.hook_wishes import Outcome, Wish
from agent_connector.adapters.families.nested_hook_replies import Dialect, Draft

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agent_connector.runtime.reply import Reply

EVENTS = {
    "SessionStart": "session.created",
    "SessionEnd": "dispose",
    "UserPromptSubmit": "chat.message",
    "PreToolUse": "tool.execute.before",
    "PostToolUse": "tool.execute.after",
    "PostToolUseFailure": "message.part.updated",
    "PermissionRequest": "permission.asked",
    "Stop": "session.idle",
    "SubagentStart": "session.created of a child",
    "SubagentStop": "session.idle of a child",
    "PreCompact": "experimental.session.compacting",
    "PostCompact": "session.compacted",
}
"""Canonical event -> what the module makes it of: a hook of OpenCode's, or an event of its bus."""

HOST_EVENTS = (
    "config",
    "chat.message",
    "chat.params",
    "chat.headers",
    "command.execute.before",
    "tool.execute.before",
    "tool.execute.after",
    "tool.definition",
    "shell.env",
    "experimental.chat.messages.transform",
    "experimental.chat.system.transform",
    "experimental.session.compacting",
    "experimental.compaction.autocontinue",
    "experimental.text.complete",
    "experimental.provider.small_model",
    "command.executed",
    "file.edited",
    "file.watcher.updated",
    "message.updated",
    "message.removed",
    "message.part.updated",
    "message.part.removed",
    "permission.asked",
    "permission.replied",
    "session.created",
    "session.updated",
    "session.deleted",
    "session.diff",
    "session.error",
    "session.idle",
    "session.status",
    "session.compacted",
    "todo.updated",
)
"""Its hooks, whose output a native hook may change, and events of its bus, which can be looked at."""

FIRES_WHEN = {
    "SessionStart": "when a session is begun, and at the first prompt of one that is taken up again",
    "SessionEnd": "when a session is deleted, and for each that was used when OpenCode ends",
    "UserPromptSubmit": "for what a person says, not for what a subagent is told",
    "PostToolUse": "only after a tool succeeded; PostToolUseFailure comes after one that failed or was denied",
    "PermissionRequest": "when a rule of its permissions says ask; in opencode run it is rejected at once",
}
"""Canonical event -> under which conditions its hooks run; an event that is not named has none."""

neutral = silence


def parse(event: str, payload: "dict[str, Any]") -> "dict[str, Any]":
    """What the normalized event has of ``payload``: ``session_id``, ``project_dir`` and its own fields."""
    given, output = _part(payload, "input"), _part(payload, "output")
    properties = _part(_part(payload, "emitted"), "properties")
    found: dict[str, Any] = {"session_id": _session(payload, given, properties)}
    if text(payload.get("directory")):
        found["project_dir"] = payload["directory"]
    if event == "UserPromptSubmit":
        found.update(own_fields(event, {"prompt": _prompt(output.get("parts"))}))
    elif event == "PreToolUse":
        found.update(_call(event, given.get("tool"), output.get("args")))
    elif event == "PostToolUse":
        found.update(_call(event, given.get("tool"), given.get("args")))
        found.update(_output(output))
    elif event == "PermissionRequest":
        call = _part(payload, "call")
        found.update(_call(event, call.get("tool") or properties.get("permission"), call.get("args")))
    elif event == "PostToolUseFailure":
        part = _part(properties, "part")
        state = _part(part, "state")
        found["session_id"] = text(part.get("sessionID")) or found["session_id"]
        found.update(_call(event, part.get("tool"), state.get("input")))
        found.update(own_fields(event, {"tool_use_id": part.get("callID"), "error": state.get("error")}))
    elif event in ("SubagentStart", "SubagentStop"):
        told = {"agent_id": found["session_id"] or None, "agent_type": payload.get("agent")}
        found.update(own_fields(event, told), session_id=text(payload.get("parent")))
    else:
        found.update(own_fields(event, payload))
    return found


def _part(whole: "dict[str, Any]", name: str) -> "dict[str, Any]":
    part = whole.get(name)
    return part if isinstance(part, dict) else {}


def _session(payload: "dict[str, Any]", given: "dict[str, Any]", properties: "dict[str, Any]") -> str:
    return text(payload.get("session")) or text(given.get("sessionID")) or text(properties.get("sessionID"))


def _prompt(parts: object) -> "str | None":
    """What the person wrote: without what hooks and OpenCode itself put beside it."""
    if not isinstance(parts, list):
        return None
    own = [part for part in parts if isinstance(part, dict)]
    return "\n".join(
        text(part.get("text")) for part in own if part.get("type") == "text" and not part.get("synthetic")
    )


def _call(event: str, tool: object, args: object) -> "dict[str, Any]":
    return own_fields(event, {"tool_name": tool, "tool_input": args})


def _output(output: "dict[str, Any]") -> "dict[str, Any]":
    """A tool's own text; of a server's tool the text among its content."""
    content = output.get("content")
    if isinstance(content, list):
        return {"tool_output": text_of_content(content)}
    return {"tool_output": output["output"]} if isinstance(output.get("output"), str) else {}


def tool_names(name: str) -> "tuple[str, ...]":
    """A tool's native name, and for ``server_tool`` also the tool's own. A connector's id has no ``_``."""
    server, _, bare = name.partition("_")
    return (name, bare) if server and bare else (name,)


def _replace_output(draft: "Draft", output: str, _payload: "dict[str, Any]") -> None:
    draft.specific["output"] = output
    draft.outcome.honored()


_DIALECT = Dialect(
    "OpenCode",
    EVENTS,
    deny={
        "UserPromptSubmit": (
            "deny",
            "the prompt reaches no model: the turn ends with an error that does not say why",
        ),
        "PreToolUse": ("deny", ""),
        "PostToolUse": ("deny", "the tool has run: the model gets the reason beside the output"),
    },
    ask={
        "PreToolUse": ("", "OpenCode cannot be made to ask: THE TOOL RUNS unless its own permissions say otherwise")
    },
    modify=({}, ""),
    input_key="input",
    context=("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact"),
    context_notes={
        "SessionStart": "it stands in the system prompt of every request of the session",
        "PreToolUse": "the model gets it with the result; it is lost where the call fails",
        "PreCompact": "it guides the summary",
    },
    output=_replace_output,
    flat=True,
)


def format(event: str, response: "dict[str, Any]", payload: "dict[str, Any]") -> "Reply":  # noqa: A001 - every host's name
    """``response`` as the module carries it out, and what OpenCode makes of it."""
    if event != "PermissionRequest":
        return _DIALECT.format(event, response, payload)
    wish = Wish(response)
    outcome = Outcome(wish)
    if wish.decision == "ask":
        outcome.honored("OpenCode asks already")
    elif wish.decision == "allow" or not wish.is_no_opinion:
        outcome.refused("OpenCode lets a plugin look at what it asks, and not answer")
    return outcome.reply("")

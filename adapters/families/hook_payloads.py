"""Reading what hosts send to hooks. Loaded in every hook process.

A payload is whatever a host of some version sent: what is missing or of another type is left out, never guessed.
"""

from agent_connector.runtime.jsontext import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

TYPES: "dict[str, type | tuple[type, ...]]" = {
    "source": str,
    "reason": str,
    "prompt": str,
    "tool_name": str,
    "tool_input": dict,
    "tool_use_id": str,
    "trigger": str,
    "stop_hook_active": bool,
    "message": str,
    "permission_suggestions": list,
    "error": str,
    "is_interrupt": bool,
    "duration_ms": (int, float),
    "agent_id": str,
    "agent_type": str,
    "agent_transcript_path": str,
    "last_assistant_message": str,
}
"""Own fields of normalized events that hosts send as they are."""

FIELDS = {
    "SessionStart": ("source",),
    "SessionEnd": ("reason",),
    "UserPromptSubmit": ("prompt",),
    "PreToolUse": ("tool_name", "tool_input"),
    "PostToolUse": ("tool_name", "tool_input"),
    "PostToolUseFailure": ("tool_name", "tool_input", "tool_use_id", "error", "is_interrupt", "duration_ms"),
    "PreCompact": ("trigger",),
    "PostCompact": ("trigger",),
    "Stop": ("stop_hook_active",),
    "Notification": ("message",),
    "PermissionRequest": ("tool_name", "tool_input", "permission_suggestions"),
    "SubagentStart": ("agent_id", "agent_type"),
    "SubagentStop": (
        "agent_id",
        "agent_type",
        "agent_transcript_path",
        "last_assistant_message",
        "stop_hook_active",
    ),
}
"""Canonical event -> its own fields, but for the output of a tool."""

_NOTHING: "dict[str, str]" = {}


def named_alike(*but: str) -> "dict[str, str]":
    """``EVENTS`` of a host that calls events as Claude Code does, whose names are the canonical ones: all ``but``
    those it has not."""
    return {event: event for event in FIELDS if event not in but}


def silence(event: str) -> "tuple[str, int]":
    """``neutral`` of a host that takes silence for no opinion, whatever the event: (stdout, exit code)."""
    del event
    return "", 0


def text_output(response: object) -> "dict[str, Any]":
    """What a host that sends a tool's result as text tells of it."""
    return {"tool_output": response} if isinstance(response, str) else {}


def claude_code_output(response: object) -> "dict[str, Any]":
    """A tool's result as Claude Code tells it: a server's content blocks, a shell's two streams, else any JSON."""
    if isinstance(response, list):
        return {"tool_output": text_of_content(response)}
    if isinstance(response, dict) and isinstance(response.get("stdout"), str):
        streams = (response["stdout"], text(response.get("stderr")))
        return {"tool_output": "\n".join(part for part in streams if part)}
    return json_output(response)


def json_output(response: object) -> "dict[str, Any]":
    """Text as it is, anything else as JSON."""
    written = response if isinstance(response, str) or response is None else json_text(response)
    return {} if written is None else {"tool_output": written}


def parser(output: "Callable[[object], dict[str, Any]]") -> "Callable[[str, dict[str, Any]], dict[str, Any]]":
    """``parse`` of a host whose payloads are laid out as Claude Code's. ``output``: what becomes of the
    ``tool_response`` of a call that went well, the one thing that each of them spells in its own way."""

    def parse(event: str, payload: "dict[str, Any]") -> "dict[str, Any]":
        found = fields_of(event, payload)
        return found | output(payload.get("tool_response")) if event == "PostToolUse" else found

    return parse


claude_code_parse = parser(claude_code_output)
"""``parse`` of Claude Code, and of hosts that began as it."""


def fields_of(event: str, payload: "dict[str, Any]", called: "dict[str, str]" = _NOTHING) -> "dict[str, Any]":
    """What the normalized event has of ``payload``: ``session_id``, ``project_dir`` and its own fields. ``called``:
    field -> the host's key for it."""
    session = text(payload.get(called.get("session_id", "session_id")))
    found = {"session_id": session, **own_fields(event, payload, called)}
    if project := text(payload.get(called.get("project_dir", "cwd"))):
        found["project_dir"] = project
    return found


def own_fields(event: str, payload: "dict[str, Any]", called: "dict[str, str]" = _NOTHING) -> "dict[str, Any]":
    """The fields of ``event`` that ``payload`` has in the right type. ``called``: field -> the host's key for it."""
    found = {}
    for name in FIELDS.get(event, ()):
        value = payload.get(called.get(name, name))
        if isinstance(value, TYPES[name]) and (name != "duration_ms" or not isinstance(value, bool)):
            found[name] = value
    return found


def text(value: object) -> str:
    """``value`` where it is text, ``""`` otherwise."""
    return value if isinstance(value, str) else ""


def json_text(value: object) -> "str | None":
    """``value`` as JSON, or ``None`` for what cannot be written."""
    try:
        return dumps(value)
    except ValueError:
        return None


def text_of_content(content: "list[Any]") -> str:
    """The text among an MCP result's content blocks, embedded resources included."""
    found = []
    for block in content:
        if isinstance(block, dict):
            resource = block.get("resource")
            inner = resource if block.get("type") == "resource" and isinstance(resource, dict) else block
            if isinstance(inner.get("text"), str):
                found.append(inner["text"])
    return "\n".join(found)


def mcp_tool_names(name: str) -> "tuple[str, ...]":
    """A tool's native name, and for ``mcp__server__tool`` also the tool's own. Hosts cut at the first ``__``."""
    if name.startswith("mcp__"):
        bare = name[5:].partition("__")[2]
        if bare:
            return name, bare
    return (name,)


def underscored_tool_names(name: str) -> "tuple[str, ...]":
    """As :func:`mcp_tool_names` for ``mcp_server_tool``. A connector's id has no ``_``, so the first one ends it."""
    bare = name[4:].partition("_")[2] if name.startswith("mcp_") else ""
    return (name, bare) if bare else (name,)


def dashed_tool_names(name: str) -> "tuple[str, ...]":
    """As :func:`mcp_tool_names` for ``server/tool``, and for ``server-tool``, which does not say where the server's
    name ends: each dash may be it."""
    server, slash, tool = name.partition("/")
    if slash:
        return (name, tool) if server and tool else (name,)
    words = name.split("-")
    return (name, *("-".join(words[cut:]) for cut in range(1, len(words)) if all(words)))

"""Droid's hooks, as of 0.215.0: events, payloads, replies. A hook process imports this and light siblings.

Events of which no payload was seen in a run (UserPromptSubmit, Notification, SubagentStop, PreCompact) are for native
hooks alone.
"""

from agent_connector.adapters.families.hook_payloads import own_fields, text
from agent_connector.adapters.families.nested_hook_replies import Dialect, Draft, formatted

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agent_connector.runtime.reply import Reply

EVENTS = {
    "SessionStart": "SessionStart",
    "SessionEnd": "SessionEnd",
    "PreToolUse": "PreToolUse",
    "PostToolUse": "PostToolUse",
    "Stop": "Stop",
}
"""Canonical event -> the host's own name."""

HOST_EVENTS = (*EVENTS.values(), "Notification", "UserPromptSubmit", "SubagentStop", "PreCompact")
"""All events of the host."""

FIRES_WHEN = {"PostToolUse": "not after a call that was denied"}
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
    if event == "PostToolUse" and isinstance(payload.get("tool_response"), str):
        found["tool_output"] = payload["tool_response"]
    return found


def tool_names(name: str) -> "tuple[str, ...]":
    """What matchers are tested against: the native name, and for ``<server>___<tool>`` the tool's own."""
    server, _, bare = name.partition("___")
    return (name, bare) if server and bare else (name,)


def format(event: str, response: "dict[str, Any]", payload: "dict[str, Any]") -> "Reply":  # noqa: A001 - every host's name
    """``response`` in Droid's words, and what Droid makes of it."""
    return formatted(_DIALECT, event, response, payload)


def _lost_context(event: str, _payload: "dict[str, Any]") -> str:
    arrives = event in ("SessionStart", "PostToolUse")
    return "" if arrives else f"Droid gives the model no context at {event}"


def _replace_output(draft: "Draft", _output: str, _payload: "dict[str, Any]") -> None:
    draft.outcome.lost("Droid replaces no tool's output")


_DIALECT = Dialect(
    "Droid",
    EVENTS,
    deny={
        "PreToolUse": ("permission", ""),
        "PostToolUse": ("context", "the tool has run: the model gets the reason as context after the output"),
        "Stop": ("block", "the turn goes on with the reason"),
    },
    ask={"PreToolUse": ("", "in droid exec Droid does not ask: THE TOOL RUNS; deny it instead")},
    # An allow beside it would grant the call.
    modify=({}, ""),
    merges_input=True,
    lost_context=_lost_context,
    context_notes={},
    plain_context={},
    output=_replace_output,
)

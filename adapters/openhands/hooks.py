"""OpenHands' hooks, as of 1.16.0 (SDK 1.21.0): payloads of its own, flat replies. A hook process imports this and
light siblings."""

from agent_connector.adapters.families.hook_payloads import fields_of, silence, text_of_content
from agent_connector.adapters.families.nested_hook_replies import Dialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EVENTS = {
    event: event for event in ("SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")
}
"""Canonical event -> the host's own name: all there are."""

FIRES_WHEN = {
    "PreToolUse": "only for a call whose arguments fit the tool (each needs a security_risk)",
    "PostToolUse": "after every call that ran, also one that failed; not after one that was denied",
    "Stop": "when the agent says that it has finished, not when it is interrupted",
}
"""Canonical event -> under which conditions its hooks run; an event that is not named has none."""

_CALLED = {"project_dir": "working_dir", "prompt": "message"}
_ANNOUNCED = "[Tool '"
"""How the host begins a server's result: with a block of its own before the server's."""

neutral = silence


def parse(event: str, payload: "dict[str, Any]") -> "dict[str, Any]":
    """What the normalized event has of ``payload``; what a server's tool is given stands one level deeper."""
    found = fields_of(event, payload, _CALLED)
    given = found.get("tool_input", {})
    if given.get("kind") == "MCPToolAction" and isinstance(given.get("data"), dict):
        found["tool_input"] = given["data"]
    response = payload.get("tool_response")
    return found | _result(response) if event == "PostToolUse" and isinstance(response, dict) else found


def _result(response: "dict[str, Any]") -> "dict[str, Any]":
    found: dict[str, Any] = {}
    content = response.get("content")
    if isinstance(content, list):
        announced = response.get("kind") == "MCPToolObservation" and text_of_content(content[:1]).startswith(
            _ANNOUNCED
        )
        found["tool_output"] = text_of_content(content[1:] if announced else content)
    if isinstance(response.get("is_error"), bool):
        found["is_error"] = response["is_error"]
    return found


def tool_names(name: str) -> "tuple[str, ...]":
    """What matchers are tested against: the model sees a server's tool by its bare name."""
    return (name,)


format = Dialect(  # noqa: A001 - every host's name
    "OpenHands",
    EVENTS,
    deny={
        "PreToolUse": ("deny", ""),
        "UserPromptSubmit": ("deny", "the prompt reaches no model; the reason is not shown"),
        "Stop": ("deny", "the turn goes on with the reason"),
        "PostToolUse": ("", "OpenHands heeds nothing that is said after a call"),
    },
    ask={
        "PreToolUse": ("", "OpenHands cannot be made to ask: THE TOOL RUNS unless it asks by itself; deny it instead")
    },
    modify="OpenHands changes no input",
    context=("UserPromptSubmit",),
    output="OpenHands replaces no tool's output",
    flat=True,
).format

"""Goose's hooks, as of its documentation and source of 2026-09 (it was not run): a call and the end of a turn can be
blocked, and nothing else can be said. A hook process imports this and light siblings."""

from agent_connector.adapters.families.hook_payloads import fields_of, json_text, silence, text_of_content
from agent_connector.adapters.families.nested_hook_replies import Dialect

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

EVENTS = {
    event: event
    for event in (
        *("SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"),
        "Stop",
    )
}
"""Canonical event -> the host's own name."""

HOST_EVENTS = (
    *EVENTS,
    *("PreToolUseResult", "BeforeReadFile", "AfterFileEdit", "BeforeShellExecution", "AfterShellExecution"),
)
"""All events of the host."""

FIRES_WHEN = {
    "PostToolUse": "only after a tool succeeded",
    "PostToolUseFailure": "only after a tool failed",
    "Stop": "at the end of every turn; after a few blocks in a row the turn ends all the same",
}
"""Canonical event -> under which conditions its hooks run; an event that is not named has none."""

_CALLED = {"prompt": "message", "tool_use_id": "tool_call_id", "project_dir": "working_dir"}


def parse(event: str, payload: "dict[str, Any]") -> "dict[str, Any]":
    """What the normalized event has of ``payload``: ``session_id``, ``project_dir`` and its own fields."""
    found = fields_of(event, payload, _CALLED)
    output = payload.get("tool_output")
    if event == "PostToolUse" and output is not None:
        content = output.get("content") if isinstance(output, dict) else output
        written = text_of_content(content) if isinstance(content, list) else json_text(output)
        found["tool_output"] = output if isinstance(output, str) else written
    return found


def tool_names(name: str) -> "tuple[str, ...]":
    """What matchers are tested against: ``server__tool``, and the tool's own name."""
    bare = name.partition("__")[2]
    return (name, bare) if bare else (name,)


neutral = silence
format = Dialect(  # noqa: A001 - every host's name
    "Goose",
    EVENTS,
    deny={
        "PreToolUse": ("block", ""),
        "Stop": ("block", "the turn goes on, a few times in a row at most"),
        "UserPromptSubmit": ("", "Goose stops no prompt: THE PROMPT REACHES THE MODEL"),
    },
    ask={"PreToolUse": ("", "Goose cannot be made to ask: THE TOOL RUNS unless it asks by itself; deny it instead")},
    modify="Goose changes no input",
    context=(),
    output="Goose replaces no tool's output",
).format

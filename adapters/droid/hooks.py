"""Droid's hooks, as of 0.215.0: events, payloads, replies. A hook process imports this and light siblings.

Events of which no payload was seen in a run (UserPromptSubmit, Notification, SubagentStop, PreCompact) are for native
hooks alone.
"""

from agent_connector.adapters.families.hook_payloads import parser, silence, text_output
from agent_connector.adapters.families.nested_hook_replies import Dialect

_UNSEEN = ("UserPromptSubmit", "Notification", "SubagentStop", "PreCompact")

EVENTS = {event: event for event in ("SessionStart", "SessionEnd", "PreToolUse", "PostToolUse", "Stop")}
"""Canonical event -> the host's own name."""

HOST_EVENTS = (*EVENTS.values(), *_UNSEEN)
"""All events of the host."""

FIRES_WHEN = {"PostToolUse": "not after a call that was denied"}
"""Canonical event -> under which conditions its hooks run; an event that is not named has none."""


def tool_names(name: str) -> "tuple[str, ...]":
    """What matchers are tested against: the native name, and for ``<server>___<tool>`` the tool's own."""
    server, _, bare = name.partition("___")
    return (name, bare) if server and bare else (name,)


neutral = silence
parse = parser(text_output)
format = Dialect(  # noqa: A001 - every host's name
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
    context=("SessionStart", "PostToolUse"),
    output="Droid replaces no tool's output",
).format

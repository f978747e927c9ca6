"""Crush's hooks, as of its source of 2026-08 (it was not run): one event, flat payload, flat reply. A hook process
imports this and light siblings."""

from agent_connector.adapters.families.hook_payloads import fields_of, silence, underscored_tool_names
from agent_connector.adapters.families.hook_wishes import Outcome, Wish, without_event
from agent_connector.runtime.jsontext import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agent_connector.runtime.reply import Reply

EVENTS = {"PreToolUse": "PreToolUse"}
"""Canonical event -> the host's own name."""

FIRES_WHEN = {"PreToolUse": "for calls of the main agent; never for those of a subagent"}
"""Canonical event -> under which conditions its hooks run."""


neutral = silence
"""An allow would spare the host's own question."""
parse = fields_of
tool_names = underscored_tool_names


def format(event: str, response: "dict[str, Any]", payload: "dict[str, Any]") -> "Reply":  # noqa: A001 - every host's name
    """``response`` in Crush's words, and what Crush makes of it."""
    if event not in EVENTS:
        return without_event("Crush", event, response)
    wish = Wish(response)
    outcome = Outcome(wish)
    body: dict[str, Any] = {}
    if wish.decision == "deny":
        body.update(decision="deny", reason=wish.refusal)
        outcome.honored()
    elif wish.decision == "ask":
        outcome.refused("Crush cannot be made to ask: THE TOOL RUNS unless it asks by itself")
    elif wish.updated_input is not None:
        _modify(wish.updated_input, payload, body, outcome)
    if wish.context and wish.decision != "deny":
        body["context"] = wish.context
        outcome.honored()
    if wish.output is not None:
        outcome.lost("there is no output to replace at PreToolUse")
    return outcome.reply(dumps(body) if body else "")


def _modify(changed: "dict[str, Any]", payload: "dict[str, Any]", body: "dict[str, Any]", outcome: "Outcome") -> None:
    """The host lays the new input over the old one, key by key: what is left out stays."""
    body["updated_input"] = changed
    before = payload.get("tool_input")
    stay = [key for key in before if key not in changed] if isinstance(before, dict) else []
    if stay:
        outcome.degraded(f"Crush leaves these fields of the input as they were: {', '.join(stay)}")
    else:
        outcome.honored()

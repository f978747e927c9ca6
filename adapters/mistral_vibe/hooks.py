"""Mistral Vibe's hooks, as of 3.0.2: three events, snake-case payloads and replies. A hook process imports this and
light siblings."""

from agent_connector.adapters.families.hook_payloads import fields_of, silence, text
from agent_connector.adapters.families.hook_wishes import Outcome, Wish
from agent_connector.runtime.jsontext import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agent_connector.runtime.reply import Reply

EVENTS = {"PreToolUse": "pre_tool", "PostToolUse": "post_tool", "Stop": "post_agent"}
"""Canonical event -> the host's own name."""

FIRES_WHEN = {
    "PreToolUse": "before the host's own question about a call",
    "PostToolUse": "after every tool that ran, also one that failed; not after a call that was denied",
    "Stop": "at the end of every turn, of subagents too",
}
"""Canonical event -> under which conditions its hooks run."""


def parse(event: str, payload: "dict[str, Any]") -> "dict[str, Any]":
    """What the normalized event has of ``payload``: ``session_id``, ``project_dir`` and its own fields."""
    found = fields_of(event, payload)
    if event == "PostToolUse" and isinstance(payload.get("tool_output_text"), str):
        found["tool_output"] = payload["tool_output_text"]
        found["is_error"] = payload.get("tool_status") != "success"
    return found


def tool_names(name: str) -> "tuple[str, ...]":
    """What matchers are tested against: ``mcp_<server>.<tool>`` or ``<group>.<tool>``, and the tool's own name.

    What is no letter, digit or ``_`` of a name has become ``_`` there, so it may have been a dash."""
    bare = name.rpartition(".")[2]
    names = (name, bare, bare.replace("_", "-")) if name.startswith("mcp_") else (name, bare)
    return tuple(dict.fromkeys(filter(None, names)))


neutral = silence


def format(event: str, response: "dict[str, Any]", payload: "dict[str, Any]") -> "Reply":  # noqa: A001 - every host's name
    """``response`` in Mistral Vibe's words, and what Mistral Vibe makes of it."""
    wish = Wish(response)
    draft = _Draft(wish)
    if event not in EVENTS:
        if not wish.is_no_opinion:
            draft.outcome.refused(f"Mistral Vibe has no {event}")
        return draft.reply()
    if wish.decision == "deny":
        draft.deny(wish.refusal)
        _tell_of_deny(event, payload, draft.outcome)
    elif wish.decision == "ask":
        draft.outcome.refused(_ASKING.get(event, f"Mistral Vibe cannot be made to ask at {event}"))
    _change_input(event, wish, draft)
    _add_context(event, wish, payload, draft)
    _replace_output(event, wish, draft)
    return draft.reply()


_ASKING = {"PreToolUse": "Mistral Vibe cannot be made to ask: THE TOOL RUNS unless it asks by itself"}
_BY_A_PROGRAM = "typescript:"
"""How the ids of calls begin that a program of the model's makes; a server's tools are called in no other way."""


class _Draft:
    """A reply in the making, and what becomes of the wish."""

    def __init__(self, wish: "Wish") -> None:
        self.outcome = Outcome(wish)
        self.top: dict[str, Any] = {}
        self.specific: dict[str, Any] = {}

    def deny(self, reason: str) -> None:
        self.top.update(decision="deny", reason=reason)  # without a reason it would be no answer at all

    def reply(self) -> "Reply":
        body = {**self.top, "hook_specific_output": self.specific} if self.specific else self.top
        return self.outcome.reply(dumps(body) if body else "")


def _by_a_program(payload: "dict[str, Any]") -> bool:
    return text(payload.get("tool_call_id")).startswith(_BY_A_PROGRAM)


def _tell_of_deny(event: str, payload: "dict[str, Any]", outcome: "Outcome") -> None:
    if event == "PreToolUse" and _by_a_program(payload):
        outcome.degraded("the call is stopped, and the program that made it is not told why")
    elif event == "PostToolUse":
        outcome.honored("the tool has run: the model gets the reason in place of the output")
    else:
        outcome.honored("the turn goes on with the reason, up to three times" if event == "Stop" else "")


def _change_input(event: str, wish: "Wish", draft: "_Draft") -> None:
    if wish.updated_input is None or wish.decision == "deny":
        return
    if event != "PreToolUse":
        draft.outcome.refused(f"there is no input to change at {event}")
    elif wish.decision == "ask":
        draft.outcome.lost("a call is asked about with the input it came with")
    else:
        draft.specific["tool_input"] = wish.updated_input
        draft.outcome.honored("the host's own question shows the changed input")


def _add_context(event: str, wish: "Wish", payload: "dict[str, Any]", draft: "_Draft") -> None:
    if not wish.context or wish.decision == "deny":
        return
    if event == "PostToolUse" and _by_a_program(payload) and payload.get("tool_output") is not None:
        draft.outcome.lost("a program gets what is structured of an output, and no context with it")
    elif event == "PostToolUse":
        draft.specific["additional_context"] = wish.context
        draft.outcome.honored("it stands behind the tool's output")
    else:
        draft.outcome.lost(f"Mistral Vibe gives the model no context at {event}")


def _replace_output(event: str, wish: "Wish", draft: "_Draft") -> None:
    if wish.output is None:
        return
    if event != "PostToolUse":
        draft.outcome.lost(f"there is no output to replace at {event}")
    elif wish.decision == "deny":
        draft.outcome.lost("the reason of the deny stands in place of the output")
    else:
        draft.deny(wish.output)
        draft.outcome.honored()

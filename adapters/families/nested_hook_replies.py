"""Replies with a ``hookSpecificOutput``: the dialect that Claude Code speaks and others speak more narrowly.

Only keys that were seen to be honored are written, never a superset for both: one key too many voids a whole reply
in Codex, and with it the deny.
"""

from agent_connector.adapters.families.hook_wishes import NO_REASON_ASKING, Outcome, Wish, without_event
from agent_connector.runtime.jsontext import dumps
from agent_connector.runtime.reply import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


class Dialect:
    """How one host says what a response asks for at its ``events``.

    ``deny``, ``ask``: event -> (way, note); ``way`` is a key of :data:`WAYS`, or ``""`` where it does not happen.
    ``modify``: the keys that must stand beside the new input, and a note; or why the host takes none. ``input_key``:
    where the new input stands; ``merges_input``: whether what it leaves out stays. ``grant_takes_input``: whether a
    grant may come with another input. ``context``: the events at which context reaches the model, ``context_notes``
    what is to be said of some; ``lost_context``: why it does not arrive with this very payload, or ``""``.
    ``plain_context``: event -> note, where bare text instead of JSON is what reaches some model. ``output``: writes a
    tool's other output into the draft, or says why it cannot be replaced. ``flat``: whether all keys stand at the
    top, without a ``hookSpecificOutput``.
    """

    __slots__ = (
        "ask",
        "context",
        "context_notes",
        "deny",
        "events",
        "flat",
        "grant_takes_input",
        "input_key",
        "lost_context",
        "merges_input",
        "modify",
        "name",
        "output",
        "plain_context",
    )

    def __init__(
        self,
        name: str,
        events: "dict[str, str]",
        *,
        deny: "dict[str, tuple[str, str]]",
        ask: "dict[str, tuple[str, str]]",
        modify: "tuple[dict[str, Any], str] | str",
        context: "tuple[str, ...]",
        output: "Callable[[Draft, str, dict[str, Any]], None] | str",
        context_notes: "dict[str, str] | None" = None,
        plain_context: "dict[str, str] | None" = None,
        lost_context: "Callable[[str, dict[str, Any]], str] | None" = None,
        grant_takes_input: bool = False,
        input_key: str = "updatedInput",
        merges_input: bool = False,
        flat: bool = False,
    ) -> None:
        self.name = name
        self.events = events
        self.deny = deny
        self.ask = ask
        self.modify = modify
        self.context = context
        self.context_notes = context_notes or {}
        self.lost_context = lost_context
        self.plain_context = plain_context or {}
        self.output = output
        self.grant_takes_input = grant_takes_input
        self.input_key = input_key
        self.merges_input = merges_input
        self.flat = flat

    def format(self, event: str, response: "dict[str, Any]", payload: "dict[str, Any]") -> "Reply":
        """``response`` in the host's words, and what the host makes of it; nothing at all where nothing is asked for
        or can be said."""
        if event not in self.events:
            return without_event(self.name, event, response)
        wish = Wish(response)
        draft = Draft(event, self.events[event], wish)
        if wish.decision == "deny":
            context_is_told = _deny(self, draft, wish)
        else:
            context_is_told = False
            _decide(self, draft, wish, payload)
        if wish.context and not context_is_told:
            _add_context(self, draft, wish.context, payload)
        if wish.output is not None:
            _replace_output(self, draft, wish.output, payload)
        return draft.reply(flat=self.flat)


class Draft:
    """A reply in the making: top-level keys, those inside ``hookSpecificOutput``, and what becomes of the wish.

    ``native`` is the event's name in the host.
    """

    __slots__ = ("event", "native", "outcome", "plain", "specific", "top")

    def __init__(self, event: str, native: str, wish: "Wish") -> None:
        self.event = event
        self.native = native
        self.plain = ""
        self.top: dict[str, Any] = {}
        self.specific: dict[str, Any] = {}
        self.outcome = Outcome(wish)

    def reply(self, *, flat: bool) -> "Reply":
        body = dict(self.top)
        if flat:
            body.update(self.specific)
        elif self.specific:
            # Without its event's name the host voids the reply.
            body["hookSpecificOutput"] = {"hookEventName": self.native, **self.specific}
        return self.outcome.reply(dumps(body) if body else self.plain)


def _permission(draft: "Draft", decision: str, text: str) -> None:
    draft.specific["permissionDecision"] = decision
    draft.specific["permissionDecisionReason"] = text


def _behavior(draft: "Draft", decision: str, text: str) -> None:
    draft.specific["decision"] = {"behavior": decision, "message": text}


def _block(draft: "Draft", _decision: str, text: str) -> None:
    draft.top["decision"] = "block"
    draft.top["reason"] = text


def _top_deny(draft: "Draft", _decision: str, text: str) -> None:
    draft.top["decision"] = "deny"
    draft.top["reason"] = text


def _spoken(draft: "Draft", decision: str, text: str) -> None:
    draft.top["decision"] = decision
    draft.top["reason"] = text


def _stop(draft: "Draft", _decision: str, text: str) -> None:
    draft.top["continue"] = False
    draft.top["stopReason"] = text


def _context(draft: "Draft", _decision: str, text: str) -> None:
    draft.specific["additionalContext"] = text


def _inner_block(draft: "Draft", _decision: str, text: str) -> None:
    draft.specific["decision"] = "block"
    draft.specific["reason"] = text


def _block_twice(draft: "Draft", decision: str, text: str) -> None:
    _block(draft, decision, text)
    _inner_block(draft, decision, text)


WAYS = {
    "permission": _permission,
    "behavior": _behavior,
    "block": _block,
    "inner block": _inner_block,
    "block twice": _block_twice,
    "deny": _top_deny,
    "spoken": _spoken,
    "stop": _stop,
    "context": _context,
}


def _deny(dialect: "Dialect", draft: "Draft", wish: "Wish") -> bool:
    """Whether the wish's context went along."""
    way, note = dialect.deny.get(draft.event, ("", ""))
    if not way:
        draft.outcome.refused(note or f"{dialect.name} lets nothing be stopped at {draft.event}")
        return False
    WAYS[way](draft, "deny", wish.refusal)
    if way == "context":
        draft.outcome.degraded(note)
    else:
        draft.outcome.honored(note)
    return True


def _decide(dialect: "Dialect", draft: "Draft", wish: "Wish", payload: "dict[str, Any]") -> None:
    if draft.event == "PermissionRequest":
        _answer_dialog(dialect, draft, wish)
    elif wish.decision == "ask":
        _ask(dialect, draft, wish)
    if draft.event != "PermissionRequest" and wish.updated_input is not None:
        _modify(dialect, draft, wish, payload)


def _ask(dialect: "Dialect", draft: "Draft", wish: "Wish") -> None:
    way, note = dialect.ask.get(draft.event, ("", f"{dialect.name} cannot ask at {draft.event}"))
    if way:
        WAYS[way](draft, "ask", wish.reason or NO_REASON_ASKING)
        draft.outcome.honored(note)
    else:
        draft.outcome.refused(note)


def _modify(dialect: "Dialect", draft: "Draft", wish: "Wish", payload: "dict[str, Any]") -> None:
    if draft.event != "PreToolUse":
        draft.outcome.refused(f"there is no input to change at {draft.event}")
    elif wish.decision == "ask":
        draft.outcome.lost("a call is asked about with the input it came with")
    elif isinstance(dialect.modify, str):
        draft.outcome.refused(dialect.modify)
    else:
        # An allow here is no grant: what it is rendered as leaves the host's own permission flow as it is.
        beside, note = dialect.modify
        updated_input = wish.updated_input or {}
        draft.specific.update({**beside, dialect.input_key: updated_input})
        given = payload.get("tool_input")
        before: dict[str, Any] = given if dialect.merges_input and isinstance(given, dict) else {}
        stay = [key for key in before if key not in updated_input]
        if not stay:
            draft.outcome.honored(note)
        elif all(key in before and before[key] == value for key, value in updated_input.items()):
            draft.outcome.refused(f"{dialect.name} takes no field out of an input: {', '.join(stay)}")
        else:
            draft.outcome.degraded(f"{dialect.name} leaves these fields of the input as they were: {', '.join(stay)}")


def _answer_dialog(dialect: "Dialect", draft: "Draft", wish: "Wish") -> None:
    """Only an explicit allow grants. Every other answer leaves the host's own dialog to the person."""
    if wish.decision == "ask":
        draft.outcome.honored(f"{dialect.name}'s own dialog asks")
    if wish.decision == "allow" and (wish.unclear or wish.output is not None):
        # Response.output says allow too, and means no grant.
        draft.outcome.refused("an answer that is not about this request in full grants nothing")
    elif wish.decision == "allow" and wish.updated_input is not None and not dialect.grant_takes_input:
        draft.outcome.refused(f"{dialect.name} cannot grant a changed input, and what it came with was not granted")
    elif wish.decision == "allow":
        grant: dict[str, Any] = {"behavior": "allow"}
        if wish.updated_input is not None:
            grant["updatedInput"] = wish.updated_input
        draft.specific["decision"] = grant
        draft.outcome.honored()
    elif wish.updated_input is not None:
        draft.outcome.refused(
            f"{dialect.name} changes the input of a call only before it asks (PreToolUse), not without a grant here"
        )


def _add_context(dialect: "Dialect", draft: "Draft", context: str, payload: "dict[str, Any]") -> None:
    why_not = dialect.lost_context(draft.event, payload) if dialect.lost_context else ""
    if draft.event in dialect.plain_context:
        # Text that begins like JSON would be taken for it.
        text = f"Note: {context}" if context.lstrip().startswith("{") else context
        draft.plain = text.encode("utf-8", "replace").decode("utf-8")
        draft.outcome.degraded(dialect.plain_context[draft.event])
    elif draft.event not in dialect.context:
        draft.outcome.lost(f"{dialect.name} gives the model no context at {draft.event}")
    elif why_not:
        draft.outcome.lost(why_not)
    else:
        draft.specific["additionalContext"] = context
        draft.outcome.honored(dialect.context_notes.get(draft.event, ""))


def _replace_output(dialect: "Dialect", draft: "Draft", output: str, payload: "dict[str, Any]") -> None:
    if draft.event != "PostToolUse":
        draft.outcome.lost(f"there is no output to replace at {draft.event}")
    elif isinstance(dialect.output, str):
        draft.outcome.lost(dialect.output)
    else:
        dialect.output(draft, output, payload)


def output_as_reason(draft: "Draft", way: str, output: str, become: "Callable[[str], None]", note: str) -> None:
    """Another output of a tool where nothing but the reason of a deny takes its place. ``way``: how it is said;
    ``become``: what of the outcome it is."""
    if "decision" not in draft.top:  # a deny's reason stands there already, and the output the tool gave is gone
        WAYS[way](draft, "deny", output)
        become(note)


def claude_code_like(
    name: str,
    events: "dict[str, str]",
    *,
    output: "Callable[[Draft, str, dict[str, Any]], None] | str",
    modify: "tuple[dict[str, Any], str] | str" = ({}, ""),
    context: "tuple[str, ...]" = (
        *("SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PostToolUseFailure"),
        *("Stop", "SubagentStart", "SubagentStop"),
    ),
    summary: str = "it guides the summary",
) -> "Dialect":
    """The dialect as Claude Code speaks it, of that host and of those that began as it."""
    return Dialect(
        name,
        events,
        deny={
            "PreToolUse": ("permission", ""),
            "PermissionRequest": ("behavior", ""),
            "UserPromptSubmit": ("block", ""),
            "PostToolUse": ("block", "the tool has run: the model gets the reason beside the output"),
            "Stop": ("block", "the turn goes on with the reason"),
            "SubagentStop": ("block", "the subagent goes on with the reason"),
            "PreCompact": ("block", "the conversation stays as it is"),
            "PostToolUseFailure": ("context", "nothing is left to stop: the model gets the reason as context"),
            "SubagentStart": ("context", "a start cannot be stopped: the subagent gets the reason as context"),
            "SessionStart": ("", f"{name} starts whatever a hook says"),
        },
        ask={"PreToolUse": ("permission", "with -p, where nobody can be asked, the call is denied with the reason")},
        modify=modify,
        context=context,
        lost_context=_once_at_an_end,
        context_notes={"Stop": "the turn goes on with it", "SubagentStop": "the subagent goes on with it"},
        plain_context={"PreCompact": summary},
        output=output,
        grant_takes_input=True,
    )


def _once_at_an_end(event: str, payload: "dict[str, Any]") -> str:
    if event in ("Stop", "SubagentStop") and payload.get("stop_hook_active") is True:
        # Context makes the model go on here, so saying it each time would never end.
        return f"context at {event} makes the model go on, so it is given once"
    return ""

"""What a response asks for, and how much of it a host grants. Loaded in every hook process."""

from agent_connector.runtime.reply import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from agent_connector.runtime.reply import Verdict

DECISIONS = ("allow", "deny", "modify", "context", "ask")
NO_REASON = "A hook denied this and gave no reason."
NO_REASON_ASKING = "A hook asks for confirmation."
NO_OUTPUT = "(a hook removed this output)"


class Wish:
    """The parts of a response, each of the right type or absent (``""``, ``None``).

    Where no decision is said, ``updated_input`` means modify. ``unclear`` tells what cannot be understood;
    ``undecided`` that the decision is among it.
    """

    __slots__ = ("context", "decision", "output", "reason", "unclear", "undecided", "updated_input")

    def __init__(self, response: "dict[str, Any]") -> None:
        self.unclear: list[str] = []
        self.decision = self._text(response, "decision")
        self.reason = self._text(response, "reason")
        self.context = self._text(response, "additional_context")
        self.updated_input = self._object(response, "updated_input")
        output = response.get("updated_output")
        self.output: str | None = None
        if output is not None:
            # An empty text block is an error to some models' interfaces.
            self.output = self._text(response, "updated_output") or NO_OUTPUT
        fault = self._fault()
        self.undecided = bool(fault) or not isinstance(response.get("decision", ""), str | None)
        if fault:
            self.unclear.append(fault)
        elif not self.decision and self.updated_input is not None:
            self.decision = "modify"

    def _text(self, response: "dict[str, Any]", name: str) -> str:
        value = response.get(name)
        if value is None:
            return ""
        if not isinstance(value, str):
            self.unclear.append(f"{name} is no text")
            return ""
        return value if value.strip() else ""

    def _object(self, response: "dict[str, Any]", name: str) -> "dict[str, Any] | None":
        value = response.get(name)
        if value is not None and not isinstance(value, dict):
            self.unclear.append(f"{name} is no object")
        return value if isinstance(value, dict) else None

    def _fault(self) -> str:
        """Why the decision cannot be carried out as it stands, or ``""``."""
        if self.decision and self.decision not in DECISIONS:
            return f"no decision is called {self.decision!r}"
        if self.decision == "modify" and self.updated_input is None:
            return "modify without updated_input changes nothing"
        if self.decision == "context" and not self.context:
            return "context without additional_context says nothing"
        said = (self.decision, self.context, self.output, self.updated_input)
        if self.reason and said == ("", "", None, None):
            return "a reason without a decision says nothing"
        return ""

    @property
    def is_no_opinion(self) -> bool:
        asked = (self.context, self.output, self.updated_input, self.unclear)
        return self.decision in ("", "allow") and asked == ("", None, None, [])

    @property
    def refusal(self) -> str:
        """What a deny says. Context goes along: some hosts deliver nothing else beside a deny."""
        return "\n\n".join([self.reason or NO_REASON, *([self.context] if self.context else [])])


def without_event(host: str, event: str, response: "dict[str, Any]", neutral: str = "") -> "Reply":
    """What ``host`` is told at an event it does not have: nothing, which is all a no opinion wants."""
    wish = Wish(response)
    outcome = Outcome(wish)
    if not wish.is_no_opinion:
        outcome.refused(f"{host} has no {event}")
    return outcome.reply(neutral)


class Outcome:
    """What becomes of each part of a wish; together they are the verdict."""

    __slots__ = ("_done", "_lost", "_notes", "_refused", "_weaker")

    def __init__(self, wish: "Wish") -> None:
        self._done = self._weaker = False
        self._lost = bool(wish.unclear)
        self._refused = wish.undecided
        self._notes = list(wish.unclear)

    def honored(self, note: str = "") -> None:
        self._done = True
        self._note(note)

    def degraded(self, note: str) -> None:
        self._weaker = True
        self._note(note)

    def lost(self, note: str) -> None:
        """A part beside the decision does not happen."""
        self._lost = True
        self._note(note)

    def refused(self, note: str) -> None:
        """The decision itself does not happen: whatever else arrives, the verdict is "dropped"."""
        self._refused = True
        self._note(note)

    def _note(self, note: str) -> None:
        if note:
            self._notes.append(note)

    def reply(self, stdout: str) -> "Reply":
        return Reply(stdout, verdict=self._verdict(), why="; ".join(self._notes))

    def _verdict(self) -> "Verdict":
        if self._refused or (self._lost and not (self._done or self._weaker)):
            return "dropped"
        return "degraded" if self._lost or self._weaker else "honored"

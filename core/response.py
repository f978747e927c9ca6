"""What a hook handler answers. Loaded in every hook process, so it stands on built-ins alone."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

    Decision = Literal["allow", "deny", "modify", "context", "ask"]

RESPONSE_FIELDS = ("decision", "reason", "updated_input", "additional_context", "updated_output")
DECISIONS = ("allow", "deny", "modify", "context", "ask")


class Response:
    """A normalized answer; each host's adapter says it in the host's own words and drops what the host cannot do.

    A field that is ``None`` is not said at all. Returning ``None`` from a handler means "no opinion".
    """

    __slots__ = RESPONSE_FIELDS

    def __init__(
        self,
        decision: Decision | None = None,
        *,
        reason: str | None = None,
        updated_input: dict[str, Any] | None = None,
        additional_context: str | None = None,
        updated_output: str | None = None,
    ) -> None:
        self.decision = decision
        self.reason = reason
        self.updated_input = updated_input
        self.additional_context = additional_context
        self.updated_output = updated_output

    @classmethod
    def allow(cls, reason: str | None = None) -> Response:
        """No objection. Only on PermissionRequest is this a grant that spares the user the host's dialog."""
        return cls("allow", reason=reason)

    @classmethod
    def deny(cls, reason: str) -> Response:
        """Stop the tool call or action; ``reason`` is shown to the model or the user."""
        return cls("deny", reason=reason)

    @classmethod
    def ask(cls, reason: str) -> Response:
        """Let the user decide; ``reason`` is what the host's dialog says."""
        return cls("ask", reason=reason)

    @classmethod
    def modify(cls, updated_input: dict[str, Any], reason: str | None = None) -> Response:
        """Run the tool with ``updated_input`` instead (PreToolUse, PermissionRequest)."""
        return cls("modify", reason=reason, updated_input=updated_input)

    @classmethod
    def context(cls, additional_context: str) -> Response:
        """Give the model something to know."""
        return cls("context", additional_context=additional_context)

    @classmethod
    def output(cls, updated_output: str) -> Response:
        """Replace what the tool answered (PostToolUse, where the host can)."""
        return cls("allow", updated_output=updated_output)

    def to_dict(self) -> dict[str, Any]:
        """The fields that are said, by name."""
        said = {name: getattr(self, name) for name in RESPONSE_FIELDS}
        return {name: value for name, value in said.items() if value is not None}

    def __eq__(self, other: object) -> bool:
        return self.to_dict() == other.to_dict() if isinstance(other, Response) else NotImplemented

    def __hash__(self) -> int:
        return hash((self.decision, self.reason, self.additional_context, self.updated_output))

    def __repr__(self) -> str:
        return f"Response({', '.join(f'{name}={value!r}' for name, value in self.to_dict().items())})"

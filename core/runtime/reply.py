"""What a hook process hands to the host. Loaded on every tool call, so it stands on built-ins alone."""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    Verdict = Literal["honored", "degraded", "dropped"]


class Reply:
    """A response in a host's own words, and what the host makes of it.

    ``honored``: everything asked for takes effect; ``degraded``: something of it does, or in a weaker form;
    ``dropped``: what was decided does not happen. ``why`` says what a person should know of it; ``""`` where there is
    nothing to say. Conditions under which the host runs the hook at all are not part of it.
    """

    __slots__ = ("exit_code", "stderr", "stdout", "verdict", "why")

    def __init__(
        self, stdout: str, stderr: str = "", exit_code: int = 0, verdict: "Verdict" = "honored", why: str = ""
    ) -> None:
        self.stdout = stdout
        self.stderr = stderr
        self.exit_code = exit_code
        self.verdict = verdict
        self.why = why

    def __repr__(self) -> str:
        said = ", ".join(f"{name}={getattr(self, name)!r}" for name in self.__slots__ if getattr(self, name))
        return f"Reply({said})"

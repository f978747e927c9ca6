"""What is asked of a connector's code by its place in the definition: the text of a status line, an action.

An errand is to :mod:`.author` and :mod:`.programs` what a dispatch is: who asks, where the code stands, what went
wrong. Light: every statusline process loads this.
"""

from __future__ import annotations

from .jsontext import dumps
from .process import write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal

    from .host_context import HostCtx

    Kind = Literal["statusline", "action"]


class Errand:
    """One call. ``give_up`` is called when an author's code ignores that its time is up; it must end the process."""

    __slots__ = (
        "caller",
        "connector",
        "data_root",
        "event",
        "faults",
        "give_up",
        "kind",
        "live",
        "output",
        "record",
        "started",
    )

    def __init__(
        self,
        kind: Kind,
        host: str,
        connector: str,
        data_root: str,
        *,
        give_up: Callable[[], object] = lambda: None,
    ) -> None:
        self.kind: Kind = kind
        self.event = kind
        self.caller = host
        self.connector = connector
        self.data_root = data_root
        self.give_up = give_up
        self.record: dict[str, Any] | None = None
        self.faults: list[tuple[str, str]] = []
        """(word, where): what went wrong, for the log."""
        self.output = -1
        """Where handlers' output goes, once there is a handler that may print."""
        self.started: float | None = None
        self.live: Any = None
        """As of a dispatch: what stands in for a process of our own in an author's tests."""

    def mark(self, index: int, *, broken: bool) -> None:
        """Nothing is guarded by these, so no session is told that one cannot be started."""

    def handed(self, fields: dict[str, Any]) -> HostCtx:
        """What a Python handler is called with."""
        from .host_context import HostCtx, StatuslineContext

        made = StatuslineContext if self.kind == "statusline" else HostCtx
        return made(fields, self.data_root)


def answer_to(errand: Errand, entry: dict[str, Any], fields: dict[str, Any]) -> Any:
    """What the entry's function returns, or what its program prints. ``fields``: of the context, as JSON values.

    Raises what :func:`.author.answer_of` raises.
    """
    from .author import EndedError, log_of, python_answer

    if entry["kind"] == "python":
        return python_answer(errand, entry, 0, fields)
    from .host_context import context_json
    from .programs import run_entry

    done = run_entry(errand, entry, 0, dumps(context_json(errand.handed(fields))).encode())
    text = done.stdout.decode("utf-8", "replace")
    if done.code:
        write(log_of(errand), text)  # it may say why
        raise EndedError(f"ended with {done.code}")
    return text

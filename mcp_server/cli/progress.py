"""How far a long operation is, on a terminal's standard error; a script sees nothing of it."""

from __future__ import annotations

import sys
from collections.abc import Callable

from .terminal import visible


def progress() -> Callable[[int, int, str], None] | None:
    """A reporter for :class:`~agent_connector.operations.context.Context`; ``None`` where nobody watches."""
    stream = sys.stderr
    if stream is None or stream.closed or not stream.isatty():
        return None

    def show(done: int, total: int, message: str) -> None:
        # One line that overwrites itself and is gone when the report comes.
        text = "" if done >= total else f"[{done + 1}/{total}] {visible(message)}"[:78]
        stream.write(f"\r\x1b[K{text}")
        stream.flush()

    return show

"""What a person gives as a hook's input."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from agent_connector.errors import UsageError

if TYPE_CHECKING:
    from agent_connector.operations.context import Context


def payload(given: str, context: Context) -> bytes | None:
    """Bytes as they are: of standard input (``-``), of a file, or JSON in place; ``None`` where nothing was given.

    Raises :class:`UsageError` for a file that cannot be read.
    """
    if not given:
        return None
    if given == "-":
        return sys.stdin.buffer.read()
    if given.lstrip().startswith(("{", "[")):
        return given.encode("utf-8", "surrogateescape")
    try:
        return Path(context.machine.path(given)).read_bytes()
    except OSError as error:
        hint = "Give a file, - for standard input, or a JSON object in quotes."
        raise UsageError(f"the input {given} cannot be read: {error.strerror or error}", hint=hint) from error

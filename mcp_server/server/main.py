"""``agent-connector mcp``: the MCP server on standard input and output."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Sequence


def run(argv: Sequence[str] = ()) -> int:
    """Serve until the client goes away; the exit code. It takes no arguments."""
    if argv:
        sys.stderr.write(f"agent-connector mcp takes no arguments: {' '.join(argv)}\n")
        return 2
    from agent_connector.machine import Machine

    from ..version import VERSION
    from .app import build
    from .desk import Desk

    server = build(Desk(Machine.current(), VERSION))
    try:
        server.run("stdio")
    except KeyboardInterrupt:
        return 130
    except BaseExceptionGroup as group:
        if group.subgroup(KeyboardInterrupt) is not None:
            return 130
        if group.subgroup(lambda error: not isinstance(error, OSError | BaseExceptionGroup)) is not None:
            raise
        # The client went away in the middle of an answer.
    finally:
        _keep_wire_clean()
    return 0


def _keep_wire_clean() -> None:
    """While it serves, the transport has the wire to itself and standard output leads to standard error; then it
    puts the wire back. Whatever others left in a buffer must not reach it when the interpreter ends."""
    import os

    with contextlib.suppress(OSError):
        os.dup2(2, 1)

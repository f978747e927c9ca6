"""``agent-connector mcp``: the MCP server on standard input and output."""

from __future__ import annotations

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

    server = build(Desk(Machine.current(), VERSION), on_start=_keep_wire_clean)
    try:
        server.run("stdio")
    except KeyboardInterrupt:
        return 130
    except BaseExceptionGroup as group:
        if group.subgroup(lambda error: not isinstance(error, OSError | BaseExceptionGroup)) is not None:
            raise
        # The client went away in the middle of an answer.
    return 0


def _keep_wire_clean() -> None:
    """The transport writes to its own copy of standard output. What anything else prints goes to standard error, also
    what would otherwise stay in the buffer until the descriptor is the wire again."""
    sys.stdout = sys.stderr

"""The ``agent-connector`` command: decides who answers, before anything heavy is loaded.

What hosts start (a hook runs on every tool call) is handed its arguments untouched, before the command line's own
library is imported.
"""

from __future__ import annotations

import sys

STARTED_BY_HOSTS = {
    "hook": "agent_connector.runtime.hook",
    "serve": "agent_connector.runtime.serve",
    "statusline": "agent_connector.runtime.statusline",
    "action": "agent_connector.runtime.action",
}
"""Verb -> module whose ``main(arguments)`` answers; ``arguments`` is what follows the verb."""


def main(argv: list[str] | None = None) -> int:
    """Run the command line; the exit code is 0 done, 1 something could not be done, 2 not understood."""
    arguments = sys.argv[1:] if argv is None else argv
    first = arguments[0] if arguments else ""
    if first in STARTED_BY_HOSTS:
        # ``__import__`` instead of importlib: hosts start this on every tool call.
        module = __import__(STARTED_BY_HOSTS[first], fromlist=["main"])
        return int(module.main(arguments[1:]))
    if arguments == ["mcp"]:
        from .server.main import run as serve

        return serve()
    if arguments in (["--version"], ["-v"]):
        from .version import VERSION

        print(f"agent-connector {VERSION}")  # noqa: T201
        return 0
    from .cli.program import run

    return run(arguments)


if __name__ == "__main__":
    sys.exit(main())

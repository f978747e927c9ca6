"""The ``agent-connector`` command: decides who answers, before anything heavy is loaded.

What hosts start (a hook runs on every tool call) is handed its arguments untouched, before the command line's own
library is imported.
"""

from __future__ import annotations

import sys

STARTED_BY_HOSTS = ("hook", "serve", "statusline", "action", "usage-event")
"""Usually the home launcher starts these itself; here for whoever calls them through an installed package."""


def main(argv: list[str] | None = None) -> int:
    """Run the command line; the exit code is 0 done, 1 something could not be done, 2 not understood."""
    arguments = sys.argv[1:] if argv is None else argv
    if arguments and arguments[0] in STARTED_BY_HOSTS:
        return _started_by_host(arguments)
    if arguments == ["mcp"]:
        from .server.main import run as serve

        return serve()
    if arguments in (["--version"], ["-v"]):
        from .cli.terminal import say
        from .version import VERSION

        say([f"agent-connector {VERSION}"])
        return 0
    # A short life: collecting garbage while modules load, and once more at the end, costs a fifth of it and finds
    # nothing.
    import gc

    gc.disable()
    from .cli.program import run

    exit_code = run(arguments)
    gc.freeze()
    return exit_code


def _started_by_host(arguments: list[str]) -> int:
    """``arguments`` untouched behind the script's name, from which these entries derive the data root."""
    from agent_connector.machine import Machine

    from .version import VERSION

    verb = arguments[0]
    script = f"{Machine.current().data_root}/runtime/{VERSION}/entry/{verb}.py"
    entry = __import__(f"agent_connector.runtime.{verb.replace('-', '_')}", fromlist=["main"])
    last_resort = ((),) if verb == "hook" else ()
    return int(entry.main([script, *arguments], *last_resort) or 0)


if __name__ == "__main__":
    sys.exit(main())

"""Runs a command line: finds the verb, hands it what was given, turns whatever happens into an exit code."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from agent_connector.errors import UsageError
from agent_connector.machine import Machine

from ..composition import context
from ..version import VERSION
from .commandline import Program, Verb
from .failures import guarded
from .progress import progress
from .terminal import columns, say, say_aside
from .verbs import ALL

if TYPE_CHECKING:
    from agent_connector.operations.context import Context

ABOUT = (
    "One connector, every AI coding agent: MCP servers, hooks, commands, skills and memory\n"
    "installed into each agent's own dialect, reversibly."
)


def agent_connector(context: Context) -> Program:
    return Program("agent-connector", VERSION, ABOUT, ALL, context)


def run(arguments: Sequence[str]) -> int:
    """The ``agent-connector`` command line."""
    return start(agent_connector, arguments, "agent-connector")


def start(make: Callable[[Context], Program], arguments: Sequence[str], name: str) -> int:
    """Run the command line that ``make`` gives on this machine."""
    try:
        machine = Machine.current()
    except FileNotFoundError:
        say_aside([f"{name}: the folder you are in no longer exists", "  hint: cd to another one"])
        return 1
    return execute(make(context(machine, progress())), arguments)


def execute(program: Program, arguments: Sequence[str]) -> int:
    """Run ``program``; nothing is raised."""
    first = arguments[0] if arguments else ""
    verb = _verb(program, first)
    return guarded(
        lambda: _execute(program, verb, list(arguments)),
        program=program.name,
        operation=verb.name if verb else "",
        as_json="--json" in arguments,
        machine=program.context.machine,
    )


def _execute(program: Program, verb: Verb | None, arguments: list[str]) -> int:
    first, *rest = arguments or ["--help"]
    if first in ("--version", "-v"):
        say([f"{program.name} {program.version}"])
        return 0
    if first == "help" and rest:
        return _execute(program, _verb(program, rest[0]), [rest[0], "--help"])
    if first in ("--help", "-h", "help"):
        say(overview(program))
        return 0
    if verb is None:
        raise _unknown_verb(program, first)
    from .options import command

    exit_code = command(verb, program).main(rest, prog_name=f"{program.name} {verb.name}", standalone_mode=False)
    return int(exit_code or 0)


def overview(program: Program) -> list[str]:
    """What ``--help`` says: each verb in one line."""
    return [
        f"Usage: {program.name} VERB [OPTIONS]",
        "",
        program.about,
        "",
        *columns((f"  {verb.name}", verb.summary) for verb in program.verbs),
        "",
        f"`{program.name} VERB --help` says more; `{program.name} --version` shows the version.",
        "Exit codes: 0 done, 1 something could not be done, 2 not understood.",
    ]


def _verb(program: Program, name: str) -> Verb | None:
    return next((verb for verb in program.verbs if name == verb.name or name in verb.aliases), None)


def _unknown_verb(program: Program, name: str) -> UsageError:
    from difflib import get_close_matches

    names = [spelling for verb in program.verbs for spelling in (verb.name, *verb.aliases)]
    if name.startswith("-"):
        return UsageError(f"options come after the verb: {name}", hint=f"see `{program.name} --help`")
    near = get_close_matches(name, names, n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(near)}?" if near else f"the verbs are {', '.join(names)}"
    return UsageError(f"unknown verb: {name}", hint=hint)

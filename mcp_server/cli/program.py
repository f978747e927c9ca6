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
    verb, _ = _verb(program, arguments)
    return guarded(
        lambda: _execute(program, list(arguments)),
        program=program.name,
        operation=verb.name.replace(" ", "_") if verb else "",
        as_json="--json" in arguments,
        machine=program.context.machine,
    )


def _execute(program: Program, arguments: list[str]) -> int:
    first, *rest = arguments or ["--help"]
    if first in ("--version", "-v"):
        say([f"{program.name} {program.version}"])
        return 0
    if first == "help" and rest:
        return _execute(program, [*rest, "--help"])
    if first in ("--help", "-h", "help"):
        say(overview(program))
        return 0
    verb, rest = _verb(program, arguments)
    if verb is None:
        group = [one for one in program.verbs if one.name.startswith(f"{first} ")]
        if group and (len(arguments) == 1 or arguments[1] in ("--help", "-h", "help")):
            say(overview(program, group))
            return 0
        raise _unknown_verb(program, " ".join(arguments[: 2 if group else 1]))
    from .options import command

    exit_code = command(verb, program).main(rest, prog_name=f"{program.name} {verb.name}", standalone_mode=False)
    return int(exit_code or 0)


def overview(program: Program, verbs: Sequence[Verb] = ()) -> list[str]:
    """What ``--help`` says: each verb in one line; ``verbs``: only these."""
    return [
        f"Usage: {program.name} VERB [OPTIONS]",
        "",
        program.about,
        "",
        *columns((f"  {verb.name}", verb.summary) for verb in verbs or program.verbs),
        "",
        f"`{program.name} VERB --help` says more; `{program.name} --version` shows the version.",
        "Exit codes: 0 done, 1 something could not be done, 2 not understood.",
    ]


def _verb(program: Program, arguments: Sequence[str]) -> tuple[Verb | None, list[str]]:
    """The verb, which may be of two words, and what comes after it."""
    for words in (2, 1):
        name = " ".join(arguments[:words])
        for verb in program.verbs:
            if name == verb.name or name in verb.aliases:
                return verb, list(arguments[words:])
    return None, []


def _unknown_verb(program: Program, name: str) -> UsageError:
    from difflib import get_close_matches

    names = [spelling for verb in program.verbs for spelling in (verb.name, *verb.aliases)]
    if name.startswith("-"):
        return UsageError(f"options come after the verb: {name}", hint=f"see `{program.name} --help`")
    near = get_close_matches(name, names, n=3, cutoff=0.6)
    hint = f"did you mean {' or '.join(near)}?" if near else f"the verbs are {', '.join(names)}"
    return UsageError(f"unknown verb: {name}", hint=hint)

"""The options, once each, and the click commands they make up."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import click
from agent_connector.operations import telemetry
from agent_connector.telemetry import words

from .commandline import Program, Verb
from .given import Given
from .terminal import say


def _host_ids(_context: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> tuple[str, ...]:
    """``--targets a,b --targets c`` -> ``("a", "b", "c")``."""
    ids = [part.strip() for value in values for part in value.split(",") if part.strip()]
    if values and not ids:
        raise click.BadParameter("no host was named (an empty list does not mean all hosts)")
    return tuple(dict.fromkeys(ids))


def _flag(name: str, text: str, *more: str) -> Callable[[], click.Parameter]:
    return lambda: click.Option([f"--{name.replace('_', '-')}", *more, name], is_flag=True, help=text)


def _text(name: str, metavar: str, text: str) -> Callable[[], click.Parameter]:
    return lambda: click.Option([f"--{name.replace('_', '-')}", name], metavar=metavar, default="", help=text)


def _choice(flag: str, name: str, choices: Sequence[str], text: str) -> Callable[[], click.Parameter]:
    return lambda: click.Option([f"--{flag}", name], type=click.Choice(list(choices)), help=text)


OPTIONS: dict[str, Callable[[], click.Parameter]] = {
    "reference": lambda: click.Argument(["reference"], metavar="[CONNECTOR]", required=False, default=""),
    "connector": _text("connector", "PATH", "The connector's definition file, or the folder it is in."),
    "connector_id": _text("connector_id", "ID", "The id of an installed connector."),
    "targets": lambda: click.Option(
        ["--targets", "--host", "--platform", "targets"],
        multiple=True,
        metavar="HOSTS",
        callback=_host_ids,
        help="Only these hosts: ids separated by commas, or the option repeated. Default: every host found.",
    ),
    "scope": lambda: click.Option(
        ["--scope", "scope"],
        type=click.Choice(["user", "local", "project"]),
        help="Whose config: yours (user, the default), yours in this project (local), the project's (project).",
    ),
    "project": _text("project", "DIR", "The project's folder. Default: the current one."),
    "dry_run": _flag("dry_run", "Show what would change; write nothing."),
    "force": _flag("force", "Also overwrite what you edited in things of ours (a backup is kept)."),
    "trust": _flag(
        "trust",
        "Trust what is installed, too, in agents that wait for it and offer a stable way (its hooks, the project's "
        "folder). Shown in the plan; uninstalling takes it back.",
    ),
    "strict": _flag("strict", "Exit 1 on any warning."),
    "purge": _flag("purge", "Also forget the connector's record and, with the last one, the launcher."),
    "channel": lambda: click.Option(
        ["--channel", "channel"],
        type=click.Choice(["stable", "latest"]),
        default="stable",
        help="Which release the printed package command names. Default: stable.",
    ),
    "probe": _flag("probe", "Start the connector's server and speak MCP with it."),
    "heal": _flag("heal", "Repair what is ours, then check again."),
    "yes": _flag("yes", "Do not ask.", "-y"),
    "remove": _flag("remove", "Undo it; it does not come back by itself."),
    "host": lambda: click.Option(
        ["--host", "--platform", "host"], required=True, metavar="HOST", help="The host that calls."
    ),
    "event": _text("event", "EVENT", "The event: its shared name, or the host's own."),
    "input": _text(
        "input", "INPUT", "What the host writes: a file, - for standard input, or JSON. Default: a sample."
    ),
    "surface": lambda: click.Option(
        ["--surface", "surface"],
        type=click.Choice(["hooks", "statusline"]),
        default="hooks",
        help="What the host calls. Default: hooks.",
    ),
    "rows_by": _choice("by", "by", words.BY, "What a line stands for. Default: tool."),
    "board_by": _choice("by", "by", telemetry.LEADERBOARD_BY, "What is ranked. Default: mcp."),
    "rows_of": lambda: click.Option(
        ["--connector", "--connector-id", "connector_id"], metavar="ID", default="", help="Only this connector."
    ),
    "rows_in": lambda: click.Option(
        ["--host", "--platform", "host"], metavar="HOST", default="", help="Only this host."
    ),
    "row_scope": _choice(
        "scope", "row_scope", words.ROW_SCOPES, "Which rows: of calls, definitions, hooks or turns. Default: call."
    ),
    "board_scope": _choice("scope", "row_scope", words.ROW_SCOPES[:3], "Only what calls, definitions or hooks cost."),
    "since": _text("since", "SINCE", "From when on: 30s, 15m, 24h, 7d, a date or a moment (UTC). Default: ever."),
    "format": _choice("format", "format", ("json", "csv", "parquet", "otlp"), "Default: json."),
    "out": _text("out", "FILE", "Where to write. Default: standard output."),
    "paths": _flag("paths", "With the folders of projects."),
    "forget_paths": _flag("paths", "Forget the folders of projects, and nothing else."),
    "endpoint": _text("endpoint", "URL", "The collector, for otlp. Default: what OTEL_EXPORTER_OTLP_ENDPOINT says."),
    "json": lambda: click.Option(["--json", "as_json"], is_flag=True, help="Print the versioned JSON report."),
}


def command(verb: Verb, program: Program) -> click.Command:
    """The click command that parses what follows the verb and hands it on; its result is the exit code."""

    def callback(**values: Any) -> int:
        return verb.run(program, Given(**{name: value for name, value in values.items() if value is not None}))

    return click.Command(
        verb.name,
        params=[*(OPTIONS[name]() for name in verb.options), _help()],
        callback=callback,
        help=f"{verb.summary}\n\n{verb.help}",
        add_help_option=False,
        context_settings={"max_content_width": 100},
    )


def _help() -> click.Option:
    """As click's own, but printed our way: a reader may have gone away."""

    def show(context: click.Context, _parameter: click.Parameter, asked: bool) -> None:  # noqa: FBT001  click's shape
        if asked:
            say(context.get_help().split("\n"))
            context.exit()

    return click.Option(
        ["-h", "--help"], is_flag=True, is_eager=True, expose_value=False, callback=show, help="Show this."
    )

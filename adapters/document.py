"""``docs/hosts.md`` from the host descriptions: ``python -m agent_connector.adapters.document > docs/hosts.md``."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath

from agent_connector.host import Catalogue, Host
from agent_connector.location import EVENT, Location, Place
from agent_connector.machine import Machine
from agent_connector.operations.honor import honor_rows
from agent_connector.operations.honor_grid import Grid, grid
from agent_connector.operations.reports import HookVerdict
from agent_connector.vocabulary import Scope

from .catalog import BuiltinCatalogue

_HOME = PurePosixPath("~")
_MACHINE = Machine(os="linux", home=_HOME, cwd=_HOME, env={})
_PROJECT = PurePosixPath("<project>")

INTRODUCTION = """\
# Hosts

Generated from the descriptions in `adapters/` (`python -m agent_connector.adapters.document > docs/hosts.md`).
Paths are those of Linux with nothing set; a variable in brackets moves them.

The tables of events say what a host makes of a hook's answer: ✓ honored, ~ degraded, ✗ dropped; numbers lead to the
notes below. `output` is another output of the tool, `allow` an explicit one.
"""


def hosts_page() -> str:
    """The whole page, as Markdown."""
    catalogue = BuiltinCatalogue()
    lines = [INTRODUCTION]
    for host_id in sorted(catalogue.built_in_ids()):
        lines += _host(catalogue.get(host_id), catalogue)
    return "\n".join(lines)


def _host(host: Host, catalogue: Catalogue) -> Iterator[str]:
    yield f"## {host.name} (`{host.id}`)\n"
    found = [*host.detection.binaries, *(_path(marker) for marker in host.detection.markers)]
    yield f"Found by {_code(found)}. Hooks: {host.paradigm}.{_verify(host)}\n"
    yield "| surface | scope | where |"
    yield "|---|---|---|"
    for surface, places in _surfaces(host):
        for scope, where in places.items():
            yield f"| {surface} | {scope} | {where} |"
    yield ""
    if host.hooks:
        events = ", ".join(
            f"`{event}`" if event == native else f"`{event}` as `{native}`"
            for event, native in host.hooks.events.items()
        )
        yield f"Events: {events}.\n"
        yield from _honored(grid(honor_rows(host.id, catalogue)))
    yield from (f"- {fact}" for fact in host.facts)
    for also in host.also_reads:
        unless = f" unless {also.unless}" if also.unless else ""
        at = f" at {', '.join(sorted(also.scopes))} scope" if also.scopes else ""
        yield f"- Also reads {', '.join(sorted(also.surfaces))} of `{also.host}`{at}{unless}."
    for noted_scope, text in _notes(host):
        yield f"- At {noted_scope} scope: {text}"
    yield from (f"- {text}" for text in _grants(host))
    yield ""


_MARKS: Mapping[HookVerdict, str] = {"honored": "✓", "degraded": "~", "dropped": "✗"}


def _honored(table: Grid) -> Iterator[str]:
    """What the host makes of a hook's answer, event by event."""
    yield f"| event | {' | '.join(table.decisions)} |"
    yield f"|---|{'---|' * len(table.decisions)}"
    for line in table.lines:
        cells = [f"{_MARKS[cell.verdict]}{_number(cell.note)}" for cell in line.cells]
        yield f"| `{line.event}`{_number(line.note)} | {' | '.join(cells)} |"
    yield ""
    yield from (f"{number}. {note}" for number, note in enumerate(table.notes, 1))
    yield ""


def _number(note: int) -> str:
    return f" ({note})" if note else ""


def _surfaces(host: Host) -> Iterator[tuple[str, Mapping[Scope, str]]]:
    if host.server:
        instead = host.server.instead
        yield (
            "server",
            {
                scope: " or ".join(map(_place, instead.get(scope, (place,))))
                for scope, place in host.server.places.items()
            },
        )
    if host.hooks:
        files = {
            scope: " or ".join(_place(file.place) for file in files) for scope, files in host.hooks.files.items()
        }
        yield "hooks", files or {scope: _folder(folder) for scope, folder in _plugin_folders(host)}
    if host.commands:
        note = f" ({host.commands.degraded})" if host.commands.degraded else ""
        yield "commands", {scope: _folder(folder) + note for scope, folder in host.commands.folders.items()}
    if host.skills:
        yield "skills", {scope: _folder(folder) for scope, folder in host.skills.folders.items()}
    if host.subagents:
        yield "subagents", {scope: _folder(folder) for scope, folder in host.subagents.folders.items()}
    if host.memory:
        yield "memory", dict.fromkeys(host.memory.scopes, "the file the host reads, probed at install")
    if host.statusline:
        yield "statusline", {scope: _place(place) for scope, place in host.statusline.places.items()}
    if host.config_patch:
        yield "configPatch", {scope: _place(place) for scope, place in host.config_patch.places.items()}


def _plugin_folders(host: Host) -> list[tuple[Scope, Location]]:
    plugin = host.hooks.plugin if host.hooks else None
    return list(plugin.folders.items()) if plugin else []


def _grants(host: Host) -> Iterator[str]:
    """What ``--trust`` does."""
    trust = host.hooks.trust if host.hooks else None
    if trust is not None and trust.grant is not None:
        yield f"With `--trust`: {host.name} then runs the hooks without a review of yours ({_place(trust.place)})."
    for grant in host.grants:
        scopes = " and ".join(sorted(grant.scopes))
        yield f"With `--trust`, at {scopes} scope: {grant.text} ({_place(grant.place)})."


def _notes(host: Host) -> Iterator[tuple[str, str]]:
    for dialect in (host.server, host.hooks):
        for scope, notes in dialect.notes.items() if dialect else ():
            for note in notes:
                yield scope, f"{note.text}.{f' {note.fix}' if note.fix else ''}"


def _verify(host: Host) -> str:
    return f" See for yourself: `{host.verify}`." if host.verify else ""


def _place(place: Place) -> str:
    keys = ".".join(part.replace(EVENT, "<event>").replace("{", "<").replace("}", ">") for part in place.at)
    at = f" → `{keys}`" if keys else ""
    return f"`{_path(place.location)}`{at}{_moved(place.location)}"


def _folder(location: Location) -> str:
    return f"`{_path(location)}/`{_moved(location)}"


def _path(location: Location) -> str:
    return str(location.resolve(_MACHINE, _PROJECT))


def _moved(location: Location) -> str:
    return f" [`{location.env}`]" if location.env else ""


def _code(words: list[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


if __name__ == "__main__":
    print(hosts_page(), end="")  # noqa: T201 - this is what the command is for

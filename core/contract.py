"""What holds for every host, as checks that a package which adds one can run: see :func:`host_contract`.

Each check works in a home in memory, with the engine that installs on disk; nothing outside is read or written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from .authoring.api import Definition
from .authoring.models import Connector
from .bench import SYSTEMS, Bench, machine_of
from .changes.workfile import structured_format
from .documents.base import same_value
from .documents.opening import open_document
from .errors import AgentConnectorError
from .host import Host
from .machine import Machine, OperatingSystem
from .operations.detect import surface_scopes
from .surfaces.target import strings
from .vocabulary import COMMIT_SHARED, Scope

DEFINITION: dict[str, Any] = {
    "version": "1.2.0",
    "server": {
        "transport": "stdio",
        "command": "npx",
        "args": ["-y", "acme-mcp"],
        "env": {"ACME_MODE": "fast"},
        "timeout_ms": 30_000,
    },
    "hooks": {
        "SessionStart": {"decision": "context", "additional_context": "Schema v12 is loaded."},
        "UserPromptSubmit": {"decision": "context", "additional_context": "Be careful."},
        "PreToolUse": {"matcher": "acme_write", "decision": "deny", "reason": "Read only.", "timeout_ms": 2500},
        "PostToolUse": {"matcher": "acme_write", "command": ["node", "guard.js"]},
        "Stop": {"command": ["node", "guard.js"]},
    },
    "commands": [{"name": "schema", "description": "Show the schema", "prompt": "Show the schema of $ARGUMENTS"}],
    "skills": [{"name": "acme-sql", "description": "Writes SQL when asked for data", "body": "# SQL\n\nUse it."}],
    "subagents": [{"name": "dba", "description": "Tunes queries", "prompt": "You tune queries."}],
    "memory": [{"content": "Acme rows are append-only."}],
    "statusline": {"command": ["echo", "acme"]},
}
"""Something of every surface."""

_BROKEN: Mapping[str, bytes] = {
    "json": b'{"mine": [1, 2,\n',
    "jsonc": b'{"mine": [1, 2,\n',
    "toml": b"mine = [1, 2\n[[broken\n",
    "yaml": b"mine: [1, 2\n  - {\n",
}


@dataclass(frozen=True)
class ContractCheck:
    """One promise at one scope on one system. Calling it raises :class:`AssertionError` where it is not kept."""

    name: str
    host: Host
    scope: Scope
    system: OperatingSystem
    files: Mapping[str, bytes]
    look: Callable[[Home], Iterable[str]]

    def __call__(self) -> None:
        try:
            problems = list(self.look(Home(self.host, self.scope, self.system, self.files)))
        except AgentConnectorError as error:  # a file of the person's that cannot be read, say
            problems = [error.message]
        assert not problems, f"{self}: {'; '.join(problems)}"

    def __str__(self) -> str:
        return f"{self.host.id}-{self.scope}-{self.system}-{self.name}"


def host_contract(host: Host, *, files: Mapping[str, str | bytes] | None = None) -> tuple[ContractCheck, ...]:
    """The checks of a host description, one for each promise, scope and system::

        @pytest.mark.parametrize("check", host_contract(HOST), ids=str)
        def test_the_contract_of_hosts(check):
            check()

    ``files``: configs of a person's own that are there before, also in homes that are empty else, beside those that
    are made up here: path -> content. A path starts with ``~/``, else it is below the project.
    """
    given = {name: text.encode() if isinstance(text, str) else text for name, text in (files or {}).items()}
    scopes = dict.fromkeys(scope for found in surface_scopes(host).values() for scope in found)
    return tuple(
        ContractCheck(name, host, scope, system, given, look)
        for scope in scopes
        for system in SYSTEMS
        for name, look in PROMISES.items()
    )


def check_host(host: Host, *, files: Mapping[str, str | bytes] | None = None) -> None:
    """All checks of :func:`host_contract` in one call. Raises :class:`AssertionError` with everything not kept."""
    problems = []
    for check in host_contract(host, files=files):
        try:
            check()
        except AssertionError as error:
            problems.append(str(error))
    assert not problems, "\n".join(problems)


@cache
def acme() -> Connector:
    """The connector that is installed."""
    return Definition({"id": "acme", **DEFINITION}).resolve()


@cache
def weather() -> Connector:
    """Another's, which has one thing in each list and object; single slots and memory are left to the person."""
    kept = {key: value for key, value in DEFINITION.items() if key not in ("memory", "statusline")}
    named = {
        kind: [{**item, "name": f"weather-{item['name']}"} for item in kept[kind]]
        for kind in ("commands", "skills", "subagents")
    }
    return Definition({"id": "weather", **kept, **named}).resolve()


def with_files(machine: Machine, files: Mapping[str, bytes]) -> Bench:
    """A home with nothing but these in it; their paths are as :func:`host_contract` has them."""
    bench = Bench(machine)
    for name, data in files.items():
        path = machine.path(name.replace("/", "\\") if machine.os == "windows" else name)
        bench.files[str(path)] = data
    return bench


def a_persons_home(host: Host, scope: Scope, machine: Machine, files: Mapping[str, bytes] | None = None) -> Bench:
    """Every file that a connector would write into is there already, with somebody else's things in it."""
    bench = with_files(machine, files or {})
    scratch = Bench(machine, dict(bench.files))
    scratch.install(weather(), host, scope)
    bench.files = scratch.files
    for want in bench.desired(acme(), host, scope).wanted:
        before = bench.files.get(str(want.path))
        if want.format == "text" and before is None:
            bench.files[str(want.path)] = b"# Mine\n\nBe brief."
        elif want.format in ("jsonc", "toml", "yaml") and before and b" mine: " not in before:
            mark = b"//" if want.format == "jsonc" else b"#"
            bench.files[str(want.path)] = mark + b" mine: keep\n" + before
    return bench


class Home:
    """What a check looks at."""

    def __init__(self, host: Host, scope: Scope, system: OperatingSystem, files: Mapping[str, bytes]) -> None:
        self.host = host
        self.scope = scope
        self.machine = machine_of(system, person="Zoë O'Neil")
        self.connector = acme()
        self.files = files

    def empty(self) -> Bench:
        return with_files(self.machine, self.files)

    def lived_in(self) -> Bench:
        return a_persons_home(self.host, self.scope, self.machine, self.files)

    def both(self) -> Iterator[tuple[str, Bench]]:
        yield "an empty home", self.empty()
        yield "a home that is lived in", self.lived_in()


def _plans_are_pure(home: Home) -> Iterator[str]:
    for where, bench in home.both():
        before = dict(bench.files)
        first, second = (bench.plan(home.connector, home.host, home.scope) for _ in range(2))
        if bench.files != before:
            yield f"planning changed files in {where}"
        if first != second:
            yield f"two plans of the same state differ in {where}"


def _installs(home: Home) -> Iterator[str]:
    for where, bench in home.both():
        plan = bench.install(home.connector, home.host, home.scope)
        yield from (f"in {where}: {change.detail}" for change in plan.changes if change.blocking)


def _second_plan_is_empty(home: Home) -> Iterator[str]:
    for where, bench in home.both():
        bench.install(home.connector, home.host, home.scope)
        again = bench.plan(home.connector, home.host, home.scope)
        yield from (f"{edit.path} would be written again in {where}" for edit in again.edits)


def _undo_restores_bytes(home: Home) -> Iterator[str]:
    for where, bench in home.both():
        before = dict(bench.files)
        bench.install(home.connector, home.host, home.scope)
        bench.uninstall(home.connector.id, home.host, home.scope)
        for path in sorted(before.keys() | bench.files.keys()):
            if before.get(path) != bench.files.get(path):
                yield f"{path} is not as it was in {where}: {bench.files.get(path)!r}"
        yield from (f"still remembered in {where}: {row.path} {'.'.join(row.place)}" for row in bench.rows_)


def _foreign_keys_survive(home: Home) -> Iterator[str]:
    bench = home.lived_in()
    before = dict(bench.files)
    plan = bench.install(home.connector, home.host, home.scope)
    formats = {row.path: row.format for edit in plan.edits for row in edit.adds}
    for path, data in before.items():
        now, format_id = bench.files.get(path, b""), formats.get(path)
        if format_id is None or format_id == "file":
            if now != data:
                yield f"{path} is somebody else's and was changed"
        elif format_id == "text":
            if data.strip() not in now:
                yield f"{path} lost text"
        else:
            old, new = (open_document(structured_format(format_id), one).value() for one in (data, now))
            yield from (f"{path} lost {what}" for what in _lost(old, new, ()))


def _lost(old: Any, new: Any, at: tuple[str, ...]) -> Iterator[str]:
    """Places of ``old`` whose values ``new`` does not have any more."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key, value in old.items():
            if key not in new:
                yield ".".join((*at, str(key)))
            else:
                yield from _lost(value, new[key], (*at, str(key)))
    elif isinstance(old, list) and isinstance(new, list):
        rest = iter(new)
        if not all(any(same_value(item, other) for other in rest) for item in old):
            yield f"an element of {'.'.join(at)}, or its order"
    elif not same_value(old, new):
        yield ".".join(at) or "everything"


def _unparsable_is_refused(home: Home) -> Iterator[str]:
    wanted = home.empty().desired(home.connector, home.host, home.scope).wanted
    for path, format_id in {want.path: want.format for want in wanted if want.format in _BROKEN}.items():
        bench = home.empty()
        bench.files[str(path)] = _BROKEN[format_id]
        try:
            plan = bench.plan(home.connector, home.host, home.scope, wanted)
        except Exception as error:  # noqa: BLE001 - whatever an adapter raises, it must not
            yield f"planning raised {type(error).__name__} where {path} does not parse"
            continue
        if plan.failed != {home.host.id}:
            yield f"{path} does not parse and the host does not count as failed"
        yield from (f"{edit.path} would be written though {path} does not parse" for edit in plan.edits)


def _paths_are_below_home_or_project(home: Home) -> Iterator[str]:
    bench = home.empty()
    before = frozenset(bench.files)
    bench.install(home.connector, home.host, home.scope)
    folder = home.machine.cwd if home.scope in COMMIT_SHARED else home.machine.home
    for path in sorted(bench.files.keys() - before):
        if not path.startswith(str(folder)):
            yield f"{path} is not below {folder}"


def _committed_files_hold_no_home(home: Home) -> Iterator[str]:
    if home.scope in COMMIT_SHARED:
        for want in home.empty().desired(home.connector, home.host, home.scope).wanted:
            if any(str(home.machine.home) in text for text in strings(want.value)):
                yield f"{want.path} would carry this person's home folder"


PROMISES: Mapping[str, Callable[[Home], Iterable[str]]] = {
    "installs": _installs,
    "plan-is-pure": _plans_are_pure,
    "second-plan-is-empty": _second_plan_is_empty,
    "undo-restores-bytes": _undo_restores_bytes,
    "foreign-keys-survive": _foreign_keys_survive,
    "unparsable-is-refused": _unparsable_is_refused,
    "paths-are-below-home-or-project": _paths_are_below_home_or_project,
    "committed-files-hold-no-home": _committed_files_hold_no_home,
}

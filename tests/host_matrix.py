"""Every host's files before and after an install, as texts that people can read: ``adapters/matrix/<host>/``.

``before.txt`` is what a person has: ``--- <path>`` lines and content, ``~`` for the home, ``.`` for the project.
``<scope>.txt`` is what stands in each changed file after three connectors are installed, and what is told beside it:
a local server with something of every surface, one that asks for a variable of the environment, and a remote one. For
macOS and Windows only what differs is there: a path, or ``<number>+ <line>`` (``-`` for one that is gone).

``python tests/host_matrix.py [host …]`` writes what is missing and makes each ``<scope>.txt`` anew: read the
difference against what the host's own documentation says before it is committed. A ``before.txt`` is written once, as
plain as can be; put in what people of that host really have.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path, PurePath, PurePosixPath, PureWindowsPath
from typing import Any

from agent_connector.adapters.catalog import CATALOG
from agent_connector.authoring.api import Definition
from agent_connector.authoring.models import Connector
from agent_connector.bench import Bench
from agent_connector.changes.model import Wanted
from agent_connector.changes.workfile import structured_format
from agent_connector.documents.opening import open_document
from agent_connector.documents.proof import prove_append, prove_set
from agent_connector.host import HookSpec, Host, ServerSpec
from agent_connector.machine import Machine, OperatingSystem
from agent_connector.operations.detect import surface_scopes
from agent_connector.vocabulary import Scope

FIXTURES = Path(__file__).parent / "adapters" / "matrix"
SYSTEMS: tuple[OperatingSystem, ...] = ("linux", "macos", "windows")
# The same home on macOS as on Linux, so that only what is really other there is a difference.
_ENV = {"ACME_DSN": "never-in-a-file", "ACME_TOKEN": "never-in-a-file"}
MACHINES = {
    "linux": Machine("linux", PurePosixPath("/home/zoe"), PurePosixPath("/home/zoe/shop"), _ENV),
    "macos": Machine("macos", PurePosixPath("/home/zoe"), PurePosixPath("/home/zoe/shop"), _ENV),
    "windows": Machine("windows", PureWindowsPath("C:\\Users\\zoe"), PureWindowsPath("C:\\Users\\zoe\\shop"), _ENV),
}

ACME: dict[str, Any] = {
    "id": "acme",
    "version": "1.2.0",
    "server": {
        "transport": "stdio",
        "command": "npx",
        "args": ["-y", "acme-mcp"],
        "env": {"ACME_MODE": "fast"},
        "timeout_ms": 30_000,
        "startup_timeout_ms": 10_000,
        "tools": {"exclude": ["acme_drop"]},
    },
    "hooks": {
        "SessionStart": {"decision": "context", "additional_context": "Schema v12 is loaded."},
        "SessionEnd": {"command": ["node", "end.js"], "timeout_ms": 10_000},
        "UserPromptSubmit": {"decision": "context", "additional_context": "Be careful."},
        "PreToolUse": {"matcher": "acme_write", "decision": "deny", "reason": "Read only.", "timeout_ms": 2500},
        "PostToolUse": {"matcher": "acme_write|acme_read", "command": ["node", "guard.js"]},
        "Stop": {"command": ["node", "guard.js"], "timeout_ms": 90_000},
    },
    "commands": [
        {
            "name": "schema",
            "description": "Show the schema: tables, keys",
            "prompt": "Show the schema of $ARGUMENTS",
            "argument_hint": "[table]",
        }
    ],
    "skills": [
        {
            "name": "acme-sql",
            "description": "Writes Acme SQL when asked for data",
            "body": "# SQL\n\nRead types.md.",
            "resources": {"types.md": "Types.\n"},
        }
    ],
    "subagents": [
        {"name": "dba", "description": "Tunes queries", "prompt": "You tune queries.", "tools": {"allow": ["Read"]}}
    ],
    "memory": [{"content": "Acme rows are append-only."}],
    "statusline": {"command": ["echo", "acme"]},
}
WEB: dict[str, Any] = {
    "id": "acme-web",
    "version": "1.2.0",
    "server": {
        "transport": "http",
        "url": "https://mcp.acme.example/v1",
        "headers": {"X-Team": "blue"},
        "auth": {"type": "bearerEnv", "bearer_env_var": "ACME_TOKEN"},
        "timeout_ms": 60_000,
    },
}
ASKING: dict[str, Any] = {
    "id": "acme-dsn",
    "version": "1.2.0",
    "server": {"transport": "stdio", "command": "acme-dsn", "env": {"ACME_DSN": "${env:ACME_DSN}"}},
}
WEATHER = ServerSpec("weather", "stdio", command="npx", args=("-y", "weather-mcp"), env={"UNITS": "metric"})

AGAIN = "python tests/host_matrix.py {host}, and read it against what the host's documentation says"

_HEAD = re.compile(r"^--- (?=[~.]/)", re.MULTILINE)
_NO_END = "\\ no line end here\n"


def connectors(host: Host) -> tuple[Connector, ...]:
    return _connectors(host.id)


@cache
def _connectors(host_id: str) -> tuple[Connector, ...]:
    patched = {**ACME}
    if CATALOG.get(host_id).config_patch:
        patch = {"key": "acme.team", "value": "blue", "reason": "Acme needs its team"}
        patched["platforms"] = {host_id: {"config_patch": [patch]}}
    return tuple(Definition(raw).resolve(known_hosts=CATALOG.ids()) for raw in (patched, ASKING, WEB))


def scopes_of(host: Host) -> tuple[Scope, ...]:
    return tuple(dict.fromkeys(scope for found in surface_scopes(host).values() for scope in found))


# --- a person's own files ----------------------------------------------------------------------------------------


def read_sections(text: str) -> dict[str, str]:
    """Path as it is written in a fixture -> content."""
    sections = {}
    for section in _HEAD.split(text)[1:]:
        name, _, content = section.partition("\n")
        sections[name] = content[: -len(_NO_END) - 1] if content.endswith("\n" + _NO_END) else content
    return sections


def section(name: str, content: str) -> str:
    return f"--- {name}\n{content}" + ("" if content.endswith("\n") else f"\n{_NO_END}")


def lived_in(host: Host, system: OperatingSystem) -> Bench:
    """The home of ``before.txt``, as people of that system have it."""
    machine, linux = MACHINES[system], MACHINES["linux"]
    elsewhere = _moves(host.id, system)
    bench = Bench(machine)
    folders = [(str(linux.cwd), str(machine.cwd)), (str(linux.home), str(machine.home))]
    for name, content in read_sections((FIXTURES / host.id / "before.txt").read_text(encoding="utf-8")).items():
        path = _path(name, linux)
        there = elsewhere.get(path) or _as_on(machine, name)
        for before, after in folders:
            content = content.replace(before, after.replace("\\", "\\\\"))  # as JSON and TOML have it
        bench.files[there] = content.encode()
    return bench


@cache
def _moves(host_id: str, system: OperatingSystem) -> dict[str, str]:
    """Where a file that is written into stands on Linux -> where on that system; in an empty home."""
    host = CATALOG.get(host_id)
    found = {}
    for scope in scopes_of(host):
        both = [Bench(MACHINES[one]).desired(connectors(host)[0], host, scope).wanted for one in ("linux", system)]
        found.update({str(here.path): str(there.path) for here, there in zip(*both, strict=True)})
    return found


def _path(name: str, machine: Machine) -> str:
    return str((machine.home if name.startswith("~") else machine.cwd) / name[2:])


def _as_on(machine: Machine, name: str) -> str:
    text = name[2:].replace("/", "\\") if machine.os == "windows" else name[2:]
    return str(machine.path(f"~/{text}" if name.startswith("~") else text))


def _name(path: str, machine: Machine) -> str:
    """``./a`` below the project, ``~/a`` below the home."""
    pure: PurePath = PureWindowsPath(path) if machine.os == "windows" else PurePosixPath(path)
    for mark, folder in ((".", machine.cwd), ("~", machine.home)):
        if pure.is_relative_to(folder):
            return f"{mark}/{pure.relative_to(folder).as_posix()}"
    return path


# --- what an install makes of them -------------------------------------------------------------------------------


class Installed:
    """The connectors in that home: ``shown`` of the files that changed (path -> content), and what was ``told``."""

    def __init__(self, host: Host, scope: Scope, system: OperatingSystem) -> None:
        self.host, self.scope, self.machine = host, scope, MACHINES[system]
        self.bench = lived_in(host, system)
        self.before = dict(self.bench.files)
        self.told: list[str] = []
        for connector in connectors(host):
            plan = self.bench.install(connector, host, scope)
            desired = self.bench.desired(connector, host, scope)
            told = [
                f"{change.action} {change.surface}: {change.detail}" for change in plan.changes if not change.path
            ]
            told += [
                f"warn {change.surface}: {change.detail}"
                for change in plan.changes
                if change.path and change.action == "warn"
            ]
            told += [f"next: {step}" for step in desired.next_steps]
            self.told += [f".. {line}" for line in told if f".. {line}" not in self.told]
        changed = {path: data.decode() for path, data in self.bench.files.items() if self.before.get(path) != data}
        self.shown = {path: _without_module(host, content) for path, content in changed.items()}

    def undo(self) -> None:
        for connector in reversed(connectors(self.host)):
            self.bench.uninstall(connector.id, self.host, self.scope)


def _without_module(host: Host, content: str) -> str:
    """Of a generated module only what is this connector's: the rest is one source, with tests of its own."""
    plugin = host.hooks.plugin if host.hooks else None
    if plugin is None:
        return content
    source = set(plugin.source().splitlines())
    lines = content.splitlines()
    if len(source & set(lines)) < 50:
        return content
    own = [re.sub(r'"digest": ?"[0-9a-f]+"', '"digest": "…"', line) for line in lines if line not in source]
    return "\n".join([*own, f"(and the lines of {host.id}'s module)", ""])


def fixture_text(installed: Mapping[OperatingSystem, Installed]) -> str:
    """What ``<scope>.txt`` says of them."""
    linux = installed["linux"]
    text = "== linux\n" + "".join(
        section(_name(path, linux.machine), content) for path, content in linux.shown.items()
    )
    text += "".join(f"{line}\n" for line in linux.told)
    for system in SYSTEMS[1:]:
        other = installed[system]
        pairs = zip(linux.shown.items(), other.shown.items(), strict=True)
        text += f"== {system}\n" + "".join(_difference(linux, other, *pair) for pair in pairs)
        text += "".join(f"{line}\n" for line in other.told if line not in linux.told)
    return text


def on_every_system(host: Host, scope: Scope) -> dict[OperatingSystem, Installed]:
    return {system: Installed(host, scope, system) for system in SYSTEMS}


def _difference(linux: Installed, other: Installed, before: tuple[str, str], after: tuple[str, str]) -> str:
    name, there = _name(before[0], linux.machine), _name(after[0], other.machine)
    lines = list(_lines(before[1].splitlines(), after[1].splitlines()))
    if name == there and not lines:
        return ""
    moved = f" is {there}" if name != there else ""
    return "".join(f"{line}\n" for line in (f"--- {name}{moved}", *lines))


def _lines(old: list[str], new: list[str]) -> Iterator[str]:
    for kind, a, b, c, d in difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind == "delete":
            yield from (f"{number + 1}- {old[number]}" for number in range(a, b))
        elif kind != "equal":
            yield from (f"{number + 1}+ {new[number]}" for number in range(c, d))


# --- writing -----------------------------------------------------------------------------------------------------

_BASES = {
    "json": '{\n  "theme": "dark"\n}\n',
    "jsonc": '{\n  // mine\n  "theme": "dark"\n}\n',
    "toml": '# mine\ntheme = "dark"   # at night\n',
    "yaml": "# mine\ntheme: dark   # at night\n",
}


def first_before(host: Host) -> str:
    """A neighbour in each list and object that a connector is put into."""
    files: dict[str, bytes] = {}
    bench = Bench(MACHINES["linux"])
    for scope in scopes_of(host):
        for want in bench.desired(connectors(host)[0], host, scope).wanted:
            path = str(want.path)
            if want.format == "text":
                files.setdefault(path, b"# Mine\n\nBe brief.")
            elif want.format != "file":
                files[path] = _with_neighbour(host, want, files.get(path))
    machine = MACHINES["linux"]
    return "".join(section(_name(path, machine), data.decode()) for path, data in files.items())


def _with_neighbour(host: Host, want: Wanted, data: bytes | None) -> bytes:
    format_id = structured_format(want.format)
    strict = any(
        file.allowed_keys or file.scaffold
        for files in (host.hooks.files.values() if host.hooks else ())
        for file in files
        if file.place.location.resolve(MACHINES["linux"], MACHINES["linux"].cwd) == want.path
    )
    text = data.decode() if data is not None else "{}\n" if strict and "json" in format_id else _BASES[format_id]
    document = open_document(format_id, text.encode())
    if want.kind == "scaffold":
        return prove_set(document, want.place, want.value).document.data
    if want.surface == "server" and want.kind == "entry" and host.server:
        place = tuple(
            part.replace("acme", "weather") if part == "acme" else part.replace("=acme]", "=weather]")
            for part in want.place
        )
        value = host.server.render(WEATHER).value
        if want.place[-1].startswith("["):
            key = want.place[-1][1:].partition("=")[0]
            value = {key: "weather", **value}
        return prove_set(document, place, value).document.data
    natives = host.hooks.events if host.hooks else {}
    if want.kind == "item" and host.hooks and natives.get("PreToolUse") in (want.place[-1], _event_of(host, want)):
        spec = HookSpec("PreToolUse", natives["PreToolUse"], "./lint.sh", timeout_ms=5000)
        return prove_append(document, want.place, host.hooks.item(spec)).document.data
    return document.data


def _event_of(host: Host, want: Wanted) -> str:
    key = host.hooks.event_key if host.hooks else ""
    return want.value.get(key, "") if key and isinstance(want.value, dict) else ""


def write(host: Host) -> None:
    folder = FIXTURES / host.id
    folder.mkdir(parents=True, exist_ok=True)
    before = folder / "before.txt"
    if not before.exists():
        before.write_text(first_before(host), encoding="utf-8", newline="\n")
    for scope in scopes_of(host):
        text = fixture_text(on_every_system(host, scope))
        (folder / f"{scope}.txt").write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    for host_id in sys.argv[1:] or CATALOG.built_in_ids():
        write(CATALOG.get(host_id))

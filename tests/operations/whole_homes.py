"""Generated homes and connectors, and a desk that installs them without building a runtime each time."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from agent_connector.adapters.catalog import BuiltinCatalogue
from agent_connector.changes.ledger import Ledger
from agent_connector.machine import Machine
from agent_connector.operations import launcher
from agent_connector.operations.context import Context
from agent_connector.operations.install import install
from agent_connector.operations.reports import ChangeReport
from agent_connector.operations.requests import ConnectorSource, InstallRequest, UninstallRequest
from agent_connector.operations.uninstall import uninstall
from documents.strategies_json import files as json_files
from documents.strategies_toml import toml_files
from homes import folders, snapshot
from hypothesis import strategies as st

HOSTS = ("claude-code", "codex", "cursor")
HOST_FOLDERS = {"claude-code": (".claude", ".claude.json"), "codex": (".codex",), "cursor": (".cursor",)}

FORMATS = {
    ".claude.json": "json",
    ".claude/settings.json": "json",
    ".claude/CLAUDE.md": "text",
    ".codex/config.toml": "toml",
    ".codex/hooks.json": "json",
    ".codex/AGENTS.md": "text",
    ".codex/AGENTS.override.md": "text",
    ".cursor/mcp.json": "jsonc",
    ".cursor/hooks.json": "jsonc",
    ".cursor/cli-config.json": "json",
}
"""Every file that connectors of user scope edit beside others."""


# --- a desk ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class QuickDesk:
    """The real operations in one home. Tests that use it leave out the launcher (see :func:`without_runtime`)."""

    context: Context

    @property
    def home(self) -> Path:
        return Path(self.context.machine.home)

    def install(self, definition: dict[str, Any], **wishes: Any) -> ChangeReport:
        wishes = {"targets": HOSTS, **wishes}
        return install(InstallRequest(source=ConnectorSource(inline=definition), **wishes), self.context)

    def uninstall(self, connector: str, **wishes: Any) -> ChangeReport:
        return uninstall(UninstallRequest(source=ConnectorSource(id=connector), **wishes), self.context)

    def everything(self) -> tuple[dict[str, tuple[bytes, int]], set[str]]:
        """Every file with its mode, and every folder."""
        return snapshot(self.home), folders(self.home)

    def read(self, name: str) -> bytes | None:
        path = self.home / name
        return path.read_bytes() if path.exists() else None

    def remembered(self) -> tuple[Any, ...]:
        """All that the ledger knows: nothing, once everything is out again."""
        with Ledger.open(self.context.data_root, create=False) as ledger:
            origins = {str(path): ledger.origins(path) for path in (self.home / name for name in FORMATS)}
            known = {path: found for path, found in origins.items() if found}
            return (*ledger.rows(), *ledger.installs(), *ledger.folders(), *known.items())


@contextmanager
def without_runtime() -> Iterator[None]:
    """Launcher and runtime take longer to make than all the rest; nothing here starts them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(launcher, "ensure_launcher", lambda _context: ())
        yield


@contextmanager
def a_home(files: dict[str, tuple[bytes, int]]) -> Iterator[QuickDesk]:
    """A fresh home in memory where the system offers that, with these files (name -> bytes and mode) in it."""
    memory = Path("/dev/shm")
    top = Path(tempfile.mkdtemp(prefix="agent-connector-home-", dir=memory if memory.is_dir() else None))
    try:
        home = top / "Zoë O'Neil $HOME & co"
        project = home / "work"
        project.mkdir(parents=True)
        for name, (data, mode) in files.items():
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
            path.chmod(mode)
        machine = Machine(os="linux", home=home, cwd=project, env={"PATH": "/usr/bin:/bin", "HOME": str(home)})
        yield QuickDesk(Context(machine, BuiltinCatalogue(), "0.1.0"))
    finally:
        shutil.rmtree(top)


# --- homes -----------------------------------------------------------------------------------------------------

LINES = (
    "# Mine",
    "",
    "",
    "Be brief. ✓",
    "\t- a tab",
    "trailing  ",
    "```sh",
    "```",
    "~~~",
    "<!-- a comment -->",
    "<!-- agent-connector: not a marker -->",
    "@AGENTS.md",
    "---",
)


@st.composite
def texts(draw: st.DrawFn) -> bytes:
    lines = draw(st.lists(st.sampled_from(LINES), max_size=6))
    newline = draw(st.sampled_from(("\n", "\n", "\r\n")))
    ending = draw(st.sampled_from(("", newline, newline, newline * 3)))
    mark = draw(st.sampled_from((b"", b"", b"\xef\xbb\xbf")))
    return mark + (newline.join(lines) + ending).encode() + draw(st.sampled_from((b"", b"", b"caf\xe9")))


CONTENTS = {
    "json": json_files(comments=False),
    "jsonc": json_files(comments=True),
    "toml": toml_files(),
    "text": texts(),
}


@st.composite
def homes(draw: st.DrawFn) -> dict[str, tuple[bytes, int]]:
    """Name -> bytes and mode. Most files of most homes are absent."""
    there = draw(st.lists(st.sampled_from(tuple(FORMATS)), unique=True, min_size=1, max_size=5))
    modes = st.sampled_from((0o644, 0o600, 0o640, 0o664))
    return {name: (draw(CONTENTS[FORMATS[name]]), draw(modes)) for name in there}


# --- connectors ------------------------------------------------------------------------------------------------

NASTY = (
    "plain",
    "",
    " two words ",
    "naïve ✓ 😀",
    "a\nb\r\nc",
    "\t",
    "\"'`\\",
    '"""',
    "'''",
    "*/ // # ;",
    "$HOME %PATH% & | > <",
    "${env:ACME_TOKEN:-none}",
    "${env:UNSET}",
    "{env:X}",
    "--token=ghp_0123456789abcdefghij0123456789ab",
    "\u2028\u200b",
    "\x07\x7f",
    "]]>",
    "-",
)
nasty = st.sampled_from(NASTY)
solid = st.sampled_from(tuple(text for text in NASTY if text.strip()))
names = st.sampled_from(("one", "two", "x-9"))
IDS = ("acme-db", "zeta", "a")
CANONICAL = ("SessionStart", "PreToolUse", "Stop", "PostToolUse", "SubagentStart", "Notification")
JSON_VALUES = st.sampled_from(
    (True, None, 0, 1.5, 12345678901234567890, "x ✓", [], {}, ["a", {"b": 1}], {"b": [None]})
)


def some(**fields: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries({}, optional=fields)


stdio = st.builds(
    lambda command, more: {"transport": "stdio", "command": command, **more},
    solid,
    some(
        args=st.lists(nasty, max_size=3),
        env=st.dictionaries(st.sampled_from(("A", "ACME_TOKEN", "ü.ß", "X Y")), nasty, max_size=2),
        cwd=st.sampled_from(("/srv", "sub dir")),
        timeout_ms=st.sampled_from((1, 999, 30000)),
        startup_timeout_ms=st.just(12345),
        enabled=st.booleans(),
        wrap_for_telemetry=st.booleans(),
        tools=some(include=st.just(["a_*"]), exclude=st.just(["b"])),
    ),
)
remote = st.builds(
    lambda transport, more: {"transport": transport, "url": "https://example.com/mcp?x=1#y", **more},
    st.sampled_from(("http", "sse", "ws")),
    some(
        headers=st.dictionaries(st.sampled_from(("X-One", "Authorization")), solid, max_size=2),
        auth=st.sampled_from(({"type": "bearerEnv", "bearer_env_var": "ACME_TOKEN"}, {"type": "oauth"})),
    ),
)
static = st.builds(
    lambda more: {"decision": "context", "additional_context": "Know this.", **more},
    some(matcher=st.sampled_from(("acme_write", "Bash|Edit", r"^mcp__a\b", "*")[:3]), timeout_ms=st.just(5000)),
)
natives = st.lists(st.builds(lambda m: {"command": ["echo", "x"], "matcher": m}, nasty), min_size=1, max_size=2)
patches = st.lists(
    st.builds(
        lambda key, value: {"key": key, "value": value, "reason": "needed"},
        st.sampled_from(("env.ACME_TEAM", "z", "deep.er.key", "a", "mcp.x")),
        JSON_VALUES,
    ),
    max_size=2,
    unique_by=lambda patch: patch["key"],
)


@st.composite
def connectors(draw: st.DrawFn, connector: str = "acme-db") -> dict[str, Any]:
    """A definition as an author writes it, as a dictionary."""
    definition = draw(
        some(
            server=stdio | stdio | remote,
            hooks=st.dictionaries(st.sampled_from(CANONICAL), static, min_size=1, max_size=3),
            commands=st.lists(
                st.builds(lambda n, p, d: {"name": n, "prompt": p, "description": d}, names, solid, nasty),
                max_size=2,
                unique_by=lambda command: command["name"],
            ),
            skills=st.lists(
                st.builds(
                    lambda n, b, r: {"name": n, "description": "Knows it.", "body": b, "resources": r},
                    names,
                    solid,
                    st.dictionaries(st.sampled_from(("a/b.txt", "run.sh")), nasty, max_size=2),
                ),
                max_size=2,
                unique_by=lambda skill: skill["name"],
            ),
            subagents=st.lists(
                st.builds(lambda n, p: {"name": n, "description": p, "prompt": p}, names, solid),
                max_size=1,
            ),
            memory=st.lists(
                st.builds(lambda n, c: {"name": n, "content": c}, names, solid | st.just("```\nopen fence")),
                max_size=2,
                unique_by=lambda entry: entry["name"],
            ),
            statusline=st.just({"command": ["echo", "x"]}),
            platforms=some(
                **{
                    "claude-code": some(
                        config_patch=patches,
                        native_hooks=st.fixed_dictionaries({"WorktreeCreate": natives}),
                        memory=st.just({"mode": "agents-import"}),
                    ),
                    "codex": some(native_hooks=st.fixed_dictionaries({"Interrupt": natives})),
                    "cursor": some(
                        native_hooks=st.fixed_dictionaries(
                            {}, optional={"preToolUse": natives, "afterFileEdit": natives}
                        )
                    ),
                }
            ),
        )
    )
    if not any(said for surface, said in definition.items() if surface != "platforms"):
        definition["server"] = {"transport": "stdio", "command": "run"}
    return {"id": connector, "version": "1.0.0", **definition}

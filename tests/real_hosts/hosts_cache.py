"""Programs from the npm registry, installed once per version into a cache outside the source tree.

The cache is ``$AGENT_CONNECTOR_HOST_CACHE``, or ``~/.cache/agent-connector-tests/hosts``. A folder appears there
only complete and proven (``--version`` ran), so several test processes and an interrupted run cannot harm it.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from filelock import FileLock

INSTALL_SECONDS = 600
VERSION_SECONDS = 60


@dataclass(frozen=True)
class NpmPackage:
    name: str
    version: str
    command: str = ""
    """What the package is called as; empty for a library."""
    executables: tuple[str, ...] = ()
    """Where the command may lie inside ``node_modules``, best first; ``*`` as in glob."""
    node: NpmPackage | None = None
    """The Node it needs, where the one on PATH is too old."""

    @property
    def folder_name(self) -> str:
        return f"{self.name.strip('@').replace('/', '-')}-{self.version}"


_MACHINE = {"x86_64": "x64", "aarch64": "arm64"}.get(platform.machine(), platform.machine())
_SYSTEM = f"{sys.platform}-{_MACHINE}"
"""As npm packages with native programs are called."""

# The platform's native binary is used where the package brings one, so no install script has to run.
NODE_24 = NpmPackage(f"node-{_SYSTEM}", "24.22.3", "node", (f"node-{_SYSTEM}/bin/node",))
CLAUDE_CODE = NpmPackage("@anthropic-ai/claude-code", "2.1.197", "claude", ("@anthropic-ai/claude-code-*/claude",))
CODEX = NpmPackage("@openai/codex", "0.171.0", "codex", ("@openai/codex/bin/codex.js",))
GEMINI_CLI = NpmPackage("@google/gemini-cli", "0.61.0", "gemini", ("@google/gemini-cli/bundle/gemini.js",))
QWEN_CODE = NpmPackage("@qwen-code/qwen-code", "0.24.4", "qwen", ("@qwen-code/qwen-code/cli-entry.js",), node=NODE_24)
DROID = NpmPackage("droid", "0.215.0", "droid", ("@factory/cli-*/bin/droid",))
KIMI = NpmPackage("@moonshot-ai/kimi-code", "2.1.0", "kimi", ("@moonshot-ai/kimi-code/dist/main.mjs",), node=NODE_24)
PI = NpmPackage(
    "@earendil-works/pi-coding-agent", "1.6.0", "pi", ("@earendil-works/pi-coding-agent/dist/cli.js",), node=NODE_24
)
OPENCLAW = NpmPackage("openclaw", "2026.9.6", "openclaw", ("openclaw/openclaw.mjs",), node=NODE_24)
OPENCODE = NpmPackage("opencode-ai", "1.18.33", "opencode", ("opencode-*/bin/opencode",))
COPILOT_CLI = NpmPackage("@github/copilot", "1.0.102", "copilot", ("@github/copilot-*/copilot",))
MCP_TYPESCRIPT = NpmPackage("@modelcontextprotocol/sdk", "1.32.2")
SERVER_EVERYTHING = NpmPackage("@modelcontextprotocol/server-everything", "2026.8.31")
INSPECTOR = NpmPackage(
    "@modelcontextprotocol/inspector",
    "2.12.0",
    "mcp-inspector",
    ("@modelcontextprotocol/inspector/clients/launcher/build/index.js",),
)


class UnavailableError(Exception):
    """The package could not be installed or does not run; the message is the reason."""


def require(package: NpmPackage) -> Path:
    """The package's folder, installed if need be.

    Where CI says so (``CI=true``) a package that cannot be had fails the test; elsewhere, for instance on a
    laptop without network or npm, it skips it and prints why.
    """
    try:
        return installed(package)
    except UnavailableError as problem:
        if os.environ.get("CI") == "true":
            pytest.fail(str(problem), pytrace=False)
        print(f"skipped: {problem}")
        pytest.skip(str(problem))


def installed(package: NpmPackage) -> Path:
    """The folder with ``node_modules/`` and, for a program, ``bin/<command>``. Raises ``UnavailableError``."""
    cache = cache_root()
    cache.mkdir(parents=True, exist_ok=True)
    folder = cache / package.folder_name
    with FileLock(cache / f"{package.folder_name}.lock"):
        if not folder.is_dir():
            _install(package, folder)
    return folder


def cache_root() -> Path:
    named = os.environ.get("AGENT_CONNECTOR_HOST_CACHE")
    return Path(named) if named else Path.home() / ".cache" / "agent-connector-tests" / "hosts"


def node() -> Path:
    """The node on PATH. Raises ``UnavailableError``."""
    found = shutil.which("node")
    if found is None:
        raise UnavailableError("node is not on PATH")
    return Path(found)


def node_for(package: NpmPackage) -> Path:
    """The folder of the node that runs the package."""
    return installed(package.node) / "bin" if package.node else node().parent


def _install(package: NpmPackage, folder: Path) -> None:
    npm = shutil.which("npm")
    if npm is None:
        raise UnavailableError(f"{package.name}: npm is not on PATH")
    building = Path(tempfile.mkdtemp(prefix=f"{package.folder_name}.", dir=folder.parent))
    try:
        # Without a package.json of its own npm would look for one in the folders above.
        (building / "package.json").write_text(json.dumps({"name": "host-cache", "private": True}))
        _run(
            package,
            [npm, "install", "--ignore-scripts", "--no-audit", "--no-fund", f"{package.name}@{package.version}"],
            building,
            INSTALL_SECONDS,
        )
        if package.command:
            _link_command(package, building)
            _prove_version(package, building)
        building.rename(folder)
    finally:
        shutil.rmtree(building, ignore_errors=True)


def _link_command(package: NpmPackage, folder: Path) -> None:
    modules = folder / "node_modules"
    for pattern in package.executables:
        for found in sorted(modules.glob(pattern)):
            (folder / "bin").mkdir()
            (folder / "bin" / package.command).symlink_to(Path("..") / found.relative_to(folder))
            return
    raise UnavailableError(f"{package.name} {package.version} has no executable for this system")


def _prove_version(package: NpmPackage, folder: Path) -> None:
    with tempfile.TemporaryDirectory(prefix="host-home-") as home:
        printed = _run(
            package,
            [str(folder / "bin" / package.command), "--version"],
            Path(home),
            VERSION_SECONDS,
            env={"HOME": home, "PATH": f"{node_for(package)}:/usr/bin:/bin"},
        )
    if package.version not in printed:
        raise UnavailableError(f"{package.name}: expected version {package.version}, it says {printed.strip()!r}")


def _run(
    package: NpmPackage, command: list[str], cwd: Path, seconds: float, env: dict[str, str] | None = None
) -> str:
    try:
        done = subprocess.run(
            command, cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=seconds
        )
    except (OSError, subprocess.TimeoutExpired) as problem:
        raise UnavailableError(f"{package.name} {package.version}: {problem}") from problem
    if done.returncode != 0:
        tail = (done.stderr or done.stdout).strip()[-1500:]
        raise UnavailableError(f"{package.name} {package.version}: {command[0]} exited {done.returncode}: {tail}")
    return done.stdout

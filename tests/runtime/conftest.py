"""An installation like a user's, a home with an awkward name, and the launcher it left there after it was deleted."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import agent_connector
import pytest
from agent_connector.operations.context import Context
from agent_connector.operations.install import install
from agent_connector.operations.reports import ChangeReport
from agent_connector.operations.requests import ConnectorSource, InstallRequest

AWKWARD = 'Zoë O\'Neil $HOME & 100% "x" ^!`'


@dataclass(frozen=True)
class Installation:
    """A virtual environment in which the package and all it needs are installed as files."""

    folder: Path
    python: Path

    def run(self, code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.python, "-I", "-c", code, *map(str, arguments)], capture_output=True, text=True, check=False
        )


REFRESH = """
import os, sys
from pathlib import Path
from agent_connector.runtime.builder import refresh
done = refresh(Path(sys.argv[1]), environment=os.environ)
print(done.runtime.path)
"""


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


def _make_installation(folder: Path) -> Installation:
    venv.create(folder, with_pip=False, symlinks=os.name != "nt")
    variables = {"base": str(folder), "platbase": str(folder)}
    site = Path(sysconfig.get_path("purelib", vars=variables))
    site.rmdir()
    shutil.copytree(
        sysconfig.get_path("purelib"),
        site,
        copy_function=_link,
        ignore=lambda _folder, names: [
            name for name in names if name.startswith(("__editable__", "_pytest", "mypy"))
        ],
    )
    # An editable installation's package stands elsewhere; a wheel's would be here by now.
    shutil.rmtree(site / "agent_connector", ignore_errors=True)
    shutil.copytree(
        Path(agent_connector.__file__).parent, site / "agent_connector", ignore=shutil.ignore_patterns("__pycache__")
    )
    python = Path(sysconfig.get_path("scripts", vars=variables)) / Path(sys.executable).name
    return Installation(folder, python)


@pytest.fixture(scope="session")
def installation(tmp_path_factory: pytest.TempPathFactory) -> Installation:
    return _make_installation(tmp_path_factory.mktemp("installation") / "ve")


@pytest.fixture(scope="session")
def awkward_root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data root in a home with an awkward name, made by an installation that is gone. Tests only read it."""
    gone = _make_installation(tmp_path_factory.mktemp("gone") / "ve")
    root = tmp_path_factory.mktemp("homes") / AWKWARD / ".agent-connector"
    made = gone.run(REFRESH, root)
    assert made.returncode == 0, made.stderr
    shutil.rmtree(gone.folder)
    return root


@pytest.fixture(scope="session")
def launcher(awkward_root: Path) -> Path:
    return awkward_root / "bin" / "agent-connector"


@pytest.fixture(scope="session")
def copy_root() -> Callable[[Path, Path], Path]:
    """Copies a data root for a test of its own; big and unchanging files are shared, the launcher never is."""

    def copy(source: Path, target: Path) -> Path:
        shutil.copytree(source, target, copy_function=_link, ignore=shutil.ignore_patterns("bin"))
        shutil.copytree(source / "bin", target / "bin")
        return target

    return copy


class Run(Protocol):
    def __call__(
        self,
        command: list[object],
        stdin: bytes = b"",
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
    ) -> subprocess.CompletedProcess[bytes]: ...


@pytest.fixture(scope="session")
def run() -> Run:
    """Run to the end, with an environment as bare as hosts give: a search path and nothing else."""

    def run_bare(
        command: list[object],
        stdin: bytes = b"",
        env: dict[str, str] | None = None,
        cwd: Path | None = None,
    ) -> subprocess.CompletedProcess[bytes]:
        bare = {"PATH": os.defpath, **(env or {})}
        return subprocess.run(
            [str(word) for word in command],
            input=stdin,
            capture_output=True,
            check=False,
            env=bare,
            cwd=cwd,
            timeout=60,
        )

    return run_bare


@dataclass(frozen=True)
class InstalledHooks:
    """A connector installed from ``project``, and the launcher that hosts would call for it."""

    root: Path
    project: Path
    connector: str
    report: ChangeReport
    run: Run

    def call(
        self, host: str, event: str, payload: object = None, *flags: str, env: dict[str, str] | None = None
    ) -> subprocess.CompletedProcess[bytes]:
        """What a host hears; ``payload`` is JSON, or bytes as they are."""
        data = payload if isinstance(payload, bytes) else json.dumps({} if payload is None else payload).encode()
        command = [self.root / "bin" / "agent-connector", "hook", host, event, "--connector", self.connector, *flags]
        return self.run(command, data, env=env)

    def said(self, host: str, event: str, payload: object = None, **more: Any) -> Any:
        """The reply's JSON, ``None`` for silence. A hook process never fails and never speaks on standard error."""
        answer = self.call(host, event, payload, **more)
        assert (answer.returncode, answer.stderr) == (0, b"")
        return json.loads(answer.stdout) if answer.stdout else None

    def decision(self, tool: str = "mcp__acme__acme_drop", **more: Any) -> str | None:
        """What Claude Code makes of a tool call."""
        said = self.said("claude-code", "PreToolUse", self.tool_call(tool), **more)
        return said["hookSpecificOutput"].get("permissionDecision") if said else None

    def tool_call(self, tool: str = "mcp__acme__acme_drop", **more: Any) -> dict[str, Any]:
        payload = {"session_id": "s1", "cwd": str(self.project), "hook_event_name": "PreToolUse", "tool_name": tool}
        return {**payload, "tool_input": {"table": "t"}, **more}

    @property
    def record_file(self) -> Path:
        return self.root / "connectors" / self.connector / "hooks.json"

    @property
    def record(self) -> Any:
        return json.loads(self.record_file.read_bytes())

    def lines(self, name: str) -> list[Any]:
        """The lines of a log below the data root."""
        path = self.root / name
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    @property
    def rows(self) -> list[Any]:
        """What waits to be folded into the telemetry store."""
        files = sorted((self.root / "telemetry" / "spool").glob("*.ndjson"))
        return [json.loads(line) for file in files for line in file.read_text().splitlines()]

    @property
    def faults(self) -> list[str]:
        return [line["fault"] for line in self.lines("logs/hooks.ndjson")]

    @property
    def printed(self) -> str:
        path = self.root / "logs" / "handlers" / f"{self.connector}.log"
        return path.read_text() if path.exists() else ""


@pytest.fixture
def install_hooks(context: Context, hosts: Path, project: Path, run: Run) -> Callable[..., InstalledHooks]:
    """Installs a definition: Python source, or a mapping."""

    def installing(definition: str | dict[str, Any], connector: str = "acme", **wishes: Any) -> InstalledHooks:
        if isinstance(definition, str):
            file = project / "agent-connector.config.py"
            file.write_text(definition, encoding="utf-8")
        else:
            file = project / "agent-connector.config.json"
            file.write_text(json.dumps({"id": connector, "version": "1.0.0", **definition}), encoding="utf-8")
        source = ConnectorSource(path=str(file))
        report = install(InstallRequest(source=source, **wishes), context)
        assert report.outcome in ("done", "unchanged"), report
        return InstalledHooks(context.data_root, project, connector, report, run)

    return installing

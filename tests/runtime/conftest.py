"""An installation like a user's, a home with an awkward name, and the launcher it left there after it was deleted."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import venv
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import agent_connector
import pytest

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

"""The real command, as its own process, in a home of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import pytest

BIN = Path(sys.executable).parent
COMMAND = BIN / ("agent-connector.exe" if os.name == "nt" else "agent-connector")


@dataclass
class Person:
    """Somebody with a home folder of their own and no terminal."""

    home: Path
    command: Path = COMMAND

    @property
    def data_root(self) -> Path:
        return self.home / ".agent-connector"

    @property
    def env(self) -> dict[str, str]:
        return {"HOME": str(self.home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}

    def run(
        self, *arguments: str, env: Mapping[str, str] | None = None, stdin: str = "", cwd: Path | None = None
    ) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [self.command, *arguments],
            env={**self.env, **(env or {})},
            input=stdin,
            cwd=cwd or self.home,
            capture_output=True,
            text=True,
            encoding="utf-8",
            timeout=120,
            check=False,
        )

    def files(self) -> dict[str, bytes]:
        """Every file in the home outside our own data root."""
        return {
            path.relative_to(self.home).as_posix(): path.read_bytes()
            for path in self.home.rglob("*")
            if path.is_file() and self.data_root not in path.parents
        }


@pytest.fixture
def person(tmp_path: Path) -> Person:
    home = tmp_path / "home"
    home.mkdir()
    return Person(home)


@pytest.fixture
def with_hosts(person: Person) -> Person:
    """The same, with the three hosts' config files in the home."""
    from agent_connector.mcp_server.cli.demo_home import make

    make(person.home)
    return person

"""The vocabulary of the tests: a home of its own, a machine, the catalogue, and a context of all three.

Nothing here touches the real home: a test that writes does so below its own ``tmp_path``.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from agent_connector.adapters.catalog import BuiltinCatalogue
from agent_connector.host import Catalogue
from agent_connector.machine import Machine
from agent_connector.operations.context import Context
from homes import CLAUDE_JSON, CODEX_TOML, CURSOR_JSON, Desk, machine_on
from hypothesis import HealthCheck, settings
from turns_count import pytest_runtest_logreport, pytest_sessionfinish, pytest_terminal_summary

__all__ = ["pytest_runtest_logreport", "pytest_sessionfinish", "pytest_terminal_summary"]

settings.register_profile("ours", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("ours")

VERSION = "0.1.0"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A fresh home whose name has everything that breaks a careless command line."""
    folder = tmp_path / "Zoë O'Neil $HOME & co"
    folder.mkdir()
    return folder


@pytest.fixture
def project(home: Path) -> Path:
    folder = home / "work" / "shop"
    folder.mkdir(parents=True)
    return folder


@pytest.fixture
def machine(home: Path, project: Path) -> Machine:
    """This system with that home, a search path that finds no host, and nothing else in its environment."""
    return Machine(os="linux", home=home, cwd=project, env={"PATH": "/usr/bin:/bin", "HOME": str(home)})


@pytest.fixture
def catalogue() -> Catalogue:
    return BuiltinCatalogue()


@pytest.fixture(scope="session")
def built_runtime(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A data root with launcher and runtime in it, made once."""
    from agent_connector.runtime.builder import refresh

    root = tmp_path_factory.mktemp("runtime") / "data"
    refresh(root, environment={"PATH": "/usr/bin:/bin"})
    return root


@pytest.fixture
def context(machine: Machine, catalogue: Catalogue, built_runtime: Path) -> Context:
    """The runtime is there already (a link to the one of this session), so installing costs what installing costs."""
    data_root = Path(machine.data_root)
    data_root.mkdir(mode=0o700)
    shutil.copytree(built_runtime / "bin", data_root / "bin")
    (data_root / "runtime").symlink_to(built_runtime / "runtime")
    return Context(machine, catalogue, VERSION)


@pytest.fixture(params=["linux", "macos", "windows"])
def any_machine(request: pytest.FixtureRequest) -> Iterator[Machine]:
    yield machine_on(request.param)


@pytest.fixture
def hosts(home: Path) -> Path:
    """All three hosts, each with a config of a person's own."""
    (home / ".claude").mkdir()
    (home / ".claude.json").write_text(CLAUDE_JSON, encoding="utf-8")
    (home / ".claude" / "settings.json").write_text(
        '{"model": "opus", "permissions": {"allow": []}}', encoding="utf-8"
    )
    (home / ".claude" / "CLAUDE.md").write_text("# Mine\n\nBe brief.", encoding="utf-8")
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text(CODEX_TOML, encoding="utf-8")
    (home / ".cursor").mkdir()
    (home / ".cursor" / "mcp.json").write_text(CURSOR_JSON, encoding="utf-8")
    return home


@pytest.fixture
def desk(context: Context) -> Desk:
    return Desk(context)

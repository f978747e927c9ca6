"""What whole commands load: their budgets hold only as long as nothing creeps in that they do not need."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from agent_connector.mcp_server.cli import demo_home

HEAVY = {
    "asyncio",
    "concurrent.futures",
    "filelock",
    "keyring",
    "mcp",
    "multiprocessing",
    "packaging",
    "rich",
    "ruamel.yaml",
    "subprocess",
    "tiktoken",
    "tomlkit",
}
WRITING = {
    "agent_connector.changes.apply",
    "agent_connector.changes.journal",
    "agent_connector.changes.lock",
    "agent_connector.runtime.assembly",
    "agent_connector.runtime.builder",
}
OTHERS = {
    "agent_connector.mcp_server.server",
    "agent_connector.operations.doctor",
    "agent_connector.operations.probe",
    "agent_connector.operations.uninstall",
    "agent_connector.operations.upgrade",
}
RUN = """
import sys
from agent_connector.mcp_server.main import main
code = main(sys.argv[1:])
print(*sorted(sys.modules), file=sys.stderr)
sys.exit(code)
"""

Load = Callable[..., set[str]]


@pytest.fixture
def loaded_by(home: Path, project: Path) -> Load:
    """The modules that are loaded once a command line was run in a home with three hosts."""
    demo_home.make(home)

    def load(*arguments: str) -> set[str]:
        env = {"HOME": str(home), "USERPROFILE": str(home), "PATH": os.defpath}
        command = [sys.executable, "-c", RUN, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, env=env, cwd=project, check=False)
        assert done.returncode == 0, done.stderr
        return set(done.stderr.split())

    return load


@pytest.mark.parametrize("kind", ["toml", "json"])
def test_a_dry_run_loads_what_planning_needs(loaded_by: Load, project: Path, kind: str) -> None:
    definition = {**demo_home.CONNECTOR, "hooks": {"SessionStart": {"command": ["echo", "hello"]}}}
    text = {"json": json.dumps(definition), "toml": _toml(definition)}[kind]
    file = project / f"agent-connector.config.{kind}"
    file.write_text(text, encoding="utf-8")
    loaded = loaded_by("install", "--dry-run", "--targets", "claude-code,codex,cursor", "--connector", str(file))
    assert {"agent_connector.changes.reconcile", "agent_connector.documents.toml", "pydantic"} <= loaded
    assert loaded & (HEAVY | WRITING | OTHERS | {"sqlite3"}) == set()


def test_detecting_loads_neither_the_definition_nor_the_documents(loaded_by: Load) -> None:
    loaded = loaded_by("detect")
    assert {"agent_connector.operations.detect", "agent_connector.adapters.codex.host", "click"} <= loaded
    rooms = ("agent_connector.authoring.", "agent_connector.documents.")
    light = {"agent_connector.authoring.events", "agent_connector.documents.base"}
    assert {name for name in loaded if name.startswith(rooms)} <= light
    assert loaded & (HEAVY | WRITING | OTHERS | {"pydantic", "importlib.metadata", "sqlite3"}) == set()


def test_status_loads_neither_the_definition_nor_what_writes(loaded_by: Load) -> None:
    loaded = loaded_by("status")
    assert "agent_connector.operations.status" in loaded
    health = {"agent_connector.runtime.assembly", "agent_connector.runtime.builder"}
    assert loaded & (HEAVY | (WRITING - health) | OTHERS | {"pydantic", "agent_connector.authoring.api"}) == set()


@pytest.mark.parametrize("arguments", [["--version"], ["--help"]])
def test_help_loads_no_library(loaded_by: Load, arguments: list[str]) -> None:
    assert loaded_by(*arguments) & (HEAVY | {"click", "pydantic", "json"}) == set()


def _toml(definition: dict[str, object]) -> str:
    """JSON values are TOML values, but for objects."""

    def value(item: object) -> str:
        if isinstance(item, dict):
            return "{ " + ", ".join(f"{key} = {value(inner)}" for key, inner in item.items()) + " }"
        if isinstance(item, list):
            return "[" + ", ".join(map(value, item)) + "]"
        return json.dumps(item)

    return "".join(f"{key} = {value(item)}\n" for key, item in definition.items())

"""What a hook process pays for importing us."""

from __future__ import annotations

import subprocess
import sys
import textwrap
from pathlib import Path

import agent_connector

HEAVY = ("pydantic", "re", "typing", "dataclasses", "enum", "inspect", "importlib.metadata", "json", "pathlib")


def loaded_by(body: str) -> list[str]:
    """Which heavy modules an isolated interpreter without site packages has after running ``body``."""
    root = str(Path(agent_connector.__file__).parents[1])
    script = f"import sys\nsys.path.insert(0, {root!r})\n{textwrap.dedent(body)}\nprint(*sys.modules, sep=chr(10))"
    run = subprocess.run(
        [sys.executable, "-I", "-S", "-c", script], capture_output=True, check=True, encoding="utf-8"
    )
    return sorted(set(HEAVY) & set(run.stdout.split()))


def test_importing_the_package_loads_nothing_else():
    assert loaded_by("import agent_connector") == []


def test_the_names_a_handler_needs_are_light():
    assert loaded_by("from agent_connector import Response, define_connector, hook; Response.deny('x')") == []


def test_a_definition_in_a_hook_process_is_a_mere_recorder():
    body = """
        from agent_connector import Response, ConnectorConfigError, define_connector, hook, skill, memory, action
        @hook("PreToolUse", matcher="x")
        def guard(event):
            return Response.ask("sure?")
        connector = define_connector(id="a", hooks=[guard], skills=[skill("a", "b", "c")], memory=[memory("x")])
        assert connector.hook_handler("PreToolUse", 0) is guard
    """
    assert loaded_by(body) == []


def test_every_public_name_exists():
    for name in agent_connector.__all__:
        assert getattr(agent_connector, name).__name__ == name
    assert dir(agent_connector) == sorted(agent_connector.__all__)

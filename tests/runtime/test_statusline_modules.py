"""What a statusline process loads: a bar is drawn many times a minute."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import pytest
from agent_connector.runtime.launcher import read_stamp

pytestmark = pytest.mark.xdist_group("runtime")

UNKNOWN = {
    "agent_connector",
    "agent_connector.runtime",
    "agent_connector.runtime.errand",
    "agent_connector.runtime.jsontext",
    "agent_connector.runtime.own_files",
    "agent_connector.runtime.process",
    "agent_connector.runtime.statusline",
    "gc",
}
PYTHON = UNKNOWN | {
    "agent_connector.adapters",
    "agent_connector.adapters.claude_code",
    "agent_connector.adapters.claude_code.statusline",
    "agent_connector.adapters.families",
    "agent_connector.adapters.families.statusline_payloads",
    "agent_connector.authoring",
    "agent_connector.authoring.api",
    "agent_connector.authoring.raw",
    "agent_connector.authoring.shapes",
    "agent_connector.response",
    "agent_connector.runtime.answers",
    "agent_connector.runtime.appending",
    "agent_connector.runtime.author",
    "agent_connector.runtime.handlers",
    "agent_connector.runtime.hook_log",
    "agent_connector.runtime.host_context",
    "agent_connector.runtime.limits",
    "agent_connector.runtime.user_code",
}
UNCOUNTED = {"__future__", "_json", "_sha256", "_sha2", "marshal", "_thread", "gc"}
"""In C: whether they are built in differs."""

DEFINITION = """
from agent_connector import define_connector

connector = define_connector(id="acme", version="1.0.0", statusline={"render": lambda ctx: ctx.model.display_name})
"""
SAMPLE = (resources.files("agent_connector.adapters.claude_code") / "samples" / "StatusLine.json").read_bytes()


@pytest.fixture
def loaded(install_hooks, run, request):
    """Runs the entry script, without the pack where the parameter says so: (what it loads, what the host reads)."""
    hooks = install_hooks(DEFINITION)
    stamp = read_stamp(hooks.root / "bin" / "agent-connector")
    assert stamp is not None
    entry = hooks.root / "runtime" / stamp.runtime / "entry" / "statusline.py"
    used = entry if request.param else entry.with_name("statusbare.py")  # as long: a script counts from its own name
    if not request.param:
        used.write_text(entry.read_text().replace("entry/pack", "entry/none"))
    python = [stamp.interpreter, "-X", "importtime", "-I", "-S", "-B"]
    empty = _imported(run([*python, "-c", "pass"]).stderr)

    def of(connector: str) -> tuple[set[str], Any]:
        answer = run([*python, used, "statusline", "claude-code", "--connector", connector], SAMPLE)
        # What is loaded once a renderer's output goes to its log is told there.
        found = _imported(answer.stderr) | _imported(hooks.printed.encode())
        return found - empty - UNCOUNTED, answer.stdout

    yield of
    if not request.param:
        used.unlink()


@pytest.mark.parametrize("loaded", [True, False], ids=["packed", "bare"], indirect=True)
def test_a_status_line_loads_this_and_no_more(loaded):
    assert loaded("unknown") == (UNKNOWN - UNCOUNTED, b"")
    assert loaded("acme") == (PYTHON - UNCOUNTED, b"Opus 4.8 (1M context)\n")


def test_everything_a_status_line_loads_stands_in_the_pack(built_runtime):
    import marshal
    from importlib.util import MAGIC_NUMBER

    from agent_connector.runtime.pack import LENGTH_BYTES

    stamp = read_stamp(built_runtime / "bin" / "agent-connector")
    assert stamp is not None
    data = (built_runtime / "runtime" / stamp.runtime / "entry" / "pack").read_bytes()
    _, modules = marshal.loads(data[len(MAGIC_NUMBER) + LENGTH_BYTES :])

    assert set(modules) >= PYTHON - UNCOUNTED
    assert "agent_connector.adapters.cursor.statusline" in modules


def test_totals_are_read_where_they_are_asked_for_alone(install_hooks, run):
    text = DEFINITION.replace("ctx.model.display_name", 'str(ctx.telemetry.totals()) + str("TOTALS" in dir(ctx))')
    hooks = install_hooks(text)
    stamp = read_stamp(hooks.root / "bin" / "agent-connector")
    assert stamp is not None
    entry = hooks.root / "runtime" / stamp.runtime / "entry" / "statusline.py"

    answer = run(
        [
            stamp.interpreter,
            "-X",
            "importtime",
            "-I",
            "-S",
            "-B",
            entry,
            "statusline",
            "claude-code",
            "--connector",
            "acme",
        ],
        json.dumps({}).encode(),
    )

    assert answer.stdout == b"()False\n"
    added = (_imported(answer.stderr) | _imported(hooks.printed.encode())) - PYTHON - UNCOUNTED
    assert {name for name in added if name.startswith("agent_connector")} == {
        "agent_connector.telemetry",
        "agent_connector.telemetry.totals",
    }


def _imported(importtime: bytes) -> set[str]:
    lines = [line for line in importtime.decode().splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines} - {"imported package"}

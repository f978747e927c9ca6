"""What a statusline process loads: a bar is drawn many times a minute."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

import pytest
from agent_connector.runtime.launcher import read_stamp
from loaded_modules import UNCOUNTED, bundles_of, loaded_by

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
    "_agent_connector_handler",
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
DEFINITION = """
from agent_connector import define_connector

connector = define_connector(id="acme", version="1.0.0", statusline={"render": lambda ctx: ctx.model.display_name})
"""
SAMPLE = (resources.files("agent_connector.adapters.claude_code") / "samples" / "StatusLine.json").read_bytes()


@pytest.fixture
def loaded(install_hooks, run, request, tmp_path):
    """Runs the entry script, without the pack where the parameter says so: (what it loads, what the host reads)."""
    hooks = install_hooks(DEFINITION)
    stamp = read_stamp(hooks.root / "bin" / "agent-connector")
    assert stamp is not None
    entry = hooks.root / "runtime" / stamp.runtime / "entry" / "statusline.py"
    used = entry if request.param else entry.with_name("statusbare.py")  # as long: a script counts from its own name
    if not request.param:
        used.write_text(entry.read_text().replace("entry/pack", "entry/none"))

    def of(connector: str) -> tuple[set[str], Any]:
        words = [used, "statusline", "claude-code", "--connector", connector]
        modules, answer = loaded_by(run, stamp.interpreter, words, SAMPLE, tmp_path)
        return modules, answer.stdout

    yield of
    if not request.param:
        used.unlink()


@pytest.mark.parametrize("loaded", [True, False], ids=["packed", "bare"], indirect=True)
def test_a_status_line_loads_this_and_no_more(loaded):
    assert loaded("unknown") == (UNKNOWN - UNCOUNTED, b"")
    assert loaded("acme") == (PYTHON - UNCOUNTED, b"Opus 4.8 (1M context)\n")


def test_everything_a_status_line_loads_stands_in_the_pack(built_runtime):
    stamp = read_stamp(built_runtime / "bin" / "agent-connector")
    assert stamp is not None
    bundles = bundles_of(built_runtime / "runtime" / stamp.runtime / "entry" / "pack")

    assert set(bundles) >= {name for name in PYTHON if name.startswith("agent_connector")}
    assert set(bundles["agent_connector.runtime.statusline"]) == UNKNOWN - UNCOUNTED
    assert "agent_connector.adapters.cursor.statusline" in bundles


def test_totals_are_read_where_they_are_asked_for_alone(install_hooks, run, tmp_path):
    text = DEFINITION.replace("ctx.model.display_name", 'str(ctx.telemetry.totals()) + str("TOTALS" in dir(ctx))')
    hooks = install_hooks(text)
    stamp = read_stamp(hooks.root / "bin" / "agent-connector")
    assert stamp is not None
    entry = hooks.root / "runtime" / stamp.runtime / "entry" / "statusline.py"

    words = [entry, "statusline", "claude-code", "--connector", "acme"]
    loaded, answer = loaded_by(run, stamp.interpreter, words, json.dumps({}).encode(), tmp_path)

    assert answer.stdout == b"()False\n"
    assert {name for name in loaded - PYTHON if name.startswith("agent_connector")} == {
        "agent_connector.telemetry",
        "agent_connector.telemetry.totals",
    }

"""What simulate says is what the installed launcher says, byte for byte."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest
from agent_connector.operations.context import Context
from agent_connector.operations.reports import SimulateReport
from agent_connector.operations.requests import ConnectorSource, SimulateRequest
from agent_connector.operations.simulate import simulate

HOSTS = ("claude-code", "codex", "cursor")
DEFINITION = """
import sys
from agent_connector import Response, define_connector

def every(event):
    print("printed by a handler")
    if event.event == "PreToolUse":
        return Response.modify({**event.tool_input, "added": "ä"})
    if event.event == "PostToolUse":
        return Response.output("another")
    if event.event == "Notification":
        raise ValueError("never said")
    return Response.context(f"{event.event} in {event.host}")

def guard(event):
    return Response.deny("no drop")

def native(event):
    return {"said": event.raw["a"]}

EVENTS = (
    "SessionStart", "SessionEnd", "UserPromptSubmit", "PreToolUse", "PostToolUse", "PreCompact", "Stop",
    "Notification", "PermissionRequest", "PostToolUseFailure", "SubagentStart", "SubagentStop", "PostCompact",
)
hooks = {event: [{"handler": every}] for event in EVENTS}
hooks["PreToolUse"].append({"matcher": "drop$", "handler": guard})
hooks["Stop"] = [{"decision": "deny", "reason": "go on"}]
hooks["UserPromptSubmit"].append({"command": [sys.executable, "-c", "print('{\\"decision\\":\\"deny\\"}')"]})
connector = define_connector(id="acme", version="1.0.0", hooks=hooks,
    platforms={"codex": {"native_hooks": {"Interrupt": {"handler": native}}}})
"""


def samples(host: str) -> list[tuple[str, bytes]]:
    """(event, payload) of every sample of the host's."""
    folder = resources.files(f"agent_connector.adapters.{host.replace('-', '_')}") / "samples"
    files = sorted((file for file in folder.iterdir() if file.name != "StatusLine.json"), key=lambda one: one.name)
    return [(file.name.split(".")[0], file.read_bytes()) for file in files]


@pytest.fixture
def simulated(context: Context):
    def call(host: str, event: str, payload: bytes) -> SimulateReport:
        return simulate(SimulateRequest(ConnectorSource(id="acme"), host, event, payload), context)

    return call


@pytest.mark.parametrize("host", HOSTS)
def test_every_sample_is_answered_as_the_launcher_answers_it(install_hooks, simulated, host: str) -> None:
    hooks = install_hooks(DEFINITION)
    cases: list[tuple[str, bytes]] = [*samples(host), ("PreToolUse", b"not json"), ("PreToolUse", b"")]
    drop = dict(samples(host))["PreToolUse"].replace(b"echo", b"drop")
    cases += [("PreToolUse", drop), *([("Interrupt", b'{"a": [1, "\\u00e9"]}')] if host == "codex" else [])]
    silent = []
    for event, payload in cases:
        real = hooks.call(host, event, payload)
        report = simulated(host, event, payload)
        assert report.stdout.encode() == real.stdout, (event, payload)
        assert report.stderr.encode() == real.stderr
        assert report.exit_status == real.returncode
        silent.append(not real.stdout)
    assert not all(silent)


def test_a_simulation_counts_and_logs_nothing(install_hooks, simulated) -> None:
    hooks = install_hooks(DEFINITION)
    simulated("claude-code", "Notification", b"{}")
    simulated("claude-code", "PreToolUse", b"not json")
    assert hooks.faults == []
    assert hooks.rows == []
    assert hooks.printed == ""
    assert not (hooks.root / "connectors" / "acme" / "unloadable").exists()
    # And the same calls in earnest do.
    hooks.call("claude-code", "Notification", b"{}")
    assert hooks.faults == ["raised"]


def test_a_call_that_another_copy_answers_is_told(install_hooks, simulated, project: Path) -> None:
    """Cursor runs hooks it finds in Claude Code's settings; where its own copy is installed too, that one answers."""
    install_hooks(DEFINITION)
    payload: dict[str, Any] = {"cursor_version": "3.2.0", "workspace_roots": [str(project)], "tool_name": "MCP:drop"}
    report = simulated("claude-code", "PreToolUse", json.dumps(payload).encode())
    assert (report.honored, report.verdict) == (False, "none")
    assert "cursor's, whose own copy of the connector answers" in report.reason


def test_statusline_agrees_with_the_launcher(install_hooks, context: Context, run) -> None:
    definition = (
        "from agent_connector import define_connector\n"
        "connector = define_connector(id='acme', version='1', statusline={\n"
        "    'render': lambda c: f'{c.model.display_name}\\nä', 'options': {'max_lines': 1}})\n"
    )
    hooks = install_hooks(definition)
    for host in ("claude-code", "cursor"):
        module = f"agent_connector.adapters.{host.replace('-', '_')}"
        payload = (resources.files(module) / "samples" / "StatusLine.json").read_bytes()
        launcher = hooks.root / "bin" / "agent-connector"
        real = run([launcher, "statusline", host, "--connector", "acme"], payload)
        source = ConnectorSource(id="acme")
        report = simulate(SimulateRequest(source, host, input=payload, surface="statusline"), context)
        assert report.stdout.encode() == real.stdout != b""
        assert report.honored

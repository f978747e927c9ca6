"""explain and simulate through the protocol: nothing is run that the person did not let in."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from agent_connector.adapters.catalog import CATALOG
from homes import ACME

pytestmark = pytest.mark.anyio

DENY = {
    "id": "acme",
    "version": "1",
    "hooks": {"PreToolUse": {"matcher": "echo", "decision": "deny", "reason": "no"}},
}
CODE = """
from agent_connector import Response, define_connector

def say(word):
    with open({note!r}, "a") as file:
        file.write(word)

say("loaded")

def guard(event):
    say("called")
    print("token sk-live-0123456789abcdef0123456789abcdef")
    return Response.deny("no")

connector = define_connector(id="acme", version="1", hooks={{"PreToolUse": guard}},
                             statusline={{"render": lambda context: "acme"}})
"""


@pytest.fixture
def installed(hosts: Path, project: Path, context: Any) -> Path:
    """A connector in Python, installed by the person; the file in which its code says that it ran."""
    from agent_connector.operations.install import install
    from agent_connector.operations.requests import ConnectorSource, InstallRequest

    note = project / "ran"
    file = project / "agent-connector.config.py"
    file.write_text(CODE.format(note=str(note)))
    assert install(InstallRequest(source=ConnectorSource(path=str(file))), context).outcome == "done"
    note.unlink()
    return note


async def test_explain_tells_rows_and_tables_of_a_definition_in_place(agent, facts, told) -> None:
    result = await agent.call("explain", definition=ACME, targets=["codex"])
    found = facts(result)
    rows = {row["surface"]: row["support"] for row in found["rows"]}
    assert rows["server"] == "native"
    assert rows["statusline"] == "skip-warn"
    (table,) = found["hooks"]
    assert set(table["events"]) == {"PreToolUse", "SessionStart"}
    assert "deny" in table["events"]["PreToolUse"]["honored"].split(", ")
    dropped = table["events"]["PreToolUse"]["dropped"].split(", ")[0]
    assert dropped.startswith("ask (")
    assert "THE TOOL RUNS" in table["notes"][dropped.removeprefix("ask (").removesuffix(")")]
    assert "codex" in told(result)


async def test_explain_without_a_connector_tells_the_matrix_of_the_hosts_here(agent, facts, told) -> None:
    result = await agent.call("explain")
    assert {table["host"] for table in facts(result)["hooks"]} == {"claude-code", "codex", "cursor"}
    (named,) = facts(await agent.call("explain", targets=["crush"]))["hooks"]
    assert named["host"] == "crush"
    assert len(told(result)) < 8000
    assert len(json.dumps(facts(result))) < 10_000


async def test_explain_takes_an_installed_connector_by_its_record(agent, installed: Path, facts) -> None:
    found = facts(await agent.call("explain", connector="acme"))
    supports = {row["host"]: row["support"] for row in found["rows"] if row["surface"] == "hooks"}
    hooks = {host_id: CATALOG.get(host_id).hooks for host_id in CATALOG.ids()}
    assert supports == {
        host_id: "native" if dialect and (dialect.plugin or "user" in dialect.files) else "skip-warn"
        for host_id, dialect in hooks.items()
    }
    assert not installed.exists()


@pytest.mark.parametrize("tool", ["explain", "simulate"])
async def test_a_path_is_refused_with_what_to_do(agent, installed: Path, told, tool: str) -> None:
    path = str(installed.parent / "agent-connector.config.py")
    more = {"host": "codex", "event": "PreToolUse"} if tool == "simulate" else {}
    result = await agent.call(tool, connector=path, **more)
    assert result.is_error
    assert "not a path" in told(result)
    assert f"agent-connector {tool} {path}" in told(result)
    assert not installed.exists()


async def test_simulate_tells_whether_the_host_does_it_and_why(agent, facts, told) -> None:
    result = await agent.call("simulate", definition=DENY, host="codex", event="PreToolUse")
    found = facts(result)
    assert (found["honored"], found["verdict"], found["reason"]) == (
        True,
        "honored",
        "Codex honors deny on PreToolUse",
    )
    assert found["host_reply"]["hookSpecificOutput"]["permissionDecision"] == "deny"
    assert "trusted" in found["fires_when"]
    assert "honored: Codex honors deny on PreToolUse" in told(result)


async def test_simulate_takes_the_payload_in_question(agent, facts) -> None:
    payload = {"tool_name": "mcp__acme__other", "tool_input": {}}
    found = facts(await agent.call("simulate", definition=DENY, host="codex", event="PreToolUse", input=payload))
    assert not found["honored"]
    assert "the matcher excludes this input (other)" in found["reason"]


async def test_simulate_runs_the_code_of_an_installed_connector_and_masks_what_it_prints(
    agent, installed: Path, facts, told
) -> None:
    result = await agent.call("simulate", connector="acme", host="claude-code", event="PreToolUse")
    assert facts(result)["honored"]
    assert "called" in installed.read_text()
    assert facts(result)["printed"].startswith("token ***")
    assert "sk-live" not in told(result)


async def test_simulate_draws_a_status_line(agent, installed: Path, facts) -> None:
    found = facts(await agent.call("simulate", connector="acme", host="cursor", surface="statusline"))
    assert (found["honored"], found["host_reply"]) == (True, "acme")


@pytest.mark.parametrize(
    "hooks",
    [
        {"hooks": {"PreToolUse": {"command": ["sh", "-c", "touch {note}"]}}},
        {"hooks": {"PreToolUse": {"handler": "./x.py:f"}}},
        {"platforms": {"codex": {"hooks": {"PreToolUse": {"command": ["sh", "-c", "touch {note}"]}}}}},
        {"platforms": {"codex": {"native_hooks": {"Interrupt": {"command": ["sh", "-c", "touch {note}"]}}}}},
    ],
)
async def test_a_definition_in_place_that_names_code_is_not_simulated(agent, tmp_path: Path, told, hooks) -> None:
    note = tmp_path / "ran"
    definition = json.loads(json.dumps({"id": "acme", "version": "1", **hooks}).replace("{note}", str(note)))
    result = await agent.call("simulate", definition=definition, host="codex", event="PreToolUse")
    assert result.is_error
    assert "static responses only" in told(result)
    assert not note.exists()


async def test_a_status_line_in_place_is_not_run(agent, told) -> None:
    definition = {"id": "acme", "version": "1", "statusline": {"command": ["echo"]}}
    result = await agent.call("simulate", definition=definition, host="cursor", surface="statusline")
    assert result.is_error
    assert "static responses only" in told(result)


async def test_simulate_looks_for_no_definition_around(agent, installed: Path, told) -> None:
    result = await agent.call("simulate", host="codex", event="PreToolUse")
    assert result.is_error
    assert "no connector was named" in told(result)
    assert not installed.exists()


async def test_a_policy_that_denies_running_code_is_heeded(agent, installed: Path, told) -> None:
    (agent.data_root / "policy.toml").write_text('run_code = "deny"\n')
    result = await agent.call("simulate", connector="acme", host="codex", event="PreToolUse")
    assert result.is_error
    assert "denied to agents" in told(result)
    assert not installed.exists()


async def test_mistakes_are_told_with_the_nearest(agent, told) -> None:
    for arguments, word in (
        ({"host": "codx", "event": "PreToolUse"}, "codex"),
        ({"host": "codex", "event": "PreToolUs"}, "PreToolUse"),
        ({"host": "codex"}, "PreToolUse"),
    ):
        result = await agent.call("simulate", definition=DENY, **arguments)
        assert result.is_error
        assert word in told(result)


async def test_the_server_is_not_changed_by_a_handler(agent, hosts: Path, project: Path, context, facts) -> None:
    """A handler that ends its process ends its own."""
    from agent_connector.operations.install import install
    from agent_connector.operations.requests import ConnectorSource, InstallRequest

    (project / "bad.py").write_text("import os\ndef end(event):\n    os._exit(3)\n")
    file = project / "agent-connector.config.toml"
    file.write_text('id = "acme"\nversion = "1"\n[hooks.Stop]\nhandler = "bad.py:end"\n')
    install(InstallRequest(source=ConnectorSource(path=str(file))), context)
    found = facts(await agent.call("simulate", connector="acme", host="codex", event="Stop"))
    assert (found["honored"], found["faults"], found.get("exit_status", 0)) == (False, ["exit: 0: os._exit"], 0)

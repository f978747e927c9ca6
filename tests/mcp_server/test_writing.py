"""Two steps: the first call returns a plan, the second applies exactly that plan."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from agent_connector.mcp_server.server.app import build
from agent_connector.mcp_server.server.desk import Desk
from homes import ACME, snapshot

pytestmark = pytest.mark.anyio

SECRET = "sk-live-0123456789abcdef0123456789abcdef"
WEATHER = {"id": "gales", "server": {"transport": "stdio", "command": "uvx", "args": ["gales-mcp"]}}


async def test_the_first_call_returns_a_plan_and_writes_nothing_in_the_home(agent, hosts: Path, told, facts) -> None:
    before = snapshot(hosts)
    result = await agent.call("install", definition=ACME)
    plan = facts(result)
    assert plan["outcome"] == "planned"
    assert plan["connector"] == "acme-db"
    assert {change["host"] for change in plan["changes"]} == {"claude-code", "codex", "cursor"}, "those found here"
    assert any(line.endswith("npx -y @acme/acme-db-mcp") for line in plan["commands"])
    assert {"what": "update", "path": str(hosts / ".claude.json")} in plan["files"]
    assert plan["plan_id"] in plan["to_apply"]
    assert "nothing was written" in told(result)
    assert "npx -y @acme/acme-db-mcp" in told(result)
    assert snapshot(hosts) == before


async def test_the_second_call_applies_it_and_needs_no_other_argument(agent, hosts: Path, facts) -> None:
    plan_id = await agent.plan("install", definition=ACME)
    result = await agent.apply("install", plan_id)
    assert facts(result)["outcome"] == "done"
    assert "acme-db" in json.loads((hosts / ".claude.json").read_text())["mcpServers"]


async def test_progress_is_told_and_only_counts_up(agent) -> None:
    plan_id = await agent.plan("install", definition=ACME)
    await agent.apply("install", plan_id)
    steps = [done for done, _ in agent.progress]
    assert len(steps) > 3
    assert {message for _, message in agent.progress} >= {"planning Codex", "planning Claude Code"}


async def test_installing_again_plans_nothing(agent, told, facts) -> None:
    await agent.apply("install", await agent.plan("install", definition=ACME))
    again = await agent.call("install", definition=ACME)
    assert facts(again)["outcome"] == "unchanged"
    assert "plan_id" not in facts(again)
    assert "Nothing to do." in told(again)


async def test_without_confirm_a_plan_is_not_applied(agent, hosts: Path, told) -> None:
    before = snapshot(hosts)
    plan_id = await agent.plan("install", definition=ACME)
    result = await agent.call("install", plan_id=plan_id)
    assert result.is_error
    assert "confirm" in told(result)
    assert snapshot(hosts) == before


async def test_confirm_without_a_plan_is_only_a_plan(agent, hosts: Path, facts) -> None:
    before = snapshot(hosts)
    result = await agent.call("install", definition=ACME, confirm=True)
    assert facts(result)["outcome"] == "planned"
    assert snapshot(hosts) == before


@pytest.mark.parametrize("handle", ["0123456789abcdef", "../../etc/passwd", "x", "0123456789ABCDEF"])
async def test_a_plan_that_no_call_returned_is_refused(agent, hosts: Path, told, handle: str) -> None:
    before = snapshot(hosts)
    result = await agent.apply("install", handle, definition=ACME)
    assert result.is_error
    assert "no plan" in told(result)
    assert snapshot(hosts) == before


async def test_a_plan_is_for_the_arguments_it_was_made_for(agent, hosts: Path, told) -> None:
    before = snapshot(hosts)
    plan_id = await agent.plan("install", definition=ACME, targets=["codex"])
    for changed in ({"targets": ["cursor"]}, {"definition": WEATHER}, {"scope": "project"}):
        result = await agent.apply("install", plan_id, **changed)
        assert result.is_error
        assert "other arguments" in told(result)
    assert snapshot(hosts) == before
    assert not (await agent.apply("install", plan_id, targets=["codex"], definition=ACME)).is_error


async def test_a_plan_is_for_the_operation_it_was_made_for(agent, told) -> None:
    plan_id = await agent.plan("install", definition=ACME)
    result = await agent.apply("upgrade", plan_id)
    assert result.is_error
    assert "not of upgrade" in told(result)


async def test_a_plan_is_applied_once(agent, told) -> None:
    plan_id = await agent.plan("install", definition=ACME)
    await agent.apply("install", plan_id)
    for repeated in ({}, {"definition": ACME}):
        again = await agent.apply("install", plan_id, **repeated)
        assert again.is_error
        assert "applied already" in told(again)


async def test_something_else_to_do_by_then_needs_a_new_plan(agent, hosts: Path, told) -> None:
    plan_id = await agent.plan("install", definition=ACME)
    mine = json.dumps({"mcpServers": {"acme-db": {"command": "mine"}}})
    (hosts / ".claude.json").write_text(mine)
    before = snapshot(hosts)
    result = await agent.apply("install", plan_id)
    assert result.is_error
    assert told(result).startswith("plan-changed:")
    assert "without plan_id" in told(result)
    assert snapshot(hosts) == before


async def test_a_host_that_rewrites_its_file_meanwhile_does_not_matter(agent, hosts: Path, facts) -> None:
    plan_id = await agent.plan("install", definition=ACME)
    state = json.loads((hosts / ".claude.json").read_text())
    (hosts / ".claude.json").write_text(json.dumps({**state, "numStartups": 7}))
    assert facts(await agent.apply("install", plan_id))["outcome"] == "done"
    assert json.loads((hosts / ".claude.json").read_text())["numStartups"] == 7


async def test_uninstall_gives_every_byte_back(agent, hosts: Path, facts) -> None:
    before = snapshot(hosts)
    await agent.apply("install", await agent.plan("install", definition=ACME))
    plan_id = await agent.plan("uninstall", connector="acme-db")
    assert snapshot(hosts) != before
    assert facts(await agent.apply("uninstall", plan_id))["outcome"] == "done"
    assert snapshot(hosts) == before


async def test_upgrade_puts_back_what_vanished(agent, hosts: Path, facts) -> None:
    await agent.apply("install", await agent.plan("install", definition=ACME))
    installed = snapshot(hosts)
    state = json.loads((hosts / ".claude.json").read_text())
    del state["mcpServers"]["acme-db"]
    (hosts / ".claude.json").write_text(json.dumps(state))
    result = await agent.apply("upgrade", await agent.plan("upgrade", connector="acme-db"))
    assert facts(result)["outcome"] == "done"
    assert snapshot(hosts).keys() == installed.keys()
    assert "acme-db" in json.loads((hosts / ".claude.json").read_text())["mcpServers"]


async def test_upgrade_of_nothing_in_particular_refreshes_the_launcher(agent, facts) -> None:
    result = await agent.apply("upgrade", await agent.plan("upgrade"))
    assert "failed" not in facts(result)["outcome"]
    assert any("agent-connector-mcp" in step for step in facts(result)["next_steps"])


async def test_a_definition_file_is_found_from_the_project(agent, project: Path, facts) -> None:
    (project / "agent-connector.config.json").write_text(json.dumps(WEATHER))
    other = project.parent / "other"
    (other / "deep").mkdir(parents=True)
    (other / "agent-connector.config.toml").write_text('id = "found"\n[server]\ntransport = "stdio"\ncommand = "x"\n')
    assert facts(await agent.call("install"))["connector"] == "gales"
    assert facts(await agent.call("install", project=str(other / "deep")))["connector"] == "found"
    by_path = await agent.call("install", project=str(other), connector="./agent-connector.config.toml")
    assert facts(by_path)["connector"] == "found"


async def test_a_restarted_server_applies_a_plan_where_it_was_made(agent, project: Path, hosts: Path) -> None:
    plan_id = await agent.plan("install", definition=WEATHER, scope="project")
    agent.machine = agent.machine.__class__(
        os=agent.machine.os, home=agent.machine.home, cwd=hosts, env=agent.machine.env
    )
    assert not (await agent.apply("install", plan_id)).is_error
    assert (project / ".mcp.json").exists()
    assert not (hosts / ".mcp.json").exists()


async def test_agent_connector_is_a_connector_like_any_other(agent, hosts: Path, facts) -> None:
    before = snapshot(hosts)
    plan_id = await agent.plan("install", connector="agent-connector")
    assert facts(await agent.apply("install", plan_id))["outcome"] == "done"
    entry = json.loads((hosts / ".claude.json").read_text())["mcpServers"]["agent-connector"]
    assert entry["args"] == ["mcp"]
    assert facts(await agent.call("upgrade", connector="agent-connector"))["connector"] == "agent-connector"
    status = facts(await agent.call("status", connector="agent-connector"))
    assert all(state["state"] == "present" for host in status["hosts"] for state in host["surfaces"])
    checks = facts(await agent.call("doctor", connector="agent-connector"))["checks"]
    assert all(check["status"] == "pass" for check in checks)
    await agent.apply("uninstall", await agent.plan("uninstall", connector="agent-connector"))
    assert snapshot(hosts) == before


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"definition": ACME, "targets": ["codx"]}, "Did you mean codex?"),
        ({"connector": "no-such"}, "no connector 'no-such' is installed"),
        ({"definition": {"id": "Bad Id"}}, "definition-invalid:"),
        ({"definition": ACME, "connector": "acme-db"}, "both connector and definition"),
        ({"definition": ACME, "project": "/no/such/folder"}, "no such folder"),
    ],
)
async def test_what_cannot_be_understood_is_said_with_what_to_do(agent, told, arguments, says: str) -> None:
    result = await agent.call("install", **arguments)
    assert result.is_error
    assert says in told(result)
    assert result.structured_content is None


async def test_one_host_that_cannot_be_done_does_not_stop_the_others(agent, hosts: Path, facts) -> None:
    (hosts / ".codex" / "config.toml").write_text("this is = = not toml")
    result = await agent.call("install", definition=ACME)
    assert facts(result)["outcome"] == "partial"
    refused = [
        change for change in facts(result)["changes"] if change["host"] == "codex" and change["action"] == "warn"
    ]
    assert any("line 1" in change["detail"] for change in refused)
    assert facts(await agent.apply("install", facts(result)["plan_id"]))["outcome"] == "partial"
    assert (hosts / ".codex" / "config.toml").read_text() == "this is = = not toml"


async def test_when_no_host_can_be_done_there_is_no_plan(agent, hosts: Path, facts) -> None:
    (hosts / ".codex" / "config.toml").write_text("this is = = not toml")
    result = await agent.call("install", definition=ACME, targets=["codex"])
    assert result.is_error
    assert facts(result)["outcome"] == "failed"
    assert "plan_id" not in facts(result)


async def test_secrets_are_never_returned(agent, hosts: Path) -> None:
    said = {
        "id": "leaky",
        "server": {"transport": "stdio", "command": "uvx", "args": ["leaky", "--token", SECRET]},
    }
    mine = json.dumps({"mcpServers": {"leaky": {"command": "x", "env": {"API_KEY": SECRET}}}})
    (hosts / ".cursor" / "mcp.json").write_text(mine)
    answers = []
    async with agent.connected() as client:
        result = await client.call_tool("install", {"definition": said})
        answers.append(result.model_dump_json())
        plan_id = (result.structured_content or {})["plan_id"]
        read = await client.read_resource(f"agent-connector://plans/{plan_id}")
        answers.append(read.model_dump_json())
        done = await client.call_tool("install", {"plan_id": plan_id, "confirm": True})
        answers.append(done.model_dump_json())
    for tool in ("status", "doctor", "detect", "uninstall"):
        arguments = {"connector": "leaky"} if tool == "uninstall" else {}
        answers.append((await agent.call(tool, **arguments)).model_dump_json())
    assert SECRET not in "".join(answers)
    assert "leaky" in answers[0]


async def test_an_applied_plan_forgets_the_definition(agent) -> None:
    plan_id = await agent.plan("install", definition=ACME)
    kept = agent.data_root / "plans" / f"{plan_id}.json"
    assert "acme-sql" in kept.read_text()
    assert kept.stat().st_mode & 0o777 == 0o600
    assert kept.parent.stat().st_mode & 0o777 == 0o700
    await agent.apply("install", plan_id)
    assert json.loads(kept.read_text())["arguments"] == {}


async def test_control_characters_of_a_definition_are_written_out(agent, told, facts) -> None:
    odd = {**WEATHER, "server": {"transport": "stdio", "command": "uvx\x1b[2K\u202e", "args": ["x"]}}
    result = await agent.call("install", definition=odd)
    everything = told(result) + "".join(facts(result).get("commands", []))
    assert "\x1b" not in everything
    assert "\u202e" not in everything
    assert "\\x1b[2K\\u202e" in everything


async def test_a_fault_of_ours_is_told_logged_and_the_server_goes_on(agent, told, monkeypatch) -> None:
    from agent_connector.operations import status

    def broken(*_: object) -> None:
        raise RuntimeError(f"token={SECRET}")

    monkeypatch.setattr(status, "status", broken)
    desk = Desk(agent.machine, "0.1.0")
    async with agent.connected(desk) as client:
        result = await client.call_tool("status", {})
        assert result.is_error
        assert "unexpected RuntimeError" in told(result)
        assert SECRET not in told(result)
        assert str(desk.log.file) in told(result)
        assert "Traceback" in desk.log.file.read_text()
        assert not (await client.call_tool("detect", {})).is_error
    assert build(desk) is not None

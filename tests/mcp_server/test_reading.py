"""detect, status and doctor through the protocol."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from agent_connector.adapters.catalog import CATALOG
from homes import ACME, snapshot

pytestmark = pytest.mark.anyio


async def test_detect_tells_what_is_here_in_full_and_of_the_rest_the_names(agent, hosts: Path, facts, told) -> None:
    (hosts / ".cursor" / "mcp.json").unlink()
    (hosts / ".cursor").rmdir()
    result = await agent.call("detect")
    found = facts(result)
    assert [host["id"] for host in found["hosts"]] == ["codex", "claude-code"]
    assert set(found["not_found"]) == set(CATALOG.ids()) - {"codex", "claude-code"}
    assert "~/.codex/config.toml" in told(result)


async def test_detect_of_a_named_host_tells_of_it_though_it_is_not_here(agent, hosts: Path, facts) -> None:
    (hosts / ".cursor" / "mcp.json").unlink()
    (hosts / ".cursor").rmdir()
    (host,) = facts(await agent.call("detect", targets=["cursor"]))["hosts"]
    assert (host["id"], host["installed"]) == ("cursor", False)


async def test_status_tells_what_stands_and_what_vanished(agent, hosts: Path, facts) -> None:
    await agent.apply("install", await agent.plan("install", definition=ACME))
    state = json.loads((hosts / ".claude.json").read_text())
    del state["mcpServers"]["acme-db"]
    (hosts / ".claude.json").write_text(json.dumps(state))
    status = facts(await agent.call("status", targets=["claude-code"]))
    (host,) = status["hosts"]
    by_surface = {surface["surface"]: surface["state"] for surface in host["surfaces"]}
    assert by_surface["server"] == "vanished"
    assert by_surface["skills"] == "present"


async def test_looking_writes_nothing_at_all(agent, hosts: Path, context) -> None:
    def everything() -> dict[str, bytes]:
        return {str(path): path.read_bytes() for path in hosts.rglob("*") if path.is_file()}

    before = everything()
    for tool in ("detect", "status", "doctor", "explain"):
        await agent.call(tool)
    assert everything() == before


async def test_doctor_heals_in_two_steps(agent, hosts: Path, facts, told) -> None:
    await agent.apply("install", await agent.plan("install", definition=ACME))
    state = json.loads((hosts / ".claude.json").read_text())
    del state["mcpServers"]["acme-db"]
    (hosts / ".claude.json").write_text(json.dumps(state))
    broken = snapshot(hosts)
    planned = await agent.call("doctor", heal=True)
    plan = facts(planned)
    assert plan["outcome"] == "planned"
    assert {"what": "update", "path": str(hosts / ".claude.json")} in plan["files"]
    assert any("npx -y @acme/acme-db-mcp" in line for line in plan["commands"])
    assert snapshot(hosts) == broken
    assert (await agent.call("doctor", plan_id=plan["plan_id"])).is_error
    healed = facts(await agent.apply("doctor", plan["plan_id"]))
    assert healed["outcome"] == "healed"
    assert any("acme-db server" in title for title in healed["healed"])
    assert "acme-db" in json.loads((hosts / ".claude.json").read_text())["mcpServers"]


async def test_doctor_asks_before_it_heals(agent, hosts: Path, facts) -> None:
    await agent.apply("install", await agent.plan("install", definition=ACME))
    (hosts / ".claude" / "commands" / "schema.md").unlink()
    agent.person = "decline"
    plan_id = await agent.plan("doctor", heal=True)
    assert facts(await agent.call("doctor", plan_id=plan_id))["outcome"] == "declined"
    assert "May agent-connector repair what doctor found?" in agent.questions[0]
    assert not (hosts / ".claude" / "commands" / "schema.md").exists()


async def test_repairs_that_are_not_those_shown_need_a_new_plan(agent, hosts: Path, told) -> None:
    await agent.apply("install", await agent.plan("install", definition=ACME))
    (hosts / ".claude" / "commands" / "schema.md").unlink()
    plan_id = await agent.plan("doctor", heal=True)
    (hosts / ".codex" / "hooks.json").unlink()
    result = await agent.apply("doctor", plan_id)
    assert result.is_error
    assert told(result).startswith("plan-changed:")
    assert not (hosts / ".codex" / "hooks.json").exists()


async def test_nothing_to_heal_is_no_plan(agent, facts) -> None:
    await agent.apply("install", await agent.plan("install", definition=ACME))
    result = facts(await agent.call("doctor", heal=True))
    assert result["outcome"] == "checked"
    assert "plan_id" not in result


async def test_denied_healing_leaves_looking(agent, told, facts) -> None:
    (agent.data_root / "policy.toml").write_text('doctor = "deny"\n')
    assert (await agent.call("doctor", heal=True)).is_error
    assert facts(await agent.call("doctor"))["outcome"] == "checked"


async def test_doctor_can_talk_to_the_server(agent, facts) -> None:
    program = Path(__file__).parents[2] / "examples" / "acme_db" / "server.py"
    definition = {
        "id": "talks",
        "server": {"transport": "stdio", "command": sys.executable, "args": [str(program)]},
    }
    await agent.apply("install", await agent.plan("install", definition=definition, targets=["codex"]))
    checks = facts(await agent.call("doctor", connector="talks", probe=True))["checks"]
    assert any(check["name"].startswith("probe") and check["status"] == "pass" for check in checks)


@pytest.mark.parametrize("tool", ["status", "doctor"])
async def test_they_take_ids_not_paths(agent, told, tool: str) -> None:
    result = await agent.call(tool, connector="./agent-connector.config.py")
    assert result.is_error
    assert "id of an installed connector" in told(result)

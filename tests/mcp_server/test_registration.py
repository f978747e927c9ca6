"""The first run in a host registers agent-connector in the others: once, told, and not against anybody's will."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from agent_connector.mcp_server.server.desk import Desk
from agent_connector.mcp_server.server.registration import VARIABLE
from homes import snapshot

pytestmark = pytest.mark.anyio

ALL = {"claude-code", "codex", "cursor"}


@pytest.fixture
def first_run(agent):
    """In Claude Code, with nothing said against it."""
    agent.machine = agent.machine.with_env({VARIABLE: ""})
    agent.name = "claude-code"
    return agent


def registered(home: Path) -> set[str]:
    files = {"claude-code": ".claude.json", "codex": ".codex/config.toml", "cursor": ".cursor/mcp.json"}
    return {host for host, name in files.items() if "/bin/agent-connector" in (home / name).read_text("utf-8")}


async def list_tools(agent) -> None:
    desk = Desk(agent.machine, "0.1.0")
    async with agent.connected(desk) as client:
        await client.list_tools()
    desk.registration.wait()


async def test_after_the_first_list_it_is_in_every_agent_and_told_once(first_run, hosts: Path, told, facts) -> None:
    assert registered(hosts) == set()
    await list_tools(first_run)
    assert registered(hosts) == ALL
    first, second = await first_run.call("detect"), await first_run.call("detect")
    assert "registered itself in" in told(first)
    assert "registered itself in" in facts(first)["notice"]
    assert all(host in told(first) for host in ALL)
    assert 'uninstall with connector "agent-connector"' in told(first)
    assert "registered itself" not in told(second)
    assert "notice" not in facts(second)


async def test_it_writes_nothing_but_its_own_and_all_of_it_goes_again(first_run, hosts: Path) -> None:
    before = snapshot(hosts)
    await list_tools(first_run)
    plan_id = await first_run.plan("uninstall", connector="agent-connector")
    assert not (await first_run.apply("uninstall", plan_id)).is_error
    assert snapshot(hosts) == before


async def test_a_removal_is_remembered(first_run, hosts: Path, told) -> None:
    await list_tools(first_run)
    await first_run.apply(
        "uninstall", await first_run.plan("uninstall", connector="agent-connector", targets=["codex"])
    )
    for _ in range(2):
        await list_tools(first_run)
    assert registered(hosts) == ALL - {"codex"}
    (first_run.data_root / "self-registration.json").unlink()
    await list_tools(first_run)
    assert registered(hosts) == ALL - {"codex"}


async def test_after_setup_was_undone_it_stays_away(first_run, hosts: Path, desk) -> None:
    from agent_connector.mcp_server import itself

    desk.install(itself.definition(first_run.machine, "0.1.0"))
    desk.uninstall("agent-connector", purge=True)
    before = snapshot(hosts)
    await list_tools(first_run)
    assert snapshot(hosts) == before


async def test_whoever_chose_hosts_with_setup_has_chosen(first_run, hosts: Path, desk) -> None:
    from agent_connector.mcp_server import itself

    desk.install(itself.definition(first_run.machine, "0.1.0"), targets=("codex",))
    await list_tools(first_run)
    assert registered(hosts) == {"codex"}


@pytest.mark.parametrize("word", ["off", "no", "0"])
async def test_the_variable_switches_it_off(first_run, hosts: Path, word: str) -> None:
    first_run.machine = first_run.machine.with_env({VARIABLE: word})
    await list_tools(first_run)
    assert registered(hosts) == set()


async def test_the_policy_switches_it_off(first_run, hosts: Path) -> None:
    (first_run.data_root / "policy.toml").write_text('self_register = "off"\n')
    await list_tools(first_run)
    assert registered(hosts) == set()


async def test_ask_only_mentions_it(first_run, hosts: Path, told) -> None:
    (first_run.data_root / "policy.toml").write_text('self_register = "ask"\n')
    await list_tools(first_run)
    assert registered(hosts) == set()
    assert "not registered in" in told(await first_run.call("status"))
    assert "not registered in" not in told(await first_run.call("status"))


async def test_a_policy_that_cannot_be_understood_means_no(first_run, hosts: Path) -> None:
    (first_run.data_root / "policy.toml").write_text("self_register = yes\n")
    await list_tools(first_run)
    assert registered(hosts) == set()
    assert "policy.toml" in (first_run.data_root / "logs" / "mcp-server.log").read_text()


async def test_a_client_that_is_no_host_changes_nothing(first_run, hosts: Path) -> None:
    first_run.name = "an-inspector"
    await list_tools(first_run)
    assert registered(hosts) == set()
    assert not (first_run.data_root / "self-registration.json").exists()


async def test_calling_a_tool_without_listing_any_registers_nothing(first_run, hosts: Path) -> None:
    from agent_connector.mcp_server.server.app import build

    desk = Desk(first_run.machine, "0.1.0")
    server = build(desk)
    assert server is not None
    desk.registration.wait()
    assert registered(hosts) == set()


async def test_a_host_that_cannot_be_done_is_told_and_stops_nothing(first_run, hosts: Path, told) -> None:
    (hosts / ".codex" / "config.toml").write_text("not = = toml /bin/agent-connector")
    await list_tools(first_run)
    assert registered(hosts) == ALL  # Codex's broken file names it, but was not touched
    assert (hosts / ".codex" / "config.toml").read_text() == "not = = toml /bin/agent-connector"
    assert "could not register itself in codex" in told(await first_run.call("detect"))
    assert "codex" in (first_run.data_root / "logs" / "mcp-server.log").read_text()


async def test_what_happened_is_kept_private(first_run) -> None:
    await list_tools(first_run)
    kept = first_run.data_root / "self-registration.json"
    assert set(json.loads(kept.read_text())["hosts"]) == ALL
    assert kept.stat().st_mode & 0o777 == 0o600

"""A definition in Python runs with the person's rights, so they agree before anything is planned."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest
from homes import snapshot

pytestmark = pytest.mark.anyio

DEFINITION = """
from pathlib import Path
from agent_connector import define_connector

print("a stray line")
with (Path(__file__).parent / "ran").open("a") as file:
    file.write("x")
connector = define_connector(id="coded", server={"transport": "stdio", "command": "uvx", "args": ["coded-mcp"]})
"""


@pytest.fixture
def coded(project: Path) -> Path:
    file = project / "agent-connector.config.py"
    file.write_text(DEFINITION, encoding="utf-8")
    return file


def runs(coded: Path) -> int:
    ran = coded.parent / "ran"
    return len(ran.read_text()) if ran.exists() else 0


@pytest.mark.parametrize("how", ["file", "folder", "found"])
async def test_without_a_person_to_ask_the_file_is_shown_first_and_not_run(
    agent, coded: Path, facts, told, how
) -> None:
    connector = {"file": str(coded), "folder": str(coded.parent), "found": ""}[how]
    shown = await agent.call("install", connector=connector)
    assert facts(shown)["outcome"] == "consent"
    assert facts(shown)["code"] == [{"path": str(coded), "sha256": sha256(coded.read_bytes()).hexdigest()}]
    assert str(coded) in told(shown)
    assert runs(coded) == 0


async def test_three_calls_install_it(agent, hosts: Path, coded: Path, facts, told) -> None:
    before = snapshot(hosts)
    may_run = facts(await agent.call("install", connector=str(coded)))["plan_id"]
    unconfirmed = await agent.call("install", plan_id=may_run)
    assert unconfirmed.is_error
    assert runs(coded) == 0
    planned = facts(await agent.apply("install", may_run))
    assert planned["outcome"] == "planned"
    assert planned["plan_id"] != may_run
    assert runs(coded) == 1
    assert snapshot(hosts).keys() - before.keys() == {"work/shop/ran"}
    done = await agent.apply("install", planned["plan_id"])
    assert facts(done)["outcome"] == "done", told(done)
    assert "coded" in (hosts / ".claude.json").read_text()


async def test_where_the_person_can_be_asked_they_are_asked_before_it_runs(agent, coded: Path, facts) -> None:
    agent.person = "accept"
    agent.meanwhile = lambda: seen.append(runs(coded))
    seen: list[int] = []
    planned = facts(await agent.call("install", connector=str(coded)))
    assert planned["outcome"] == "planned"
    assert seen == [0]
    assert str(coded) in agent.questions[0]
    assert sha256(coded.read_bytes()).hexdigest() in agent.questions[0]
    assert facts(await agent.call("install", plan_id=planned["plan_id"]))["outcome"] == "done"
    assert len(agent.questions) == 2


async def test_a_no_runs_nothing(agent, coded: Path, facts) -> None:
    agent.person = "decline"
    assert facts(await agent.call("install", connector=str(coded)))["outcome"] == "declined"
    assert runs(coded) == 0


@pytest.mark.parametrize("step", [1, 2])
async def test_a_file_that_changed_since_must_be_agreed_to_again(agent, coded: Path, facts, told, step: int) -> None:
    handle = facts(await agent.call("install", connector=str(coded)))["plan_id"]
    if step == 2:
        handle = facts(await agent.apply("install", handle))["plan_id"]
    before = runs(coded)
    coded.write_text(DEFINITION + "# changed\n", encoding="utf-8")
    result = await agent.apply("install", handle)
    assert result.is_error
    assert "changed since it was agreed to" in told(result)
    assert runs(coded) == before


async def test_a_file_that_changes_while_the_person_thinks_is_not_run_unseen(agent, coded: Path, era: str) -> None:
    agent.person = "accept"
    changed = DEFINITION + "# changed\n"
    agent.meanwhile = lambda: coded.write_text(changed, encoding="utf-8")
    result = await agent.call("install", connector=str(coded))
    if era == "legacy":
        assert result.is_error
        assert runs(coded) == 0
    else:  # the newer protocol asks again, about the file as it is by then
        assert len(agent.questions) == 2
        assert sha256(changed.encode()).hexdigest() in agent.questions[1]


async def test_code_that_appears_after_the_plan_is_not_run(agent, project: Path, hosts: Path, told) -> None:
    (project / "agent-connector.config.toml").write_text('id = "a"\n[server]\ntransport = "stdio"\ncommand = "x"\n')
    plan_id = await agent.plan("install")
    coded = project / "agent-connector.config.py"
    coded.write_text(DEFINITION, encoding="utf-8")
    before = snapshot(hosts)
    result = await agent.apply("install", plan_id)
    assert result.is_error
    assert f"{coded} would be run now" in told(result)
    assert runs(coded) == 0
    assert snapshot(hosts) == before


async def test_the_policy_can_forbid_code_or_allow_it(agent, coded: Path, facts, told) -> None:
    policy = agent.data_root / "policy.toml"
    policy.write_text('run_code = "deny"\n')
    denied = await agent.call("install", connector=str(coded))
    assert denied.is_error
    assert "denied" in told(denied)
    assert runs(coded) == 0
    policy.write_text('run_code = "allow"\n')
    assert facts(await agent.call("install", connector=str(coded)))["outcome"] == "planned"
    assert runs(coded) == 1


async def installed(agent, coded: Path, facts) -> None:
    may_run = facts(await agent.call("install", connector=str(coded)))["plan_id"]
    await agent.apply("install", facts(await agent.apply("install", may_run))["plan_id"])


async def test_an_installed_id_leads_to_its_code_too(agent, coded: Path, facts) -> None:
    await installed(agent, coded, facts)
    before = runs(coded)
    for tool in ("install", "upgrade"):
        assert facts(await agent.call(tool, connector="coded"))["outcome"] == "consent"
    assert facts(await agent.call("doctor", connector="coded", probe=True))["outcome"] == "checked"
    assert runs(coded) == before


async def test_looking_and_uninstalling_by_id_run_no_code(agent, coded: Path, facts) -> None:
    await installed(agent, coded, facts)
    before = runs(coded)
    assert not (await agent.call("status", connector="coded")).is_error
    assert facts(await agent.call("doctor", connector="coded"))["outcome"] == "checked"
    plan_id = await agent.plan("uninstall", connector="coded")
    assert facts(await agent.apply("uninstall", plan_id))["outcome"] == "done"
    assert runs(coded) == before


async def test_declarative_definitions_run_without_a_question(agent, project: Path, facts) -> None:
    for name, text in {
        "a.toml": 'id = "a"\n[server]\ntransport = "stdio"\ncommand = "x"\n',
        "b.yaml": "id: b\nserver: {transport: stdio, command: x}\n",
        "c.json": '{"id": "c", "server": {"transport": "stdio", "command": "x"}}',
    }.items():
        (project / name).write_text(text)
        assert facts(await agent.call("install", connector=str(project / name)))["outcome"] == "planned"

"""An agent is not the user: who is asked, what is shown, and what counts as a yes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from homes import ACME, snapshot

pytestmark = pytest.mark.anyio

GUARDED = {**ACME, "hooks": {"PreToolUse": {"command": ["node", "guard.js"]}}}


async def test_where_the_client_can_ask_the_person_is_asked_with_everything_in_sight(
    agent, hosts: Path, facts
) -> None:
    agent.person = "accept"
    plan_id = await agent.plan("install", definition=GUARDED)
    assert agent.questions == []
    assert facts(await agent.call("install", plan_id=plan_id))["outcome"] == "done"
    (question,) = agent.questions
    assert "May agent-connector install acme-db?" in question
    assert "serve --connector acme-db --host claude-code -- npx -y @acme/acme-db-mcp" in question
    assert "node guard.js (on PreToolUse)" in question
    assert f"update {hosts / '.claude.json'}" in question
    assert f"create {hosts / '.codex' / 'hooks.json'}" in question


@pytest.mark.parametrize("answer", ["decline", "cancel"])
async def test_a_no_writes_nothing_whatever_the_model_confirms(agent, hosts: Path, told, facts, answer: str) -> None:
    agent.person = answer
    before = snapshot(hosts)
    plan_id = await agent.plan("install", definition=ACME)
    result = await agent.apply("install", plan_id)
    assert facts(result)["outcome"] == "declined"
    assert ("said no" if answer == "decline" else "nobody agreed") in told(result)
    assert len(agent.questions) == 1
    assert snapshot(hosts) == before


async def test_confirm_does_not_stand_in_for_a_person_who_can_be_asked(agent) -> None:
    agent.person = "accept"
    await agent.apply("install", await agent.plan("install", definition=ACME))
    assert len(agent.questions) == 1


async def test_names_cannot_play_tricks_in_the_question(agent) -> None:
    agent.person = "decline"
    odd = {"id": "odd", "server": {"transport": "stdio", "command": "rm\x1b[1A\r\u202e", "args": ["a\nFiles: none"]}}
    await agent.call("install", plan_id=await agent.plan("install", definition=odd))
    (question,) = agent.questions
    assert "rm\\x1b[1A\\r\\u202e" in question
    assert "a\\nFiles: none" in question


async def test_uninstall_and_upgrade_ask_too(agent, facts) -> None:
    agent.person = "accept"
    await agent.call("install", plan_id=await agent.plan("install", definition=ACME))
    await agent.call("upgrade", plan_id=await agent.plan("upgrade", connector="acme-db"))
    await agent.call("uninstall", plan_id=await agent.plan("uninstall", connector="acme-db"))
    assert [question.splitlines()[0] for question in agent.questions] == [
        "May agent-connector install acme-db?",
        "May agent-connector upgrade acme-db?",
        "May agent-connector uninstall acme-db?",
    ]


def write_policy(agent, text: str) -> Path:
    file = agent.data_root / "policy.toml"
    file.write_text(text, encoding="utf-8")
    return file


async def test_deny_refuses_even_a_plan_and_only_that_operation(agent, hosts: Path, told) -> None:
    before = snapshot(hosts)
    plan_id = await agent.plan("install", definition=ACME)
    write_policy(agent, 'install = "deny"\n')
    for result in (await agent.call("install", definition=ACME), await agent.apply("install", plan_id)):
        assert result.is_error
        assert told(result).startswith("policy: install is denied")
    assert snapshot(hosts) == before
    assert "policy" not in told(await agent.call("uninstall", connector="acme-db"))
    assert not (await agent.call("doctor")).is_error


async def test_allow_asks_nobody_and_still_takes_two_steps(agent, hosts: Path, facts) -> None:
    write_policy(agent, 'install = "allow"\n')
    agent.person = "decline"
    before = snapshot(hosts)
    plan_id = await agent.plan("install", definition=ACME)
    assert snapshot(hosts) == before
    assert facts(await agent.call("install", plan_id=plan_id))["outcome"] == "done"
    assert agent.questions == []


async def test_trust_is_asked_about_even_where_installing_is_allowed(agent, hosts: Path, facts, told) -> None:
    write_policy(agent, 'install = "allow"\n')
    agent.person = "accept"
    plain = facts(await agent.call("install", definition=GUARDED, targets=("codex",)))
    assert not any("(trust)" in command for command in plain["commands"])
    assert "trusted_hash" not in plain.get("diff", "")

    plan_id = await agent.plan("install", definition=GUARDED, targets=("codex",), trust=True)
    assert facts(await agent.call("install", plan_id=plan_id))["outcome"] == "done"
    (question,) = agent.questions
    assert "Codex then runs this hook of acme-db without a review of yours (trust)" in question
    assert "trusted_hash" in (hosts / ".codex" / "config.toml").read_text("utf-8")


async def test_trust_that_is_denied_is_not_even_planned(agent, hosts: Path, told) -> None:
    before = snapshot(hosts)
    plan_id = await agent.plan("install", definition=GUARDED, targets=("codex",), trust=True)
    write_policy(agent, 'install = "allow"\ntrust = "deny"\n')
    for result in (
        await agent.call("install", definition=GUARDED, targets=("codex",), trust=True),
        await agent.apply("install", plan_id),
    ):
        assert result.is_error
        assert "trusting what is installed is denied" in told(result)
    assert snapshot(hosts) == before


async def test_trust_cannot_be_added_to_a_plan_that_was_shown_without_it(agent, hosts: Path) -> None:
    plan_id = await agent.plan("install", definition=GUARDED, targets=("codex",))
    assert (await agent.call("install", plan_id=plan_id, trust=True, confirm=True)).is_error


@pytest.mark.parametrize(
    ("policy", "says"),
    [
        ('install = "alow"\n', "line 1: install must be one of ask, allow, deny"),
        ('install = "ask"\n\nuninstal = "deny"\n', 'line 3: "uninstal" is not known'),
        ("install = \n", "is not valid TOML"),
    ],
)
async def test_a_policy_that_cannot_be_understood_forbids_writing(agent, hosts: Path, told, policy, says) -> None:
    before = snapshot(hosts)
    plan_id = await agent.plan("install", definition=ACME)
    file = write_policy(agent, policy)
    for result in (await agent.call("install", definition=ACME), await agent.apply("install", plan_id)):
        assert result.is_error
        assert f"{file}: " in told(result)
        assert says in told(result)
    assert snapshot(hosts) == before
    for reader in ("detect", "status", "doctor"):
        assert not (await agent.call(reader)).is_error


async def test_what_was_agreed_to_is_what_is_written(agent, hosts: Path, told) -> None:
    # While the person thinks, somebody else takes the name.
    agent.person = "accept"
    plan_id = await agent.plan("install", definition=ACME)
    mine = json.dumps({"mcpServers": {"acme-db": {"command": "mine"}}})
    agent.meanwhile = lambda: (hosts / ".cursor" / "mcp.json").write_text(mine)
    result = await agent.call("install", plan_id=plan_id)
    assert result.is_error
    assert told(result).startswith("plan-changed:")
    assert (hosts / ".cursor" / "mcp.json").read_text() == mine

"""What can be read, the guided conversations, and what completes their arguments."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema
import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.mcp_server.server.prompts import FILES, parse
from homes import ACME
from mcp import MCPError
from mcp_types import PromptReference, ResourceTemplateReference

pytestmark = pytest.mark.anyio


async def read(client, uri: str) -> tuple[str, str]:
    (found,) = (await client.read_resource(uri)).contents
    return found.text, found.mime_type


async def test_the_schema_of_a_definition_can_be_read_and_fits_one(agent) -> None:
    async with agent.connected() as client:
        assert "agent-connector://schema/definition" in [
            str(found.uri) for found in (await client.list_resources()).resources
        ]
        text, kind = await read(client, "agent-connector://schema/definition")
    assert kind == "application/schema+json"
    jsonschema.validate(ACME, json.loads(text))


async def test_hosts_can_be_read_all_or_one(agent) -> None:
    async with agent.connected() as client:
        every = json.loads((await read(client, "agent-connector://hosts"))[0])
        one = json.loads((await read(client, "agent-connector://hosts/codex"))[0])
    assert tuple(host["id"] for host in every["hosts"]) == CATALOG.ids()
    assert one == next(host for host in every["hosts"] if host["id"] == "codex")
    assert "PreToolUse" in one["hook_events"]


async def test_the_diff_of_a_plan_can_be_read_by_its_link(agent, hosts: Path) -> None:
    async with agent.connected() as client:
        result = await client.call_tool("install", {"definition": ACME})
        (link,) = [block for block in result.content if block.type == "resource_link"]
        assert (result.structured_content or {})["diff"] == link.uri
        text, kind = await read(client, link.uri)
    assert kind == "text/x-diff"
    assert f"--- {hosts / '.codex' / 'config.toml'}" in text
    assert "+[mcp_servers.acme-db]" in text
    assert f"+++ {hosts / '.codex' / 'skills' / 'acme-sql' / 'SKILL.md'}" in text


@pytest.mark.parametrize(
    "uri",
    [
        "agent-connector://plans/0123456789abcdef",
        "agent-connector://plans/..%2Fstate",
        "agent-connector://hosts/none",
        "agent-connector://nothing",
    ],
)
async def test_what_is_not_there_is_said(agent, uri: str) -> None:
    async with agent.connected() as client:
        with pytest.raises(MCPError):
            await client.read_resource(uri)


async def test_two_prompts_are_offered_and_take_their_arguments(agent) -> None:
    async with agent.connected() as client:
        prompts = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
        assert list(prompts) == ["install-everywhere", "find-the-fault"]
        assert all(prompt.title and prompt.description for prompt in prompts.values())
        given = await client.get_prompt("install-everywhere", {"connector": "acme {host} db"})
        bare = await client.get_prompt("find-the-fault")
    text = given.messages[0].content.text
    assert "acme {host} db" in text
    assert "if one is named: (not said)" in text
    assert "`definition`" in text
    assert "(not said)" in bare.messages[0].content.text


def test_every_prompt_uses_each_of_its_arguments() -> None:
    folder = Path(__file__).parents[2] / "prompts"
    for name in FILES:
        prompt = parse((folder / name).read_text(encoding="utf-8"))
        assert all(f"{{{argument}}}" in prompt.body for argument in prompt.arguments)
        assert prompt.name == name.removesuffix(".md")


async def test_hosts_connectors_and_plans_complete(agent) -> None:
    plan_id = await agent.plan("install", definition=ACME)
    await agent.apply("install", plan_id)
    prompt = PromptReference(type="ref/prompt", name="find-the-fault")
    plans = ResourceTemplateReference(type="ref/resource", uri="agent-connector://plans/{plan_id}")
    one_host = ResourceTemplateReference(type="ref/resource", uri="agent-connector://hosts/{host}")

    async def complete(ref, name: str, value: str) -> list[str]:
        async with agent.connected() as client:
            return (await client.complete(ref, {"name": name, "value": value})).completion.values

    assert await complete(prompt, "host", "c") == [host for host in CATALOG.ids() if host.startswith("c")]
    assert await complete(prompt, "host", "clau") == ["claude-code"]
    assert await complete(prompt, "connector", "") == ["acme-db", "agent-connector"]
    assert await complete(prompt, "problem", "x") == []
    assert await complete(plans, "plan_id", "") == [plan_id]
    assert await complete(one_host, "host", "codex") == ["codex"]

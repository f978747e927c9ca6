"""Continue: exact values, and trips through a person's YAML, where servers are a list kept by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.authoring.content import Command, Skill
from agent_connector.detection import current_host
from agent_connector.documents.yaml import YamlDocument
from agent_connector.host import MemoryRequest, ServerSpec
from trips import trip

HOST = CATALOG.get("continue")
CONFIG = """\
name: Mine   # a person's own
version: 1.0.0
schema: v1
models:
  - name: Local
    provider: ollama
    model: &model devstral   # the good one
  - {name: Other, provider: ollama, model: *model}

# Servers.
mcpServers:
  - name: time            # about time
    command: uvx
    args: ['mcp-server-time']
    # env: {TZ: UTC}
  # remote
  - name: linear
    type: streamable-http
    url: "https://mcp.linear.app/mcp"
rules:
- Be brief.
"""
ACME = {
    "id": "acme",
    "version": "1.0.0",
    "server": {"transport": "stdio", "command": "npx", "args": ["-y", "acme-mcp"], "env": {"TOKEN": "${env:TOKEN}"}},
}


def render(**fields):
    return HOST.server.render(ServerSpec("acme", **fields))


def test_a_stdio_entry():
    spec = {"command": "npx", "args": ("x",), "env": {"A": "1"}, "cwd": "/srv", "startup_timeout_ms": 9000}
    rendered = render(transport="stdio", **spec)
    assert rendered.value == {
        "command": "npx", "args": ["x"], "env": {"A": "1"}, "cwd": "/srv", "connectionTimeout": 9000,
    }  # fmt: skip
    assert rendered.notes == ()


def test_remote_entries_take_what_they_need_from_variables():
    assert render(transport="http", url="https://x/mcp", bearer_env="TOK", headers={"X": "k-${env:K}"}).value == {
        "type": "streamable-http",
        "url": "https://x/mcp",
        "requestOptions": {"headers": {"X": "k-${{ secrets.K }}", "Authorization": "Bearer ${{ secrets.TOK }}"}},
    }
    assert render(transport="sse", url="https://x/sse").value == {"type": "sse", "url": "https://x/sse"}
    assert render(transport="http", url="https://x/mcp", headers={"X": "${env:X:-d}"}).value is None


def test_what_it_has_no_key_for_is_told():
    assert render(transport="stdio", command="x", enabled=False).value is None
    told = render(transport="stdio", command="x", timeout_ms=1, include=("a",)).notes
    assert [note.level for note in told] == ["warn", "info"]


def test_a_server_stands_behind_a_persons_own(desk):
    changed = trip(desk, "continue", "user", ACME, {".continue/config.yaml": CONFIG})
    ours = """
  - name: acme
    command: "LAUNCHER"
    args:
      - serve
      - "--connector"
      - acme
      - "--host"
      - continue
      - "--env"
      - "TOKEN={env:TOKEN}"
      - "--"
      - npx
      - "-y"
      - acme-mcp
    env: {}
rules:"""
    assert changed[".continue/config.yaml"] == CONFIG.replace("\nrules:", ours)


HEAD = "name: Mine\nversion: 1.0.0\n"


@pytest.mark.parametrize(
    "servers",
    [
        "",
        "mcpServers: []  # none\n",
        "mcpServers:\n",
        "mcpServers: [{name: time, command: uvx}]\n",
        "mcpServers:\n- name: time\n  command: uvx\n",
        "mcpServers:\r\n-   command: uvx\r\n    name: time\r\n",
    ],
)
def test_lists_of_every_kind_come_back(desk, servers):
    changed = trip(desk, "continue", "user", ACME, {".continue/config.yaml": HEAD + servers})
    written = YamlDocument.parse(changed[".continue/config.yaml"].encode()).get(("mcpServers",))
    assert [server["name"] for server in written][-1] == "acme"


def test_an_upgrade_replaces_the_one_element_where_it_stands(desk):
    config = Path(desk.context.machine.home) / ".continue" / "config.yaml"
    config.parent.mkdir()
    config.write_text(CONFIG, encoding="utf-8")
    assert desk.install(ACME, targets=("continue",)).exit_code == 0
    last = "  - name: last # behind\n    command: x\nrules:"
    config.write_text(config.read_text(encoding="utf-8").replace("rules:", last), encoding="utf-8")
    server = {**ACME["server"], "args": ["-y", "acme-mcp@2"]}
    assert desk.install({**ACME, "version": "2.0.0", "server": server}, targets=("continue",)).exit_code == 0
    written = YamlDocument.parse(config.read_bytes()).get(("mcpServers",))
    assert [entry["name"] for entry in written] == ["time", "linear", "acme", "last"]
    assert written[2]["args"][-1] == "acme-mcp@2"
    assert desk.uninstall("acme", targets=("continue",)).exit_code == 0
    assert config.read_text(encoding="utf-8") == CONFIG.replace("rules:", last)


@pytest.mark.parametrize(
    ("servers", "told"),
    [
        ("mcpServers:\n- name: acme\n  command: mine\n", "exists and is not ours"),
        ("mcpServers:\n  acme:\n    command: mine\n", "not an array"),
        ("all: &all\n- {name: time, command: uvx}\nmcpServers: *all\n", "is an alias"),
    ],
)
def test_what_is_not_ours_to_change_is_left_alone_and_said(desk, servers, told):
    config = Path(desk.context.machine.home) / ".continue" / "config.yaml"
    config.parent.mkdir()
    config.write_text(HEAD + servers, encoding="utf-8")
    report = desk.install(ACME, targets=("continue",))
    assert report.exit_code == 1
    assert config.read_text(encoding="utf-8") == HEAD + servers
    assert any(told in change.detail and change.action == "warn" for change in report.changes)


@pytest.mark.parametrize("there", [None, "", "\n"])
def test_no_config_is_made_for_a_server_alone(desk, there):
    config = Path(desk.context.machine.home) / ".continue" / "config.yaml"
    config.parent.mkdir()
    if there is not None:
        config.write_text(there, encoding="utf-8")
    report = desk.install(ACME, targets=("continue",))
    assert report.exit_code == 1
    assert any("has no config.yaml yet" in change.detail for change in report.changes)
    assert (config.read_text(encoding="utf-8") if config.exists() else None) == there


@pytest.mark.parametrize(
    ("content", "count"),
    [
        ({"name": "x", "version": "1"}, 0),
        ({"name": "x", "version": 1}, 1),
        ({}, 2),
        ({"name": "x", "version": "1", "mcpServers": [{"name": "a"}, {"uses": "a/b"}, {"name": "b", "url": "u"}]}, 1),
    ],
)
def test_what_costs_all_servers_of_a_file(content, count):
    assert len(list(HOST.server.faults(content, {}))) == count


def test_it_has_no_hooks(desk):
    config = Path(desk.context.machine.home) / ".continue" / "config.yaml"
    config.parent.mkdir()
    config.write_text(HEAD, encoding="utf-8")
    report = desk.install({**ACME, "hooks": {"Stop": {"command": ["true"]}}}, targets=("continue",))
    assert report.exit_code == 0
    assert [change.detail for change in report.changes if change.surface == "hooks"] == ["Continue has no hooks"]


@pytest.mark.parametrize(
    ("there", "target"),
    [((), "AGENTS.md"), (("CLAUDE.md",), "CLAUDE.md"), (("CLAUDE.md", "AGENT.md"), "AGENT.md")],
)
def test_memory_of_a_project_stands_in_the_file_that_is_read(there, target, here, files):
    for name in there:
        (Path(here.cwd) / name).write_text("mine\n", encoding="utf-8")
    (block,) = HOST.memory.targets(MemoryRequest(here, here.cwd, "project"), files)
    assert block.path == here.cwd / target


def test_memory_of_a_person_is_a_rule_of_its_own(here, files):
    (block,) = HOST.memory.targets(MemoryRequest(here, here.cwd, "user"), files)
    assert block.path == here.home / ".continue" / "rules" / "agent-connector.md"


def test_a_skill_and_a_command_that_becomes_one():
    skill = Skill(name="ledger", description="Reads", body="Read it.", disable_model_invocation=True)
    made = HOST.skills.render(skill)
    assert made.files["ledger/SKILL.md"] == "---\nname: ledger\ndescription: Reads\n---\n\nRead it.\n"
    assert [note.level for note in made.notes] == ["info"]
    command = HOST.commands.render(Command(name="greet", prompt="Greet $ARGUMENTS."))
    assert "Arguments are what the user wrote" in command.files["greet/SKILL.md"]


def test_it_is_told_by_its_clients_name():
    assert current_host(CATALOG, {}, "continue-cli-client")[0] == "continue"

"""Codex: exact values, as its config reads them."""

from __future__ import annotations

import tomllib
from pathlib import PurePosixPath, PureWindowsPath

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.authoring.content import Command, Skill, Subagent, ToolPolicy
from agent_connector.host import HookSpec, MemoryRequest, ServerSpec
from agent_connector.location import EVENT, NAME

HOST = CATALOG.get("codex")


def render(**fields):
    return HOST.server.render(ServerSpec("acme", **fields))


def test_a_stdio_entry_has_plain_keys_before_tables():
    entry = render(
        transport="stdio",
        command="npx",
        args=("-y", "thing"),
        env={"A": "1", "TOKEN": "${env:TOKEN}"},
        cwd="/srv",
        pass_env=("LANGUAGE", "TOKEN"),
        timeout_ms=1500,
        startup_timeout_ms=20_000,
        extra={"required": True},
    ).value
    assert entry == {
        "command": "npx",
        "args": ["-y", "thing"],
        "cwd": "/srv",
        "env_vars": ["TOKEN", "LANGUAGE"],
        "startup_timeout_sec": 20,
        "tool_timeout_sec": 2,
        "required": True,
        "env": {"A": "1"},
    }
    assert list(entry)[-1] == "env"


def test_an_entry_without_environment_says_nothing_of_it():
    assert render(transport="stdio", command="x").value == {"command": "x", "args": []}


def test_a_remote_entry_takes_variables_by_name():
    entry = render(
        transport="http",
        url="https://example.com/mcp",
        headers={"X-Fixed": "v", "X-Key": "${env:KEY}", "authorization": "Bearer ${env:TOK}"},
    ).value
    assert entry == {
        "url": "https://example.com/mcp",
        "bearer_token_env_var": "TOK",
        "http_headers": {"X-Fixed": "v"},
        "env_http_headers": {"X-Key": "KEY"},
    }
    assert render(transport="http", url="https://x", bearer_env="B").value == {
        "url": "https://x",
        "bearer_token_env_var": "B",
    }


@pytest.mark.parametrize(
    "fields",
    [
        {"transport": "stdio", "command": "${env:BIN}"},
        {"transport": "stdio", "command": "x", "args": ("${env:A}",)},
        {"transport": "stdio", "command": "x", "args": ("--a=${env:A}",)},
        {"transport": "stdio", "command": "x", "env": {"A": "${env:B}"}},
        {"transport": "stdio", "command": "x", "env": {"A": "${env:A:-d}"}},
        {"transport": "stdio", "command": "x", "cwd": "${env:HOME}"},
        {"transport": "http", "url": "https://${env:H}/"},
        {"transport": "http", "url": "https://x", "headers": {"X": "a ${env:B}"}},
        {"transport": "http", "url": "https://x", "headers": {"Authorization": "Bearer ${env:B:-x}"}},
    ],
)
def test_what_codex_cannot_resolve_is_not_registered_and_said(fields):
    rendered = render(**fields)
    assert rendered.value is None
    (note,) = rendered.notes
    assert note.level == "warn"
    assert note.fix


def test_what_the_wrapper_must_resolve():
    expresses = HOST.server.expresses
    assert expresses("KEY", "plain")
    assert expresses("KEY", "${env:KEY}")
    assert not expresses("KEY", "${env:OTHER}")
    assert not expresses("KEY", "${env:KEY:-d}")
    assert not expresses("KEY", "x${env:KEY}")
    assert not expresses("", "${env:HOME}/bin")
    assert expresses("", "/usr/bin/x")
    assert not HOST.server.env_pass


@pytest.mark.parametrize("transport", ["sse", "ws"])
def test_transports_it_has_not(transport):
    rendered = render(transport=transport, url="https://x")
    assert rendered.value is None
    assert transport in rendered.notes[0].text


def test_tool_filters_are_exact_names():
    assert render(transport="stdio", command="x", include=("a", "b"), exclude=("c",)).value == {
        "command": "x",
        "args": [],
        "enabled_tools": ["a", "b"],
        "disabled_tools": ["c"],
    }
    assert "enabled_tools" not in render(transport="stdio", command="x", include=("*", "a")).value


def test_globs_are_left_to_the_proxy_and_warned_about():
    rendered = render(transport="stdio", command="x", include=("a_*", "b"), exclude=("c?", "d"))
    assert "enabled_tools" not in rendered.value
    assert rendered.value["disabled_tools"] == ["d"]
    assert [note.level for note in rendered.notes] == ["warn", "warn"]


def test_a_disabled_server_is_registered_as_such():
    assert render(transport="stdio", command="x", enabled=False).value["enabled"] is False


def test_files(linux, windows):
    user = HOST.server.places["user"]
    assert (user.format, user.at) == ("toml", ("mcp_servers", NAME))
    assert user.location.resolve(linux, linux.cwd) == PurePosixPath("/home/dev/.codex/config.toml")
    assert user.location.resolve(windows, windows.cwd) == PureWindowsPath("C:/Users/dev/.codex/config.toml")
    moved = windows.with_env({"CODEX_HOME": "E:\\codex"})
    assert user.location.resolve(moved, moved.cwd) == PureWindowsPath("E:/codex/config.toml")


def test_hooks_stand_in_hooks_json_or_where_toml_has_some(linux):
    for scope, folder in (("user", "/home/dev/.codex"), ("project", "/home/dev/app/.codex")):
        preferred, other = HOST.hooks.files[scope]
        assert str(preferred.place.location.resolve(linux, linux.cwd)) == f"{folder}/hooks.json"
        assert preferred.allowed_keys == ("hooks", "description")
        assert str(other.place.location.resolve(linux, linux.cwd)) == f"{folder}/config.toml"
        assert preferred.place.at == other.place.at == ("hooks", EVENT)
    trust = HOST.hooks.trust
    assert trust.place.at == ("hooks", "state")
    assert (
        trust.key(PurePosixPath("/h/.codex/hooks.json"), "PreToolUse", 2) == "/h/.codex/hooks.json:pre_tool_use:2:0"
    )


def test_a_hook_group_and_its_line_for_windows():
    spec = HookSpec("PreToolUse", "PreToolUse", "run", "Bash", 20_000, "run.cmd")
    item = HOST.hooks.item(spec)
    assert item == {
        "matcher": "Bash",
        "hooks": [{"type": "command", "command": "run", "command_windows": "run.cmd", "timeout": 20}],
    }


def test_hooks_at_the_end_of_a_session_get_three_seconds_at_most():
    def timeout(event, ms):
        return HOST.hooks.item(HookSpec(event, event, "run", timeout_ms=ms))["hooks"][0]["timeout"]

    assert timeout("SessionEnd", 60_000) == 3
    assert timeout("SessionEnd", 1_000) == 1
    assert timeout("Interrupt", 60_000) == 3
    assert timeout("Stop", 60_000) == 60


def test_trust_is_told_at_every_scope():
    assert "trust" in HOST.hooks.notes["user"][0].fix
    assert len(HOST.hooks.notes["project"]) == 2
    assert HOST.server.notes["project"]


def test_only_events_it_has_may_be_native():
    assert HOST.hooks.native_events("Interrupt")
    assert not HOST.hooks.native_events("TaskCompleted")
    assert "Notification" not in HOST.hooks.events
    assert "PostToolUseFailure" not in HOST.hooks.events


def test_a_command_becomes_a_skill_that_is_used_when_named():
    content = HOST.commands.render(Command(name="greet", description="Greets", prompt="Hello $ARGUMENTS"))
    assert HOST.commands.degraded
    assert content.files.keys() == {"greet/SKILL.md", "greet/agents/openai.yaml"}
    text = content.files["greet/SKILL.md"]
    assert text.startswith("---\nname: greet\ndescription: Greets\n---\n\n")
    assert "stands for all of them" in text
    assert text.endswith("Hello $ARGUMENTS\n")
    assert content.files["greet/agents/openai.yaml"] == "policy:\n  allow_implicit_invocation: false\n"


def test_a_command_without_arguments_is_not_explained():
    text = HOST.commands.render(Command(name="pay", prompt="Costs $US")).files["pay/SKILL.md"]
    assert text.endswith("---\n\nCosts $US\n")
    assert 'description: "Use when the user asks for \\"pay\\"."\n' in text


def test_commands_and_skills_stand_in_the_skills_folder(linux):
    for dialect in (HOST.commands, HOST.skills):
        assert str(dialect.folders["user"].resolve(linux, linux.cwd)) == "/home/dev/.codex/skills"
        assert str(dialect.folders["project"].resolve(linux, linux.cwd)) == "/home/dev/app/.codex/skills"


def test_a_skill_that_the_model_may_not_start_and_one_it_may():
    closed = Skill(name="s", description="d", body="b", disable_model_invocation=True)
    assert "s/agents/openai.yaml" in HOST.skills.render(closed).files
    assert HOST.skills.render(Skill(name="s", description="d", body="b")).files.keys() == {"s/SKILL.md"}
    own = Skill(
        name="s", description="d", body="b", disable_model_invocation=True, resources={"agents/openai.yaml": "x"}
    )
    assert HOST.skills.render(own).files["s/agents/openai.yaml"] == "x"


def test_a_subagent_is_a_toml_file():
    subagent = Subagent(
        name="helper",
        description='Says "hi"',
        prompt="You help.\nA lot.",
        model="gpt-5.4",
        readonly=True,
        extra={"model_reasoning_effort": "low"},
    )
    (text,) = HOST.subagents.render(subagent).files.values()
    assert tomllib.loads(text) == {
        "name": "helper",
        "description": 'Says "hi"',
        "model": "gpt-5.4",
        "sandbox_mode": "read-only",
        "developer_instructions": "You help.\nA lot.",
        "model_reasoning_effort": "low",
    }


@pytest.mark.parametrize(("model", "told"), [("inherit", 0), ("sonnet", 1), ("", 0)])
def test_models_that_codex_does_not_know_are_left_out(model, told):
    content = HOST.subagents.render(Subagent(name="h", description="d", prompt="p", model=model))
    assert "model" not in tomllib.loads(content.files["h.toml"])
    assert len(content.notes) == told


def test_a_tool_policy_is_warned_about():
    policy = ToolPolicy(allow=("Read",))
    content = HOST.subagents.render(Subagent(name="h", description="d", prompt="p", tools=policy))
    assert [note.level for note in content.notes] == ["warn"]


def test_memory_stands_in_the_file_that_shadows_the_other(here, files):
    def target(scope, machine=here):
        (block,) = HOST.memory.targets(MemoryRequest(machine, here.cwd, scope), files)
        return block.path

    assert target("project") == here.cwd / "AGENTS.md"
    (here.cwd / "AGENTS.md").write_text("mine\n")
    assert target("project") == here.cwd / "AGENTS.md"
    (here.cwd / "AGENTS.override.md").write_text("mine\n")
    assert target("project") == here.cwd / "AGENTS.override.md"
    assert target("user") == here.home / ".codex" / "AGENTS.md"
    assert target("user", here.with_env({"CODEX_HOME": "/cdx"})) == PurePosixPath("/cdx/AGENTS.md")
    assert HOST.memory.budget == 28 * 1024

"""OpenClaw: exact values, what its servers get of the environment, and its one file with comments in it."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.adapters.openclaw.hooks import format as reply
from agent_connector.authoring.content import Command
from agent_connector.detection import current_host
from agent_connector.host import MemoryRequest, ServerSpec
from agent_connector.surfaces.blockers import Site, hindrances
from trips import trip

HOST = CATALOG.get("openclaw")
CONFIG = """{
  // the model
  "agents": { "defaults": { "model": { "primary": "anthropic/claude-opus" } } },
  "mcp": {
    "servers": {
      "docs": { "url": "https://docs.example/mcp", "transport": "streamable-http" }, // works
    },
  },
  "plugins": { "entries": { "telegram": { "enabled": true } } },
}
"""
ACME = {
    "id": "acme",
    "version": "1.0.0",
    "server": {
        "transport": "stdio",
        "command": "npx",
        "args": ["-y", "acme-mcp"],
        "env": {
            "ACME_TOKEN": "${env:ACME_TOKEN}",
            "lower": "${env:lower}",
            "NODE_OPTIONS": "--no-warnings",
            "PLAIN": "${KEPT}",
        },
        "timeout_ms": 20_500,
    },
}


def render(**fields):
    return HOST.server.render(ServerSpec("acme", **fields))


def test_a_stdio_entry():
    spec = {"command": "npx", "args": ("x",), "env": {"A": "1"}, "cwd": "/srv", "timeout_ms": 9000}
    assert render(transport="stdio", **spec, startup_timeout_ms=3000, enabled=False).value == {
        "command": "npx", "args": ["x"], "env": {"A": "1"}, "cwd": "/srv", "enabled": False,
        "requestTimeoutMs": 9000, "connectionTimeoutMs": 3000,
    }  # fmt: skip


@pytest.mark.parametrize(("transport", "written"), [("http", "streamable-http"), ("sse", "sse")])
def test_a_remote_entry_names_its_transport(transport, written):
    rendered = render(transport=transport, url="https://x/mcp", bearer_env="TOK")
    headers = {"Authorization": "Bearer ${TOK}"}
    assert rendered.value == {"url": "https://x/mcp", "headers": headers, "transport": written}


@pytest.mark.parametrize(
    ("include", "exclude", "shown"),
    [
        (("a", "get_*"), (), {"include": ["a", "get_*"]}),
        (("*",), ("drop_*",), {"exclude": ["drop_*"]}),
        (("a",), ("b",), {"include": ["a"], "exclude": ["b"]}),
    ],
)
def test_tools_are_chosen_by_names_and_stars(include, exclude, shown):
    assert HOST.server.chooses(include, exclude)
    assert render(transport="stdio", command="x", include=include, exclude=exclude).value["toolFilter"] == shown


def test_other_patterns_are_the_proxys():
    assert not HOST.server.chooses(("a[12]",), ())
    assert "toolFilter" not in render(transport="stdio", command="x", include=("a[12]",)).value


@pytest.mark.parametrize(
    ("key", "template", "spelled"),
    [
        ("A", "${env:B}-x", True),
        ("A", "${env:B:-d}", False),
        ("A", "${env:lower}", False),
        ("PYTHONPATH", "/srv", False),
        ("LD_PRELOAD", "/srv/x.so", False),
        ("NODE_AUTH_TOKEN", "${env:NODE_AUTH_TOKEN}", True),
        ("AWS_SECRET_ACCESS_KEY", "${env:AWS_SECRET_ACCESS_KEY}", True),
        ("HTTPS_PROXY", "http://p", True),
        ("", "${env:B}", True),
    ],
)
def test_what_an_entry_can_say(key, template, spelled):
    assert HOST.server.expresses(key, template) == spelled


@pytest.mark.parametrize(
    ("needs", "lost"), [({"env": {"PYTHONPATH": "/srv"}}, "PYTHONPATH"), ({"pass_env": ("low", "HIGH")}, "low")]
)
def test_what_reaches_no_server_is_told(needs, lost):
    rendered = render(transport="stdio", command="x", **needs)
    assert [(note.level, f" {lost} " in note.text) for note in rendered.notes] == [("warn", True)]


def test_what_the_wrapper_needs_is_listed():
    value = render(transport="stdio", command="x", pass_env=("TOKEN", "HOME")).value
    assert value["env"] == {"TOKEN": "${TOKEN}"}
    assert not HOST.server.env_pass


def test_the_file_moves_with_its_folder(linux):
    place = HOST.server.places["user"].location
    assert place.resolve(linux, linux.cwd) == PurePosixPath("/home/dev/.openclaw/openclaw.json")
    moved = linux.with_env({"OPENCLAW_STATE_DIR": "/srv/claw"})
    assert place.resolve(moved, moved.cwd) == PurePosixPath("/srv/claw/openclaw.json")


def test_a_server_stands_among_a_persons_own(desk):
    written = trip(desk, "openclaw", "user", ACME, {".openclaw/openclaw.json": CONFIG})

    args = ["serve", "--connector", "acme", "--host", "openclaw", "--env", "lower={env:lower}"]
    args += ["--env", "NODE_OPTIONS=--no-warnings", "--", "npx", "-y", "acme-mcp"]
    env = {"ACME_TOKEN": "${ACME_TOKEN}", "PLAIN": "$${KEPT}"}
    entry = {"command": "LAUNCHER", "args": args, "env": env, "requestTimeoutMs": 20_500}
    text = written[".openclaw/openclaw.json"]
    before, ours = text.split('"acme": ')
    assert before.startswith(CONFIG[: CONFIG.index(" // works")])
    decoded, end = json.JSONDecoder().raw_decode(ours)
    assert decoded == entry
    assert ours[end:].lstrip(",") == CONFIG[CONFIG.index("\n    },\n  },") :]


def test_a_file_with_more_of_json5_in_it_is_left_alone_and_said(desk):
    file = Path(desk.context.machine.home) / ".openclaw" / "openclaw.json"
    file.parent.mkdir()
    text = "{ mcp: { servers: {} } }\n"
    file.write_text(text, encoding="utf-8")
    report = desk.install(ACME, targets=("openclaw",), scope="user")
    assert report.exit_code == 1
    assert file.read_text(encoding="utf-8") == text


def test_a_command_becomes_a_skill_that_no_prompt_tells_of(desk):
    content = HOST.commands.render(Command(name="greet", description="Greets", prompt="Hello $ARGUMENTS"))
    assert content.files == {
        "greet/SKILL.md": "---\nname: greet\ndescription: Greets\ndisable-model-invocation: true\n---\n\n"
        "`$ARGUMENTS` stands for what the user wrote behind the command's name.\n\nHello $ARGUMENTS\n"
    }
    assert HOST.commands.degraded


@pytest.mark.parametrize(
    ("config", "workspace"),
    [
        ("", ".openclaw/workspace"),
        ('{"agents": {"defaults": {"workspace": "~/claw"}}} // mine', "claw"),
        ('{"agents": {"defaults": {"workspace": 3}}}', ".openclaw/workspace"),
        ("{broken", ".openclaw/workspace"),
    ],
)
def test_memory_stands_in_the_workspace_of_its_agent(config, workspace, here, files):
    folder = Path(here.home) / ".openclaw"
    folder.mkdir()
    (folder / "openclaw.json").write_text(config, encoding="utf-8")
    (mine,) = HOST.memory.targets(MemoryRequest(here, here.cwd, "user"), files)
    assert mine.path == here.home / workspace / "AGENTS.md"


@pytest.mark.parametrize(
    ("env", "client"), [({"OPENCLAW_SHELL": "exec", "OPENCLAW_CLI": "1"}, ""), ({}, "openclaw-bundle-mcp")]
)
def test_a_process_knows_that_it_is_in_it(env, client):
    assert current_host(CATALOG, env, client)[0] == "openclaw"


GUARD = {"PreToolUse": {"decision": "deny", "reason": "no", "matcher": "^acme_write$", "timeout_ms": 900_000}}
GREETING = {"SessionStart": {"decision": "context", "additional_context": "Hello."}}


LEAVE = ', "hooks": { "allowConversationAccess": true }'


@pytest.mark.parametrize(("hooks", "leave"), [(GUARD, ""), ({**GUARD, **GREETING}, LEAVE)])
def test_hooks_are_a_plugin_which_is_given_leave_only_where_it_needs_it(desk, hooks, leave):
    config = {".openclaw/openclaw.json": CONFIG}
    written = trip(desk, "openclaw", "user", {"id": "acme", "version": "1.0.0", "hooks": hooks}, config)

    folder = ".openclaw/extensions/agent-connector-acme"
    assert json.loads(written[f"{folder}/openclaw.plugin.json"]) == {
        "id": "agent-connector-acme",
        "name": "agent-connector-acme",
        "description": "Hooks of acme",
        "version": "1.0.0",
        "configSchema": {"type": "object", "additionalProperties": False},
    }
    assert '"PreToolUse": 590000' in written[f"{folder}/index.js"]
    entry = f', "agent-connector-acme": {{ "enabled": true{leave} }} }} }},'
    assert written[".openclaw/openclaw.json"] == CONFIG.replace(" } } },\n}", f" }}{entry}\n}}")
    assert len(written) == 3


@pytest.mark.parametrize(
    ("plugins", "told"),
    [
        ({}, []),
        ({"enabled": False}, ["plugins.enabled"]),
        ({"allow": ["telegram"]}, ["plugins.allow"]),
        ({"allow": ["agent-connector-acme"], "deny": ["telegram"]}, []),
        ({"deny": ["agent-connector-acme"]}, ["plugins.deny"]),
    ],
)
def test_plugins_that_are_not_loaded_are_told(plugins, told, here, files):
    folder = Path(here.home) / ".openclaw"
    folder.mkdir()
    (folder / "openclaw.json").write_text(json.dumps({"plugins": plugins}), encoding="utf-8")
    found = list(hindrances(Site(HOST, "user", here, here.cwd, files), "hooks"))
    assert [any(word in one.text for word in told) for one in found] == [True] * len(told)


def test_native_events_are_those_that_an_answer_is_waited_for_at():
    assert HOST.hooks.native_events("message_sending")
    assert not HOST.hooks.native_events("tool_result_persist")


def test_a_stop_that_is_denied_says_how_far_it_goes():
    denied = reply("Stop", {"decision": "deny", "reason": "more"}, {})
    assert (json.loads(denied.stdout), denied.verdict) == ({"additionalContext": "more"}, "degraded")
    assert json.loads(reply("PreToolUse", {"decision": "ask", "reason": "Sure?"}, {}).stdout) == {
        "decision": "ask",
        "reason": "Sure?",
    }

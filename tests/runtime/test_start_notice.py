"""A connector whose code guards something is called at the start of every session, to say when it does not."""

from __future__ import annotations

import json

import pytest

GUARD = {"PreToolUse": {"handler": "./rules.py:guard"}}
STATIC = {"PreToolUse": {"decision": "deny", "reason": "never"}}
START = {"session_id": "s1", "hook_event_name": "SessionStart", "source": "startup"}
FILES = {"claude-code": ".claude/settings.json", "codex": ".codex/hooks.json", "cursor": ".cursor/hooks.json"}
NATIVE = {"claude-code": "SessionStart", "codex": "SessionStart", "cursor": "sessionStart"}


@pytest.fixture
def rules(project):
    file = project / "rules.py"
    file.write_text("def guard(event): return None\ndef greet(event): return None\n")
    return file


@pytest.fixture
def registered(hosts):
    """The events under which a host's file has something, and how many things each."""

    def reading(host):
        file = hosts / FILES[host]
        events = json.loads(file.read_bytes()).get("hooks", {}) if file.exists() else {}
        return {event: len(items) for event, items in events.items()}

    return reading


def told(hooks, host="claude-code"):
    said = hooks.said(host, "SessionStart", {**START, "cwd": str(hooks.project)})
    return json.dumps(said) if said else ""


@pytest.mark.parametrize("host", FILES)
def test_code_of_any_kind_is_called_for_at_the_start_and_static_answers_are_not(
    install_hooks, registered, rules, host
):
    install_hooks({"hooks": STATIC})
    assert NATIVE[host] not in registered(host)

    hooks = install_hooks({"hooks": {"Stop": {"command": ["true"]}, **STATIC}})
    assert registered(host)[NATIVE[host]] == 1
    assert hooks.record["hosts"][host]["events"]["SessionStart"] == []

    hooks = install_hooks({"hooks": GUARD})
    assert registered(host)[NATIVE[host]] == 1

    hooks = install_hooks({"hooks": STATIC})
    assert NATIVE[host] not in registered(host), "it goes with the last of the code"
    assert "SessionStart" not in hooks.record["hosts"][host]["events"]


def test_it_stands_in_the_plan_with_its_reason_and_its_command(install_hooks, rules):
    hooks = install_hooks({"hooks": GUARD}, targets=("claude-code",))

    (change,) = [change for change in hooks.report.changes if change.place[-1:] == ("SessionStart",)]
    assert change.action == "create"
    assert "cannot be loaded" in change.detail
    assert [line for line in hooks.report.commands if "hook claude-code SessionStart --connector acme" in line]


def test_an_authors_own_hook_is_the_only_one(install_hooks, registered, rules):
    hooks = install_hooks({"hooks": {**GUARD, "SessionStart": {"handler": "./rules.py:greet"}}})

    assert registered("claude-code")["SessionStart"] == 1
    assert len(hooks.record["hosts"]["claude-code"]["events"]["SessionStart"]) == 1


def test_it_counts_by_host(install_hooks, registered, rules):
    native = {"claude-code": {"native_hooks": {"ConfigChange": {"command": ["true"]}}}}
    install_hooks(
        {"hooks": STATIC, "platforms": {**native, "codex": {"hooks": {"Notification": GUARD["PreToolUse"]}}}}
    )

    assert registered("claude-code")["SessionStart"] == 1, "code on an event of the host's own"
    assert "SessionStart" not in registered("codex"), "its code is on an event that the host does not have"
    assert "sessionStart" not in registered("cursor")


@pytest.mark.parametrize("host", FILES)
def test_nothing_is_said_while_all_is_well(install_hooks, rules, host):
    hooks = install_hooks({"hooks": GUARD})

    assert hooks.said(host, "SessionStart", START) in (None, {})
    assert hooks.faults == []
    assert [line["event"] for line in hooks.rows] == ["SessionStart"]


@pytest.mark.parametrize("host", FILES)
def test_the_next_session_is_told_that_a_handler_does_not_run(install_hooks, rules, host):
    hooks = install_hooks({"hooks": GUARD})
    rules.unlink()
    hooks.said(host, "PreToolUse", hooks.tool_call())

    text = told(hooks, host)
    assert "a hook of the connector acme does not run (PreToolUse)" in text
    assert "agent-connector doctor" in text

    rules.write_text("def guard(event): return None\n")
    assert "does not run" not in told(hooks, host), "mended"


def test_a_program_that_is_gone_is_told_too(install_hooks, project):
    guard = project / "guard.sh"
    guard.write_text("#!/bin/sh\n")
    guard.chmod(0o755)
    hooks = install_hooks({"hooks": {"PreToolUse": {"command": ["./guard.sh"]}}})
    assert told(hooks) == ""
    guard.unlink()
    hooks.decision()

    assert "does not run (PreToolUse)" in told(hooks)


def test_what_is_no_payload_is_a_fault_here_as_everywhere(install_hooks, rules):
    hooks = install_hooks({"hooks": GUARD})

    assert hooks.said("claude-code", "SessionStart", b"nonsense") is None
    assert hooks.faults == ["bad-payload"]

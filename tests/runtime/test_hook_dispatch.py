"""A host calls, the launcher starts, a connector's hooks answer: static responses, payloads, logs and counts."""

from __future__ import annotations

import json
import os
import subprocess
import time

import pytest

GUARD = {"hooks": {"PreToolUse": {"matcher": "acme_drop", "decision": "deny", "reason": "never"}}}
TOOLS = {"claude-code": "mcp__acme__acme_drop", "codex": "mcp__acme__acme_drop", "cursor": "MCP:acme_drop"}
SILENCE = {"claude-code": b"", "codex": b"", "cursor": b"{}"}


@pytest.mark.parametrize("host", TOOLS)
def test_a_static_response_is_said_in_the_hosts_own_words(install_hooks, host):
    hooks = install_hooks(GUARD)

    denied = hooks.said(host, "PreToolUse", hooks.tool_call(TOOLS[host]))
    other = hooks.call(host, "PreToolUse", hooks.tool_call("Read"))

    assert "never" in json.dumps(denied)
    assert (other.returncode, other.stdout, other.stderr) == (0, SILENCE[host], b"")


def test_an_mcp_tool_is_matched_by_its_bare_name_and_by_the_hosts(install_hooks):
    hooks = install_hooks(
        {
            "hooks": {
                "PreToolUse": [
                    {"matcher": "^acme_drop$", "decision": "deny", "reason": "bare"},
                    {"matcher": "^mcp__other__", "decision": "deny", "reason": "native"},
                ]
            }
        }
    )

    assert hooks.decision("mcp__acme__acme_drop") == "deny"
    assert hooks.decision("mcp__other__read") == "deny"
    assert hooks.decision("mcp__acme__acme_dropper") is None


def test_a_real_expression_is_searched_for(install_hooks):
    hooks = install_hooks(
        {"hooks": {"PreToolUse": {"matcher": r"^acme_(?!read)\w+", "decision": "deny", "reason": "x"}}}
    )

    assert hooks.decision("mcp__acme__acme_drop") == "deny"
    assert hooks.decision("mcp__acme__acme_read") is None


def test_an_expression_that_takes_for_ever_is_given_up(install_hooks):
    hooks = install_hooks(
        {
            "hooks": {
                "PreToolUse": [
                    {"matcher": "(a+)+!", "decision": "deny", "reason": "never reached"},
                    {"matcher": "aaa", "decision": "deny", "reason": "reached"},
                ]
            }
        }
    )
    started = time.monotonic()

    said = hooks.said("claude-code", "PreToolUse", hooks.tool_call("a" * 40))

    assert time.monotonic() - started < 8
    assert said["hookSpecificOutput"]["permissionDecisionReason"] == "reached"
    assert hooks.faults == ["timeout"]


def test_a_subagents_matcher_looks_at_its_type(install_hooks):
    hooks = install_hooks({"hooks": {"SubagentStart": {"matcher": "dba", "additional_context": "Schema v12"}}})

    assert "Schema v12" in json.dumps(hooks.said("claude-code", "SubagentStart", {"agent_type": "dba"}))
    assert hooks.said("claude-code", "SubagentStart", {"agent_type": "writer"}) is None
    assert hooks.said("claude-code", "SubagentStart", {}) is None


def test_an_allow_before_a_tool_call_is_no_grant_and_a_permission_is_granted_only_out_loud(install_hooks):
    allow = {"decision": "allow", "reason": "fine"}
    hooks = install_hooks({"hooks": {"PreToolUse": allow, "PermissionRequest": [{"matcher": "acme_read", **allow}]}})
    request = {"hook_event_name": "PermissionRequest"}

    assert hooks.decision() is None
    for host in ("claude-code", "codex"):
        granted = hooks.said(host, "PermissionRequest", hooks.tool_call("mcp__acme__acme_read", **request))
        assert granted["hookSpecificOutput"]["decision"]["behavior"] == "allow"
        assert hooks.said(host, "PermissionRequest", hooks.tool_call("mcp__acme__acme_drop", **request)) is None


def test_entries_of_one_event_come_to_one_answer(install_hooks):
    hooks = install_hooks({"hooks": {"SessionStart": [{"additional_context": "one"}, {"additional_context": "two"}]}})

    said = hooks.said("claude-code", "SessionStart", {"source": "startup"})

    assert said["hookSpecificOutput"]["additionalContext"] == "one\n\ntwo"


def test_a_host_has_what_its_override_says(install_hooks):
    hooks = install_hooks(
        {
            **GUARD,
            "platforms": {
                "codex": {
                    "hooks": {"PreToolUse": {"matcher": "acme_drop", "decision": "deny", "reason": "not in Codex"}}
                },
                "cursor": {"hooks": False},
            },
        }
    )

    assert "not in Codex" in json.dumps(hooks.said("codex", "PreToolUse", hooks.tool_call()))
    assert "never" in json.dumps(hooks.said("claude-code", "PreToolUse", hooks.tool_call()))
    assert hooks.said("cursor", "PreToolUse", hooks.tool_call("MCP:acme_drop")) == {}


# --- payloads --------------------------------------------------------------------------------------------------


NONE = {
    "nothing": (b"", "no-payload"),
    "white space": (b" \n", "no-payload"),
    "no JSON": (b"hello", "bad-payload"),
    "no object": (b'["tool_name"]', "bad-payload"),
    "null": (b"null", "bad-payload"),
    "braces around no JSON": (b"{hello}", "bad-payload"),
    "another encoding": ('{"tool_name": "acme_drop"}'.encode("utf-16"), "bad-payload"),
}  # fmt: skip


@pytest.mark.parametrize("host", TOOLS)
@pytest.mark.parametrize("kind", NONE)
def test_without_a_payload_nothing_is_said_and_it_is_logged(install_hooks, host, kind):
    hooks = install_hooks({"hooks": {"PreToolUse": {"decision": "deny", "reason": "never"}}})
    data, fault = NONE[kind]

    answer = hooks.call(host, "PreToolUse", data)

    assert (answer.returncode, answer.stdout, answer.stderr) == (0, SILENCE[host], b"")
    assert hooks.faults == [fault]


IN_PART = {
    "cut off": b'{"tool_name": "TOOL", "tool_input": {"table": "t',
    "invalid UTF-8": b'{"tool_input": {"table": "\xff\xfe"}, "tool_name": "TOOL"}',
    "NaN": b'{"tool_input": {"n": NaN}, "tool_name": "TOOL"}',
    "a number beyond all doubles": b'{"tool_input": {"n": 1e999}, "tool_name": "TOOL"}',
    "a number of too many digits": b'{"tool_input": {"n": ' + b"9" * 5000 + b'}, "tool_name": "TOOL"}',
    "a control character": b'{"tool_input": {"n": "a\nb"}, "tool_name": "TOOL"}',
    "deep nesting": b'{"tool_name": "TOOL", "tool_input": ' + b"[" * 200_000,
    "closed deep nesting": b'{"tool_input": {"n": ' + b"[" * 501 + b"]" * 501 + b'}, "tool_name": "TOOL"}',
    "more behind it": b'{"tool_name": "TOOL"} {"tool_name": "other"}',
}  # fmt: skip


@pytest.mark.parametrize("host", TOOLS)
@pytest.mark.parametrize("kind", IN_PART)
def test_a_static_deny_holds_whatever_a_model_puts_into_a_call(install_hooks, host, kind):
    hooks = install_hooks(GUARD)

    said = hooks.said(host, "PreToolUse", IN_PART[kind].replace(b"TOOL", TOOLS[host].encode()))

    assert "never" in json.dumps(said)
    assert hooks.faults == ["bad-payload"]
    assert not hooks.said(host, "PreToolUse", IN_PART[kind].replace(b"TOOL", b"acme_read")), "matchers still count"


@pytest.mark.parametrize("kind", IN_PART)
def test_what_is_read_in_part_runs_nothing_and_grants_nothing(install_hooks, kind):
    def hook(**response):
        return [{"command": ["touch", "ran"]}, response]

    hooks = install_hooks(
        {
            "hooks": {
                "PreToolUse": hook(decision="modify", updated_input={"table": "another"}),
                "PermissionRequest": hook(decision="allow"),
                "PostToolUse": hook(updated_output="another"),
            },
            "platforms": {"claude-code": {"native_hooks": {"TaskCompleted": {"command": ["touch", "ran"]}}}},
        }
    )

    for event in ("PreToolUse", "PermissionRequest", "PostToolUse", "TaskCompleted"):
        assert hooks.said("claude-code", event, IN_PART[kind]) is None
    assert hooks.faults == ["bad-payload"] * 4
    assert not list(hooks.project.rglob("ran"))


@pytest.mark.parametrize("host", TOOLS)
def test_ten_megabytes_are_read(install_hooks, host):
    hooks = install_hooks(GUARD)

    said = hooks.said(host, "PreToolUse", hooks.tool_call(TOOLS[host], tool_input={"text": "ü" * 5_000_000}))

    assert "never" in json.dumps(said)
    assert hooks.rows[0]["inb"] > 10_000_000


@pytest.mark.parametrize("host", TOOLS)
@pytest.mark.parametrize(
    "odd",
    [{"tool_name": None}, {"tool_name": 3}, {"tool_name": ["x"]}, {}, {"tool_input": "text"}, {"cwd": 1, "new": {}}],
)
def test_unknown_and_missing_fields_are_survived(install_hooks, host, odd):
    hooks = install_hooks(GUARD)

    answer = hooks.call(host, "PreToolUse", {"hook_event_name": "PreToolUse", **odd})

    assert (answer.returncode, answer.stdout, answer.stderr) == (0, SILENCE[host], b"")
    assert hooks.faults == []


def test_a_byte_order_mark_is_no_fault(install_hooks):
    hooks = install_hooks(GUARD)

    answer = hooks.call("claude-code", "PreToolUse", b"\xef\xbb\xbf" + json.dumps(hooks.tool_call()).encode())

    assert b"deny" in answer.stdout


# --- records ---------------------------------------------------------------------------------------------------


def test_after_uninstalling_a_registration_that_was_left_over_hears_no_opinion(install_hooks, desk):
    hooks = install_hooks(GUARD)
    assert hooks.decision() == "deny"

    desk.uninstall("acme")

    assert hooks.decision() is None
    assert hooks.record["hosts"] == {}
    assert hooks.faults == []


def test_a_host_that_keeps_the_connector_keeps_its_answers(install_hooks, desk):
    hooks = install_hooks(GUARD)

    desk.uninstall("acme", targets=["codex"])

    assert hooks.decision() == "deny"
    assert sorted(hooks.record["installed"]) == ["claude-code", "cursor"]


@pytest.mark.parametrize(
    ("spoil", "fault"),
    [
        (lambda file: file.unlink(), "no-record"),
        (lambda file: file.write_text("{"), "bad-record"),
        (lambda file: file.write_text("null"), "bad-record"),
        (lambda file: file.write_text('{"hosts": []}'), "internal"),
        (lambda file: file.write_bytes(b"\xff"), "bad-record"),
        (lambda file: file.write_text(file.read_text().replace('"version": 1', '"version": 2', 1)), "bad-record"),
    ],
)
@pytest.mark.parametrize("host", TOOLS)
def test_a_record_that_is_damaged_or_newer_is_no_opinion_and_logged(install_hooks, host, spoil, fault):
    hooks = install_hooks(GUARD)
    spoil(hooks.record_file)

    answer = hooks.call(host, "PreToolUse", hooks.tool_call())

    assert (answer.returncode, answer.stdout, answer.stderr) == (0, SILENCE[host], b"")
    assert hooks.faults == [fault]


def test_installing_again_makes_a_damaged_record_anew(install_hooks):
    hooks = install_hooks(GUARD)
    hooks.record_file.write_text("{")

    install_hooks(GUARD)

    assert hooks.decision() == "deny"


@pytest.mark.parametrize("connector", ["nobody", "../acme", "acme/../acme", "", "ACME", "a" * 300])
def test_a_connector_that_is_not_installed_is_no_fault(install_hooks, connector):
    hooks = install_hooks(GUARD)
    launcher = hooks.root / "bin" / "agent-connector"

    answer = hooks.run([launcher, "hook", "cursor", "PreToolUse", "--connector", connector], b"{}")

    assert (answer.returncode, answer.stdout, answer.stderr) == (0, b"{}", b"")
    assert not (hooks.root / "logs").exists()


def test_an_event_the_definition_does_not_have_is_no_fault(install_hooks):
    hooks = install_hooks(GUARD)

    assert hooks.said("claude-code", "Stop", {}) is None
    assert hooks.said("claude-code", "NoSuchEvent", {}) is None
    assert hooks.faults == []


# --- what is left behind ---------------------------------------------------------------------------------------


def test_each_dispatch_is_counted_and_nothing_of_its_content_is_kept(install_hooks):
    hooks = install_hooks(GUARD)
    call = hooks.tool_call(tool_input={"secret": "hunter2"})

    reply = hooks.call("claude-code", "PreToolUse", call)

    (line,) = hooks.rows
    assert abs(line.pop("t") / 1000 - time.time()) < 60
    assert 0 <= line.pop("ms") < 10_000
    assert line == {
        "scope": "hook",
        "connector": "acme",
        "host": "claude-code",
        "event": "PreToolUse",
        "tool": "acme_drop",
        "session": "s1",
        "inb": len(json.dumps(call)),
        "outb": len(reply.stdout),
        "verdict": "honored",
    }
    (spool,) = (hooks.root / "telemetry" / "spool").iterdir()
    assert spool.stat().st_mode & 0o777 == 0o600
    assert {folder.stat().st_mode & 0o777 for folder in (spool.parent, spool.parent.parent)} == {0o700}


def test_no_opinion_is_counted_as_such(install_hooks):
    hooks = install_hooks(GUARD)
    hooks.decision("Read")

    assert hooks.rows[0]["verdict"] == "none"


def test_counting_can_be_switched_off_by_the_person_and_by_the_definition(install_hooks):
    hooks = install_hooks(GUARD)
    assert hooks.decision(env={"AGENT_CONNECTOR_TELEMETRY": "0"}) == "deny"
    hooks = install_hooks({**GUARD, "telemetry": {"enabled": False}})
    assert hooks.decision() == "deny"

    assert not (hooks.root / "telemetry").exists()


def test_many_at_once_leave_whole_lines(install_hooks):
    hooks = install_hooks(GUARD)
    command = [hooks.root / "bin" / "agent-connector", "hook", "codex", "PreToolUse", "--connector", "acme"]
    data = json.dumps(hooks.tool_call()).encode()

    running = [subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) for _ in range(20)]
    answers = [process.communicate(data, timeout=60)[0] for process in running]

    assert len(set(answers)) == 1
    assert len(hooks.rows) == 20


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="a folder that cannot be written to")
def test_a_data_root_that_cannot_be_written_to_costs_the_count_and_nothing_else(install_hooks):
    hooks = install_hooks(GUARD)
    hooks.root.chmod(0o500)
    try:
        assert hooks.decision() == "deny"
    finally:
        hooks.root.chmod(0o700)


def test_where_the_logs_folder_should_be_something_else_may_stand(install_hooks):
    hooks = install_hooks(GUARD)
    (hooks.root / "telemetry").write_text("")
    (hooks.root / "logs").write_text("")

    assert hooks.decision() == "deny"
    assert hooks.call("cursor", "PreToolUse", b"").stdout == b"{}"


def test_a_log_begins_anew_when_it_is_long(install_hooks):
    hooks = install_hooks(GUARD)
    (hooks.root / "logs").mkdir()
    log = hooks.root / "logs" / "hooks.ndjson"
    log.write_bytes(b"x" * (1 << 20))

    hooks.call("claude-code", "PreToolUse", b"")

    assert hooks.faults == ["no-payload"]
    assert log.with_name("hooks.ndjson.1").stat().st_size == 1 << 20

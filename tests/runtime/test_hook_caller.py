"""Which host really called, when hosts run each other's hooks; and which copy of a connector answers."""

from __future__ import annotations

import pytest
from agent_connector.runtime.caller import caller_of, has_own_copy

CURSOR = {"host": "cursor", "env": ["CURSOR_AGENT"], "not_env": ["CLAUDECODE"], "keys": ["cursor_version"]}
OTHER = {"host": "other", "env": ["OTHER", "OTHER_TOO"], "not_env": ["CLAUDECODE"], "keys": []}


def caller(payload=(), **env):
    return caller_of([CURSOR, OTHER], dict.fromkeys(payload, 1), lambda name: env.get(name, ""))


def test_a_key_that_only_one_host_sends_tells():
    assert caller(["cursor_version"]) == "cursor"
    assert caller(["cursor_version"], CLAUDECODE="1") == "cursor"


def test_an_inherited_mark_tells_nothing_of_a_host_that_has_such_a_key():
    """A terminal inside Cursor marks everything that is started in it."""
    assert caller(["session_id"], CURSOR_AGENT="1") == ""


def test_a_host_without_such_a_key_is_told_by_its_environment():
    assert caller(OTHER_TOO="1") == "other"
    assert caller(OTHER="1", CLAUDECODE="1") == ""
    assert caller(OTHER="") == ""


@pytest.mark.parametrize(
    ("places", "project", "own"),
    [
        ([""], "/srv/shop", True),
        ([""], "", True),
        ([], "/srv/shop", False),
        (["/srv/shop"], "/srv/shop/", True),
        (["/srv/shop"], "/srv/shop/below", False),
        (["/srv/other"], "/srv/shop", False),
        (["C:\\srv\\shop"], "C:/srv/shop", True),
        (["/srv/shop"], "", False),
    ],
)
def test_another_copy_answers_only_where_it_is_registered(places, project, own):
    assert has_own_copy({"cursor": places}, "cursor", project) is own
    assert has_own_copy({}, "cursor", project) is False


# --- in the process --------------------------------------------------------------------------------------------

GUARD = {"hooks": {"PreToolUse": {"matcher": "acme_drop", "decision": "deny", "reason": "never"}}}
CALL = {"tool_name": "MCP:acme_drop", "tool_input": {}, "hook_event_name": "preToolUse", "cursor_version": "1.7"}


def test_a_host_that_has_its_own_copy_hears_nothing_from_another_hosts(install_hooks):
    hooks = install_hooks(GUARD)
    payload = {**CALL, "workspace_roots": [str(hooks.project)]}

    assert hooks.said("claude-code", "PreToolUse", payload) == {}
    assert hooks.said("cursor", "PreToolUse", payload)["permission"] == "deny"
    assert [line["host"] for line in hooks.rows] == ["cursor"]


def test_a_host_without_a_copy_of_its_own_is_answered_in_its_own_words(install_hooks):
    hooks = install_hooks(GUARD, targets=["claude-code"])

    assert hooks.said("claude-code", "PreToolUse", CALL)["permission"] == "deny"
    assert hooks.rows[0]["host"] == "cursor"


def test_a_copy_in_another_project_mutes_nothing(install_hooks, home):
    install_hooks(GUARD, targets=["claude-code"])
    hooks = install_hooks(GUARD, targets=["cursor"], scope="project")
    here = {**CALL, "workspace_roots": [str(hooks.project)]}
    elsewhere = {**CALL, "workspace_roots": [str(home / "elsewhere")]}

    assert hooks.record["installed"] == {"claude-code": [""], "cursor": [str(hooks.project)]}
    assert hooks.said("claude-code", "PreToolUse", here) == {}
    assert hooks.said("claude-code", "PreToolUse", elsewhere)["permission"] == "deny"


def test_what_differs_for_the_host_that_really_called_counts(install_hooks):
    other = {"hooks": {"PreToolUse": {"matcher": "acme_drop", "decision": "deny", "reason": "not in Cursor"}}}
    hooks = install_hooks({**GUARD, "platforms": {"cursor": other}}, targets=["claude-code"])

    assert "not in Cursor" in hooks.said("claude-code", "PreToolUse", CALL)["user_message"]
    assert hooks.decision() == "deny"


def test_claude_code_in_a_terminal_of_cursor_is_claude_code(install_hooks):
    hooks = install_hooks(GUARD)

    assert hooks.decision(env={"CURSOR_TRACE_ID": "x", "CLAUDECODE": "1"}) == "deny"
    assert hooks.decision(env={"CURSOR_TRACE_ID": "x"}) == "deny"

"""Rules of hooks and native hooks, and the ways to write them."""

from __future__ import annotations

import pytest
from agent_connector import Response, define_connector, hook, native_hook
from agent_connector.authoring.events import HOOK_EVENTS


def guard(event):
    return None


def test_a_handler_may_be_a_function_a_reference_a_command_or_a_response(resolved):
    hooks = resolved(
        hooks={
            "PreToolUse": [
                {"handler": guard},
                {"handler": "acme.hooks:guard"},
                {"handler": "./hooks.py:guard"},
                {"command": ["node", "guard.js"]},
                {"decision": "deny", "reason": "no"},
            ]
        }
    ).hooks["PreToolUse"]
    assert [one.kind for one in hooks] == ["python", "python", "python", "command", "static"]
    assert hooks[0].handler.function is guard
    assert hooks[0].handler.file == __file__
    assert hooks[0].handler.qualname == "guard"
    assert hooks[1].handler.reference == "acme.hooks:guard"
    assert hooks[3].command == ("node", "guard.js")
    assert hooks[4].response == {"decision": "deny", "reason": "no"}


def test_a_function_a_reference_and_a_response_may_stand_for_the_whole_entry(resolved):
    hooks = resolved(hooks={"Stop": guard, "SessionEnd": "m:f", "PreToolUse": Response.ask("Sure?")}).hooks
    assert hooks["Stop"][0].handler.function is guard
    assert hooks["SessionEnd"][0].handler.reference == "m:f"
    assert hooks["PreToolUse"][0].response == {"decision": "ask", "reason": "Sure?"}


def test_decorated_functions_register_themselves(resolved):
    @hook("PreToolUse", matcher="write")
    @hook("Stop", timeout_ms=500)
    def both(event):
        return None

    expected = resolved(
        hooks={"Stop": {"handler": both, "timeout_ms": 500}, "PreToolUse": {"handler": both, "matcher": "write"}}
    )
    assert resolved(hooks=[both]).hooks == expected.hooks
    assert both({}) is None


def test_hook_makes_complete_registrations_too(resolved):
    hooks = resolved(
        hooks=[
            hook("PreToolUse", command=["x"]),
            hook("PreToolUse", matcher="w", response=Response.deny("no")),
            {"event": "Stop", "handler": guard},
        ]
    ).hooks
    assert [one.kind for one in hooks["PreToolUse"]] == ["command", "static"]
    assert hooks["Stop"][0].kind == "python"


def test_a_list_entry_without_an_event_is_named(faults):
    assert list(faults(hooks=[guard])) == ["hooks"]


@pytest.mark.parametrize(
    "entry",
    [
        {},
        {"matcher": "x"},
        {"handler": guard, "command": ["x"]},
        {"handler": guard, "decision": "allow"},
        {"command": ["x"], "reason": "y"},
    ],
)
def test_exactly_one_kind_of_answer(faults, entry):
    assert list(faults(hooks={"PreToolUse": entry})) == ["hooks.PreToolUse"]


@pytest.mark.parametrize(
    "handler", [3, True, ["x"], "no reference", "module", "module:", ":f", "./file.js:f", "a b:f"]
)
def test_a_handler_is_a_function_or_a_reference(faults, handler):
    assert list(faults(hooks={"PreToolUse": {"handler": handler}})) == ["hooks.PreToolUse.handler"]


@pytest.mark.parametrize(
    "handler", ["m:f", "a.b_c:d.e", "./x.py:f", "../x y/h.py:f", "C:/x/h.py:f", "größe.py:prüfe"]
)
def test_references_that_are_understood(faults, handler):
    assert faults(hooks={"PreToolUse": {"handler": handler}}) == {}


@pytest.mark.parametrize(
    ("event", "near"), [("preToolUse", "PreToolUse"), ("pre_tool_use", "PreToolUse"), ("Stopp", "Stop")]
)
def test_an_unknown_event_is_answered_with_the_nearest(faults, event, near):
    found = faults(hooks={event: guard})
    assert list(found) == [f"hooks.{event}"]
    assert near in found[f"hooks.{event}"].hint


def test_an_event_of_one_host_only_is_pointed_to_native_hooks(faults):
    assert "native_hooks" in faults(hooks={"WorktreeCreate": guard})["hooks.WorktreeCreate"].hint


def test_the_matcher_is_a_regular_expression(faults):
    assert list(faults(hooks={"PreToolUse": {"matcher": "(", "handler": guard}})) == ["hooks.PreToolUse.matcher"]
    found = faults(hooks={"PreToolUse": {"matcher": "*", "handler": guard}})
    assert "leave matcher out" in found["hooks.PreToolUse.matcher"].hint


@pytest.mark.parametrize("command", [[], [""], ["a\0b"]])
def test_a_command_names_a_program(faults, command):
    assert list(faults(hooks={"Stop": {"command": command}})) == ["hooks.Stop.command"]


def test_a_command_is_a_list(faults):
    assert list(faults(hooks={"Stop": {"command": "node guard.js"}})) == ["hooks.Stop.command"]


@pytest.mark.parametrize("timeout", [0, -5, 1.5])
def test_the_time_of_a_hook_is_positive(faults, timeout):
    found = faults(hooks={"Stop": [{"handler": guard}, {"handler": guard, "timeoutMs": timeout}]})
    assert list(found) == ["hooks.Stop[1].timeoutMs"]


def test_the_decision_is_one_of_five(faults):
    found = faults(hooks={"PreToolUse": {"decision": "block", "reason": "x"}})
    assert list(found) == ["hooks.PreToolUse.decision"]


def test_a_reason_alone_is_no_response(faults):
    assert list(faults(hooks={"PermissionRequest": {"reason": "x"}})) == ["hooks.PermissionRequest.decision"]


def test_modify_and_updated_input_go_together(faults):
    assert list(faults(hooks={"PreToolUse": {"decision": "modify"}})) == ["hooks.PreToolUse.updated_input"]
    entry = {"decision": "deny", "updatedInput": {"a": 1}}
    assert list(faults(hooks={"PreToolUse": entry})) == ["hooks.PreToolUse.updatedInput"]


@pytest.mark.parametrize("event", sorted(set(HOOK_EVENTS) - {"PreToolUse", "PermissionRequest"}))
def test_only_two_events_take_updated_input(faults, event):
    assert list(faults(hooks={event: {"updated_input": {}}})) == [f"hooks.{event}.updated_input"]


def test_context_needs_its_text(faults):
    assert list(faults(hooks={"Stop": {"decision": "context"}})) == ["hooks.Stop.additional_context"]


def test_only_post_tool_use_takes_updated_output(faults):
    assert faults(hooks={"PostToolUse": {"updated_output": "x"}}) == {}
    assert list(faults(hooks={"PreToolUse": {"updated_output": "x"}})) == ["hooks.PreToolUse.updated_output"]


@pytest.mark.parametrize(
    ("event", "entry", "decision"),
    [
        ("PreToolUse", {"updated_input": {"a": 1}}, "modify"),
        ("SessionStart", {"additional_context": "x"}, "context"),
        ("PostToolUse", {"updated_output": "x"}, "allow"),
        ("PreToolUse", {"decision": "ask", "reason": "x"}, "ask"),
    ],
)
def test_the_decision_follows_from_what_is_said(resolved, event, entry, decision):
    assert resolved(hooks={event: entry}).hooks[event][0].decision == decision


def test_updated_input_is_json(faults):
    assert list(faults(hooks={"PreToolUse": {"updated_input": {"a": {1, 2}}}})) == ["hooks.PreToolUse.updated_input"]


def test_hook_events_lists_what_is_declared(resolved):
    assert resolved(hooks={"Stop": guard, "PreToolUse": guard}).hook_events == ("Stop", "PreToolUse")


def test_a_host_replaces_hooks_event_by_event(resolved):
    connector = resolved(
        hooks={"Stop": guard, "PreToolUse": guard},
        platforms={"codex": {"hooks": {"Stop": {"command": ["x"]}}}, "cursor": {"hooks": False}},
    )
    assert connector.hooks_for("codex")["Stop"][0].kind == "command"
    assert connector.hooks_for("codex")["PreToolUse"] == connector.hooks["PreToolUse"]
    assert connector.hooks_for("claude-code") == connector.hooks
    assert not connector.wants("cursor", "hooks")


def test_rules_hold_for_the_hooks_of_a_host(faults):
    found = faults(platforms={"codex": {"hooks": {"Stop": {"matcher": "(", "handler": guard}}}})
    assert list(found) == ["platforms.codex.hooks.Stop.matcher"]


# --- native hooks --------------------------------------------------------------------------------------------


def test_a_native_hook_is_kept_under_the_hosts_own_name(resolved):
    connector = resolved(
        platforms={"claude-code": {"nativeHooks": {"TaskCompleted": native_hook(guard, matcher="*")}}}
    )
    (definition,) = connector.native_hooks_for("claude-code")["TaskCompleted"]
    assert (definition.matcher, definition.handler.function) == ("*", guard)
    assert connector.wants("claude-code", "nativeHooks")
    assert not connector.wants("codex", "nativeHooks")


@pytest.mark.parametrize("event", HOOK_EVENTS)
def test_a_native_hook_must_not_take_an_event_that_hosts_share(faults, event):
    found = faults(platforms={"codex": {"native_hooks": {event: {"handler": guard}}}})
    assert list(found) == [f"platforms.codex.native_hooks.{event}"]
    assert "hooks" in found[f"platforms.codex.native_hooks.{event}"].hint


def test_a_native_hook_needs_a_handler_that_is_a_function(faults):
    where = "platforms.codex.native_hooks.TaskCompleted"
    assert list(faults(platforms={"codex": {"native_hooks": {"TaskCompleted": {}}}})) == [where]
    assert list(faults(platforms={"codex": {"native_hooks": {"TaskCompleted": {"handler": 1}}}})) == [
        f"{where}.handler"
    ]


def test_the_matcher_of_a_native_hook_is_a_string(faults):
    found = faults(platforms={"codex": {"native_hooks": {"TaskCompleted": {"matcher": 1, "handler": guard}}}})
    assert list(found) == ["platforms.codex.native_hooks.TaskCompleted.matcher"]


@pytest.mark.parametrize("event", ["", " ", "a\nb"])
def test_a_native_event_has_a_name(faults, event):
    assert len(faults(platforms={"codex": {"native_hooks": {event: guard}}})) == 1


# --- finding a handler again ---------------------------------------------------------------------------------


def test_a_handler_is_found_by_its_place_without_checking_the_definition():
    other = Response.allow
    definition = define_connector(
        hooks={"Stop": [{"command": ["x"]}, guard]}, hosts={"codex": {"hooks": {"Stop": {"handler": other}}}}
    )
    assert definition.hook_handler("Stop", 1) is guard
    assert definition.hook_handler("Stop", 0, host="codex") is other
    with pytest.raises(LookupError):
        definition.hook_handler("Stop", 2)

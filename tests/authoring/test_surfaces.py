"""Rules of the status line, actions, telemetry, publishing, config patches and overrides."""

from __future__ import annotations

import pytest
from agent_connector import action, config_patch, statusline


def run(context):
    return None


# --- status line ---------------------------------------------------------------------------------------------


def test_a_status_line_needs_code(faults):
    assert list(faults(statusline={"name": "hud"})) == ["statusline.render"]
    assert list(faults(statusline={"render": 3})) == ["statusline.render"]
    assert list(faults(statusline={"render": run, "command": ["x"]})) == ["statusline"]


def test_a_status_line_may_be_a_command_in_any_language(resolved):
    assert resolved(statusline=statusline(command=["node", "hud.js"])).statusline.command == ("node", "hud.js")


def test_a_program_in_place_of_code_obeys_the_rules_of_hooks(faults):
    for command in ([], [" "], ["x", "a\0b"], ["x", "${secret:T}"]):
        assert faults(statusline={"command": command})
        assert faults(actions=[{"id": "go", "command": command}])
        assert faults(hooks={"Stop": {"command": command}})


def test_a_status_line_is_called_statusline_by_default(resolved, faults):
    assert resolved(statusline={"render": run}).statusline.name == "statusline"
    assert list(faults(statusline={"render": run, "name": "My HUD"})) == ["statusline.name"]


@pytest.mark.parametrize("option", ["refresh_interval", "max_lines"])
@pytest.mark.parametrize("value", [0, -1, 1.5, True, "2"])
def test_counting_options_are_whole_numbers_from_one(faults, option, value):
    assert list(faults(statusline={"render": run, "options": {option: value}})) == [f"statusline.options.{option}"]
    hosts = {"codex": {"options": {option: value}}}
    found = faults(statusline={"render": run, "hosts": hosts})
    assert list(found) == [f"statusline.hosts.codex.options.{option}"]


@pytest.mark.parametrize("option", ["respect_user_colors", "hide_context_indicator"])
def test_switching_options_are_true_or_false(faults, option):
    assert list(faults(statusline={"render": run, "options": {option: 1}})) == [f"statusline.options.{option}"]


def test_options_of_a_host_are_laid_over_the_others(resolved):
    hosts = {"codex": {"options": {"maxLines": 2}}}
    line = resolved(
        statusline={"render": run, "options": {"refreshInterval": 5, "maxLines": 1}, "hosts": hosts}
    ).statusline
    assert line.options_for("codex") == {"refresh_interval": 5, "max_lines": 2}
    assert line.options_for("cursor") == {"refresh_interval": 5, "max_lines": 1}


def test_a_status_line_override_names_a_known_host_and_a_function(faults):
    found = faults(statusline={"render": run, "hosts": {"cursr": {"render": run}, "codex": {"render": 1}}})
    assert list(found) == ["statusline.hosts.cursr", "statusline.hosts.codex.render"]
    assert "cursor" in found["statusline.hosts.cursr"].hint


def test_platforms_is_another_word_for_hosts_in_a_status_line(resolved):
    line = {"render": run, "platforms": {"codex": {"options": {"max_lines": 2}}}}
    assert resolved(statusline=line).statusline.options_for("codex") == {"max_lines": 2}


# --- actions -------------------------------------------------------------------------------------------------


def test_an_action_needs_an_id_and_code(faults):
    assert list(faults(actions=[{}])) == ["actions[0].id", "actions[0].run"]
    assert list(faults(actions=[{"id": "Re Index", "run": run}])) == ["actions[0].id"]
    assert list(faults(actions=[{"id": "reindex", "run": 1}])) == ["actions[0].run"]


def test_action_ids_are_unique(faults):
    assert list(faults(actions=[action("a", run), action("b", run), action("a", run)])) == ["actions[2].id"]


def test_placement_may_be_one_or_several(resolved, faults):
    (one, several) = resolved(
        actions=[action("a", run, placement="menu"), action("b", run, placement=["menu", "palette"])]
    ).actions
    assert (one.placement, several.placement) == (("menu",), ("menu", "palette"))
    assert list(faults(actions=[action("a", run, placement=[""])])) == ["actions[0].placement"]


def test_confirm_is_a_switch_or_words(resolved, faults):
    (plain, spoken) = resolved(
        actions=[action("a", run, confirm=True), action("b", run, confirm={"title": "Sure?"})]
    ).actions
    assert plain.confirm is True
    assert spoken.confirm.title == "Sure?"
    assert list(faults(actions=[action("a", run, confirm="yes")])) == ["actions[0].confirm"]
    assert list(faults(actions=[action("a", run, confirm={"titel": "x"})])) == ["actions[0].confirm.titel"]


def test_an_action_override_names_a_known_host_and_a_function(faults):
    hosts = {"zed": {"label": "x"}, "codex": {"run": []}}
    assert list(faults(actions=[action("a", run, hosts=hosts)])) == [
        "actions[0].hosts.zed",
        "actions[0].hosts.codex.run",
    ]


# --- telemetry -----------------------------------------------------------------------------------------------


def test_telemetry_is_on_and_resolved_when_nothing_is_said(resolved):
    telemetry = resolved(memory=[{"content": "x"}]).telemetry
    assert telemetry.model_dump() == {
        "enabled": True,
        "model_family_hint": "auto",
        "measure_tool_defs": True,
        "calibration": {"anthropic_count_tokens": False},
        "host_native_usage": False,
        "store": "sqlite",
    }


@pytest.mark.parametrize(
    ("telemetry", "path"),
    [
        ({"enabled": "yes"}, "telemetry.enabled"),
        ({"modelFamilyHint": "gemini"}, "telemetry.modelFamilyHint"),
        ({"store": "csv"}, "telemetry.store"),
        ({"calibration": {"anthropicCountTokens": 1}}, "telemetry.calibration.anthropicCountTokens"),
        ({"enabeld": True}, "telemetry.enabeld"),
    ],
)
def test_telemetry_has_rules(faults, telemetry, path):
    assert list(faults(telemetry=telemetry)) == [path]


# --- config patches ------------------------------------------------------------------------------------------


def patched(*patches):
    return {"claude-code": {"config_patch": list(patches)}}


def test_a_patch_is_kept_with_its_reason(resolved):
    patch = config_patch("env.TEAMS", None, "needs teams", docs_url="https://x")
    (kept,) = resolved(platforms=patched(patch)).config_patches_for("claude-code")
    assert (kept.key, kept.value, kept.reason, kept.docs_url) == ("env.TEAMS", None, "needs teams", "https://x")


@pytest.mark.parametrize("key", ["", ".a", "a.", "a..b", "a b", "a[0]", "a.ü", "a/b", "a\n"])
def test_the_key_of_a_patch_is_a_dotted_path(faults, key):
    assert list(faults(platforms=patched(config_patch(key, 1, "r")))) == ["platforms.claude-code.config_patch[0].key"]


@pytest.mark.parametrize(
    ("key", "instead"),
    [
        ("hooks", "hooks"),
        ("hooks.Stop", "hooks"),
        ("mcpServers.x", "server"),
        ("enabledMcpjsonServers", "server"),
        ("disabledMcpjsonServers", "server"),
        ("enableMcpjsonServers", "server"),
        ("statusLine", "statusline"),
        ("statusLine.command", "statusline"),
    ],
)
def test_keys_of_agent_connectors_own_are_reserved(faults, key, instead):
    found = faults(platforms=patched(config_patch(key, 1, "r")))
    assert list(found) == ["platforms.claude-code.config_patch[0].key"]
    assert instead in found["platforms.claude-code.config_patch[0].key"].hint


def test_keys_that_only_look_reserved_are_free(faults):
    assert faults(platforms=patched(config_patch("statusLineStyle", 1, "r"), config_patch("env.hooks", 1, "r"))) == {}


@pytest.mark.parametrize("value", [object(), {1: 2}, float("nan"), [float("inf")], {"a": b"x"}])
def test_the_value_of_a_patch_is_json(faults, value):
    found = faults(platforms=patched(config_patch("a", value, "r")))
    assert list(found) == ["platforms.claude-code.config_patch[0].value"]


def test_a_patch_says_why_and_what(faults):
    assert list(faults(platforms=patched({"key": "a", "value": 1, "reason": " "}))) == [
        "platforms.claude-code.config_patch[0].reason"
    ]
    assert list(faults(platforms=patched({"key": "a"}))) == [
        "platforms.claude-code.config_patch[0].value",
        "platforms.claude-code.config_patch[0].reason",
    ]


@pytest.mark.parametrize(("first", "second"), [("a.b", "a.b"), ("a", "a.b"), ("a.b", "a")])
def test_no_key_is_patched_twice(faults, first, second):
    patches = patched(config_patch(first, 1, "r"), config_patch(second, 1, "r"))
    assert list(faults(platforms=patches)) == ["platforms.claude-code.config_patch[1].key"]


# --- overrides -----------------------------------------------------------------------------------------------


def test_an_override_names_a_known_host(faults):
    found = faults(platforms={"claude_code": {"hooks": False}})
    assert list(found) == ["platforms.claude_code"]
    assert "claude-code" in found["platforms.claude_code"].hint


@pytest.mark.parametrize("surface", ["commands", "skills", "subagents", "memory"])
def test_false_switches_a_surface_off_in_one_host(resolved, surface):
    entry = {"name": "a", "prompt": "p", "description": "d", "body": "b", "content": "c"}
    fields = {
        "commands": ("name", "prompt"),
        "skills": ("name", "description", "body"),
        "subagents": ("name", "description", "prompt"),
        "memory": ("name", "content"),
    }[surface]
    connector = resolved(**{surface: [{key: entry[key] for key in fields}]}, platforms={"codex": {surface: False}})
    assert not connector.wants("codex", surface)
    assert connector.wants("cursor", surface)


@pytest.mark.parametrize(
    ("override", "path"),
    [
        ({"commands": "no"}, "commands"),
        ({"memory": {"mode": "import"}}, "memory.mode"),
        ({"memory": {"path": 3}}, "memory.path"),
        ({"memory": "CLAUDE.md"}, "memory"),
        ({"scope": "global"}, "scope"),
        ({"extra": ["x"]}, "extra"),
        ({"server": True}, "server"),
        ({"hook": False}, "hook"),
        (True, ""),
    ],
)
def test_overrides_have_rules(faults, override, path):
    assert list(faults(platforms={"codex": override})) == ["platforms.codex" + (f".{path}" if path else "")]


def test_memory_may_be_tuned_in_one_host(resolved):
    connector = resolved(
        memory=[{"content": "x"}],
        platforms={"codex": {"memory": {"path": "docs/AGENTS.md", "mode": "agents-import"}}},
    )
    tuned = connector.memory_override_for("codex")
    assert (tuned.path, tuned.mode) == ("docs/AGENTS.md", "agents-import")
    assert connector.memory_override_for("cursor").path == ""


# --- publishing ----------------------------------------------------------------------------------------------


def test_publishing_data_is_passed_through(resolved):
    publish = {"registryNamespace": "io.github.acme", "packageName": "@acme/acme-db-mcp", "author": {"name": "Acme"}}
    kept = resolved(memory=[{"content": "x"}], publish=publish).publish
    assert (kept.registry_namespace, kept.package_name, kept.author.name) == (
        "io.github.acme",
        "@acme/acme-db-mcp",
        "Acme",
    )


def test_the_registry_is_reached_by_https(faults):
    assert list(faults(publish={"registryBaseUrl": "ftp://x"})) == ["publish.registryBaseUrl"]


def test_a_value_without_end_is_refused(faults):
    endless = []
    endless.append(endless)
    assert list(faults(platforms={"codex": {"extra": {"a": endless}}})) == ["platforms.codex.extra"]

"""A whole definition: what it must have, how it may be spelled, and how its faults are told."""

from __future__ import annotations

import pytest
from agent_connector import ConnectorConfigError, Problem, define_connector
from agent_connector.authoring.identity import Identity
from agent_connector.errors import AgentConnectorError


def problems_of(definition, **options):
    with pytest.raises(ConnectorConfigError) as caught:
        define_connector(definition).resolve(**{"identity": Identity(), **options})
    return caught.value.problems


def test_five_mistakes_give_five_messages():
    problems = problems_of(
        {
            "id": "Acme DB",
            "server": {"transport": "stdio", "commnad": "npx", "timeoutMs": "30"},
            "hooks": {"PreToolUse": {"matcher": "("}},
        }
    )
    assert [problem.path for problem in problems] == [
        "id",
        "server.commnad",
        "server.timeoutMs",
        "hooks.PreToolUse",
        "hooks.PreToolUse.matcher",
    ]
    assert all(problem.reason for problem in problems)


def test_the_error_says_everything_at_once():
    with pytest.raises(AgentConnectorError) as caught:
        define_connector(id="A", sever={"transport": "http", "url": "x"}).resolve(identity=Identity())
    text = str(caught.value)
    assert "2 problems" in text
    assert "id: must be kebab-case" in text
    assert 'sever: is not a known key (hint: did you mean "server"?)' in text
    assert caught.value.code == "definition-invalid"
    assert caught.value.source == __file__


def test_problems_come_in_the_order_of_the_definition():
    definition = {"skills": [{"name": "B"}, {"name": "A"}], "id": "X", "commands": [{"name": "C", "prompt": "p"}]}
    paths = [problem.path.split(".")[0] for problem in problems_of(definition)]
    assert paths == ["skills[0]"] * 3 + ["skills[1]"] * 3 + ["id", "commands[0]"]


def test_a_misspelled_key_is_one_mistake_not_two():
    problems = problems_of({"id": "a", "commands": [{"name": "x", "promt": "p"}]})
    assert [problem.path for problem in problems] == ["commands[0].promt"]


def test_a_misspelled_key_is_still_checked():
    problems = problems_of({"id": "a", "server": {"transport": "stdio", "command": "x", "argss": "y"}})
    assert [problem.path for problem in problems] == ["server.argss", "server.argss"]
    problems = problems_of({"id": "a", "comands": [{"name": "X", "prompt": "p"}]})
    assert [problem.path for problem in problems] == ["comands", "comands[0].name"]


def test_misspelled_hooks_are_one_mistake_too():
    problems = problems_of({"id": "a", "hook": {"Stop": {"command": ["x"]}}})
    assert [problem.path for problem in problems] == ["hook"]
    problems = problems_of({"id": "a", "hosts": {"codex": {"nativehooks": {"X": "m:f"}}}})
    assert [problem.path for problem in problems] == ["hosts.codex.nativehooks"]


def test_a_key_must_not_be_given_in_two_spellings():
    server = {"transport": "stdio", "command": "x", "timeout_ms": 1, "timeoutMs": 2}
    assert problems_of({"id": "a", "server": server}) == (
        Problem("server.timeoutMs", 'is given twice (also as "timeout_ms")'),
    )


def test_hosts_and_platforms_are_one_key():
    both = {"id": "a", "memory": [{"content": "x"}], "hosts": {}, "platforms": {}}
    assert len(problems_of(both)) == 1
    one = {"id": "a", "memory": [{"content": "x"}], "hosts": {"codex": {"memory": False}}}
    assert define_connector(one).resolve(identity=Identity()).platforms["codex"].memory is False


def test_a_value_of_a_wrong_type_hides_no_other_fault():
    problems = problems_of({"id": "a", "server": "npx", "skills": [1, {"name": "B", "description": 2, "body": "x"}]})
    assert [problem.path for problem in problems] == [
        "server",
        "skills[0]",
        "skills[1].name",
        "skills[1].description",
    ]


@pytest.mark.parametrize("id_", ["", "Acme", "-a", "a_b", "a/b", "../a", "a\n", "nul", "é", "a.b"])
def test_ids_are_kebab_case_and_possible_as_folders_everywhere(id_):
    assert [problem.path for problem in problems_of({"id": id_, "memory": [{"content": "x"}]})] == ["id"]


def test_an_id_is_required_where_no_package_has_a_name():
    assert [problem.path for problem in problems_of({"memory": [{"content": "x"}]})] == ["id"]


@pytest.mark.parametrize(
    "nothing",
    [
        {},
        {"hooks": {}},
        {"commands": [], "telemetry": {"enabled": False}},
        {"platforms": {"codex": {"hooks": False}}},
    ],
)
def test_a_connector_declares_something(nothing):
    (problem,) = problems_of({"id": "a", **nothing})
    assert "declares nothing" in problem.reason


@pytest.mark.parametrize(
    "surface",
    [
        {"server": {"transport": "http", "url": "https://x"}},
        {"hooks": {"Stop": "m:f"}},
        {"commands": [{"name": "a", "prompt": "p"}]},
        {"skills": [{"name": "a", "description": "d", "body": "b"}]},
        {"subagents": [{"name": "a", "description": "d", "prompt": "p"}]},
        {"memory": [{"content": "c"}]},
        {"statusline": {"render": "m:f"}},
        {"actions": [{"id": "a", "run": "m:f"}]},
        {"platforms": {"codex": {"native_hooks": {"X": "m:f"}}}},
        {"platforms": {"codex": {"config_patch": [{"key": "a", "value": 1, "reason": "r"}]}}},
    ],
)
def test_any_surface_alone_makes_a_connector(surface):
    assert define_connector({"id": "a", **surface}).resolve(identity=Identity()).id == "a"


def test_defaults_of_a_connector(resolved):
    connector = resolved(memory=[{"content": "x"}])
    assert (connector.display_name, connector.version, connector.targets) == ("acme-db", "0.0.0", "auto")
    assert connector.server is None
    assert connector.hooks == {}
    assert connector.commands == connector.skills == connector.subagents == connector.actions == ()
    assert connector.platforms == {}
    assert connector.publish is None


@pytest.mark.parametrize("field", ["display_name", "version"])
@pytest.mark.parametrize("value", ["", " ", "a\nb", "a\x1b[31m", 1])
def test_labels_are_lines_of_text(field, value):
    definition = {"id": "a", "memory": [{"content": "x"}], field: value}
    assert [problem.path for problem in problems_of(definition)] == [field]


# --- targets -------------------------------------------------------------------------------------------------


def test_targets_are_auto_or_a_list(resolved):
    assert resolved(memory=[{"content": "x"}], targets=["codex", "cursor", "codex"]).targets == ("codex", "cursor")


@pytest.mark.parametrize("targets", ["codex", [], [1], {"codex": True}])
def test_other_targets_are_refused(faults, targets):
    assert list(faults(targets=targets)) == ["targets"]


def test_an_unknown_target_is_answered_with_the_nearest(faults):
    found = faults(targets=["codex", "cursur"])
    assert list(found) == ["targets[1]"]
    assert "cursor" in found["targets[1]"].hint


def test_without_known_hosts_any_plain_id_passes():
    definition = {"id": "a", "memory": [{"content": "x"}], "targets": ["some-new-host"]}
    assert define_connector(definition).resolve(identity=Identity()).targets == ("some-new-host",)
    definition["targets"] = ["../x"]
    assert [problem.path for problem in problems_of(definition)] == ["targets[0]"]


# --- spelling ------------------------------------------------------------------------------------------------

SNAKE = {
    "id": "acme-db",
    "display_name": "Acme",
    "mcp": {"mcp_name": "io.github.acme/db"},
    "server": {
        "transport": "stdio",
        "command": "npx",
        "timeout_ms": 1,
        "startup_timeout_ms": 2,
        "wrap_for_telemetry": False,
        "env": {"camelKey": "a", "snake_key": "b"},
        "auth": {"type": "bearerEnv", "bearer_env_var": "T"},
    },
    "hooks": {
        "PreToolUse": {"updated_input": {"filePath": "x", "old_text": "y"}, "timeout_ms": 3},
        "SessionStart": [{"additional_context": "x"}],
        "PostToolUse": {"updated_output": "x"},
    },
    "telemetry": {
        "model_family_hint": "openai",
        "measure_tool_defs": False,
        "host_native_usage": True,
        "calibration": {"anthropic_count_tokens": True},
    },
    "commands": [{"name": "a", "prompt": "p", "argument_hint": "h", "extra": {"someKey": 1, "other_key": 2}}],
    "skills": [{"name": "a", "description": "d", "body": "b", "disable_model_invocation": True}],
    "statusline": {
        "render": "m:f",
        "options": {
            "refresh_interval": 1,
            "respect_user_colors": True,
            "hide_context_indicator": True,
            "max_lines": 1,
        },
    },
    "platforms": {
        "codex": {
            "native_hooks": {"X": {"handler": "m:f"}},
            "config_patch": [{"key": "a", "value": {"camelKey": 1}, "reason": "r", "docs_url": "u"}],
            "server": {"timeout_ms": 9},
        }
    },
    "publish": {"registry_namespace": "n", "package_name": "p", "registry_base_url": "https://r.example"},
    "oauth": {
        "acme": {
            "provider": "generic",
            "client_id": "c",
            "token_exchange_url": "https://x.example",
            "scopes": ["s"],
            "redirect_port": 8976,
            "redirect_path": "/cb",
            "authorization_endpoint": "https://x.example/a",
            "token_endpoint": "https://x.example/t",
            "device_authorization_endpoint": "https://x.example/d",
            "revocation_endpoint": "https://x.example/r",
            "token_endpoint_auth": "none",
            "extra_authorization_params": {"login_hint": "a"},
            "store_as": "s",
        }
    },
}
FREE = {"env", "extra", "updated_input", "value", "extra_authorization_params"}
"""Keys below which names are the author's own."""


def camel(value):
    if isinstance(value, list):
        return [camel(item) for item in value]
    if not isinstance(value, dict):
        return value
    return {
        "".join(word if not index else word.capitalize() for index, word in enumerate(key.split("_"))): (
            item if key in FREE else camel(item)
        )
        for key, item in value.items()
    }


def test_snake_case_and_camel_case_give_equal_connectors():
    assert camel(SNAKE) != SNAKE
    snake, camelled = (define_connector(one).resolve(identity=Identity()) for one in (SNAKE, camel(SNAKE)))
    assert snake == camelled


def test_names_of_the_authors_own_keep_their_spelling():
    connector = define_connector(camel(SNAKE)).resolve(identity=Identity())
    assert connector.server.env == {"camelKey": "a", "snake_key": "b"}
    assert connector.commands[0].extra == {"someKey": 1, "other_key": 2}
    assert connector.hooks["PreToolUse"][0].updated_input == {"filePath": "x", "old_text": "y"}


def test_faults_are_told_in_the_spelling_of_the_author(faults):
    assert list(faults(telemetry={"measureToolDefs": 1})) == ["telemetry.measureToolDefs"]
    assert list(faults(telemetry={"measure_tool_defs": 1})) == ["telemetry.measure_tool_defs"]


def test_keys_that_are_no_plain_words_are_quoted_in_paths(faults, stdio):
    assert list(faults(server=stdio(env={"a.b c": 1}))) == ["server.env['a.b c']"]


def test_keys_that_are_no_strings_are_refused(faults, stdio):
    assert list(faults(server=stdio(env={8080: "x"}))) == ["server.env.8080"]
    assert list(faults(server={**stdio(), 1: "x"})) == ["server.1"]
    assert list(faults(hooks={0: ""})) == ["hooks.0"]


# --- define_connector ----------------------------------------------------------------------------------------


def test_define_connector_takes_a_mapping_keywords_or_both():
    both = define_connector({"id": "a", "version": "1"}, version="2")
    assert both.raw == {"id": "a", "version": "2"}
    assert both.source == __file__


def test_define_connector_checks_nothing_by_itself():
    assert define_connector(id=3, nonsense=True).raw["id"] == 3


def test_a_connector_cannot_be_changed(resolved, stdio):
    connector = resolved(server=stdio())
    with pytest.raises(AttributeError):
        connector.id = "other"
    with pytest.raises(ValueError, match="frozen"):
        connector.server.command = "other"


def test_resolving_leaves_the_definition_as_it_was(stdio):
    definition = define_connector(
        id="a", server=stdio(commnad="x"), platforms={"codex": {"server": {"timeoutMs": "x"}}}, hooks=["m:f"]
    )
    before = repr(definition.raw)
    with pytest.raises(ConnectorConfigError):
        definition.resolve(identity=Identity())
    assert repr(definition.raw) == before


def test_control_characters_of_a_definition_never_reach_a_terminal():
    definition = {"id": "a", "memory": [{"content": "x", "name": "\x1b[2Ja"}] * 2, "\x1b]0;evil\x07": 1}
    with pytest.raises(ConnectorConfigError) as caught:
        define_connector(definition).resolve(identity=Identity())
    assert all(line.isprintable() for line in str(caught.value).splitlines())


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"memory": [{"content": "\ud800"}]}, "memory[0].content"),
        ({"commands": [{"name": "a", "prompt": "p", "extra": {"x": ["\ud800"]}}]}, "commands[0].extra"),
        ({"memory": [{"content": "x"}], "platforms": {"codex": {"extra": {"\udfff": 1}}}}, "platforms.codex.extra"),
    ],
)
def test_text_that_could_not_be_written_to_a_file_is_refused(faults, fields, path):
    assert list(faults(**fields)) == [path]

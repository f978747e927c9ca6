"""Rules of the server, its secrets, and what hosts override."""

from __future__ import annotations

import pytest

REMOTE = {"transport": "http", "url": "https://acme.example/mcp"}


def test_a_stdio_server_needs_a_command(faults):
    assert list(faults(server={"transport": "stdio"})) == ["server.command"]


@pytest.mark.parametrize("transport", ["http", "sse", "ws"])
def test_a_remote_server_needs_a_url(faults, transport):
    assert list(faults(server={"transport": transport})) == ["server.url"]


def test_the_transport_must_be_a_known_one(faults):
    found = faults(server={"transport": "htpp", "url": "https://x"})
    assert list(found) == ["server.transport"]
    assert "http" in found["server.transport"].hint


def test_the_transport_is_required(faults):
    assert list(faults(server={"command": "npx"})) == ["server.transport"]


def test_a_server_is_wrapped_for_telemetry_unless_it_is_remote(resolved, stdio):
    assert resolved(server=stdio()).server.wrap_for_telemetry is True
    assert resolved(server=REMOTE).server.wrap_for_telemetry is False


def test_an_explicit_choice_about_wrapping_counts(resolved, stdio):
    assert resolved(server=stdio(wrap_for_telemetry=False)).server.wrap_for_telemetry is False
    assert resolved(server={**REMOTE, "wrapForTelemetry": True}).server.wrap_for_telemetry is True


def test_defaults_of_a_server(resolved, stdio):
    server = resolved(server=stdio()).server
    assert server.enabled is True
    assert server.tools.include == ("*",)
    assert server.tools.exclude == ()
    assert server.auth.type == "none"
    assert server.timeout_ms is None
    assert server.startup_timeout_ms is None


@pytest.mark.parametrize("field", ["timeout_ms", "startup_timeout_ms"])
@pytest.mark.parametrize("value", [0, -1, 1.5, "30", True])
def test_times_are_positive_whole_milliseconds(faults, stdio, field, value):
    assert list(faults(server=stdio(**{field: value}))) == [f"server.{field}"]


def test_a_number_in_env_asks_for_quotes(faults, stdio):
    found = faults(server=stdio(env={"PORT": 8080}))
    assert list(found) == ["server.env.PORT"]
    assert "quotes" in found["server.env.PORT"].hint


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"command": "a\0"}, "server.command"),
        ({"args": ["a", "b\0"]}, "server.args[1]"),
        ({"cwd": "\0"}, "server.cwd"),
        ({"env": {"A": "\0"}}, "server.env.A"),
    ],
)
def test_no_process_takes_a_nul_character(faults, stdio, fields, path):
    assert list(faults(server=stdio(**fields))) == [path]


@pytest.mark.parametrize("name", ["", "A=B", "A\0B"])
def test_env_names_must_be_possible(faults, stdio, name):
    assert len(faults(server=stdio(env={name: "x"}))) == 1


def test_env_names_need_not_be_shell_identifiers(faults, stdio):
    assert faults(server=stdio(env={"npm_config_@acme:registry": "x", "ProgramFiles(x86)": "y"})) == {}


def test_bearer_auth_names_a_variable(faults):
    server = {**REMOTE, "auth": {"type": "bearerEnv"}}
    assert list(faults(server=server)) == ["server.auth.bearer_env_var"]
    server["auth"] = {"type": "bearerEnv", "bearerEnvVar": "sk-123 456"}
    assert list(faults(server=server)) == ["server.auth.bearerEnvVar"]
    server["auth"] = {"type": "bearerEnv", "bearerEnvVar": "ACME_TOKEN"}
    assert faults(server=server) == {}


def test_the_auth_type_must_be_a_known_one(faults):
    assert list(faults(server={**REMOTE, "auth": {"type": "basic"}})) == ["server.auth.type"]


def test_a_malformed_reference_is_not_taken_for_text(faults, stdio):
    found = faults(server=stdio(args=["${env:ACME-DSN}", "${env:OK:-x}"], env={"A": "${env:1A}"}))
    assert list(found) == ["server.args[0]", "server.env.A"]


# --- secrets -------------------------------------------------------------------------------------------------


def test_secrets_are_moved_out_of_env(resolved, stdio):
    env = {"DSN": "pg://${env:USER}:${secret:db-pass}@h/db", "LEVEL": "info"}
    server = resolved(server=stdio(env=env)).server
    assert server.env == {"LEVEL": "info"}
    assert server.secret_env == {"DSN": env["DSN"]}


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"command": "${secret:a}"}, "server.command"),
        ({"args": ["-y", "--token=${secret:a}"]}, "server.args[1]"),
        ({"cwd": "/x/${secret:a}"}, "server.cwd"),
        ({"url": "https://${secret:a}"}, "server.url"),
        ({"headers": {"Authorization": "Bearer ${secret:a}"}}, "server.headers.Authorization"),
        ({"auth": {"type": "bearerEnv", "bearer_env_var": "${secret:a}"}}, "server.auth.bearer_env_var"),
    ],
)
def test_no_other_field_of_a_server_takes_a_secret(faults, stdio, fields, path):
    found = faults(server=stdio(**fields))
    assert list(found) == [path]
    if "auth" not in fields:
        assert "server.env" in found[path].reason


def test_env_of_a_remote_server_takes_no_secret(faults):
    assert list(faults(server={**REMOTE, "env": {"A": "${secret:a}"}})) == ["server.env.A"]


@pytest.mark.parametrize(
    "value",
    [
        "${secret:}",
        "${secret:.a}",
        "${secret:a b}",
        "${secret:a:-default}",
        "${secret:a",
        "${secret:" + "a" * 65 + "}",
    ],
)
def test_secret_names_have_rules_and_no_default(faults, stdio, value):
    assert list(faults(server=stdio(env={"A": value}))) == ["server.env.A"]


def test_a_variable_that_gets_a_secret_has_a_plain_name(faults, stdio):
    assert list(faults(server=stdio(env={"MY-TOKEN": "${secret:a}"}))) == ["server.env.MY-TOKEN"]
    assert faults(server=stdio(env={"MY-TOKEN": "a"})) == {}


def test_authors_cannot_write_the_field_that_holds_moved_secrets(faults, stdio):
    assert list(faults(server=stdio(secret_env={"A": "b"}))) == ["server.secret_env"]


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"hooks": {"Stop": {"command": ["x", "${secret:a}"]}}}, "hooks.Stop.command[1]"),
        ({"statusline": {"command": ["x", "${secret:a}"]}}, "statusline.command[1]"),
        ({"platforms": {"codex": {"extra": {"a": ["${secret:a}"]}}}}, "platforms.codex.extra.a[0]"),
        (
            {"platforms": {"codex": {"config_patch": [{"key": "a", "value": "${secret:a}", "reason": "r"}]}}},
            "platforms.codex.config_patch[0].value",
        ),
        ({"commands": [{"name": "a", "prompt": "p", "extra": {"x": "${secret:a}"}}]}, "commands[0].extra.x"),
        (
            {"oauth": {"g": {"provider": "github", "client_id": "a", "scopes": ["${secret:a}"]}}},
            "oauth.g.scopes[0]",
        ),
    ],
)
def test_no_other_surface_takes_a_secret(faults, fields, path):
    assert list(faults(**fields)) == [path]


def test_prose_may_speak_of_secrets(faults):
    assert faults(memory=[{"content": "Write ${secret:NAME} into server.env."}]) == {}


# --- overrides -----------------------------------------------------------------------------------------------


def test_an_override_is_laid_over_the_server(resolved, stdio):
    base = stdio(env={"A": "1", "S": "${secret:s}"}, timeout_ms=5000)
    connector = resolved(server=base, platforms={"codex": {"server": {"command": "uvx"}}})
    there = connector.server_for("codex")
    assert (there.command, there.args, there.timeout_ms) == ("uvx", ("-y", "acme"), 5000)
    assert (there.env, there.secret_env) == ({"A": "1"}, {"S": "${secret:s}"})
    assert connector.server_for("cursor") == connector.server


def test_an_override_of_env_replaces_it_with_its_secrets(resolved, stdio):
    base = stdio(env={"A": "1", "S": "${secret:s}"})
    there = resolved(server=base, platforms={"codex": {"server": {"env": {"B": "2"}}}}).server_for("codex")
    assert (there.env, there.secret_env) == ({"B": "2"}, {})


def test_an_override_may_bring_its_own_secrets(resolved, stdio):
    connector = resolved(server=stdio(), platforms={"codex": {"server": {"env": {"B": "${secret:b}"}}}})
    assert connector.server_for("codex").secret_env == {"B": "${secret:b}"}


def test_false_keeps_the_server_away_from_a_host(resolved, stdio):
    connector = resolved(server=stdio(), platforms={"codex": {"server": False}})
    assert connector.server_for("codex") is None
    assert not connector.wants("codex", "server")
    assert connector.wants("cursor", "server")


def test_an_override_that_makes_the_server_remote_is_judged_as_remote(faults, stdio):
    base = stdio(env={"S": "${secret:s}"})
    found = faults(server=base, platforms={"codex": {"server": {"transport": "http", "url": "https://x"}}})
    assert list(found) == ["platforms.codex.server.env.S"]


def test_wrapping_follows_the_transport_of_the_override(resolved, stdio):
    connector = resolved(server=stdio(), platforms={"codex": {"server": REMOTE}})
    assert connector.server_for("codex").wrap_for_telemetry is False


def test_a_fault_of_the_server_is_told_once_however_many_hosts_override_it(faults, stdio):
    overrides = {host: {"server": {"enabled": False}} for host in ("codex", "cursor")}
    assert list(faults(server=stdio(timeout_ms=-1, args="x"), platforms=overrides)) == [
        "server.args",
        "server.timeout_ms",
    ]


def test_what_the_server_lacks_is_told_once_too(faults):
    overrides = {host: {"server": {"enabled": False}} for host in ("codex", "cursor")}
    assert list(faults(server={"transport": "stdio"}, platforms=overrides)) == ["server.command"]


def test_a_fault_of_the_override_is_told_where_it_stands(faults, stdio):
    found = faults(server=stdio(), platforms={"codex": {"server": {"timeoutMs": -1}}})
    assert list(found) == ["platforms.codex.server.timeoutMs"]


def test_a_server_for_one_host_alone_is_complete_there(faults, resolved, stdio):
    assert list(faults(platforms={"codex": {"server": {"command": "x"}}})) == ["platforms.codex.server.transport"]
    assert resolved(platforms={"codex": {"server": stdio()}}).server_for("codex").command == "npx"

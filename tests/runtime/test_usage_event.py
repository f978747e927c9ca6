"""``usage-event``: what a host itself says a turn cost, counted where that was asked for, and never in its way."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from agent_connector.operations.doctor import doctor
from agent_connector.operations.install import install
from agent_connector.operations.requests import ConnectorSource, DoctorRequest, InstallRequest

TURNS = {
    "gemini-cli": (
        {
            "session_id": "s1",
            "llm_request": {"model": "gemini-2.5-flash"},
            "llm_response": {
                "usageMetadata": {"promptTokenCount": 12471, "candidatesTokenCount": 11, "totalTokenCount": 12487}
            },
        },
        {"tool": "gemini-2.5-flash", "session": "s1", "in": 12471, "out": 16},
    )
}


@pytest.fixture
def counted(install_hooks):
    return install_hooks(
        {"server": {"transport": "stdio", "command": "cat"}, "telemetry": {"host_native_usage": True}}
    )


def say(counted, host: str, payload: object):
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    command = [counted.root / "bin" / "agent-connector", "usage-event", host, "--connector", counted.connector]
    return counted.run(command, data)


@pytest.mark.parametrize("host", TURNS)
def test_a_turn_is_one_row_with_the_hosts_own_numbers(counted, host):
    payload, expected = TURNS[host]

    answer = say(counted, host, payload)

    assert (answer.returncode, answer.stderr) == (0, b"")
    (row,) = counted.rows
    assert {name: row[name] for name in expected} == expected
    assert (row["scope"], row["conf"], row["host"], row["connector"]) == ("model_turn", "host-native", host, "acme")


@pytest.mark.parametrize(
    "payload", [b"", b"{broken", b"[]", b"{}", b'{"llm_response": {"usageMetadata": {"promptTokenCount": -1}}}']
)
def test_what_says_nothing_of_a_cost_is_no_row_and_no_fault(counted, payload):
    for host in (*TURNS, "claude-code", "no-such-host"):
        answer = say(counted, host, payload)
        assert (answer.returncode, answer.stderr) == (0, b"")
    assert counted.rows == []


def test_a_connector_that_is_not_installed_counts_nothing(counted, tmp_path: Path):
    payload, _ = TURNS["gemini-cli"]
    launcher = counted.root / "bin" / "agent-connector"

    answer = counted.run(
        [launcher, "usage-event", "gemini-cli", "--connector", "other"], json.dumps(payload).encode()
    )

    assert answer.returncode == 0
    assert counted.rows == []


def test_the_hook_is_registered_where_it_is_asked_for_and_the_host_has_one(context, home, hosts):
    (home / ".gemini").mkdir()
    definition = {"id": "acme", "server": {"transport": "stdio", "command": "cat"}}
    wished = {**definition, "telemetry": {"host_native_usage": True}}
    settings = home / ".gemini" / "settings.json"

    def installed(given: dict, environment: dict[str, str]) -> str:
        machine = context.machine.with_env(environment)
        request = InstallRequest(source=ConnectorSource(inline=given), targets=("gemini-cli",))
        report = install(request, replace(context, machine=machine))
        assert report.outcome in ("done", "unchanged"), report
        return settings.read_text()

    assert "usage-event" not in installed(definition, {})
    assert json.loads(installed(wished, {}))["hooks"].keys() == {"AfterModel"}
    assert "usage-event" not in installed(definition, {})
    assert "usage-event gemini-cli --connector acme" in installed(definition, {"AGENT_CONNECTOR_HOST_NATIVE": "1"})
    checks = doctor(DoctorRequest(), context).checks
    assert not [check for check in checks if check.status == "fail"], checks

"""doctor on the code behind a status line and actions: where it was, and what it was, without running it."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_connector.errors import UsageError
from agent_connector.operations.context import Context
from agent_connector.operations.doctor import doctor
from agent_connector.operations.install import install
from agent_connector.operations.reports import Check
from agent_connector.operations.requests import ConnectorSource, DoctorRequest, InstallRequest, SimulateRequest
from agent_connector.operations.simulate import simulate

CODE = "def line(context):\n    return 'ok'\n\ndef sync(context):\n    return None\n"


@pytest.fixture
def code(context: Context, hosts: Path, project: Path) -> Path:
    """The file of an installed connector's status line and action."""
    file = project / "acme_code.py"
    file.write_text(CODE)
    definition = project / "agent-connector.config.toml"
    definition.write_text(
        'id = "acme"\nversion = "1.0.0"\n[statusline]\nrender = "./acme_code.py:line"\n'
        '[[actions]]\nid = "sync"\nrun = "./acme_code.py:sync"\n'
    )
    report = install(InstallRequest(source=ConnectorSource(path=str(definition))), context)
    assert report.outcome == "done", report
    return file


def checks(context: Context) -> dict[str, Check]:
    report = doctor(DoctorRequest(), context)
    return {check.name: check for check in report.checks if check.name.endswith(" code")}


def test_code_as_it_was_installed_is_not_worth_a_word(code: Path, context: Context) -> None:
    assert checks(context) == {}


def test_changed_code_is_told_and_upgrading_refreshes_it(code: Path, context: Context) -> None:
    code.write_text(CODE + "# newer\n")

    found = checks(context)
    assert {name: check.status for name, check in found.items()} == {
        "status line code": "warn",
        "action code": "warn",
    }
    doctor(DoctorRequest(heal=True), context)
    assert checks(context) == {}


@pytest.mark.parametrize(
    ("now", "why"),
    [(None, "does not exist"), ("def other(): pass\n", "defines no"), ("def line(:\n", "is not valid Python")],
)
def test_code_that_cannot_run_fails(code: Path, context: Context, now: str | None, why: str) -> None:
    if now is None:
        code.unlink()
    else:
        code.write_text(now)

    found = checks(context)
    assert {check.status for check in found.values()} == {"fail"}
    assert all(why in check.message for check in found.values())


def test_a_damaged_record_of_the_server_fails_and_is_healed(code: Path, context: Context) -> None:
    record = context.data_root / "connectors" / "acme" / "serve.json"
    record.write_text("{broken")

    (found,) = [check for check in doctor(DoctorRequest(), context).checks if check.name == "server record"]
    assert (found.status, found.healable) == ("fail", True)
    assert "neither counted nor filtered" in found.message

    doctor(DoctorRequest(heal=True), context)
    assert not [check for check in doctor(DoctorRequest(), context).checks if check.name == "server record"]


DAMAGED = [
    "{",
    "[]",
    '{"version": 2, "hosts": {}}',
    '{"hosts": []}',
    '{"hosts": {"claude-code": 3}}',
    '{"hosts": {"a": {}}}',
]


@pytest.mark.parametrize("damage", DAMAGED)
def test_a_damaged_record_fails_is_healed_and_is_no_fault_of_simulate(
    code: Path, context: Context, damage: str
) -> None:
    for name in ("statusline", "actions"):
        (context.data_root / "connectors" / "acme" / f"{name}.json").write_text(damage)

    found = checks(context)
    assert found["status line code"].status == "fail"
    assert "none of it runs" in found["status line code"].message
    with pytest.raises(UsageError, match=r"record"):
        simulate(SimulateRequest(ConnectorSource(id="acme"), "claude-code", surface="statusline"), context)
    doctor(DoctorRequest(heal=True), context)
    assert checks(context) == {}

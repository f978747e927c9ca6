"""doctor on the code behind a status line and actions: where it was, and what it was, without running it."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_connector.operations.context import Context
from agent_connector.operations.doctor import doctor
from agent_connector.operations.install import install
from agent_connector.operations.reports import Check
from agent_connector.operations.requests import ConnectorSource, DoctorRequest, InstallRequest

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

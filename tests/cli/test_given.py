from __future__ import annotations

from pathlib import Path

import pytest
from agent_connector.errors import UsageError
from agent_connector.machine import Machine
from agent_connector.mcp_server.cli.given import Given, source
from agent_connector.operations.requests import ConnectorSource


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    (tmp_path / "work").mkdir()
    return Machine("linux", tmp_path, tmp_path / "work")


def test_nothing_said_leaves_the_search_to_the_operation(machine: Machine) -> None:
    assert source(Given(), machine) == ConnectorSource()


@pytest.mark.parametrize("path", ["./acme", "acme.toml", "../acme/agent-connector.config.py", "/srv/acme", "Acme"])
def test_a_reference_that_cannot_be_an_id_is_a_path(path: str, machine: Machine) -> None:
    assert source(Given(reference=path), machine) == ConnectorSource(path=path)


def test_a_kebab_case_word_is_an_id(machine: Machine) -> None:
    assert source(Given(reference="acme-db"), machine) == ConnectorSource(id="acme-db")


def test_a_folder_of_that_name_is_meant_unless_the_connector_is_installed(machine: Machine) -> None:
    (Path(machine.cwd) / "acme-db").mkdir()
    assert source(Given(reference="acme-db"), machine) == ConnectorSource(path="acme-db")
    (Path(machine.data_root) / "connectors" / "acme-db").mkdir(parents=True)
    assert source(Given(reference="acme-db"), machine) == ConnectorSource(id="acme-db")


def test_two_different_connectors_are_a_usage_error(machine: Machine) -> None:
    with pytest.raises(UsageError, match="two connectors"):
        source(Given(reference="acme-db", connector_id="other"), machine)
    with pytest.raises(UsageError, match="two connectors"):
        source(Given(reference="./acme", connector="./other"), machine)
    assert source(Given(reference="acme-db", connector_id="acme-db"), machine) == ConnectorSource(id="acme-db")


def test_what_is_said_wins_over_what_a_branded_command_is_scoped_to(machine: Machine) -> None:
    own = ConnectorSource(path="/opt/acme/agent-connector.config.toml")
    assert source(Given(), machine, own) == own
    assert source(Given(connector="other.toml"), machine, own) == ConnectorSource(path="other.toml")
    assert source(Given(connector_id="other"), machine, own) == ConnectorSource(id="other")

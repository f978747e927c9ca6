"""A connector's own command line."""

from __future__ import annotations

from pathlib import Path

import pytest
from agent_connector import create_connector_cli, define_connector
from agent_connector.authoring.branded import Branding
from agent_connector.authoring.identity import Identity
from agent_connector.authoring.raw import Definition
from agent_connector.machine import Machine
from agent_connector.mcp_server.cli.branded import program
from agent_connector.mcp_server.cli.commandline import Program
from agent_connector.mcp_server.cli.given import Given
from agent_connector.mcp_server.cli.program import execute
from agent_connector.mcp_server.composition import context
from agent_connector.operations.requests import ConnectorSource

NOTES = Identity(name="acme-notes-mcp", version="2.1.0", scripts=("acme-notes",))


def branded(tmp_path: Path, connector: Definition | Path) -> Program:
    return program(Branding("acme-notes", connector, NOTES, "2.1.0"), context(Machine("linux", tmp_path, tmp_path)))


def test_it_is_found_by_its_entry_point(capsys: pytest.CaptureFixture[str]) -> None:
    main = create_connector_cli(define_connector(id="x", memory=[]), command="acme", version="3.0")
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == "acme 3.0\n"


def test_it_offers_what_its_users_do_and_nothing_of_the_machinery(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    own = branded(tmp_path, tmp_path / "agent-connector.config.toml")
    assert execute(own, ["--help"]) == 0
    shown = capsys.readouterr().out
    listed = {line.split()[0] for line in shown.splitlines() if line.startswith("  ")}
    ours = {"detect", "install", "uninstall", "upgrade", "status", "doctor", "explain", "simulate", "telemetry"}
    assert listed == ours
    assert shown.startswith("Usage: acme-notes ")
    assert "agent-connector" not in shown
    assert execute(own, ["setup"]) == 2
    assert execute(own, ["package"]) == 2


def test_it_is_about_its_connector(tmp_path: Path) -> None:
    path = tmp_path / "agent-connector.config.toml"
    own = branded(tmp_path, path)
    assert own.definition(Given()) == ConnectorSource(path=str(path), identity=NOTES)
    assert own.installed(Given()) == ConnectorSource(id="acme-notes")


def test_another_connector_that_is_named_wins(tmp_path: Path) -> None:
    own = branded(tmp_path, tmp_path / "agent-connector.config.toml")
    for sourced in (own.definition, own.installed):
        assert sourced(Given(connector="other.toml")) == ConnectorSource(path="other.toml")
        assert sourced(Given(connector_id="other")) == ConnectorSource(id="other")


def test_a_definition_s_own_id_counts_and_its_file_is_where_updates_come_from(tmp_path: Path) -> None:
    own = branded(tmp_path, define_connector(id="notes", memory=[]))
    assert own.installed(Given()) == ConnectorSource(id="notes")
    assert own.definition(Given()).path == __file__


def test_a_definition_without_a_file_is_taken_as_it_is(tmp_path: Path) -> None:
    given = branded(tmp_path, Definition({"memory": [{"content": "x"}]})).definition(Given())
    assert given.inline == {"id": "acme-notes", "version": "2.1.0", "memory": [{"content": "x"}]}

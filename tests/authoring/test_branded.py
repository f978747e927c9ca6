"""Command lines under an author's own name."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from agent_connector import create_connector_cli, define_connector, faces
from agent_connector.authoring.branded import Branding
from agent_connector.errors import AgentConnectorError

CALLS: list[tuple[Branding, list[str] | None]] = []


def face(branding, arguments):
    CALLS.append((branding, arguments))
    return 7


@pytest.fixture
def installed_face(monkeypatch):
    """This module's ``face`` as the command line that is installed."""
    point = EntryPoint(name="cli", group="agent_connector.faces", value="nowhere:face")
    monkeypatch.setattr(EntryPoint, "load", lambda self: face)
    monkeypatch.setattr(faces, "entry_points", lambda **selection: [point])
    CALLS.clear()


@pytest.mark.usefixtures("installed_face")
def test_the_command_line_gets_branding_and_arguments(tmp_path):
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "acme-db-mcp"\nversion = "1.2"\nscripts = {acme-db = "a:b"}\n', "utf-8"
    )
    main = create_connector_cli(tmp_path / "agent-connector.config.toml")
    assert main(["doctor", "--probe"]) == 7
    ((branding, arguments),) = CALLS
    assert (branding.command, branding.version, branding.identity.name) == ("acme-db", "1.2", "acme-db-mcp")
    assert branding.connector == tmp_path / "agent-connector.config.toml"
    assert arguments == ["doctor", "--probe"]


@pytest.mark.usefixtures("installed_face")
def test_without_arguments_the_command_line_takes_those_of_the_process():
    create_connector_cli(define_connector(id="a"), command="acme", version="3")()
    ((branding, arguments),) = CALLS
    assert (branding.command, branding.version, arguments) == ("acme", "3", None)


@pytest.mark.usefixtures("installed_face")
def test_an_installed_package_gives_its_identity():
    create_connector_cli(define_connector(id="a"), package="agent-connector-mcp")([])
    assert CALLS[0][0].command == "agent-connector"


def test_a_missing_command_line_is_told(monkeypatch):
    monkeypatch.setattr(faces, "entry_points", lambda **selection: [])
    with pytest.raises(AgentConnectorError, match="not installed"):
        create_connector_cli(define_connector(id="a"), command="acme")([])


def test_making_one_loads_no_command_line():
    script = (
        "import sys\nfrom agent_connector import create_connector_cli, define_connector\n"
        "create_connector_cli(define_connector(id='a'), command='a')\n"
        "heavy = ('agent_connector.mcp_server', 'click', 'pydantic')\n"
        "assert not [name for name in sys.modules if name.startswith(heavy)]"
    )
    subprocess.run([sys.executable, "-c", script], check=True, cwd=Path(__file__).parent)

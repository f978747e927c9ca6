"""Upgrade brings what is installed to what the definition says now, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from agent_connector.errors import UsageError
from agent_connector.operations.context import Context
from agent_connector.operations.install import install
from agent_connector.operations.requests import ConnectorSource, InstallRequest, UpgradeRequest
from agent_connector.operations.upgrade import upgrade
from homes import ACME, Desk, snapshot

TOML = """
id = "acme-db"
version = "{version}"
[server]
transport = "stdio"
command = "npx"
args = ["-y", "@acme/acme-db-mcp@{version}"]
{more}
"""

SKILL = """
[[skills]]
name = "acme-sql"
description = "Writes Acme SQL"
body = "Use it."
"""


@pytest.fixture
def definition(project: Path) -> Path:
    path = project / "agent-connector.config.toml"
    path.write_text(TOML.format(version="1.0.0", more=SKILL), encoding="utf-8")
    return path


def changes_of(report: Any, action: str) -> set[tuple[str, str]]:
    return {(change.host, change.surface) for change in report.changes if change.action == action}


def test_a_new_version_of_the_definition_updates_every_host_it_is_in(
    hosts: Path, context: Context, definition: Path
) -> None:
    install(InstallRequest(targets=("claude-code", "codex")), context)
    definition.write_text(TOML.format(version="2.0.0", more=SKILL), encoding="utf-8")
    report = upgrade(UpgradeRequest(source=ConnectorSource(id="acme-db")), context)
    assert changes_of(report, "update") == {("claude-code", "server"), ("codex", "server")}
    assert b"acme-db-mcp@2.0.0" in (hosts / ".claude.json").read_bytes()
    assert b"acme-db-mcp@2.0.0" in (hosts / ".codex" / "config.toml").read_bytes()
    assert b"acme-db" not in (hosts / ".cursor" / "mcp.json").read_bytes(), "where it is not, it does not go"


def test_what_the_definition_dropped_is_pruned(hosts: Path, context: Context, definition: Path) -> None:
    install(InstallRequest(), context)
    assert (hosts / ".claude" / "skills" / "acme-sql").exists()
    definition.write_text(TOML.format(version="1.0.0", more=""), encoding="utf-8")
    report = upgrade(UpgradeRequest(), context)
    assert ("claude-code", "skills") in changes_of(report, "remove")
    assert not (hosts / ".claude" / "skills").exists()


def test_without_its_source_the_record_of_the_install_is_used(
    hosts: Path, context: Context, definition: Path
) -> None:
    install(InstallRequest(), context)
    before = snapshot(hosts)
    definition.unlink()
    before.pop("work/shop/agent-connector.config.toml")
    (hosts / ".claude.json").write_text("{}", encoding="utf-8")
    upgrade(UpgradeRequest(source=ConnectorSource(id="acme-db")), context)
    assert b"acme-db-mcp@1.0.0" in (hosts / ".claude.json").read_bytes()


def test_after_an_uninstall_upgrade_brings_nothing_back(hosts: Path, desk: Desk, context: Context) -> None:
    before = snapshot(hosts)
    desk.install()
    desk.uninstall()
    upgrade(UpgradeRequest(source=ConnectorSource(id="acme-db")), context)
    assert snapshot(hosts) == before


def test_without_a_connector_only_the_runtime_is_refreshed_and_the_package_managers_command_told(
    hosts: Path, context: Context
) -> None:
    before = snapshot(hosts)
    report = upgrade(UpgradeRequest(channel="latest"), context)
    assert report.exit_code == 0
    assert snapshot(hosts) == before
    assert any("install -U --pre agent-connector-mcp" in step for step in report.next_steps)


def test_an_unknown_connector_is_an_error_with_what_is_installed(hosts: Path, desk: Desk, context: Context) -> None:
    desk.install()
    with pytest.raises(UsageError) as raised:
        upgrade(UpgradeRequest(source=ConnectorSource(id="acme-bd")), context)
    assert "acme-db" in str(raised.value)
    with pytest.raises(UsageError) as raised:
        desk.uninstall("acme-bd")
    assert "acme-db" in str(raised.value)


def test_an_id_that_comes_from_another_place_than_before_is_said(
    hosts: Path, context: Context, definition: Path, tmp_path: Path
) -> None:
    install(InstallRequest(), context)
    other = tmp_path / "other" / "agent-connector.config.toml"
    other.parent.mkdir()
    other.write_text(definition.read_text(encoding="utf-8"), encoding="utf-8")
    report = install(InstallRequest(source=ConnectorSource(path=str(other))), context)
    warnings = [change.detail for change in report.changes if change.action == "warn"]
    assert len(warnings) == 1
    assert str(definition) in warnings[0]
    assert str(other) in warnings[0]


def test_an_unset_variable_without_default_is_told_at_install(hosts: Path, desk: Desk) -> None:
    server = {**ACME["server"], "env": {"DSN": "${env:ACME_DSN}"}}
    report = desk.install({"id": "acme-db", "server": server}, targets=("cursor",))
    assert any("ACME_DSN" in change.detail for change in report.changes if change.action == "warn")
    assert json.loads((hosts / ".claude.json").read_bytes())
    assert report.exit_code == 0

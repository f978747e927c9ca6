"""One connector at several scopes of one host, which keeps them in the same files."""

from __future__ import annotations

import json
from pathlib import Path

from agent_connector.operations.context import Context
from agent_connector.operations.requests import ConnectorSource, UpgradeRequest
from agent_connector.operations.upgrade import upgrade
from homes import ACME, Desk, snapshot

COMMITTABLE = {**ACME, "server": {"transport": "stdio", "command": "npx", "args": ["-y", "@acme/acme-db-mcp"]}}


def folders_of(home: Path) -> list[str]:
    made = [home / name for name in ("one", "two")]
    for folder in made:
        folder.mkdir()
    return [str(folder) for folder in made]


def test_user_and_local_scope_of_one_file_are_removed_at_once(hosts: Path, desk: Desk) -> None:
    projects = folders_of(hosts)
    before = snapshot(hosts)
    desk.install()
    for project in projects:
        assert desk.install(targets=("claude-code",), scope="local", project=project).outcome == "done"
    report = desk.uninstall()
    assert (report.outcome, report.exit_code) == ("done", 0)
    assert snapshot(hosts) == before


def test_user_and_local_scope_of_one_file_are_put_back_at_once(hosts: Path, desk: Desk, context: Context) -> None:
    projects = folders_of(hosts)
    desk.install()
    for project in projects:
        desk.install(targets=("claude-code",), scope="local", project=project)
    config = hosts / ".claude.json"
    content = json.loads(config.read_bytes())
    for part in (content, *content["projects"].values()):
        part.get("mcpServers", {}).pop("acme-db", None)
    config.write_text(json.dumps(content), encoding="utf-8")
    report = upgrade(UpgradeRequest(source=ConnectorSource(id="acme-db")), context)
    assert (report.outcome, report.exit_code) == ("done", 0)
    content = json.loads(config.read_bytes())
    assert "acme-db" in content["mcpServers"]
    assert all("acme-db" in content["projects"][project]["mcpServers"] for project in projects)


def test_user_and_project_scope_of_the_home_folder_are_removed_at_once(hosts: Path, desk: Desk) -> None:
    before = snapshot(hosts)
    desk.install(COMMITTABLE)
    desk.install(COMMITTABLE, scope="project", project=str(hosts))
    desk.uninstall()
    left = {name for name in snapshot(hosts) if name not in before}
    assert not left
    assert {name for name in before if snapshot(hosts).get(name) != before[name]} == set()


def test_a_project_scope_that_is_the_user_scope_takes_nothing_over(hosts: Path, desk: Desk) -> None:
    before = snapshot(hosts)
    desk.install(COMMITTABLE, targets=("cursor",))
    installed = (hosts / ".cursor/mcp.json").read_bytes()
    report = desk.install(COMMITTABLE, targets=("cursor",), scope="project", project=str(hosts))
    assert report.exit_code == 1
    assert any("user scope" in change.detail for change in report.changes if change.action == "warn")
    assert (hosts / ".cursor/mcp.json").read_bytes() == installed
    desk.uninstall(scope="project")
    desk.uninstall()
    assert snapshot(hosts) == before

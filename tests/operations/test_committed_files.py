"""Files that people commit hold nothing of one machine or person; a teammate takes ours out without our ledger."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest
from agent_connector.documents.opening import open_document
from agent_connector.operations.context import Context
from homes import Desk


def patched(value: str) -> dict[str, Any]:
    patch = {
        "key": "env.ACME_DIR",
        "value": value,
        "reason": "Acme looks there",
        "docs_url": "https://acme.example/d",
    }
    return {"id": "acme-db", "platforms": {"claude-code": {"config_patch": [patch]}}}


def test_a_committed_status_line_names_no_home(hosts: Path, project: Path, desk: Desk) -> None:
    desk.install({"id": "acme-db", "statusline": {"command": ["echo"]}}, scope="project", targets=("claude-code",))
    settings = project / ".claude" / "settings.json"
    line = json.loads(settings.read_bytes())["statusLine"]["command"]
    assert str(hosts) not in line
    assert "$HOME/.agent-connector" in line
    shutil.rmtree(hosts / ".agent-connector")
    desk.uninstall(scope="project")
    assert json.loads(settings.read_bytes()) == {}, "a teammate recognises it"


@pytest.mark.parametrize("secret", [False, True])
def test_a_patch_with_something_of_ones_own_is_not_committed(
    hosts: Path, project: Path, context: Context, *, secret: bool
) -> None:
    value = "ghp_0123456789abcdefghij0123456789ab" if secret else f"{hosts}/acme"
    machine = context.machine.with_env({"ACME": value})
    desk = Desk(Context(machine, context.catalogue, context.version))
    report = desk.install(patched("${env:ACME}"), scope="project", targets=("claude-code",))
    assert not (project / ".claude").exists()
    assert ["env.ACME_DIR" in change.detail for change in report.changes if change.action == "warn"] == [True]
    assert not secret or value not in repr(report)
    desk.install(patched("${env:ACME}"), targets=("claude-code",))
    assert json.loads((hosts / ".claude" / "settings.json").read_bytes())["env"] == {"ACME_DIR": value}


def test_a_server_with_a_secret_is_not_committed(hosts: Path, project: Path, desk: Desk) -> None:
    server = {"transport": "stdio", "command": "npx", "args": ["acme"], "env": {"TOKEN": "${secret:acme}"}}
    report = desk.install({"id": "acme-db", "server": server}, scope="project", targets=("claude-code",))
    assert not (project / ".mcp.json").exists()
    assert report.exit_code == 1
    assert any("secret acme" in change.detail for change in report.changes if change.blocking)


@pytest.mark.parametrize("host", ["claude-code", "codex", "cursor"])
def test_a_server_with_a_secret_is_started_through_the_wrapper_whatever_telemetry_wants(
    hosts: Path, desk: Desk, context: Context, host: str
) -> None:
    server = {
        "transport": "stdio",
        "command": "npx",
        "args": ["acme"],
        "env": {"TOKEN": "${secret:acme}"},
        "wrap_for_telemetry": False,
    }
    desk.install({"id": "acme-db", "server": server}, targets=(host,))
    description = context.catalogue.get(host)
    assert description.server is not None
    place = description.server.places["user"]
    config = Path(place.location.resolve(context.machine, context.machine.cwd))
    args = open_document(place.format, config.read_bytes()).get((place.at[0], "acme-db"))["args"]
    assert args[args.index("--secret-env") + 1] == "TOKEN={secret:acme}"


def test_the_shared_import_line_goes_with_the_last_connector_of_a_teammate(
    hosts: Path, project: Path, desk: Desk
) -> None:
    (project / "CLAUDE.md").write_text("# Ours\n", encoding="utf-8")
    for name in ("acme-db", "zeta"):
        mode = {"claude-code": {"memory": {"mode": "agents-import"}}}
        desk.install(
            {"id": name, "memory": [{"content": name}], "platforms": mode}, scope="project", targets=("claude-code",)
        )
    shutil.rmtree(hosts / ".agent-connector")
    desk.uninstall("acme-db", scope="project")
    assert "@AGENTS.md" in (project / "CLAUDE.md").read_text(encoding="utf-8"), "zeta needs it"
    desk.uninstall("zeta", scope="project")
    assert (project / "CLAUDE.md").read_text(encoding="utf-8") == "# Ours\n"
    assert not (project / "AGENTS.md").exists() or not (project / "AGENTS.md").read_bytes().strip()

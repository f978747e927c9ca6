"""``--trust``: what a person hands over with an install, shown, never by default, and taken back by uninstalling."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.adapters.codex.trust import digests, trust_key
from agent_connector.operations.context import Context
from agent_connector.operations.doctor import doctor
from agent_connector.operations.reports import ChangeReport
from agent_connector.operations.requests import DoctorRequest
from homes import Desk, snapshot

HOOKS = {"PreToolUse": {"matcher": "acme_write", "decision": "ask", "reason": "Sure?"}}
SERVER = {"transport": "stdio", "command": "npx", "args": ["-y", "acme"]}


def connector(name: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "version": "1.0.0", "hooks": HOOKS, **more}


def trusted_in_codex(home: Path) -> dict[str, str]:
    """Connector -> what doctor's own counting says of its hook, by the files alone."""
    hooks_file = home / ".codex" / "hooks.json"
    hooks = json.loads(hooks_file.read_bytes())["hooks"]["PreToolUse"] if hooks_file.exists() else []
    state = tomllib.loads((home / ".codex" / "config.toml").read_text("utf-8")).get("hooks", {}).get("state", {})
    found = {}
    for index, group in enumerate(hooks):
        name = group["hooks"][0]["command"].split("--connector ")[-1].split()[0]
        entry = state.get(trust_key(hooks_file, "PreToolUse", index))
        found[name] = "trusted" if entry and entry["trusted_hash"] in digests("PreToolUse", group) else "untrusted"
    return found


@pytest.fixture
def hook_trust(context: Context) -> Callable[[str], list[str]]:
    """The events that doctor says Codex does not run."""

    def asked(name: str) -> list[str]:
        checks = doctor(DoctorRequest(), context).checks
        return [check.message for check in checks if check.name == f"{name} hook trust" and check.status == "fail"]

    return asked


def fixes(report: ChangeReport) -> str:
    return " ".join(report.next_steps)


def test_by_default_nothing_is_trusted_and_the_step_is_told(desk: Desk, hosts: Path, hook_trust: Any) -> None:
    report = desk.install(connector("acme"), targets=("codex",))
    assert trusted_in_codex(hosts) == {"acme": "untrusted"}
    assert "Codex: installed, not active until you allow it" in fixes(report)
    assert "choose to review and trust" in fixes(report)
    assert "--trust does it for you" in fixes(report)
    assert hook_trust("acme")


def test_trusted_hooks_run_at_once_and_everything_is_taken_back(desk: Desk, hosts: Path, hook_trust: Any) -> None:
    before = snapshot(hosts)
    dry = desk.install(connector("acme"), targets=("codex",), trust=True, dry_run=True)
    assert snapshot(hosts) == before
    assert "Codex then runs this hook of acme without a review of yours (trust)" in dry.commands
    assert any(change.surface == "trust" and change.action == "create" for change in dry.changes)

    report = desk.install(connector("acme"), targets=("codex",), trust=True)
    assert report.plan_id == dry.plan_id
    assert trusted_in_codex(hosts) == {"acme": "trusted"}
    assert not hook_trust("acme")
    assert "not active" not in fixes(report)

    again = desk.install(connector("acme"), targets=("codex",), trust=True)
    assert (again.outcome, {change.action for change in again.changes} & {"create", "update", "remove"}) == (
        "unchanged",
        set(),
    )
    desk.uninstall("acme")
    assert snapshot(hosts) == before


def test_installing_again_without_it_neither_takes_nor_gives(desk: Desk, hosts: Path) -> None:
    desk.install(connector("acme"), targets=("codex",), trust=True)
    desk.install(connector("acme"), targets=("codex",))
    assert trusted_in_codex(hosts) == {"acme": "trusted"}

    changed = {"PreToolUse": {**HOOKS["PreToolUse"], "matcher": "acme_read"}}
    desk.install({**connector("acme"), "hooks": changed}, targets=("codex",))
    assert trusted_in_codex(hosts) == {"acme": "untrusted"}, "what changed was not trusted by anybody"

    desk.install({**connector("acme"), "hooks": changed}, targets=("codex",), trust=True)
    assert trusted_in_codex(hosts) == {"acme": "trusted"}


def test_one_connector_that_goes_takes_no_trust_of_another_with_it(desk: Desk, hosts: Path) -> None:
    before = snapshot(hosts)
    for name in ("first", "second", "third"):
        desk.install(connector(name), targets=("codex",), trust=name != "third")
    assert trusted_in_codex(hosts) == {"first": "trusted", "second": "trusted", "third": "untrusted"}

    report = desk.uninstall("first")
    assert trusted_in_codex(hosts) == {"second": "trusted", "third": "untrusted"}
    (told,) = [change.detail for change in report.changes if "behind ours" in change.detail]
    assert told.startswith("1 hooks of others")

    desk.uninstall("second")
    desk.uninstall("third")
    assert snapshot(hosts) == before


def test_a_change_of_one_connector_leaves_the_others_trusted(desk: Desk, hosts: Path) -> None:
    desk.install(connector("first"), targets=("codex",), trust=True)
    desk.install(connector("second"), targets=("codex",), trust=True)
    changed = {"PreToolUse": {**HOOKS["PreToolUse"], "matcher": "acme_read"}}
    desk.install({**connector("first"), "hooks": changed}, targets=("codex",), trust=True)
    assert trusted_in_codex(hosts) == {"second": "trusted", "first": "trusted"}


def test_what_a_person_switched_off_stays_off(desk: Desk, hosts: Path) -> None:
    desk.install(connector("acme"), targets=("codex",), trust=True)
    config = hosts / ".codex" / "config.toml"
    off = config.read_text("utf-8").replace("trusted_hash", "enabled = false\ntrusted_hash")
    config.write_text(off, encoding="utf-8")
    desk.install(connector("acme"), targets=("codex",), trust=True)
    assert "enabled = false" in config.read_text("utf-8")


def test_trust_a_person_gave_an_older_hook_of_ours_is_brought_up_to_date(desk: Desk, hosts: Path) -> None:
    desk.install(connector("acme"), targets=("codex",))
    config = hosts / ".codex" / "config.toml"
    key = json.dumps(trust_key(hosts / ".codex" / "hooks.json", "PreToolUse", 0), ensure_ascii=False)
    config.write_text(f'{config.read_text("utf-8")}\n[hooks.state.{key}]\ntrusted_hash = "sha256:old"\n', "utf-8")
    report = desk.install(connector("acme"), targets=("codex",), trust=True)
    assert report.outcome == "done"
    assert trusted_in_codex(hosts) == {"acme": "trusted"}


# --- folders -----------------------------------------------------------------------------------------------------

FOLDERS: dict[str, tuple[str, Callable[[Any, str], Any]]] = {
    "codex": (".codex/config.toml", lambda told, folder: told["projects"].get(folder, {}).get("trust_level")),
    "gemini-cli": (".gemini/trustedFolders.json", lambda told, folder: told.get(folder)),
    "claude-code": (
        ".claude.json",
        lambda told, folder: told["projects"].get(folder, {}).get("hasTrustDialogAccepted"),
    ),
    "copilot-cli": (".copilot/config.json", lambda told, folder: folder in told["trustedFolders"] or None),
    "mistral-vibe": (".vibe/trusted_folders.toml", lambda told, folder: folder in told["trusted"] or None),
    "pi": (".pi/agent/trust.json", lambda told, folder: told.get(folder)),
}
VALUES = {"codex": "trusted", "gemini-cli": "TRUST_FOLDER"}
"""What else stands there is true."""


def folder_trust(home: Path, project: Path, host: str) -> Any:
    name, look = FOLDERS[host]
    if not (home / name).exists():
        return None
    text = (home / name).read_text("utf-8")
    return look(tomllib.loads(text) if name.endswith("toml") else json.loads(text), str(project))


def test_every_host_that_offers_it_is_held_here() -> None:
    # Qwen Code asks about folders only where a person switched that on.
    assert {host for host in CATALOG.built_in_ids() if CATALOG.get(host).grants} == {*FOLDERS, "qwen-code"}


@pytest.mark.parametrize("host", FOLDERS)
def test_a_projects_folder_is_trusted_until_the_last_connector_goes(
    desk: Desk, hosts: Path, project: Path, host: str
) -> None:
    before = snapshot(hosts)
    wishes: dict[str, Any] = {"targets": (host,), "scope": "project"}
    first, second = connector("first", server=SERVER), connector("second", server=SERVER)

    report = desk.install(first, **wishes)
    assert folder_trust(hosts, project, host) is None
    assert "installed, not active until you allow it" in fixes(report)

    report = desk.install(first, **wishes, trust=True)
    assert folder_trust(hosts, project, host) == VALUES.get(host, True)
    assert "not active" not in fixes(report)
    desk.install(second, **wishes, trust=True)
    desk.uninstall("first")
    assert folder_trust(hosts, project, host) == VALUES.get(host, True), "the second relies on it"
    desk.uninstall("second")
    assert snapshot(hosts) == before


def test_what_a_person_trusts_already_is_theirs_and_stays(desk: Desk, hosts: Path, project: Path) -> None:
    (hosts / ".gemini").mkdir()
    (hosts / ".gemini" / "trustedFolders.json").write_text(json.dumps({str(project.parent): "TRUST_FOLDER"}))
    (hosts / ".copilot").mkdir()
    (hosts / ".copilot" / "config.json").write_text(json.dumps({"trustedFolders": [str(project)]}))
    before = snapshot(hosts)
    report = desk.install(
        connector("acme", server=SERVER), targets=("gemini-cli", "copilot-cli"), scope="project", trust=True
    )
    assert not [change for change in report.changes if change.surface == "trust"]
    desk.uninstall("acme")
    assert snapshot(hosts) == before


@pytest.mark.parametrize("host", ["codex", "gemini-cli"])
def test_a_folder_that_a_person_does_not_trust_is_left_to_them(
    desk: Desk, hosts: Path, project: Path, host: str
) -> None:
    (hosts / ".gemini").mkdir()
    (hosts / ".gemini" / "trustedFolders.json").write_text(json.dumps({str(project): "DO_NOT_TRUST"}))
    config = hosts / ".codex" / "config.toml"
    untrusted = f'{config.read_text("utf-8")}\n[projects.{json.dumps(str(project))}]\ntrust_level = "untrusted"\n'
    config.write_text(untrusted, encoding="utf-8")
    said = folder_trust(hosts, project, host)
    report = desk.install(connector("acme", server=SERVER), targets=(host,), scope="project", trust=True)
    assert folder_trust(hosts, project, host) == said
    assert any(change.surface == "trust" and change.action == "warn" for change in report.changes)


def test_qwen_code_asks_nothing_until_folders_are_asked_about(desk: Desk, hosts: Path, project: Path) -> None:
    wishes: dict[str, Any] = {"targets": ("qwen-code",), "scope": "project", "trust": True}
    (hosts / ".qwen").mkdir()
    trusted = hosts / ".qwen" / "trustedFolders.json"
    desk.install(connector("acme"), **wishes)
    assert not trusted.exists()

    (hosts / ".qwen" / "settings.json").write_text('{"security": {"folderTrust": {"enabled": true}}}')
    desk.install(connector("acme"), **wishes)
    assert json.loads(trusted.read_bytes()) == {str(project): "TRUST_FOLDER"}
    assert trusted.stat().st_mode & 0o077 == 0


def test_a_server_of_mcp_json_is_approved_for_this_person(desk: Desk, hosts: Path, project: Path) -> None:
    local = project / ".claude" / "settings.local.json"
    desk.install(connector("acme", server=SERVER), targets=("claude-code",), scope="project", trust=True)
    assert json.loads(local.read_bytes()) == {"enabledMcpjsonServers": ["acme"]}
    desk.uninstall("acme")
    assert not local.exists()


def test_a_local_server_waits_for_no_folder(desk: Desk, hosts: Path, project: Path) -> None:
    only_server = {"id": "acme", "version": "1.0.0", "server": SERVER}
    desk.install(only_server, targets=("claude-code",), scope="local", trust=True)
    assert folder_trust(hosts, project, "claude-code") is None

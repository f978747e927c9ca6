"""Project files that people commit, local scope, other roots, and hosts that read each other's files."""

from __future__ import annotations

import json
import shutil
import tomllib
from dataclasses import replace
from pathlib import Path
from typing import Any

from agent_connector.operations.context import Context
from homes import ACME, Desk, folders, snapshot

ALL = ("claude-code", "codex", "cursor")
PROJECT_FRIENDLY = {key: value for key, value in ACME.items() if key not in ("statusline", "platforms")}
PROJECT_FRIENDLY["server"] = {**ACME["server"], "env": {"ACME_DB_DSN": "${env:ACME_DB_DSN}"}}


def test_project_scope_writes_only_into_the_project_and_carries_no_home_path(
    hosts: Path, project: Path, desk: Desk
) -> None:
    before = snapshot(hosts)
    report = desk.install(PROJECT_FRIENDLY, scope="project", targets=ALL)
    assert report.outcome == "done", report.changes
    changed = {name for name in snapshot(hosts) if snapshot(hosts)[name] != before.get(name)}
    assert changed
    assert all(name.startswith("work/shop/") for name in changed)
    for name in changed:
        assert str(hosts) not in (hosts / name).read_text(encoding="utf-8"), name
    desk.uninstall()
    assert snapshot(hosts) == before
    assert folders(project) == set()


def test_a_committed_server_entry_is_the_plain_command(hosts: Path, project: Path, desk: Desk) -> None:
    desk.install(PROJECT_FRIENDLY, scope="project", targets=ALL)
    claude = json.loads((project / ".mcp.json").read_bytes())["mcpServers"]["acme-db"]
    assert (claude["command"], claude["args"]) == ("npx", ["-y", "@acme/acme-db-mcp"])
    hook = json.loads((project / ".claude" / "settings.json").read_bytes())["hooks"]["PreToolUse"][0]["hooks"][0]
    assert "$HOME/.agent-connector" in hook["command"]


def test_what_a_committed_entry_cannot_say_in_a_host_is_a_failure_of_that_host(hosts: Path, desk: Desk) -> None:
    report = desk.install({"id": "acme-db", "server": ACME["server"]}, scope="project", targets=("codex", "cursor"))
    assert report.outcome == "partial"
    assert any(c.host == "codex" and c.blocking and "ACME_DB_DSN" in c.detail + c.fix for c in report.changes)


def test_a_command_of_this_machine_is_refused_for_files_that_people_commit(
    hosts: Path, project: Path, desk: Desk
) -> None:
    server = {**ACME["server"], "command": str(hosts / "bin" / "server")}
    report = desk.install({"id": "acme-db", "server": server}, scope="project", targets=("claude-code",))
    assert report.exit_code == 1
    assert not (project / ".mcp.json").exists()


def test_a_teammate_without_the_ledger_can_uninstall_by_id(
    hosts: Path, project: Path, desk: Desk, context: Context
) -> None:
    desk.install({**PROJECT_FRIENDLY, "server": None}, scope="project", targets=ALL)
    shutil.rmtree(hosts / ".agent-connector")
    report = desk.uninstall(scope="project")
    assert report.outcome == "done", report.changes
    left = "\n".join(
        path.read_text(encoding="utf-8")
        for path in project.rglob("*")
        if (path.is_file() and path.suffix in (".json", ".toml")) or path.name in ("AGENTS.md", "CLAUDE.md")
    )
    assert "acme-db" not in left


def test_a_teammate_with_the_definition_can_uninstall_the_plain_server_entry(
    hosts: Path, project: Path, desk: Desk
) -> None:
    from agent_connector.operations.requests import ConnectorSource, UninstallRequest
    from agent_connector.operations.uninstall import uninstall

    desk.install(PROJECT_FRIENDLY, scope="project", targets=ALL)
    shutil.rmtree(hosts / ".agent-connector")
    uninstall(UninstallRequest(source=ConnectorSource(inline=PROJECT_FRIENDLY), scope="project"), desk.context)
    assert "acme-db" not in (project / ".mcp.json").read_text(encoding="utf-8")
    assert "acme-db" not in (project / ".codex" / "config.toml").read_text(encoding="utf-8")
    assert not list(project.rglob("SKILL.md"))


def test_local_scope_is_this_project_for_this_person_in_claude_code(hosts: Path, project: Path, desk: Desk) -> None:
    before = snapshot(hosts)
    desk.install({"id": "acme-db", "server": ACME["server"]}, scope="local", targets=("claude-code",))
    entry = json.loads((hosts / ".claude.json").read_bytes())["projects"][str(project)]["mcpServers"]["acme-db"]
    assert entry["command"].endswith("agent-connector")
    desk.uninstall()
    assert snapshot(hosts) == before


def test_a_scope_a_host_lacks_is_information(hosts: Path, desk: Desk) -> None:
    report = desk.install({"id": "acme-db", "server": ACME["server"]}, scope="local", targets=("codex",))
    assert report.exit_code == 0
    assert [c.action for c in report.changes if c.host == "codex"] == ["info"]


def moved(context: Context, **env: str) -> Context:
    return replace(context, machine=context.machine.with_env(env))


def test_an_override_of_the_hosts_folder_is_followed_and_remembered(
    hosts: Path, desk: Desk, context: Context
) -> None:
    other = hosts / "elsewhere"
    other.mkdir()
    before = snapshot(hosts)
    desk.install(targets=("codex",))
    Desk(moved(context, CODEX_HOME=str(other))).install(targets=("codex",))
    for config in (hosts / ".codex" / "config.toml", other / "config.toml"):
        assert "acme-db" in tomllib.loads(config.read_text(encoding="utf-8"))["mcp_servers"]
    from agent_connector.operations.requests import ConnectorSource, UpgradeRequest
    from agent_connector.operations.upgrade import upgrade

    (other / "config.toml").write_text("", encoding="utf-8")
    upgrade(UpgradeRequest(source=ConnectorSource(id="acme-db")), context)
    assert "acme-db" in (other / "config.toml").read_text(encoding="utf-8"), "the remembered root is upgraded too"
    (other / "config.toml").unlink()
    desk.uninstall()
    assert snapshot(hosts) == before


def test_cursor_gets_no_second_copy_of_what_it_reads_from_claude_code(hosts: Path, desk: Desk) -> None:
    report = desk.install()
    assert not (hosts / ".cursor" / "skills").exists()
    skipped = {c.surface for c in report.changes if c.host == "cursor" and c.action == "skip"}
    assert {"skills", "subagents"} <= skipped


def test_cursor_alone_gets_its_own_copy(hosts: Path, desk: Desk) -> None:
    desk.install(targets=("cursor",))
    assert (hosts / ".cursor" / "skills" / "acme-sql" / "SKILL.md").is_file()


def test_codex_hooks_go_where_hooks_are_already(hosts: Path, desk: Desk) -> None:
    config = hosts / ".codex" / "config.toml"
    config.write_text(
        '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "say done"\n', encoding="utf-8"
    )
    before = snapshot(hosts)
    desk.install(targets=("codex",))
    hooks = tomllib.loads(config.read_text(encoding="utf-8"))["hooks"]
    assert set(hooks) == {"Stop", "PreToolUse", "SessionStart"}
    assert not (hosts / ".codex" / "hooks.json").exists()
    desk.uninstall()
    assert snapshot(hosts) == before


def test_a_project_file_that_two_hosts_share_stays_until_the_last_of_them_leaves(
    hosts: Path, project: Path, desk: Desk
) -> None:
    memory: dict[str, Any] = {"id": "acme-db", "memory": [{"content": "Append only."}]}
    desk.install(memory, scope="project", targets=("codex", "cursor"))
    agents = project / "AGENTS.md"
    assert agents.read_text(encoding="utf-8").count("agent-connector:begin acme-db/memory") == 1
    desk.uninstall(targets=("codex",))
    assert "Append only." in agents.read_text(encoding="utf-8")
    desk.uninstall(targets=("cursor",))
    assert not agents.exists()


def test_codex_trust_in_our_hooks_goes_with_them_and_hooks_behind_ours_are_told_of(hosts: Path, desk: Desk) -> None:
    config, hooks_file = hosts / ".codex" / "config.toml", hosts / ".codex" / "hooks.json"
    before = config.read_text(encoding="utf-8")
    desk.install(targets=("codex",))
    state = "".join(
        f'\n[hooks.state."{hooks_file}:{event}:0:0"]\ntrusted_hash = "sha256:{"0" * 64}"\n'
        for event in ("pre_tool_use", "stop")
    )
    config.write_text(config.read_text(encoding="utf-8") + state, encoding="utf-8")
    hooks = json.loads(hooks_file.read_bytes())
    theirs = {"hooks": [{"type": "command", "command": "say hi"}]}
    hooks["hooks"]["PreToolUse"].append(theirs)
    hooks_file.write_text(json.dumps(hooks, indent=2), encoding="utf-8")
    report = desk.uninstall()
    assert report.outcome == "done"
    assert config.read_text(encoding="utf-8") == (
        before + f'\n[hooks.state."{hooks_file}:stop:0:0"]\ntrusted_hash = "sha256:{"0" * 64}"\n'
    ), "only our own key goes"
    assert json.loads(hooks_file.read_bytes())["hooks"] == {"PreToolUse": [theirs]}
    assert any("will ask again" in change.detail for change in report.changes)


def test_a_project_has_one_name_whatever_way_leads_to_it(hosts: Path, project: Path, desk: Desk) -> None:
    (project / "agent-connector.config.toml").write_text(
        'id = "acme-db"\n[server]\ntransport = "stdio"\ncommand = "npx"\nargs = ["acme"]\n', encoding="utf-8"
    )
    before = snapshot(hosts)
    (hosts / "link").symlink_to(project)
    for way in ("../shop", str(hosts / "link"), "."):
        desk.install(
            {"id": "acme-db", "server": ACME["server"]}, scope="local", project=way, targets=("claude-code",)
        )
    assert set(json.loads((hosts / ".claude.json").read_bytes())["projects"]) == {"/srv/shop", str(project)}
    desk.uninstall(scope="local", project=str(hosts / "link"))
    (hosts / "link").unlink()
    assert snapshot(hosts) == before


def test_a_definition_named_by_its_folder_is_remembered_by_its_file(hosts: Path, project: Path, desk: Desk) -> None:
    from agent_connector.operations.doctor import doctor
    from agent_connector.operations.install import install
    from agent_connector.operations.requests import ConnectorSource, DoctorRequest, InstallRequest

    file = project / "agent-connector.config.toml"
    file.write_text('id = "acme-db"\n[[commands]]\nname = "c"\nprompt = "p"\n', encoding="utf-8")
    for way in ("../shop", "../shop/agent-connector.config.toml", str(project), ""):
        report = install(InstallRequest(source=ConnectorSource(path=way)), desk.context)
        assert not any(change.action == "warn" for change in report.changes), way
    sources = [check for check in doctor(DoctorRequest(), desk.context).checks if check.name == "source"]
    assert [(check.status, str(file) in check.message) for check in sources] == [("pass", True)]

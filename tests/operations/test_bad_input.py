"""What tools of this kind got wrong: each host config here is one that somebody's tool damaged."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from agent_connector.errors import FileError, UsageError
from homes import ACME, CLAUDE_JSON, Desk, snapshot


def told(report, host: str, action: str = "warn") -> str:
    return "\n".join(f"{c.detail} {c.fix}" for c in report.changes if c.host == host and c.action == action)


@pytest.mark.parametrize(
    ("name", "host", "content", "where"),
    [
        (".claude.json", "claude-code", b'{\n  "a": 1,\n  oops\n}', "line 3"),
        (".claude.json", "claude-code", b'{"mcpServers": {', "line 1"),
        (".claude.json", "claude-code", b'{"a": 1} // comment', "line 1"),
        (".codex/config.toml", "codex", b"a = 1\nb = = 2\n", "line 2"),
        (".cursor/mcp.json", "cursor", b'{\n "mcpServers": {,}\n}', "line 2"),
    ],
)
def test_a_config_that_does_not_parse_is_refused_with_its_line_and_the_other_hosts_go_on(
    hosts: Path, desk: Desk, name: str, host: str, content: bytes, where: str
) -> None:
    (hosts / name).write_bytes(content)
    before = {key: value for key, value in snapshot(hosts).items() if key.split("/")[0] == name.split("/")[0]}
    report = desk.install()
    assert report.outcome == "partial"
    assert report.exit_code == 1
    assert where in told(report, host)
    assert name.split("/")[-1] in told(report, host)
    after = snapshot(hosts)
    assert {key: after[key] for key in before} == before, "nothing of that host was written"
    others = {"claude-code", "codex", "cursor"} - {host}
    for other in others:
        assert any(c.host == other and c.action == "create" and c.surface == "server" for c in report.changes)


def test_a_byte_order_mark_is_read_and_kept(hosts: Path, desk: Desk) -> None:
    path = hosts / ".claude.json"
    path.write_bytes(b"\xef\xbb\xbf" + CLAUDE_JSON.encode())
    before = snapshot(hosts)
    assert desk.install().outcome == "done"
    assert path.read_bytes().startswith(b"\xef\xbb\xbf{")
    desk.uninstall()
    assert snapshot(hosts) == before


@pytest.mark.parametrize("value", ['"oops"', "null", "[]", "7"])
def test_a_wrong_type_under_our_key_is_left_alone_with_the_manual_edit(hosts: Path, desk: Desk, value: str) -> None:
    path = hosts / ".claude.json"
    path.write_text(f'{{"mcpServers": {value}}}', encoding="utf-8")
    report = desk.install(targets=("claude-code",))
    assert path.read_text(encoding="utf-8") == f'{{"mcpServers": {value}}}'
    assert "mcpServers.acme-db" in told(report, "claude-code")
    assert "set mcpServers.acme-db: {" in told(report, "claude-code")
    assert report.exit_code == 1


def test_a_persons_own_entry_of_the_same_name_is_never_replaced_and_its_secrets_are_masked(
    hosts: Path, desk: Desk
) -> None:
    path = hosts / ".claude.json"
    own = {
        "mcpServers": {"acme-db": {"command": "mine", "env": {"API_TOKEN": "ghp_0123456789abcdefghij0123456789ab"}}}
    }
    path.write_text(json.dumps(own), encoding="utf-8")
    report = desk.install(targets=("claude-code",))
    assert json.loads(path.read_bytes())["mcpServers"] == own["mcpServers"]
    assert "is not ours" in told(report, "claude-code")
    assert "ghp_" not in repr(report)
    desk.uninstall()
    assert json.loads(path.read_bytes()) == own


def test_no_secret_of_a_config_stands_in_a_report(hosts: Path, desk: Desk) -> None:
    report = desk.install(dry_run=True)
    assert "sk-live" not in repr(report)
    assert report.diffs


def test_symlinked_configs_stay_links(hosts: Path, desk: Desk) -> None:
    real = hosts / "dotfiles" / "claude.json"
    real.parent.mkdir()
    (hosts / ".claude.json").rename(real)
    (hosts / ".claude.json").symlink_to("dotfiles/claude.json")
    before = real.read_bytes()
    desk.install()
    assert (hosts / ".claude.json").is_symlink()
    assert b"acme-db" in real.read_bytes()
    desk.uninstall()
    assert (hosts / ".claude.json").is_symlink()
    assert real.read_bytes() == before


def test_file_modes_are_kept(hosts: Path, desk: Desk) -> None:
    (hosts / ".claude.json").chmod(0o600)
    (hosts / ".codex" / "config.toml").chmod(0o640)
    desk.install()
    assert (hosts / ".claude.json").stat().st_mode & 0o777 == 0o600
    assert (hosts / ".codex" / "config.toml").stat().st_mode & 0o777 == 0o640


def test_a_folder_where_a_config_should_be_is_an_error_of_that_host_alone(hosts: Path, desk: Desk) -> None:
    (hosts / ".codex" / "config.toml").unlink()
    (hosts / ".codex" / "config.toml").mkdir()
    report = desk.install()
    assert report.outcome == "partial"
    assert "config.toml" in told(report, "codex")
    assert (hosts / ".codex" / "config.toml").is_dir()
    assert b"acme-db" in (hosts / ".claude.json").read_bytes()


def test_a_read_only_config_is_an_error_of_that_host_alone(hosts: Path, desk: Desk) -> None:
    (hosts / ".claude.json").chmod(0o400)
    report = desk.install()
    assert report.outcome == "partial"
    assert ".claude.json" in told(report, "claude-code")
    assert (hosts / ".claude.json").read_text(encoding="utf-8") == CLAUDE_JSON


def test_an_unknown_host_is_an_error_with_the_nearest_names(desk: Desk) -> None:
    with pytest.raises(UsageError, match="claude-cod") as raised:
        desk.install(targets=("claude-cod",))
    assert "claude-code" in str(raised.value)


def test_no_hosts_at_all_is_said_and_nothing_is_written(home: Path, desk: Desk) -> None:
    report = desk.install()
    assert report.exit_code == 0
    assert "no host found" in told(report, "", "info")
    assert snapshot(home) == {}


def test_surfaces_a_host_lacks_are_information_and_no_failure_even_under_strict(hosts: Path, desk: Desk) -> None:
    slim = {"id": "acme-db", "statusline": {"command": ["echo"]}}
    report = desk.install(slim, targets=("codex",), strict=True)
    assert "no command statusline" in told(report, "codex", "info")
    assert report.exit_code == 0


def test_strict_turns_a_warning_into_a_failure(hosts: Path, desk: Desk) -> None:
    remote = {"transport": "http", "url": "https://acme.example/mcp", "tools": {"exclude": ["acme_write"]}}
    wishful = {**ACME, "server": remote}
    relaxed = desk.install(wishful, targets=("cursor",), dry_run=True)
    strict = desk.install(wishful, targets=("cursor",), dry_run=True, strict=True)
    assert "filter" in told(relaxed, "cursor")
    assert (relaxed.exit_code, strict.exit_code) == (0, 1)


def test_an_entry_that_a_running_host_dropped_is_noticed_and_comes_back_only_when_asked_for(
    hosts: Path, desk: Desk
) -> None:
    from agent_connector.operations.requests import StatusRequest
    from agent_connector.operations.status import status

    desk.install()
    (hosts / ".claude.json").write_text(CLAUDE_JSON, encoding="utf-8")
    states = {
        (s.surface, s.state)
        for h in status(StatusRequest(), desk.context).hosts
        for s in h.surfaces
        if h.id == "claude-code"
    }
    assert ("server", "vanished") in states
    assert (hosts / ".claude.json").read_text(encoding="utf-8") == CLAUDE_JSON
    report = desk.install()
    assert "vanished" in told(report, "claude-code", "create")
    assert b"acme-db" in (hosts / ".claude.json").read_bytes()


def test_what_a_person_edited_in_our_entry_stays_on_install_and_on_uninstall(hosts: Path, desk: Desk) -> None:
    desk.install()
    path = hosts / ".claude.json"
    edited = path.read_text(encoding="utf-8").replace('"timeout": 30000', '"timeout": 1')
    assert edited != path.read_text(encoding="utf-8")
    path.write_text(edited, encoding="utf-8")
    report = desk.install()
    assert "edited since it was installed" in told(report, "claude-code")
    assert path.read_text(encoding="utf-8") == edited
    removed = desk.uninstall()
    assert "left in place" in told(removed, "claude-code")
    assert path.read_text(encoding="utf-8") == edited


def test_force_puts_ours_back(hosts: Path, desk: Desk) -> None:
    desk.install()
    path = hosts / ".claude.json"
    ours = path.read_text(encoding="utf-8")
    path.write_text(ours.replace('"timeout": 30000', '"timeout": 1'), encoding="utf-8")
    desk.install(force=True)
    assert path.read_text(encoding="utf-8") == ours


def test_an_edited_skill_file_is_kept(hosts: Path, desk: Desk) -> None:
    desk.install()
    skill = hosts / ".claude" / "skills" / "acme-sql" / "SKILL.md"
    skill.write_text("mine now", encoding="utf-8")
    removed = desk.uninstall()
    assert skill.read_text(encoding="utf-8") == "mine now"
    assert "left in place" in told(removed, "claude-code")


def test_reinstalling_never_piles_up_hooks(hosts: Path, desk: Desk) -> None:
    desk.install()
    moved = {**ACME, "hooks": {"PreToolUse": {"matcher": "other", "decision": "deny", "reason": "no"}}}
    desk.install(moved)
    hooks = json.loads((hosts / ".claude" / "settings.json").read_bytes())["hooks"]
    assert set(hooks) == {"PreToolUse"}, "what the definition dropped is pruned"
    assert len(hooks["PreToolUse"]) == 1


def test_the_data_root_is_private(hosts: Path, desk: Desk) -> None:
    old = os.umask(0)
    try:
        desk.install()
    finally:
        os.umask(old)
    root = hosts / ".agent-connector"
    loose = [
        path
        for path in (root, *root.rglob("*"))
        if "runtime" not in path.relative_to(root).parts and not path.is_symlink() and path.stat().st_mode & 0o077
    ]
    assert loose == []


@pytest.mark.parametrize(
    ("host", "name", "content", "fault"),
    [
        ("codex", ".codex/hooks.json", b'\xef\xbb\xbf{"hooks": {}}', "byte order mark"),
        ("codex", ".codex/hooks.json", b'{"hooks": {}, "extra": 1}', "because of extra"),
        ("cursor", ".cursor/hooks.json", b'{"hooks": {"stop": [{"command": "true"}]}}', "without version"),
    ],
)
def test_a_hooks_file_that_the_host_refuses_is_told_of_at_install_and_by_doctor(
    hosts: Path, desk: Desk, host: str, name: str, content: bytes, fault: str
) -> None:
    from agent_connector.operations.doctor import doctor
    from agent_connector.operations.requests import DoctorRequest

    (hosts / name).write_bytes(content)
    report = desk.install(targets=(host,))
    assert fault in told(report, host)
    told_again = [check.message for check in doctor(DoctorRequest(), desk.context).checks if check.status == "fail"]
    assert any(fault in message for message in told_again), told_again
    desk.uninstall()
    assert (hosts / name).read_bytes() == content


def test_hooks_of_both_kinds_fit_into_one_new_file(hosts: Path, desk: Desk) -> None:
    before = snapshot(hosts)
    both = {
        "id": "acme-db",
        "hooks": {"Stop": {"command": ["true"]}},
        "platforms": {"cursor": {"native_hooks": {"afterFileEdit": {"command": ["true"]}}}},
    }
    report = desk.install(both, targets=("cursor",))
    assert report.outcome == "done", report.changes
    written = json.loads((hosts / ".cursor" / "hooks.json").read_bytes())
    # The start of a session is where a handler that cannot be loaded would be told.
    assert (written["version"], set(written["hooks"])) == (1, {"stop", "afterFileEdit", "sessionStart"})
    desk.uninstall()
    assert snapshot(hosts) == before


def test_where_a_patch_is_explained_is_told_with_it(hosts: Path, desk: Desk) -> None:
    patch = {"key": "env.X", "value": "1", "reason": "needed", "docs_url": "https://acme.example/x"}
    (hosts / ".claude" / "settings.json").write_text('{"env": {"X": "0"}}', encoding="utf-8")
    for host in ("claude-code", "cursor"):
        report = desk.install({"id": "acme-db", "platforms": {host: {"config_patch": [patch]}}}, targets=(host,))
        assert any("https://acme.example/x" in change.detail + change.fix for change in report.changes)


def test_a_folder_in_place_of_the_record_is_told_before_any_host_is_touched(hosts: Path, desk: Desk) -> None:
    before = snapshot(hosts)
    (hosts / ".agent-connector" / "connectors" / "acme-db" / "connector.json").mkdir(parents=True)
    with pytest.raises(FileError, match=r"connector\.json"):
        desk.install()
    assert snapshot(hosts) == before

"""Killed anywhere, changed under our feet, handed the worst of files: nothing is lost, nothing torn, all is said."""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
import socket
import stat
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from agent_connector.changes.backups import read_backup
from agent_connector.changes.ledger import Ledger
from agent_connector.errors import PlanChangedError
from agent_connector.operations.context import Context
from agent_connector.operations.reports import ChangeReport
from agent_connector.operations.requests import ConnectorSource, UpgradeRequest
from agent_connector.operations.upgrade import upgrade
from homes import ACME, Desk, snapshot

from .whole_homes import HOST_FOLDERS

TESTS = Path(__file__).parent.parent


@pytest.mark.parametrize(("operation", "at_least"), [("install", 60), ("upgrade", 40), ("uninstall", 50)])
def test_killed_at_any_write_the_next_run_completes_and_everything_can_be_taken_out(operation, at_least, fast_folder):
    done = subprocess.run(
        [sys.executable, Path(__file__).with_name("kill_operations.py"), operation, fast_folder],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout) > at_least, "the calls that write were not all seen"


# --- changed under our feet ------------------------------------------------------------------------------------


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def add_own_server(path: Path) -> None:
    edit(path, '"weather": {', '"acme-db": {"command": "mine"},\n    "weather": {')


def once_planned(context: Context, change: Callable[[], None]) -> Desk:
    """Somebody for whom ``change`` happens between the first plan and its first write."""
    happened = []

    def progress(_done: int, _total: int, message: str) -> None:
        if message == "planned" and not happened:
            happened.append(message)
            change()

    return Desk(replace(context, progress=progress))


def warnings(report: ChangeReport, host: str) -> str:
    return "\n".join(f"{c.path} {c.detail}" for c in report.changes if c.host == host and c.action == "warn")


def test_a_shown_plan_is_applied_whatever_else_changed_in_its_files(hosts: Path, desk: Desk) -> None:
    shown = desk.install(dry_run=True)
    edit(hosts / ".claude.json", "12345678901234567890", "1")
    edit(hosts / ".codex" / "config.toml", "the big one", "the bigger one")
    assert desk.install(plan_id=shown.plan_id).outcome == "done"
    shown = desk.uninstall(dry_run=True)
    edit(hosts / ".claude.json", '"numStartups": 1', '"numStartups": 2')
    assert desk.uninstall(plan_id=shown.plan_id).outcome == "done"


def test_a_shown_plan_that_is_not_what_would_be_done_any_more_is_not_applied(hosts: Path, desk: Desk) -> None:
    shown = desk.install(dry_run=True)
    add_own_server(hosts / ".claude.json")
    before = snapshot(hosts)
    with pytest.raises(PlanChangedError):
        desk.install(plan_id=shown.plan_id)
    assert snapshot(hosts) == before


def test_a_removal_that_was_shown_is_not_applied_once_its_thing_was_edited(hosts: Path, desk: Desk) -> None:
    desk.install()
    shown = desk.uninstall(dry_run=True)
    edit(hosts / ".claude" / "settings.json", "acme_write", "acme_read")
    before = snapshot(hosts)
    with pytest.raises(PlanChangedError):
        desk.uninstall(plan_id=shown.plan_id)
    assert snapshot(hosts) == before


def test_a_file_that_changes_between_plan_and_write_is_planned_again(hosts: Path, context: Context) -> None:
    config = hosts / ".claude.json"
    desk = once_planned(context, lambda: edit(config, "12345678901234567890", "1"))
    shown = Desk(context).install(dry_run=True)
    report = desk.install(plan_id=shown.plan_id)
    assert report.outcome == "done", report.changes
    assert json.loads(config.read_bytes())["numStartups"] == 1
    assert "acme-db" in json.loads(config.read_bytes())["mcpServers"]


def test_a_try_in_which_nothing_was_written_leaves_no_backup(hosts: Path, context: Context) -> None:
    config = hosts / ".claude.json"
    desk = once_planned(context, lambda: edit(config, "12345678901234567890", "1"))
    assert desk.install({"id": "acme-db", "server": ACME["server"]}, targets=("claude-code",)).outcome == "done"
    (backup,) = (hosts / ".agent-connector" / "backups").iterdir()
    assert b'"numStartups": 1,' in read_backup(backup)[str(config)]


@pytest.mark.parametrize("plan_shown", [True, False])
def test_what_appears_between_plan_and_write_is_never_replaced(
    plan_shown: bool, hosts: Path, context: Context
) -> None:
    config = hosts / ".claude.json"
    shown = Desk(context).install(dry_run=True).plan_id if plan_shown else ""
    report = once_planned(context, lambda: add_own_server(config)).install(plan_id=shown)
    assert json.loads(config.read_bytes())["mcpServers"]["acme-db"] == {"command": "mine"}
    assert report.outcome == "partial"
    assert ("not what was shown" if plan_shown else "is not ours") in warnings(report, "claude-code")
    assert b"acme-db" in (hosts / ".codex" / "config.toml").read_bytes()
    assert (hosts / ".claude" / "skills").exists() is not plan_shown, "beyond what was shown nothing is done"


def test_a_file_that_is_broken_between_plan_and_write_is_told_as_not_done(hosts: Path, context: Context) -> None:
    config = hosts / ".claude.json"
    report = once_planned(context, lambda: edit(config, '"mcpServers"', "oops")).install()
    assert report.outcome == "partial"
    assert ".claude.json" in warnings(report, "claude-code")


# --- edited, copied, left behind -------------------------------------------------------------------------------


def hooks_of(hosts: Path) -> list[Any]:
    content = json.loads((hosts / ".claude" / "settings.json").read_bytes())
    return content.get("hooks", {}).get("PreToolUse", [])


def test_a_hook_that_a_person_edited_stays_and_is_told(hosts: Path, desk: Desk) -> None:
    desk.install()
    settings = hosts / ".claude" / "settings.json"
    edit(settings, "acme_write", "acme_read")
    edited = settings.read_bytes()
    assert "edited since" in warnings(desk.install(), "claude-code")
    assert settings.read_bytes() == edited
    assert "left in place" in warnings(desk.uninstall(), "claude-code")
    assert [hook["matcher"] for hook in hooks_of(hosts)] == ["(?:acme_read)"]


def test_force_replaces_a_hook_that_a_person_edited(hosts: Path, desk: Desk) -> None:
    desk.install()
    settings = hosts / ".claude" / "settings.json"
    ours = settings.read_bytes()
    edit(settings, "acme_write", "acme_read")
    desk.install(force=True)
    assert settings.read_bytes() == ours


def test_copies_of_a_hook_of_ours_go_with_it(hosts: Path, desk: Desk) -> None:
    desk.install()
    settings = hosts / ".claude" / "settings.json"
    content = json.loads(settings.read_bytes())
    content["hooks"]["PreToolUse"] *= 3
    settings.write_text(json.dumps(content), encoding="utf-8")
    desk.uninstall()
    assert hooks_of(hosts) == []
    assert b"acme" not in settings.read_bytes()


def test_hooks_of_one_connector_on_one_native_event_stand_beside_each_other(hosts: Path, desk: Desk) -> None:
    native = {"preToolUse": [{"command": ["x"], "matcher": "A"}, {"command": ["x"], "matcher": "B"}]}
    both = {"id": "acme-db", "hooks": ACME["hooks"], "platforms": {"cursor": {"native_hooks": native}}}
    for _ in range(2):
        desk.install(both, targets=("cursor",))
        items = json.loads((hosts / ".cursor" / "hooks.json").read_bytes())["hooks"]["preToolUse"]
        assert [item["matcher"] for item in items][1:] == ["A", "B"]
        assert [item["command"].rpartition(" --entry ")[2] for item in items][1:] == ["0", "1"]
        assert len(items) == 3
    fewer = {**both, "hooks": {"PreToolUse": {"matcher": "zzz", "decision": "deny", "reason": "no"}}}
    desk.install(fewer, targets=("cursor",))
    items = json.loads((hosts / ".cursor" / "hooks.json").read_bytes())["hooks"]["preToolUse"]
    assert len(items) == 3


def test_who_leaves_a_file_first_leaves_nothing_of_its_own_in_the_ledger(hosts: Path, desk: Desk) -> None:
    for name in ("one", "two"):
        desk.install({"id": name, "hooks": ACME["hooks"]}, targets=("cursor",))
    desk.uninstall("one")
    with Ledger.open(desk.context.data_root, create=False) as ledger:
        assert {row.connector for row in ledger.rows()} == {"two"}
        assert {install.connector for install in ledger.installs()} == {"two"}
        assert ledger.was_removed("one", "cursor")
    desk.uninstall("two")
    assert not (hosts / ".cursor" / "hooks.json").exists()


def test_a_host_that_was_done_in_part_is_known_to_upgrade_and_uninstall(hosts: Path, desk: Desk) -> None:
    before = snapshot(hosts)
    config = hosts / ".claude.json"
    own = config.read_text(encoding="utf-8")
    add_own_server(config)
    assert desk.install(targets=("claude-code",)).exit_code == 1
    config.write_text(own, encoding="utf-8")
    report = upgrade(UpgradeRequest(source=ConnectorSource(inline=ACME)), desk.context)
    assert report.outcome == "done", report.changes
    assert "acme-db" in json.loads(config.read_bytes())["mcpServers"]
    desk.uninstall()
    assert snapshot(hosts) == before


# --- bad input, given to the real command ----------------------------------------------------------------------

UNPRIVILEGED = (
    ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    if os.name == "posix" and os.geteuid() == 0 and shutil.which("setpriv")
    else []
)
"""For root every file is readable; without these rights root is like anybody else."""


def run(home: Path, *words: str, limit: float = 120) -> tuple[int, dict[str, Any], str]:
    """Exit code, the result of ``--json``, and what was said beside it."""
    done = subprocess.run(
        [*UNPRIVILEGED, sys.executable, "-m", "agent_connector.mcp_server.main", *words, "--json"],
        env={"HOME": str(home), "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"},
        cwd=home,
        capture_output=True,
        text=True,
        timeout=limit,
        check=False,
    )
    assert "Traceback" not in done.stderr, done.stderr
    answer = json.loads(done.stdout)
    assert "result" in answer, answer
    return done.returncode, answer["result"], done.stderr


@pytest.fixture
def definition(tmp_path: Path) -> str:
    file = tmp_path / "acme.json"
    file.write_text(json.dumps(ACME), encoding="utf-8")
    return str(file)


def state(folder: Path) -> dict[str, Any]:
    """Whatever stands in a home, read or not: names, kinds, modes, sizes, where links lead, and what can be read."""
    found: dict[str, Any] = {}
    for path in folder.rglob("*"):
        relative = path.relative_to(folder)
        if ".agent-connector" in relative.parts:
            continue
        status = path.lstat()
        content: Any = None
        if stat.S_ISLNK(status.st_mode):
            content = str(path.readlink())
        elif stat.S_ISREG(status.st_mode):
            content = hashlib.sha256(path.read_bytes()).hexdigest()
        found[str(relative)] = (status.st_mode, content)
    return found


def in_place_of(path: Path, what: str) -> None:
    if what in ("unreadable", "read-only"):
        path.chmod(0o000 if what == "unreadable" else 0o444)
        return
    path.unlink(missing_ok=True)
    if what == "folder":
        path.mkdir()
    elif what == "pipe":
        os.mkfifo(path)
    elif what == "loop":
        path.symlink_to(path.name)
    elif what == "socket":
        with socket.socket(socket.AF_UNIX) as listener:
            os.chdir(path.parent)  # the path of a socket may be short only
            listener.bind(path.name)
    elif what == "invalid UTF-8":
        path.write_bytes(b'{"name": "caf\xe9"}' if path.suffix == ".json" else b'name = "caf\xe9"\n')
    elif what == "UTF-16":
        path.write_bytes("{}".encode("utf-16"))


CONFIGS = {"claude-code": ".claude.json", "codex": ".codex/config.toml", "cursor": ".cursor/mcp.json"}
WORST = ("unreadable", "read-only", "folder", "pipe", "loop", "socket", "invalid UTF-8", "UTF-16")
WORST_BY_HOST = (*zip(itertools.cycle(CONFIGS), WORST, strict=False), ("codex", "invalid UTF-8"))


@pytest.mark.skipif(os.name != "posix", reason="modes, pipes and links as POSIX has them")
@pytest.mark.parametrize(("host", "what"), WORST_BY_HOST)
def test_a_config_that_cannot_be_edited_is_said_and_its_host_is_left_out_whole(
    host: str, what: str, hosts: Path, context: Context, definition: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hosts)
    config = hosts / CONFIGS[host]
    in_place_of(config, what)
    before = state(hosts)
    code, dry, _ = run(hosts, "install", "--connector", definition, "--dry-run")
    assert state(hosts) == before
    code, report, _ = run(hosts, "install", "--connector", definition)
    assert code == 1
    assert report["outcome"] == "partial"
    said = [change for change in report["changes"] if change["host"] == host and change["action"] == "warn"]
    assert any(CONFIGS[host].split("/")[-1] in f"{change['detail']} {change['path']}" for change in said), said
    assert any(change["blocking"] and change["fix"] for change in said), said
    assert state_of(host, state(hosts)) == state_of(host, before)
    for other in CONFIGS.keys() - {host}:
        assert b"acme-db" in (hosts / CONFIGS[other]).read_bytes()
    assert dry["plan_id"] == report["plan_id"] or what == "read-only"
    code, report, _ = run(hosts, "uninstall", "--connector-id", "acme-db")
    assert code == 0, report
    assert state(hosts) == before


def state_of(host: str, found: dict[str, Any]) -> dict[str, Any]:
    return {name: held for name, held in found.items() if name.split("/")[0] in HOST_FOLDERS[host]}


@pytest.mark.skipif(os.name != "posix", reason="modes, pipes and links as POSIX has them")
@pytest.mark.parametrize("what", [what for what in WORST if what != "folder"])
def test_a_config_that_became_impossible_keeps_only_its_own_host_from_being_cleaned(
    what: str, hosts: Path, context: Context, definition: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(hosts)
    config = hosts / ".codex" / "config.toml"
    before = state(hosts)
    assert run(hosts, "install", "--connector", definition)[0] == 0
    ours = config.read_bytes()
    in_place_of(config, what)
    code, report, _ = run(hosts, "uninstall", "--connector-id", "acme-db")
    assert code == 1
    said = [change for change in report["changes"] if change["host"] == "codex" and change["action"] == "warn"]
    assert any("config.toml" in change["detail"] for change in said), said
    for other in ("claude-code", "cursor"):
        assert state_of(other, state(hosts)) == state_of(other, before)
    config.unlink()
    config.write_bytes(ours)
    code, report, _ = run(hosts, "uninstall", "--connector-id", "acme-db")
    assert code == 0, report
    assert state(hosts) == before


def test_a_link_that_leads_nowhere_is_filled_and_emptied_at_its_target(
    hosts: Path, context: Context, definition: str
) -> None:
    config = hosts / ".claude.json"
    config.unlink()
    config.symlink_to("dotfiles/claude.json")
    before = state(hosts)
    code, report, _ = run(hosts, "install", "--connector", definition)
    assert code == 0, report
    assert config.is_symlink()
    assert b"acme-db" in (hosts / "dotfiles" / "claude.json").read_bytes()
    assert run(hosts, "uninstall", "--connector-id", "acme-db")[0] == 0
    assert state(hosts) == before


def test_a_home_with_a_line_break_in_its_name_works(hosts: Path, context: Context, definition: str) -> None:
    home = hosts.with_name("line\nbreak")
    hosts.rename(home)
    before = state(home)
    code, report, _ = run(home, "install", "--connector", definition)
    assert code == 0, report
    hook = json.loads((home / ".claude" / "settings.json").read_bytes())["hooks"]["SessionStart"][0]["hooks"][0]
    fired = subprocess.run(
        ["/bin/sh", "-c", hook["command"]],
        input='{"hook_event_name": "SessionStart"}',
        text=True,
        capture_output=True,
        env={"PATH": "/usr/bin:/bin"},
        check=False,
    )
    assert fired.returncode == 0, fired.stderr
    assert fired.stderr == ""
    assert run(home, "uninstall", "--connector-id", "acme-db")[0] == 0
    assert state(home) == before


def test_a_config_of_fifty_megabytes_is_edited_and_restored(hosts: Path, context: Context, definition: str) -> None:
    history = [{"display": f"line {number} ✓ {'x' * 900}"} for number in range(52_000)]
    config = hosts / ".claude.json"
    config.write_text(json.dumps({"projects": {"/srv": {"history": history}}, "mcpServers": {}}), encoding="utf-8")
    assert config.stat().st_size > 48_000_000
    before = state(hosts)
    code, report, _ = run(hosts, "install", "--connector", definition, limit=300)
    assert code == 0, report["changes"]
    assert run(hosts, "uninstall", "--connector-id", "acme-db", limit=300)[0] == 0
    assert state(hosts) == before

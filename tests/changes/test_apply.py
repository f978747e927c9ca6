"""Plans become files: proven unchanged first, host by host, with a backup, and recorded."""

import json
import os
import stat
import subprocess
import sys
import threading
from hashlib import sha256
from pathlib import Path

import pytest
from agent_connector.changes import apply as apply_module
from agent_connector.changes import backups
from agent_connector.changes.apply import apply
from agent_connector.changes.backups import read_backup
from agent_connector.changes.journal import Journal, pending, recover
from agent_connector.changes.ledger import Ledger
from agent_connector.changes.lock import data_root_lock
from agent_connector.changes.model import FileEdit, OwnedRow, Plan
from agent_connector.documents.block import blocks, upsert
from agent_connector.errors import FileError, LedgerError, LockedError


class Machine:
    def __init__(self, folder):
        self.home = folder / "home"
        self.home.mkdir()
        self.data_root = folder / "data"
        self.ledger = Ledger.open(self.data_root, create=True)

    def file(self, name, data=b"old\n"):
        path = self.home / name
        path.write_bytes(data)
        return path

    def edit(self, host, path, before, after, **more):
        row = OwnedRow(
            "acme", host, "skills", "user", "", str(path), "file", "file", (), sha256(after or b"").hexdigest()
        )
        return FileEdit(host, path, before, after, **{"adds": (row,), **more})

    def apply(self, *edits):
        return apply(Plan("0123456789abcdef", (), edits), self.ledger, self.data_root)

    @property
    def recorded(self):
        return [Path(row.path).name for row in self.ledger.rows()]


@pytest.fixture
def machine(tmp_path):
    made = Machine(tmp_path)
    yield made
    made.ledger.close()


def statuses(applied):
    return {(outcome.host, outcome.path.name): outcome.status for outcome in applied.outcomes}


# --- the plain way ---------------------------------------------------------------------------------------------


def test_files_are_written_backed_up_and_recorded(machine):
    old, new = machine.file("a.md"), machine.home / "skills" / "b.md"
    applied = machine.apply(machine.edit("one", old, b"old\n", b"new\n"), machine.edit("two", new, None, b"b"))
    assert statuses(applied) == {("one", "a.md"): "written", ("two", "b.md"): "written"}
    assert not applied.stale
    assert not applied.failed
    assert (old.read_bytes(), new.read_bytes()) == (b"new\n", b"b")
    assert read_backup(applied.backup) == {str(old): b"old\n"}
    assert machine.recorded == ["a.md", "b.md"]
    assert machine.ledger.folders() == (machine.home / "skills",)
    assert pending(machine.data_root) == ()


def test_an_empty_plan_leaves_no_trace(tmp_path):
    with Ledger.open(tmp_path / "data", create=False) as ledger:
        assert apply(Plan("0", (), ()), ledger, tmp_path / "data").outcomes == ()
    assert not (tmp_path / "data").exists()


def test_what_is_only_to_be_recorded_touches_no_file(machine):
    path = machine.file("a.md")
    path.chmod(0o444)
    inode = path.stat().st_ino
    applied = machine.apply(machine.edit("one", path, b"old\n", b"old\n"))
    assert statuses(applied) == {("one", "a.md"): "written"}
    assert applied.backup is None
    assert path.stat().st_ino == inode
    assert machine.recorded == ["a.md"]


def test_folders_made_for_us_go_with_the_last_file_of_ours_in_them(machine):
    paths = [machine.home / "skills" / name / "SKILL.md" for name in ("one", "two")]
    machine.apply(*(machine.edit("h", path, None, b"x") for path in paths))
    rows = machine.ledger.rows()
    machine.apply(FileEdit("h", paths[0], b"x", None, drops=rows[:1]))
    assert [path.name for path in (machine.home / "skills").iterdir()] == ["two"]
    (machine.home / "skills" / "mine.md").write_bytes(b"")
    machine.apply(FileEdit("h", paths[1], b"x", None, drops=rows[1:]))
    assert [path.name for path in (machine.home / "skills").iterdir()] == ["mine.md"]
    assert machine.ledger.folders() == ()


def test_folders_behind_a_link_go_too(machine):
    (machine.home / "dotfiles").mkdir()
    (machine.home / ".host").symlink_to("dotfiles")
    path = machine.home / ".host" / "skills" / "SKILL.md"
    machine.apply(machine.edit("h", path, None, b"x"))
    machine.apply(machine.edit("h", path, b"x", b"y"))
    machine.apply(FileEdit("h", path, b"y", None, drops=machine.ledger.rows()))
    assert list((machine.home / "dotfiles").iterdir()) == []


def test_several_hosts_may_share_a_file(machine):
    path = machine.file("AGENTS.md")
    applied = machine.apply(machine.edit("one", path, b"old\n", b"1\n"), machine.edit("two", path, b"1\n", b"2\n"))
    assert set(statuses(applied).values()) == {"written"}
    assert path.read_bytes() == b"2\n"
    assert read_backup(applied.backup) == {str(path): b"old\n"}


def test_new_files_of_a_person_are_private_and_new_files_of_a_project_are_not(machine):
    old = os.umask(0o022)
    try:
        edits = {}
        for scope in ("user", "project"):
            path = machine.home / f"{scope}.json"
            row = OwnedRow("acme", "h", "server", scope, "", str(path), "json", "entry", ("mcpServers", "acme"), {})
            edits[scope] = FileEdit("h", path, None, b"{}", adds=(row,))
        script = machine.edit("h", machine.home / "run.sh", None, b"#!", executable=True)
        machine.apply(*edits.values(), script)
    finally:
        os.umask(old)
    modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in machine.home.iterdir()}
    assert modes == {"user.json": 0o600, "project.json": 0o644, "run.sh": 0o755}


def test_everything_in_the_data_root_is_private_whatever_the_umask(tmp_path):
    old = os.umask(0)
    try:
        machine = Machine(tmp_path)
        Journal.write(machine.data_root, "0", [machine.edit("h", machine.home / "x", None, b"1")])
        machine.apply(machine.edit("h", machine.file("a"), b"old\n", b"new"))
        machine.ledger.close()
    finally:
        os.umask(old)
    found = [machine.data_root, *machine.data_root.rglob("*")]
    assert len(found) >= 9
    for path in found:
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600), path


def test_old_backups_are_pruned_on_the_way(machine, monkeypatch):
    first = machine.apply(machine.edit("h", machine.file("a"), b"old\n", b"new")).backup
    monkeypatch.setattr(backups.prune, "__kwdefaults__", {**backups.prune.__kwdefaults__, "max_bytes": 0})
    second = machine.apply(machine.edit("h", machine.home / "a", b"new", b"newer")).backup
    assert not first.exists()
    assert second.exists()


# --- troubles --------------------------------------------------------------------------------------------------


def test_a_file_changed_since_it_was_read_stops_its_host_before_anything_is_written(machine):
    one, two, other = machine.file("1"), machine.file("2"), machine.file("3")
    two.write_bytes(b"theirs")
    applied = machine.apply(
        machine.edit("busy", one, b"old\n", b"new"),
        machine.edit("busy", two, b"old\n", b"new"),
        machine.edit("calm", other, b"old\n", b"new"),
    )
    assert statuses(applied) == {("busy", "1"): "stale", ("busy", "2"): "stale", ("calm", "3"): "written"}
    assert applied.stale == {"busy"}
    assert [path.read_bytes() for path in (one, two, other)] == [b"old\n", b"theirs", b"new"]
    assert machine.recorded == ["3"]
    assert "2" in applied.outcomes[0].reason


def test_a_file_that_appeared_or_vanished_since_it_was_read_is_stale(machine):
    appeared = machine.file("1")
    applied = machine.apply(
        machine.edit("one", appeared, None, b"new"), machine.edit("two", machine.home / "2", b"old\n", b"new")
    )
    assert applied.stale == {"one", "two"}
    assert appeared.read_bytes() == b"old\n"
    assert not (machine.home / "2").exists()


def test_a_change_between_the_first_look_and_the_rename_is_noticed(machine, monkeypatch):
    one, two = machine.file("1"), machine.file("2")
    real = apply_module.replace_file

    def slow(path, *arguments, **more):
        two.write_bytes(b"theirs")
        return real(path, *arguments, **more)

    monkeypatch.setattr(apply_module, "replace_file", slow)
    applied = machine.apply(machine.edit("h", one, b"old\n", b"new"), machine.edit("h", two, b"old\n", b"new"))
    assert statuses(applied) == {("h", "1"): "written", ("h", "2"): "stale"}
    assert two.read_bytes() == b"theirs"
    assert machine.recorded == ["1"]


def test_a_host_that_writes_over_it_at_once_is_told_of(machine, monkeypatch):
    path = machine.file("1")
    real = apply_module.replace_file

    def and_over(*arguments, **more):
        made = real(*arguments, **more)
        path.write_bytes(b"from memory")
        return made

    monkeypatch.setattr(apply_module, "replace_file", and_over)
    [outcome] = machine.apply(machine.edit("h", path, b"old\n", b"new")).outcomes
    assert outcome.status == "written"
    assert "another program wrote over it" in outcome.reason
    assert machine.recorded == ["1"]


@pytest.mark.parametrize("trouble", ["read-only", "folder", "parent"])
def test_a_host_that_cannot_be_written_leaves_the_others_alone(machine, trouble):
    good = machine.file("good")
    first = machine.file("first")
    bad = machine.home / "bad"
    if trouble == "read-only":
        bad.write_bytes(b"old\n")
        bad.chmod(0o444)
    elif trouble == "folder":
        bad.mkdir()
    else:
        bad.write_bytes(b"")
        bad = bad / "below"
    before = b"old\n" if trouble == "read-only" else None
    applied = machine.apply(
        machine.edit("bad", first, b"old\n", b"new"),
        machine.edit("bad", bad, before, b"new"),
        machine.edit("good", good, b"old\n", b"new"),
    )
    assert applied.failed == {"bad"}
    assert [outcome.status for outcome in applied.outcomes] == ["failed", "failed", "written"]
    assert str(bad) in applied.outcomes[1].reason
    assert applied.outcomes[1].hint
    assert (first.read_bytes(), good.read_bytes()) == (b"old\n", b"new")
    assert machine.recorded == ["good"]
    assert pending(machine.data_root) == ()


def test_a_full_disk_fails_its_host_only(machine, tiny_disk):
    full, good = tiny_disk / "skills" / "full", machine.file("good")
    applied = machine.apply(
        machine.edit("full", full, None, b"x" * 200_000), machine.edit("good", good, b"old\n", b"new")
    )
    assert statuses(applied) == {("full", "full"): "failed", ("good", "good"): "written"}
    assert "No space left" in applied.outcomes[0].reason
    assert list(tiny_disk.iterdir()) == []
    assert machine.ledger.folders() == ()


def test_a_full_data_root_stops_everything_before_anything_is_changed(machine, tiny_disk):
    path = machine.file("big", b"x" * 200_000)
    with Ledger.open(tiny_disk / "data", create=True) as ledger:
        plan = Plan("0123456789abcdef", (), (machine.edit("h", path, b"x" * 200_000, b"new"),))
        with pytest.raises(FileError, match="No space left"):
            apply(plan, ledger, tiny_disk / "data")
        assert ledger.rows() == ()
        assert recover(ledger, tiny_disk / "data") == ()
    assert path.read_bytes() == b"x" * 200_000


def test_when_the_ledger_cannot_be_written_the_next_run_finishes(machine):
    one, two = machine.file("1"), machine.file("2")
    with Ledger.open(machine.data_root, create=False) as reader:
        edits = (machine.edit("h", one, b"old\n", b"new"), machine.edit("h", two, b"old\n", b"new"))
        applied = apply(Plan("0123456789abcdef", (), edits), reader, machine.data_root)
    assert [outcome.status for outcome in applied.outcomes] == ["failed", "failed"]
    assert applied.outcomes[0].reason.startswith("written, but not recorded")
    assert applied.outcomes[1].reason.startswith("not written")
    assert (one.read_bytes(), two.read_bytes()) == (b"new", b"old\n")
    assert [found.outcome for found in recover(machine.ledger, machine.data_root)] == ["finished", "undone"]
    assert machine.recorded == ["1"]
    assert recover(machine.ledger, machine.data_root) == ()


# --- one at a time ---------------------------------------------------------------------------------------------


def test_the_lock_is_waited_for_told_of_and_free_again(tmp_path):
    held, release = threading.Event(), threading.Event()

    def hold():
        with data_root_lock(tmp_path / "data"):
            held.set()
            release.wait(30)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(30)
    with pytest.raises(LockedError) as caught, data_root_lock(tmp_path / "data", timeout=0.2):
        pass
    assert str(tmp_path / "data" / "lock") in caught.value.message
    assert caught.value.hint
    release.set()
    holder.join()
    with data_root_lock(tmp_path / "data", timeout=0.2), data_root_lock(tmp_path / "data", timeout=0.2):
        pass


def test_ten_installers_at_once_all_succeed_and_lose_nothing(tmp_path):
    text, config = tmp_path / "CLAUDE.md", tmp_path / "mcp.json"
    text.write_bytes(b"# Mine\n")
    config.write_bytes(b'{"mine": 1}\n')
    script = Path(__file__).with_name("add_one.py")
    names = {f"acme{number}" for number in range(10)}
    running = [
        subprocess.Popen(
            [sys.executable, script, tmp_path / "data", text, config, name], stderr=subprocess.PIPE, text=True
        )
        for name in names
    ]
    for process in running:
        _, errors = process.communicate(timeout=120)
        assert process.returncode == 0, errors
    assert {block.id for block in blocks(text.read_bytes())} == {f"{name}/notes" for name in names}
    content = json.loads(config.read_bytes())
    assert content == {"mine": 1, "mcpServers": {name: {"command": name} for name in names}}
    with Ledger.open(tmp_path / "data", create=False) as ledger:
        assert sorted(row.connector for row in ledger.rows()) == sorted([*names, *names])
    assert pending(tmp_path / "data") == ()


# --- after a crash ---------------------------------------------------------------------------------------------


def block_edit(path, before, content, ledger_says=()):
    digest = sha256(content.encode()).hexdigest()
    row = OwnedRow("acme", "h", "memory", "user", "", str(path), "text", "block", ("acme/notes",), digest)
    put = upsert(before, "acme/notes", content, "acme", force=True)
    origins = (put.origin,) if put.origin else ()
    return FileEdit("h", path, before, put.data, (row,), ledger_says, origins)


def test_a_file_somebody_changed_after_the_crash_is_judged_by_what_stands_in_it(machine):
    path = machine.file("CLAUDE.md", b"")
    edit = block_edit(path, b"", "notes")
    Journal.write(machine.data_root, "0", [edit])
    path.write_bytes(edit.after + b"\nadded by the user\n")
    [found] = recover(machine.ledger, machine.data_root)
    assert found.outcome == "merged"
    assert machine.ledger.rows() == edit.adds
    assert machine.ledger.origins(path) == {(): edit.origins[0]}


def test_a_file_somebody_changed_before_the_rename_holds_nothing_of_ours(machine):
    path = machine.file("CLAUDE.md", b"")
    Journal.write(machine.data_root, "0", [block_edit(path, b"", "notes")])
    path.write_bytes(b"by the user\n")
    assert [found.outcome for found in recover(machine.ledger, machine.data_root)] == ["merged"]
    assert machine.ledger.rows() == ()
    assert machine.ledger.origins(path) == {}


def test_an_update_that_was_cut_off_keeps_the_row_that_is_true(machine):
    path = machine.file("CLAUDE.md", b"# Mine\n")
    first = block_edit(path, b"# Mine\n", "one")
    machine.apply(first)
    second = block_edit(path, first.after, "two", ledger_says=first.adds)
    for standing, rows in ((first.after, first.adds), (second.after, second.adds)):
        Journal.write(machine.data_root, "0", [second])
        path.write_bytes(standing + b"more\n")
        recover(machine.ledger, machine.data_root)
        assert machine.ledger.rows() == rows


def test_a_removal_that_was_cut_off_forgets_only_what_is_gone(machine):
    path = machine.file("CLAUDE.md", b"")
    put = block_edit(path, b"", "one")
    machine.apply(put)
    removal = FileEdit("h", path, put.after, b"", (), put.adds, (), ((),))
    Journal.write(machine.data_root, "0", [removal])
    path.write_bytes(put.after + b"\nmore\n")
    recover(machine.ledger, machine.data_root)
    assert machine.ledger.rows() == put.adds
    assert set(machine.ledger.origins(path)) == {()}
    Journal.write(machine.data_root, "0", [removal])
    path.write_bytes(b"more\n")
    recover(machine.ledger, machine.data_root)
    assert machine.ledger.rows() == ()
    assert machine.ledger.origins(path) == {}


def test_what_the_dead_process_left_beside_the_file_goes(machine):
    path = machine.home / "skills" / "SKILL.md"
    [intent] = Journal.write(machine.data_root, "0", [machine.edit("h", path, None, b"new")]).intents
    path.parent.mkdir()
    (path.parent / intent.temporary).write_bytes(b"ne")
    (machine.data_root / "journal" / ".agent-connector-0123.tmp").write_bytes(b"{")
    assert [found.outcome for found in recover(machine.ledger, machine.data_root)] == ["undone"]
    assert list(machine.home.iterdir()) == []
    assert list((machine.data_root / "journal").iterdir()) == []


def test_a_journal_that_cannot_be_read_is_put_aside_and_told(machine):
    folder = machine.data_root / "journal"
    folder.mkdir()
    for number, content in enumerate([b"", b"{", b"[]", b'{"version": 1}', b'{"version": 1, "files": [{}]}']):
        (folder / f"{number}.json").write_bytes(content)
    found = recover(machine.ledger, machine.data_root)
    assert [entry.outcome for entry in found] == ["unreadable"] * 5
    assert sorted(path.name for path in folder.iterdir()) == [f"{number}.unreadable" for number in range(5)]


def test_a_journal_of_a_newer_version_is_left_for_it(machine):
    folder = machine.data_root / "journal"
    folder.mkdir()
    (folder / "1.json").write_bytes(b'{"version": 2, "files": []}')
    with pytest.raises(LedgerError, match="newer") as caught:
        recover(machine.ledger, machine.data_root)
    assert "Update agent-connector" in caught.value.hint
    assert len(pending(machine.data_root)) == 1


def test_the_journal_holds_neither_bytes_nor_secrets(machine):
    path = machine.home / "mcp.json"
    row = OwnedRow(
        "acme", "h", "server", "user", "", str(path), "json", "entry", ("mcpServers", "acme"),
        {"command": "acme", "env": {"ACME_TOKEN": "hunter2"}},
    )  # fmt: skip
    journal = Journal.write(machine.data_root, "0", [FileEdit("h", path, b"mine", b"hunter2", (row,))])
    content = journal.file.read_bytes()
    assert b"hunter2" not in content
    assert b"mine" not in content

"""Backups: what stood there before, private, and not for ever."""

import os
import stat
import time
from pathlib import PurePath

import pytest
from agent_connector.changes.backups import prune, read_backup, write_backup

DAY = 24 * 3600.0


def test_a_backup_gives_back_every_byte_whatever_the_files_are_called(tmp_path):
    files = {
        PurePath("/home/u/.claude.json"): b"\xff\x00old",
        PurePath("/home/v/.claude.json"): b"other",
        PurePath("/home/u/größe ?*:" + "x" * 200): b"odd",
    }
    folder = write_backup(tmp_path / "data", files, "abc123")
    assert folder.parent == tmp_path / "data" / "backups"
    assert folder.name.endswith("Z-abc123")
    assert read_backup(folder) == {str(path): data for path, data in files.items()}


def test_nothing_to_keep_makes_nothing(tmp_path):
    assert write_backup(tmp_path / "data", {}, "abc") is None
    assert not (tmp_path / "data").exists()


def test_backups_are_private_whatever_the_umask(tmp_path):
    old = os.umask(0)
    try:
        folder = write_backup(tmp_path / "data", {PurePath("/x"): b"secret"}, "abc")
    finally:
        os.umask(old)
    for path in (tmp_path / "data").rglob("*"):
        assert stat.S_IMODE(path.stat().st_mode) == (0o700 if path.is_dir() else 0o600)
    assert folder.is_dir()


def test_two_backups_at_once_do_not_meet(tmp_path):
    folders = {write_backup(tmp_path, {PurePath("/x"): b"1"}, "abc") for _ in range(5)}
    assert len(folders) == 5


@pytest.fixture
def backups(tmp_path):
    """Three of them, 1000 bytes each and a little, oldest first."""
    return [write_backup(tmp_path, {PurePath("/x"): b"1" * 1000}, "abc") for _ in range(3)]


def test_old_ones_go(tmp_path, backups):
    assert prune(tmp_path, max_age=DAY) == ()
    assert set(prune(tmp_path, max_age=DAY, now=time.time() + 2 * DAY)) == set(backups)
    assert list((tmp_path / "backups").iterdir()) == []


def test_the_oldest_go_when_they_are_too_much_together(tmp_path, backups):
    assert prune(tmp_path, max_bytes=2500) == (backups[0],)
    assert not backups[0].exists()
    assert backups[1].exists()


def test_the_one_just_made_stays_and_so_does_what_is_not_ours(tmp_path, backups):
    (tmp_path / "backups" / "mine").mkdir()
    prune(tmp_path, keep=backups[2], max_bytes=0, now=time.time() + 99 * DAY)
    assert sorted(path.name for path in (tmp_path / "backups").iterdir()) == [backups[2].name, "mine"]


def test_one_that_was_not_finished_holds_nothing_and_is_pruned(tmp_path, backups):
    (backups[0] / "manifest.json").unlink()
    assert read_backup(backups[0]) == {}
    assert backups[0] in prune(tmp_path, max_age=0, now=time.time() + 10)


def test_pruning_where_nothing_is_does_nothing(tmp_path):
    assert prune(tmp_path / "data") == ()
    assert not (tmp_path / "data").exists()

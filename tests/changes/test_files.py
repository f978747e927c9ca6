"""Files are replaced whole or not at all, in place, as what they were."""

import os
import resource
import stat
from pathlib import Path

import pytest
from agent_connector.changes.files import (
    DiskFiles,
    check_writable,
    delete_file,
    missing_folders,
    private_folder,
    read_file,
    remove_empty_folders,
    replace_file,
)
from agent_connector.errors import FileChangedError, FileError

as_user = pytest.mark.skipif(os.geteuid() == 0, reason="root may do everything")


@pytest.fixture
def loose_umask():
    old = os.umask(0)
    yield
    os.umask(old)


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


def names(folder):
    return sorted(entry.name for entry in folder.iterdir())


# --- reading ---------------------------------------------------------------------------------------------------


def test_reading_tells_absent_from_empty(tmp_path):
    (tmp_path / "empty").write_bytes(b"")
    files = DiskFiles()
    assert files.read(tmp_path / "absent") is None
    assert files.read(tmp_path / "no" / "such" / "folder") is None
    assert files.read(tmp_path / "empty") == b""
    assert files.exists(tmp_path)
    assert not files.exists(tmp_path / "absent")


def test_a_link_that_leads_nowhere_reads_as_absent(tmp_path):
    (tmp_path / "link").symlink_to("nowhere")
    assert read_file(tmp_path / "link") is None


def test_what_is_no_plain_file_is_refused_by_name(tmp_path):
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").write_bytes(b"")
    for path in ("folder", "pipe", "loop", "file/below", "a\0b"):
        with pytest.raises(FileError) as caught:
            read_file(tmp_path / path)
        assert path.split("\0")[0] in caught.value.message
        if "\0" not in path:
            assert caught.value.hint


# --- replacing -------------------------------------------------------------------------------------------------


def test_a_replaced_file_is_another_one_with_the_same_mode_and_nothing_beside_it(tmp_path):
    file = tmp_path / "settings.json"
    file.write_bytes(b"old")
    for mode in (0o600, 0o640, 0o644, 0o755):
        file.chmod(mode)
        inode = file.stat().st_ino
        assert replace_file(file, b"new") == ()
        assert file.read_bytes() == b"new"
        assert mode_of(file) == mode
        assert file.stat().st_ino != inode
        assert names(tmp_path) == ["settings.json"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives files away")
def test_root_keeps_the_owner(tmp_path):
    file = tmp_path / "settings.json"
    file.write_bytes(b"old")
    os.chown(file, 4242, 4343)
    replace_file(file, b"new")
    assert (file.stat().st_uid, file.stat().st_gid) == (4242, 4343)


def test_extended_attributes_are_kept(tmp_path):
    file = tmp_path / "settings.json"
    file.write_bytes(b"old")
    try:
        os.setxattr(file, "user.note", b"mine")
    except (OSError, AttributeError):
        pytest.skip("no extended attributes here")
    replace_file(file, b"new")
    assert os.getxattr(file, "user.note") == b"mine"


def test_new_files_follow_the_umask_and_private_ones_do_not(tmp_path, loose_umask):
    replace_file(tmp_path / "ordinary", b"")
    replace_file(tmp_path / "careful", b"", new_mode=0o600)
    replace_file(tmp_path / "program", b"", executable=True)
    assert mode_of(tmp_path / "ordinary") == 0o666
    assert mode_of(tmp_path / "careful") == 0o600
    assert mode_of(tmp_path / "program") == 0o777
    os.umask(0o027)
    replace_file(tmp_path / "group", b"")
    replace_file(tmp_path / "group-program", b"", executable=True)
    assert mode_of(tmp_path / "group") == 0o640
    assert mode_of(tmp_path / "group-program") == 0o750


def test_an_existing_file_becomes_executable_for_whom_it_is_readable(tmp_path):
    file = tmp_path / "run"
    file.write_bytes(b"")
    file.chmod(0o640)
    replace_file(file, b"#!", executable=True)
    assert mode_of(file) == 0o750


def test_a_mode_can_be_demanded(tmp_path):
    file = tmp_path / "record"
    file.write_bytes(b"")
    file.chmod(0o644)
    replace_file(file, b"x", mode=0o600)
    assert mode_of(file) == 0o600


@pytest.mark.parametrize(
    "hops", [["real/config"], ["two", "real/config"], ["two", "three", "../chain/four", "real/x"]]
)
def test_links_stay_and_what_they_lead_to_is_replaced(tmp_path, hops):
    folder = tmp_path / "chain"
    (folder / "real").mkdir(parents=True)
    link = folder / "one"
    at = link
    for hop in hops:
        at.symlink_to(hop)
        at = Path(os.path.normpath(folder / hop))
    at.write_bytes(b"old")
    replace_file(link, b"new")
    assert link.readlink() == Path(hops[0])
    assert at.read_bytes() == b"new"
    assert not at.is_symlink()
    delete_file(link)
    assert not at.exists()
    assert link.is_symlink()


def test_a_link_that_leads_nowhere_gets_its_target(tmp_path):
    (tmp_path / "link").symlink_to("later/target")
    made = replace_file(tmp_path / "link", b"x")
    assert (tmp_path / "later" / "target").read_bytes() == b"x"
    assert made == (tmp_path / "later",)
    assert (tmp_path / "link").is_symlink()


def test_a_folder_that_is_a_link_is_written_through(tmp_path):
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / "home").symlink_to("dotfiles")
    replace_file(tmp_path / "home" / "x", b"1")
    assert (tmp_path / "dotfiles" / "x").read_bytes() == b"1"


def test_folders_are_made_and_told_so_that_they_can_go_again(tmp_path):
    file = tmp_path / "a" / "b" / "c" / "file"
    expected = (tmp_path / "a", tmp_path / "a" / "b", tmp_path / "a" / "b" / "c")
    assert missing_folders(file) == expected
    assert replace_file(file, b"x") == expected
    assert replace_file(file, b"y") == ()
    delete_file(file)
    (tmp_path / "a" / "mine").write_bytes(b"")
    remove_empty_folders(expected)
    assert names(tmp_path / "a") == ["mine"]


def test_deleting_what_is_not_there_is_fine(tmp_path):
    delete_file(tmp_path / "absent")
    delete_file(tmp_path / "absent", expected=None)


# --- refusing --------------------------------------------------------------------------------------------------


def test_a_file_that_changed_meanwhile_is_left_as_it_is(tmp_path):
    file = tmp_path / "settings.json"
    file.write_bytes(b"theirs")
    for expected in (b"as read", None):
        with pytest.raises(FileChangedError, match="changed by another program"):
            replace_file(file, b"new", expected=expected)
        with pytest.raises(FileChangedError):
            delete_file(file, expected=expected)
    with pytest.raises(FileChangedError):
        replace_file(tmp_path / "gone" / "file", b"new", expected=b"as read")
    assert file.read_bytes() == b"theirs"
    assert names(tmp_path) == ["settings.json"]


def test_a_read_only_file_is_respected_even_by_root(tmp_path):
    file = tmp_path / "settings.json"
    file.write_bytes(b"old")
    file.chmod(0o444)
    for attempt in (lambda: replace_file(file, b"new"), lambda: delete_file(file), lambda: check_writable(file)):
        with pytest.raises(FileError, match="read-only") as caught:
            attempt()
        assert "chmod u+w" in caught.value.hint
    assert file.read_bytes() == b"old"


def test_a_folder_in_place_of_the_file_and_a_file_in_place_of_a_folder_are_refused(tmp_path):
    (tmp_path / "settings.json").mkdir()
    (tmp_path / "file").write_bytes(b"")
    for path in ("settings.json", "file/settings.json", "file/more/settings.json"):
        with pytest.raises(FileError) as caught:
            replace_file(tmp_path / path, b"new")
        assert caught.value.hint
    assert names(tmp_path) == ["file", "settings.json"]
    assert names(tmp_path / "settings.json") == []


def test_links_in_a_circle_are_refused(tmp_path):
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    with pytest.raises(FileError):
        replace_file(tmp_path / "one", b"x")
    assert names(tmp_path) == ["one", "two"]


def test_a_path_that_could_not_be_remembered_is_refused(tmp_path):
    with pytest.raises(FileError):
        replace_file(tmp_path / os.fsdecode(b"\xff"), b"x")
    assert names(tmp_path) == []


@as_user
def test_a_read_only_folder_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(FileError, match="read-only"):
            replace_file(tmp_path / "new", b"x")
    finally:
        tmp_path.chmod(0o700)


def test_when_the_system_takes_no_more_bytes_the_file_is_as_it_was(tmp_path):
    file = tmp_path / "settings.json"
    file.write_bytes(b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(FileError, match=r"cannot write .*settings\.json") as caught:
            replace_file(file, b"x" * 5000)
        with pytest.raises(FileError):
            replace_file(tmp_path / "new" / "folder" / "file", b"x" * 5000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert caught.value.hint
    assert file.read_bytes() == b"old"
    assert names(tmp_path) == ["settings.json"]


def test_on_a_full_disk_the_file_is_as_it_was(tiny_disk):
    file = tiny_disk / "settings.json"
    file.write_bytes(b"old" * 5000)
    with pytest.raises(FileError, match="No space left") as caught:
        replace_file(file, b"new" * 20000)
    assert "Free some space" in caught.value.hint
    assert file.read_bytes() == b"old" * 5000
    assert names(tiny_disk) == ["settings.json"]


def test_folders_of_ours_are_private_also_when_they_were_not(tmp_path, loose_umask):
    private_folder(tmp_path / "a" / "data")
    assert mode_of(tmp_path / "a" / "data") == 0o700
    (tmp_path / "open").mkdir()
    private_folder(tmp_path / "open")
    assert mode_of(tmp_path / "open") == 0o700
    (tmp_path / "temporary").mkdir()
    (tmp_path / "temporary").chmod(0o1777)
    private_folder(tmp_path / "temporary")
    assert mode_of(tmp_path / "temporary") == 0o1777
    (tmp_path / "file").write_bytes(b"")
    with pytest.raises(FileError):
        private_folder(tmp_path / "file")

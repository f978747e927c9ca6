"""Kills an apply before every call that writes, and looks at what is left each time.

Run as a program of its own: ``kill_driver.py FOLDER``. Each round forks a child that applies a plan and is killed
(SIGKILL) at its N-th such call; the parent then looks, recovers, plans what is left, applies that and takes it all
out again. Rounds go on until a child comes to its end. Prints how many rounds there were.
"""

import os
import shutil
import signal
import sqlite3
import sys
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

import filelock  # noqa: F401  (loaded before the fork, as all the rest)
from agent_connector.changes.apply import apply
from agent_connector.changes.journal import pending, recover
from agent_connector.changes.ledger import Ledger
from agent_connector.changes.lock import data_root_lock
from agent_connector.changes.model import FileEdit, OwnedRow, Plan
from agent_connector.documents.block import excise, upsert

WRITES = {
    "open", "write", "fsync", "replace", "rename", "unlink", "mkdir", "rmdir", "chmod", "fchmod", "fchown", "close",
    "flock", "execute", "executemany", "commit",
}  # fmt: skip


def row(host, path, format_id, kind, place, value):
    return OwnedRow("acme", host, "memory", "user", "", str(path), format_id, kind, place, value)


def digest(text):
    return sha256(text.encode()).hexdigest()


class Scene:
    """Two hosts: a user's text that gets a block, an old block that is changed, a file of ours in new folders, a file
    of ours that goes."""

    def __init__(self, folder):
        self.folder = folder
        self.data_root = folder / "data"
        self.user_text = folder / "home" / "CLAUDE.md"
        self.old_text = folder / "home" / "AGENTS.md"
        self.new_file = folder / "home" / "skills" / "acme" / "SKILL.md"
        self.old_file = folder / "home" / "old" / "OLD.md"

    def set_up(self):
        self.user_text.parent.mkdir(parents=True)
        self.user_text.write_bytes(b"# Mine\r\nno newline at the end")
        self.old_text.write_bytes(b"# Agents\n\n\n")
        self.apply(self.first())

    def first(self):
        block = upsert(self.old_text.read_bytes(), "acme/notes", "old", "acme")
        self.old_row = row("two", self.old_text, "text", "block", ("acme/notes",), digest("old"))
        self.file_row = row("two", self.old_file, "file", "file", (), digest("old file"))
        return [
            FileEdit("two", self.old_text, self.old_text.read_bytes(), block.data, (self.old_row,)),
            FileEdit("two", self.old_file, None, b"old file", (self.file_row,)),
        ]

    def second(self):
        """What is wanted, as edits of what stands there now."""
        user, old = self.user_text.read_bytes(), self.old_text.read_bytes()
        rows = {
            "user": row("one", self.user_text, "text", "block", ("acme/notes",), digest("mine")),
            "new": row("one", self.new_file, "file", "file", (), digest("new file")),
            "old": row("two", self.old_text, "text", "block", ("acme/notes",), digest("new")),
        }
        edits = [
            FileEdit("one", self.user_text, user, upsert(user, "acme/notes", "mine", "acme").data, (rows["user"],)),
            FileEdit("one", self.new_file, self.read(self.new_file), b"new file", (rows["new"],)),
            FileEdit(
                "two",
                self.old_text,
                old,
                upsert(old, "acme/notes", "new", "acme").data,
                (rows["old"],),
                (self.old_row,),
            ),
            FileEdit("two", self.old_file, self.read(self.old_file), None, (), (self.file_row,)),
        ]
        return [edit for edit in edits if edit.before != edit.after]

    def third(self, ledger):
        """Everything out again."""
        edits = []
        for known in ledger.rows():
            path = Path(known.path)
            before = path.read_bytes()
            after = None if known.kind == "file" else excise(before, known.place).data
            edits.append(FileEdit(known.host, path, before, after, (), (known,)))
        return edits

    def read(self, path):
        return path.read_bytes() if path.exists() else None

    def apply(self, edits):
        with data_root_lock(self.data_root), Ledger.open(self.data_root, create=True) as ledger:
            recovered = recover(ledger, self.data_root)
            applied = apply(Plan("abcdef0123456789", (), tuple(edits)), ledger, self.data_root)
        assert not applied.failed, applied
        assert not applied.stale, applied
        return recovered

    # --- what must hold ------------------------------------------------------------------------------------------

    def assert_every_file_is_old_or_new(self, before, edits):
        for edit in edits:
            assert self.read(edit.path) in (before[edit.path], edit.after), edit.path

    def assert_ledger_agrees(self, edits):
        with Ledger.open(self.data_root, create=False) as ledger:
            known = {(known.path, known.value) for known in ledger.rows()}
        expected = set()
        for edit in edits:
            standing = edit.adds if self.read(edit.path) == edit.after else edit.drops
            expected |= {(standing_row.path, standing_row.value) for standing_row in standing}
        assert known == expected, (known, expected)

    def assert_tidy(self):
        assert pending(self.data_root) == ()
        left = [path for path in self.folder.rglob("*") if path.name.endswith((".tmp", "-journal"))]
        assert [path for path in left if "backups" not in path.parts] == []
        for path in self.data_root.rglob("*"):
            assert path.stat().st_mode & 0o077 == 0, path


def kill_at(number):
    """From now on this process is killed right before its ``number``-th call that writes."""
    seen = 0

    def watch(_frame, event, function):
        nonlocal seen
        if event != "c_call" or function.__name__ not in WRITES:
            return
        owner = getattr(function, "__self__", None)
        if function.__module__ not in ("posix", "fcntl") and not isinstance(owner, sqlite3.Connection):
            return
        seen += 1
        if seen == number:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(watch)


def apply_in_a_child(scene, edits, number):
    """Whether the child came to its end."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            kill_at(number)
            scene.apply(edits)
            status = 0
        finally:
            sys.setprofile(None)
            os._exit(status)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status):
        assert os.WTERMSIG(status) == signal.SIGKILL
        return False
    assert os.WEXITSTATUS(status) == 0, "the apply itself failed"
    return True


def one_round(folder, number):
    scene = Scene(folder)
    pristine = {scene.user_text: b"# Mine\r\nno newline at the end", scene.old_text: b"# Agents\n\n\n"}
    scene.set_up()
    edits = scene.second()
    before = {edit.path: edit.before for edit in edits}
    ended = apply_in_a_child(scene, edits, number)
    scene.assert_every_file_is_old_or_new(before, edits)
    with data_root_lock(scene.data_root), Ledger.open(scene.data_root, create=True) as ledger:
        recover(ledger, scene.data_root)
    scene.assert_tidy()
    scene.assert_ledger_agrees(edits)
    assert scene.old_file.exists() == scene.old_file.parent.exists()
    assert scene.new_file.exists() == scene.new_file.parent.exists()
    scene.apply(scene.second())
    scene.assert_ledger_agrees([replace(edit, before=edit.after) for edit in edits])
    with Ledger.open(scene.data_root, create=False) as ledger:
        last = scene.third(ledger)
    scene.apply(last)
    files = {path: path.read_bytes() for path in (folder / "home").rglob("*") if path.is_file()}
    assert files == pristine, files
    assert [path for path in (folder / "home").rglob("*") if path.is_dir()] == []
    with Ledger.open(scene.data_root, create=False) as ledger:
        assert ledger.rows() == ()
        assert ledger.folders() == ()
    return ended


def main():
    os.umask(0)
    number = 1
    while True:
        folder = Path(sys.argv[1]) / "round"
        try:
            ended = one_round(folder, number)
        except BaseException:
            print(f"killed at call {number}", file=sys.stderr)
            raise
        if ended:
            break
        shutil.rmtree(folder)
        number += 1
    print(number - 1)


if __name__ == "__main__":
    main()

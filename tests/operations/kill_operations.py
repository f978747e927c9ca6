"""Kills a whole operation right before each of its calls that write, and looks at what is left each time.

``kill_operations.py OPERATION FOLDER`` with the operation ``install``, ``upgrade`` or ``uninstall``. Each round forks
a child that is killed (SIGKILL) at its N-th such call; the parent looks at every file, runs the operation again, and
takes everything out. Rounds go on until a child comes to its end. Prints how many calls there were.
"""

from __future__ import annotations

import os
import shutil
import signal
import sqlite3
import sys
from pathlib import Path

import filelock  # noqa: F401  (loaded before the fork, as all the rest)
from agent_connector.adapters.catalog import BuiltinCatalogue
from agent_connector.changes.journal import pending
from agent_connector.changes.ledger import Ledger
from agent_connector.machine import Machine
from agent_connector.operations import launcher
from agent_connector.operations.context import Context
from agent_connector.operations.requests import ConnectorSource, UpgradeRequest
from agent_connector.operations.upgrade import upgrade
from homes import ACME, CLAUDE_JSON, CODEX_TOML, CURSOR_JSON, Desk, folders, snapshot

launcher.ensure_launcher = lambda _context: ()  # launcher and runtime are killed elsewhere

WRITES = ("replace", "rename", "unlink", "mkdir", "rmdir")
"""After each of these the disk looks different to whoever comes later, as it does after a transaction. (What stands
in a temporary file does not count, nor how far a transaction had come: other tests kill there.)"""
TARGETS = ("claude-code", "codex", "cursor")
NEXT = {
    **ACME,
    "version": "1.3.0",
    "server": {**ACME["server"], "args": ["-y", "@acme/acme-db-mcp@next"]},
    "hooks": {"PreToolUse": {"matcher": "acme_drop", "decision": "deny", "reason": "Never"}},
    "skills": [{"name": "acme-ddl", "description": "Writes DDL", "body": "# DDL"}],
    "memory": [{"content": "Acme rows are immutable."}],
}


class Scene:
    """A home with configs of a person's own, in its state before and after the operation, undisturbed."""

    def __init__(self, operation: str, folder: Path) -> None:
        self.operation = operation
        self.home = folder / "home"
        self.kept = folder / "before"
        machine = Machine(os="linux", home=self.home, cwd=self.home, env={"PATH": "/usr/bin:/bin"})
        self.desk = Desk(Context(machine, BuiltinCatalogue(), "0.1.0"))
        self.set_up()
        self.pristine = self.everything()
        if operation != "install":
            self.desk.install(targets=TARGETS)
        self.old = self.everything()
        shutil.copytree(self.home, self.kept, symlinks=True)
        self.run()
        self.new, self.new_rows = self.everything(), self.rows()
        assert self.new != self.old

    def set_up(self) -> None:
        for name, text in {
            ".claude.json": CLAUDE_JSON,
            ".claude/CLAUDE.md": "# Mine\r\n\r\nno newline at the end",
            ".codex/config.toml": CODEX_TOML,
            ".cursor/mcp.json": CURSOR_JSON,
        }.items():
            path = self.home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(text.encode())

    def run(self) -> None:
        if self.operation == "install":
            report = self.desk.install(targets=TARGETS)
        elif self.operation == "upgrade":
            source = ConnectorSource(inline=NEXT)
            report = upgrade(UpgradeRequest(source=source), self.desk.context)
        else:
            report = self.desk.uninstall()
        assert report.outcome in ("done", "unchanged"), report

    def restore(self) -> None:
        shutil.rmtree(self.home)
        shutil.copytree(self.kept, self.home, symlinks=True)

    def everything(self) -> tuple[dict[str, tuple[bytes, int]], set[str]]:
        return snapshot(self.home), folders(self.home)

    def rows(self) -> tuple[set[object], set[object]]:
        with Ledger.open(self.desk.context.data_root, create=False) as ledger:
            installs = {(found.connector, found.host, found.scope, found.version) for found in ledger.installs()}
            return {repr(row) for row in ledger.rows()}, installs

    def assert_every_file_is_old_or_new(self) -> None:
        now = self.everything()[0]
        for name in now.keys() | self.old[0].keys() | self.new[0].keys():
            if not name.endswith(".tmp"):
                assert now.get(name) in (self.old[0].get(name), self.new[0].get(name)), name

    def assert_as_if_nothing_had_happened(self) -> None:
        assert self.everything() == self.new
        assert self.rows() == self.new_rows
        root = self.desk.context.data_root
        assert pending(root) == ()
        assert [path for path in root.rglob("*.tmp") if "backups" not in path.parts] == []


def kill_at(number: int) -> None:
    """From now on this process is killed right before its ``number``-th call that writes."""
    seen = 0
    within = False

    def watch(_frame: object, event: str, function: object) -> None:
        nonlocal seen, within
        if event != "c_call":
            return
        owner = getattr(function, "__self__", None)
        if isinstance(owner, sqlite3.Connection):
            writes = owner.in_transaction and not within
            within = owner.in_transaction
        else:
            writes = function.__name__ in WRITES and function.__module__ == "posix"
        seen += writes
        if writes and seen == number:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(watch)


def killed(scene: Scene, number: int) -> bool:
    """Whether the child was killed before it came to its end."""
    child = os.fork()
    if child == 0:
        status = 1
        try:
            kill_at(number)
            scene.run()
            status = 0
        finally:
            sys.setprofile(None)
            os._exit(status)
    _, status = os.waitpid(child, 0)
    assert os.WIFSIGNALED(status) or os.WEXITSTATUS(status) == 0, "the operation itself failed"
    return os.WIFSIGNALED(status)


def main() -> None:
    operation, folder = sys.argv[1], Path(sys.argv[2])
    number = 1
    scene = Scene(operation, folder)
    while True:
        scene.restore()
        try:
            going_on = killed(scene, number)
            scene.assert_every_file_is_old_or_new()
            scene.run()
            scene.assert_as_if_nothing_had_happened()
            scene.desk.uninstall()
            assert scene.everything() == scene.pristine
        except BaseException:
            print(f"{operation} killed at call {number}", file=sys.stderr)
            raise
        if not going_on:
            break
        number += 1
    print(number - 1)


if __name__ == "__main__":
    main()

"""The database's file: made privately, migrated, refused when newer, set aside when damaged and made anew."""

from __future__ import annotations

import os
import shutil
import sqlite3
import stat
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from agent_connector.errors import DamagedTelemetryError, TelemetryError
from agent_connector.telemetry import reports, schema, store
from agent_connector.telemetry.store import Store
from telemetry import spooling
from telemetry.spooling import NOW, row

DATA = Path(__file__).parent / "data"


def spool(root: Path, rows: Iterable[dict[str, Any] | bytes]) -> None:
    """Today's file, which is kept when it has been read."""
    spooling.spool(root, rows, day=time.strftime("%Y-%m-%d", time.gmtime()))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "data"


@pytest.fixture
def file(root: Path) -> Path:
    return root / "telemetry" / "telemetry.db"


def calls(opened: Store) -> int:
    return sum(one.calls for one in opened.ask(lambda c: reports.groups(c, reports.Query())).values())


def test_the_file_and_its_journals_are_private(root: Path, file: Path) -> None:
    spool(root, [row()])
    with Store.open(root) as opened:
        opened.fold(now=NOW)
        modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in file.parent.glob("telemetry.db*")}
    assert modes == {"telemetry.db": 0o600, "telemetry.db-wal": 0o600, "telemetry.db-shm": 0o600}
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_asking_whether_there_is_anything_makes_nothing(root: Path) -> None:
    assert not store.exists(root)
    assert not root.exists()


# --- schemas ------------------------------------------------------------------------------------------------------


def test_a_file_of_the_first_schema_is_brought_up_to_date_with_all_that_is_in_it(root: Path, file: Path) -> None:
    file.parent.mkdir(parents=True)
    shutil.copy(DATA / "v1.db", file)
    with Store.open(root) as opened:
        assert opened.ask(lambda c: c.execute("PRAGMA user_version").fetchone()) == (schema.SCHEMA_VERSION,)
        found = opened.ask(lambda c: reports.groups(c, reports.Query()))
        assert {key[1]: (one.calls, one.errors, one.tin, one.tout) for key, one in found.items()} == {
            "query": (1, 0, 9, 99),
            "write": (1, 1, 1, 2),
        }
        assert opened.ask(reports.paths) == {"00aa": "/srv/shop"}
        assert opened.ask(reports.recorded) == {"call": 2, "hook": 1}
        assert opened.ask(lambda c: c.execute("SELECT * FROM folded").fetchall()) == [("2026-09-21.ndjson", 40, 0)]
    spool(root, [row(), b"damaged\n"])
    (_, notes) = store.ask(root, calls)
    assert notes == (f"1 line was no row and not counted ({time.strftime('%Y-%m-%d', time.gmtime())}.ndjson)",)


def test_a_migration_that_fails_leaves_the_file_as_it_was(
    root: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file.parent.mkdir(parents=True)
    shutil.copy(DATA / "v1.db", file)
    monkeypatch.setattr(schema, "MIGRATIONS", (*schema.MIGRATIONS, "CREATE TABLE later (x); CREATE TABLE series (x)"))
    monkeypatch.setattr(schema, "SCHEMA_VERSION", 3)
    with pytest.raises(TelemetryError, match="already exists"):
        Store.open(root)
    monkeypatch.undo()
    connection = sqlite3.connect(file)
    assert connection.execute("PRAGMA user_version").fetchone() == (1,)
    assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'later'").fetchone() == (0,)
    connection.close()
    with Store.open(root) as opened:
        assert calls(opened) == 2


def test_a_file_of_a_newer_program_is_refused_and_not_touched(root: Path, file: Path) -> None:
    with Store.open(root) as opened:
        opened.ask(lambda c: c.execute("PRAGMA user_version = 99"))
    before = file.read_bytes()
    with pytest.raises(TelemetryError, match=r"newer agent-connector \(schema 99") as refused:
        store.ask(root, calls)
    assert "Update agent-connector" in refused.value.hint
    assert not isinstance(refused.value, DamagedTelemetryError)
    assert file.read_bytes() == before
    assert list(file.parent.glob("*damaged*")) == []


OPEN = "import sys; from pathlib import Path; from agent_connector.telemetry.store import Store\n"


def test_many_processes_may_make_the_file_at_once(root: Path) -> None:
    code = f"{OPEN}with Store.open(Path(sys.argv[1])) as s: s.fold()"
    spool(root, [row(u=n) for n in range(500)])
    started = [
        subprocess.Popen([sys.executable, "-c", code, str(root)], stderr=subprocess.PIPE, text=True) for _ in range(8)
    ]
    assert [(one.communicate()[1], one.returncode) for one in started] == [("", 0)] * 8
    with Store.open(root) as opened:
        assert calls(opened) == 500


# --- damage -------------------------------------------------------------------------------------------------------


def damage_header(file: Path) -> None:
    file.write_bytes(b"this was never a database" * 100)


def damage_pages(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[4096 : len(data)] = os.urandom(len(data) - 4096)
    file.write_bytes(data)


def damage_schema(file: Path) -> None:
    connection = sqlite3.connect(file)
    connection.execute("DROP TABLE rollups")
    connection.close()


def cut_short(file: Path) -> None:
    os.truncate(file, 5000)


@pytest.mark.parametrize("damage", [damage_header, damage_pages, damage_schema, cut_short])
def test_a_damaged_file_is_kept_aside_and_made_anew_from_the_spool(root: Path, file: Path, damage: object) -> None:
    spool(root, [row()] * 5)
    assert store.ask(root, calls) == (5, ())
    for journal in file.parent.glob("telemetry.db-*"):
        journal.unlink()
    damage(file)  # type: ignore[operator]
    spool(root, [row()])
    found, notes = store.ask(root, calls)
    assert found == 6
    (aside,) = (path for path in file.parent.glob("telemetry.db.damaged-*") if not path.name.endswith(("wal", "shm")))
    (note,) = notes
    assert str(aside) in note
    assert "made from the spool files" in note
    assert store.ask(root, calls) == (6, ())


def test_a_sound_file_is_never_set_aside(root: Path, file: Path) -> None:
    with Store.open(root):
        pass
    assert schema.set_aside(file) is None
    assert file.exists()


AS_SOMEBODY_ELSE = """
import filelock, msgspec, os, sqlite3, sys
from agent_connector.telemetry import fold, intake, reports, retention, store
from pathlib import Path
os.setuid(65534)
found, notes = store.ask(Path(sys.argv[1]), lambda s: s.ask(lambda c: reports.groups(c, reports.Query())))
print(sum(one.calls for one in found.values()), *notes, sep="|")
"""


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can become somebody else")
@pytest.mark.parametrize("pending", [False, True], ids=["at rest", "with a journal"])
def test_what_cannot_be_written_is_read_as_it_stands(*, pending: bool) -> None:
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder) / "data"
        spool(root, [row()] * 2)
        opened = Store.open(root)
        opened.fold()
        if not pending:
            opened.connection.close()
        spool(root, [row()])
        for path in (Path(folder), root, *root.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o444)
        command = [sys.executable, "-c", AS_SOMEBODY_ELSE, str(root)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        opened.connection.close()
        assert done.stderr == ""
        count, note = done.stdout.strip().split("|")
        assert count == "2"
        assert "missing here" in note


def test_while_another_process_writes_what_is_there_is_read(
    root: Path, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(schema, "PATIENCE_SECONDS", 0.1)
    spool(root, [row()] * 2)
    store.ask(root, calls)
    spool(root, [row()])
    other = sqlite3.connect(file, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    found, (note,) = store.ask(root, calls)
    assert found == 2
    assert "locked" in note
    other.close()
    assert store.ask(root, calls) == (3, ())


def test_where_nothing_is_new_nothing_that_reads_lines_is_loaded(root: Path) -> None:
    spool(root, [row()])
    store.ask(root, calls)
    code = (
        f"{OPEN}with Store.open(Path(sys.argv[1])) as s: s.fold()\n"
        "print(*(name for name in ('msgspec', 'pydantic', 'filelock', 'tiktoken', 'opentelemetry') "
        "if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code, str(root)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""

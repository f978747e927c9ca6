"""The spool is folded exactly once, whatever is torn, repeated or killed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from agent_connector.telemetry import fold as folding
from agent_connector.telemetry import reports
from agent_connector.telemetry.store import Store
from telemetry.spooling import DAY, HOUR, NOW, NOW_MS, row, spool


@pytest.fixture
def root(tmp_path: Path) -> Path:
    return tmp_path / "data"


def totals(root: Path, **query: object) -> dict[tuple[str, ...], tuple[int, ...]]:
    with Store.open(root) as store:
        store.fold(now=NOW)
        found = store.ask(lambda connection: reports.groups(connection, reports.Query(**query)))  # type: ignore[arg-type]
    return {key: (one.calls, one.errors, one.tin, one.tout) for key, one in found.items()}


def test_rows_become_sums_and_a_second_folding_adds_nothing(root: Path) -> None:
    spool(root, [row(), row(tool="write", error=1), row()])
    expected = {("acme", "query"): (2, 0, 18, 198), ("acme", "write"): (1, 1, 9, 99)}
    assert totals(root) == expected
    assert totals(root) == expected
    spool(root, [row()])
    assert totals(root)["acme", "query"] == (3, 0, 27, 297)


def test_what_nobody_counted_is_estimated_from_its_size_and_says_so(root: Path) -> None:
    line = row(inb=41, outb=10, conf="tokenizer-exact")
    del line["in"], line["out"]
    spool(root, [line])
    with Store.open(root) as store:
        store.fold(now=NOW)
        (one,) = store.ask(lambda connection: reports.groups(connection, reports.Query())).values()
    assert (one.tin, one.tout, one.confidence) == (11, 3, "heuristic")


def test_a_line_that_is_being_written_waits(root: Path) -> None:
    path = spool(root, [row()])
    whole = json.dumps(row()).encode() + b"\n"
    with path.open("ab") as file:
        file.write(whole[:30])
    assert totals(root)["acme", "query"][0] == 1
    with path.open("ab") as file:
        file.write(whole[30:])
    assert totals(root)["acme", "query"][0] == 2


@pytest.mark.parametrize(
    "damage",
    [
        b"no json\n",
        b"\xff\xfe\n",
        b'{"t": 1}\n',
        b'{"t": -5, "scope": "call"}\n',
        b'{"t": 1, "scope": "something else"}\n',
        b'{"t": 99999999999999999999, "scope": "call"}\n',
        b'{"t": 1, "scope": "call", "connector": 5}\n',
        b"[" * 2000 + b"\n",
        b"\x00" * 300 + b"\n",
    ],
)
def test_a_damaged_line_is_counted_and_the_others_stand(root: Path, damage: bytes) -> None:
    spool(root, [row(), damage, row()])
    with Store.open(root) as store:
        done = store.fold(now=NOW)
        assert (done.rows, done.damaged) == (2, 1)
    assert totals(root)["acme", "query"][0] == 2


def test_a_row_behind_the_beginning_of_a_killed_writers_line_is_not_lost(root: Path) -> None:
    torn = json.dumps(row(tool="torn")).encode()[:40]
    spool(root, [torn + json.dumps(row(tool="whole")).encode() + b"\n"])
    with Store.open(root) as store:
        done = store.fold(now=NOW)
    assert (done.rows, done.damaged) == (1, 1)
    assert list(totals(root)) == [("acme", "whole")]


def test_blank_lines_are_nothing(root: Path) -> None:
    spool(root, [b"\n", row(), b"  \n"])
    with Store.open(root) as store:
        assert store.fold(now=NOW) == folding.Folded(rows=1)


# --- a call that is told twice ------------------------------------------------------------------------------------

WEAK = {"conf": "heuristic", "in": 1, "out": 1, "inb": 4, "outb": 4}
STRONG = {"conf": "tokenizer-exact", "in": 7, "out": 70, "inb": 4, "outb": 4}


@pytest.mark.parametrize("apart", [False, True], ids=["in one piece", "in two runs"])
@pytest.mark.parametrize("order", [(WEAK, STRONG), (STRONG, WEAK)], ids=["weak first", "strong first"])
def test_of_a_call_that_is_told_twice_the_better_counted_row_stays(
    root: Path, order: tuple[dict[str, object], ...], *, apart: bool
) -> None:
    spool(root, [row(u=1), row(u=77, **order[0])])
    if apart:
        assert totals(root)["acme", "query"][0] == 2
    spool(root, [row(u=77, **order[1]), row(u=2)])
    for since in (None, NOW_MS - 5, NOW_MS - DAY, NOW_MS - 40 * DAY):
        assert totals(root, since=since) == {("acme", "query"): (3, 0, 9 + 9 + 7, 99 + 99 + 70)}
    assert totals(root, by="session") == {("s1", "codex"): (3, 0, 25, 268)}
    with Store.open(root) as store:
        found = store.ask(lambda connection: reports.groups(connection, reports.Query()))
    assert found["acme", "query"].named_mix() == {"tokenizer-exact": 3}
    assert sum(found["acme", "query"].latency.values()) == 3


def test_equally_well_counted_the_first_row_stays(root: Path) -> None:
    spool(root, [row(u=5, out=10), row(u=5, out=20), row(u=6, out=10)])
    spool(root, [row(u=6, out=30)])
    assert totals(root) == {("acme", "query"): (2, 0, 18, 20)}


def test_a_replaced_row_of_another_name_leaves_nothing_behind(root: Path) -> None:
    spool(root, [row(u=5, tool="", **WEAK)])
    assert totals(root) == {("acme", ""): (1, 0, 1, 1)}
    spool(root, [row(u=5, tool="query", **STRONG)])
    assert totals(root) == {("acme", "query"): (1, 0, 7, 70)}


def test_rows_without_an_id_are_never_taken_for_each_other(root: Path) -> None:
    spool(root, [row()] * 500)
    spool(root, [row()] * 500)
    assert totals(root)["acme", "query"][0] == 1000


# --- definitions --------------------------------------------------------------------------------------------------


def definition(t: int, tool: str, tokens: int, generation: str, **more: object) -> dict[str, object]:
    return row(t, scope="tool_defs", tool=tool, defs=generation, out=tokens, **{"in": 0, "inb": 0, **more})


def known(root: Path) -> dict[tuple[str, str], int]:
    with Store.open(root) as store:
        store.fold(now=NOW)
        return {(one.host, one.tool): one.tokens for one in store.ask(reports.definitions)}


def test_definitions_are_those_of_the_newest_generation_of_each_host(root: Path) -> None:
    spool(root, [definition(1, "a", 100, "g1"), definition(1, "b", 50, "g1")])
    spool(root, [definition(1, "a", 70, "g0", host="cursor")])
    assert known(root) == {("codex", "a"): 100, ("codex", "b"): 50, ("cursor", "a"): 70}
    spool(root, [definition(5, "a", 120, "g2")])
    assert known(root) == {("codex", "a"): 120, ("cursor", "a"): 70}


def test_an_older_generation_that_comes_late_changes_nothing(root: Path) -> None:
    spool(root, [definition(9, "a", 120, "g2"), definition(3, "a", 100, "g1"), definition(3, "b", 9, "g1")])
    assert known(root) == {("codex", "a"): 120}


def test_what_a_clock_that_was_ahead_told_gives_way(root: Path) -> None:
    ahead = int(time.time() * 1000) + 400 * DAY
    spool(root, [definition(ahead, "a", 100, "g1"), definition(ahead, "b", 50, "g1")])
    assert known(root) == {("codex", "a"): 100, ("codex", "b"): 50}
    spool(root, [definition(9, "a", 120, "g2"), definition(9, "c", 1, "g2"), definition(5, "a", 7, "g0")])
    assert known(root) == {("codex", "a"): 120, ("codex", "c"): 1}


def test_the_better_count_of_a_generation_stays(root: Path) -> None:
    spool(
        root, [definition(9, "a", 120, "g", conf="tokenizer-exact"), definition(10, "a", 99, "g", conf="heuristic")]
    )
    assert known(root) == {("codex", "a"): 120}


# --- files --------------------------------------------------------------------------------------------------------


def test_days_past_are_removed_once_folded_and_todays_file_stays(root: Path) -> None:
    old = spool(root, [row(NOW_MS - 5 * DAY)], day="2026-09-16")
    yesterday = spool(root, [row()], day="2026-09-20")
    today = spool(root, [row()])
    assert totals(root)["acme", "query"][0] == 3
    assert [path.exists() for path in (old, yesterday, today)] == [False, True, True]
    assert totals(root)["acme", "query"][0] == 3


def test_an_old_file_with_a_torn_end_stays(root: Path) -> None:
    old = spool(root, [row(), b'{"t": 12'], day="2026-09-01")
    assert totals(root)["acme", "query"][0] == 1
    assert old.exists()


def test_a_file_of_a_name_that_was_removed_is_a_new_file(root: Path) -> None:
    spool(root, [row()] * 3, day="2026-09-16")
    assert totals(root)["acme", "query"][0] == 3
    spool(root, [row()] * 4, day="2026-09-16")
    assert totals(root)["acme", "query"][0] == 7


def test_other_files_and_links_in_the_spool_are_left_alone(root: Path, tmp_path: Path) -> None:
    path = spool(root, [row()])
    (path.parent / "notes.txt").write_text("mine")
    (tmp_path / "other.ndjson").write_text(json.dumps(row()) + "\n")
    (path.parent / "2026-09-02.ndjson").symlink_to(tmp_path / "other.ndjson")
    assert totals(root)["acme", "query"][0] == 1
    assert (path.parent / "notes.txt").exists()


def test_projects_have_paths_of_their_own(root: Path) -> None:
    spool(root, [row(project="00aa")])
    lines = [{"project": "00aa", "path": "/srv/old", "t": 1}, {"project": "00aa", "path": "/srv/shop", "t": 2}]
    (root / "telemetry" / "projects.ndjson").write_text("".join(json.dumps(line) + "\n" for line in lines))
    with Store.open(root) as store:
        store.fold(now=NOW)
        assert store.ask(reports.paths) == {"00aa": "/srv/shop"}


def test_more_than_one_transaction_holds(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(folding, "_PIECE", 1000)
    for day in ("2026-09-19", "2026-09-20", "2026-09-21"):
        spool(root, [row(NOW_MS - HOUR * (n % 30), tool=f"t{n % 7}", u=n) for n in range(60)], day=day)
    # Three days tell the same calls: each counts once.
    assert sum(counts[0] for counts in totals(root).values()) == 60


# --- many processes -----------------------------------------------------------------------------------------------

WRITER = """
import json, os, sys, time
path, writer, count = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
for n in range(count):
    line = {"t": int(sys.argv[4]) + n, "u": writer * 100000 + n, "scope": "call", "connector": "acme",
            "host": "codex", "tool": "t%d" % (n % 5), "session": "s%d" % writer, "in": 1, "out": 2, "ms": 1.5}
    os.write(file, (json.dumps(line) + "\\n").encode())
"""
FOLDER = """
import sys
from pathlib import Path
from agent_connector.telemetry import fold
from agent_connector.telemetry.store import Store
fold._PIECE = 20000
print("ready", flush=True)
while True:
    with Store.open(Path(sys.argv[1])) as store:
        store.fold()
"""


def test_fifty_writers_and_folders_that_are_killed_count_every_call_once(root: Path) -> None:
    now = int(time.time() * 1000) // HOUR * HOUR
    path = spool(root, [], day=time.strftime("%Y-%m-%d", time.gmtime()))

    def folder() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-c", FOLDER, str(root)], stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    folders = [folder() for _ in range(3)]
    for one in folders:
        assert one.stdout is not None and one.stdout.readline()
    writers = [
        subprocess.Popen([sys.executable, "-S", "-c", WRITER, str(path), str(n), "400", str(now)]) for n in range(50)
    ]
    killed = 0
    while any(writer.poll() is None for writer in writers) or killed < 6:
        time.sleep(0.15)
        victim = folders.pop(0)
        assert victim.poll() is None, victim.stderr and victim.stderr.read().decode()
        os.kill(victim.pid, signal.SIGKILL)
        victim.communicate()
        killed += 1
        folders.append(folder())
    assert [writer.returncode for writer in writers] == [0] * 50
    for one in folders:
        one.kill()
        one.communicate()
    with Store.open(root) as store:
        store.fold()
        for since in (None, now):
            found = store.ask(lambda c, since=since: reports.groups(c, reports.Query(since=since)))  # type: ignore[misc]
            assert {key[1]: (one.calls, one.tin, one.tout) for key, one in found.items()} == {
                f"t{n}": (4000, 4000, 8000) for n in range(5)
            }
        sessions = store.ask(lambda c: reports.groups(c, reports.Query("session")))
        assert {key[0]: one.calls for key, one in sessions.items()} == {f"s{n}": 400 for n in range(50)}
        assert store.ask(lambda c: c.execute("SELECT count(*) FROM rows").fetchone()) == (20000,)
        assert store.ask(lambda c: c.execute("PRAGMA integrity_check").fetchone()) == ("ok",)

"""The ledger: what is ours, kept without secrets, never lost by accident."""

import os
import sqlite3
import stat
import threading
from dataclasses import replace

import pytest
from agent_connector.changes import store
from agent_connector.changes.ledger import Install, Ledger, set_aside
from agent_connector.changes.model import FileEdit, OwnedRow
from agent_connector.documents.base import Origin
from agent_connector.errors import LedgerError
from agent_connector.masking import fingerprint, matches


def row(**changes):
    plain = OwnedRow(
        connector="acme",
        host="codex",
        surface="server",
        scope="user",
        project="",
        path="/home/u/.codex/config.toml",
        format="toml",
        kind="entry",
        place=("mcp_servers", "acme"),
        value={"command": "acme", "args": ["--größe", 1, None, True]},
    )
    return replace(plain, **changes)


def edit(path="/home/u/.codex/config.toml", **said):
    return FileEdit(host="codex", path=path, before=b"", after=b"", **said)


@pytest.fixture
def ledger(tmp_path):
    with Ledger.open(tmp_path / "data", create=True) as opened:
        yield opened


def tree(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


# --- opening ---------------------------------------------------------------------------------------------------


def test_reading_where_nothing_is_creates_nothing(tmp_path):
    with Ledger.open(tmp_path / "data", create=False) as empty:
        assert empty.rows() == ()
        assert empty.rows("acme", path="/x") == ()
        assert empty.origins("/x") == {}
        assert empty.folders() == ()
        assert empty.paths() == ()
        assert empty.installs() == ()
        assert not empty.was_removed("acme", "codex")
        with pytest.raises(LedgerError, match="for reading only"):
            empty.record(edit(adds=(row(),)))
    assert tree(tmp_path) == []


def test_reading_changes_no_byte(tmp_path, ledger):
    ledger.record(edit(adds=(row(),)))
    before = ledger.file.read_bytes()
    with Ledger.open(tmp_path / "data", create=False) as reader:
        assert reader.rows() == (row(),)
        with pytest.raises(LedgerError):
            reader.record(edit(drops=(row(),)))
    assert ledger.file.read_bytes() == before
    assert tree(tmp_path) == ["data", "data/state.db"]


def test_it_is_private_whatever_the_umask(tmp_path):
    old = os.umask(0)
    try:
        (tmp_path / "data").mkdir()
        (tmp_path / "data" / "state.db").write_bytes(b"")
        with Ledger.open(tmp_path / "data", create=True) as ledger:
            ledger.record(edit(adds=(row(),)))
    finally:
        os.umask(old)
    assert stat.S_IMODE((tmp_path / "data").stat().st_mode) == 0o700
    assert stat.S_IMODE((tmp_path / "data" / "state.db").stat().st_mode) == 0o600


def test_a_path_with_every_odd_character_is_opened(tmp_path):
    root = tmp_path / "a b?c#d%20$é&'\""
    with Ledger.open(root, create=True) as ledger:
        ledger.record(edit(adds=(row(),)))
    with Ledger.open(root, create=False) as ledger:
        assert ledger.rows() == (row(),)


def test_a_newer_ledger_is_refused_politely_and_left_alone(tmp_path, ledger):
    ledger.close()
    with sqlite3.connect(ledger.file) as raw:
        raw.execute(f"PRAGMA user_version = {store.SCHEMA_VERSION + 1}")
    raw.close()
    before = ledger.file.read_bytes()
    for create in (True, False):
        with pytest.raises(LedgerError) as caught:
            Ledger.open(tmp_path / "data", create=create)
        assert "newer agent-connector" in caught.value.message
        assert str(ledger.file) in caught.value.message
        assert "Update agent-connector" in caught.value.hint
    assert ledger.file.read_bytes() == before


@pytest.mark.parametrize("damage", ["text", "header", "middle", "cut"])
def test_a_damaged_ledger_is_named_and_never_made_anew(tmp_path, ledger, damage):
    ledger.record(edit(adds=tuple(row(place=("mcp_servers", f"acme{number}")) for number in range(300))))
    ledger.close()
    data = bytearray(ledger.file.read_bytes())
    if damage == "text":
        data = bytearray(b"this is no database, it is a text of some length that somebody saved here" * 20)
    elif damage == "header":
        data[:16] = b"x" * 16
    elif damage == "middle":
        data[len(data) // 2 : len(data) // 2 + 9000] = b"\xa5" * 9000
    else:
        del data[len(data) // 2 :]
    ledger.file.write_bytes(data)
    for create in (True, False):
        with pytest.raises(LedgerError) as caught:
            Ledger.open(tmp_path / "data", create=create)
        assert "damaged" in caught.value.message
        assert str(ledger.file) in caught.value.message
        assert "doctor --heal" in caught.value.hint
    assert ledger.file.read_bytes() == data


def test_a_damaged_ledger_can_be_set_aside_and_is_kept(tmp_path, ledger):
    ledger.close()
    ledger.file.write_bytes(b"damaged" * 100)
    aside = set_aside(tmp_path / "data")
    assert aside.read_bytes() == b"damaged" * 100
    with Ledger.open(tmp_path / "data", create=True) as fresh:
        assert fresh.rows() == ()
    assert set_aside(tmp_path / "nowhere") is None


def test_a_folder_in_its_place_is_an_error_of_the_ledger(tmp_path):
    (tmp_path / "data" / "state.db").mkdir(parents=True)
    for create in (True, False):
        with pytest.raises(LedgerError):
            Ledger.open(tmp_path / "data", create=create)


def test_one_that_was_killed_while_being_made_is_empty_and_then_made(tmp_path):
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "state.db").write_bytes(b"")
    with Ledger.open(tmp_path / "data", create=False) as reader:
        assert reader.rows() == ()
    assert (tmp_path / "data" / "state.db").read_bytes() == b""
    with Ledger.open(tmp_path / "data", create=True) as writer:
        writer.record(edit(adds=(row(),)))
        assert writer.rows() == (row(),)


def test_an_older_ledger_is_brought_up_to_date_only_by_who_writes(tmp_path, ledger, monkeypatch):
    ledger.record(edit(adds=(row(),)))
    ledger.close()
    before = ledger.file.read_bytes()
    monkeypatch.setattr(store, "_MIGRATIONS", (*store._MIGRATIONS, "CREATE TABLE later (x)"))
    monkeypatch.setattr(store, "SCHEMA_VERSION", store.SCHEMA_VERSION + 1)
    with Ledger.open(tmp_path / "data", create=False) as reader:
        assert reader.rows() == (row(),)
    assert ledger.file.read_bytes() == before
    with Ledger.open(tmp_path / "data", create=True) as writer:
        assert writer.rows() == (row(),)
    with sqlite3.connect(ledger.file) as raw:
        assert raw.execute("PRAGMA user_version").fetchone() == (store.SCHEMA_VERSION,)
        assert raw.execute("SELECT * FROM later").fetchall() == []
    raw.close()


def test_many_at_once_make_one_ledger(tmp_path):
    errors = []

    def work(number):
        try:
            with Ledger.open(tmp_path / "data", create=True) as ledger:
                ledger.record(edit(adds=(row(connector=f"acme{number}"),)))
        except LedgerError as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    with Ledger.open(tmp_path / "data", create=False) as ledger:
        assert {known.connector for known in ledger.rows()} == {f"acme{number}" for number in range(8)}


# --- rows ------------------------------------------------------------------------------------------------------


def test_rows_come_back_as_they_were_and_are_found_by_any_of_their_owners_and_places(ledger):
    mine = row()
    other = row(connector="zeta", host="cursor", scope="project", project="/p", path="/p/.cursor/mcp.json")
    ledger.record(edit(adds=(mine, other)))
    assert ledger.rows() == (mine, other)
    assert ledger.rows("zeta") == ledger.rows(host="cursor") == ledger.rows(scope="project") == (other,)
    assert ledger.rows(project="/p") == ledger.rows(path="/p/.cursor/mcp.json") == (other,)
    assert ledger.rows("acme", host="cursor") == ()


def test_no_secret_reaches_the_file_and_the_row_still_matches(ledger):
    value = {"command": "acme", "env": {"ACME_TOKEN": "hunter2"}}
    ledger.record(edit(adds=(row(value=value),)))
    [kept] = ledger.rows()
    assert kept.value == fingerprint(value)
    assert matches(kept.value, value)
    assert b"hunter2" not in ledger.file.read_bytes()


def test_saying_a_thing_again_replaces_what_was_said(ledger):
    ledger.record(edit(adds=(row(value={"v": 1}),)))
    ledger.record(edit(adds=(row(value={"v": 2}),)))
    ledger.record(edit(adds=(row(value={"v": 2}),)))
    assert [known.value for known in ledger.rows()] == [{"v": 2}]


def test_items_of_an_array_are_told_apart_by_value(ledger):
    one, two = (row(kind="item", place=("hooks", "Stop"), value={"command": name}) for name in ("one", "two"))
    ledger.record(edit(adds=(one, two)))
    ledger.record(edit(adds=(one,)))
    assert set(map(str, ledger.rows())) == {str(one), str(two)}
    ledger.record(edit(drops=(one,)))
    assert ledger.rows() == (two,)


def test_a_thing_may_belong_to_several_connectors_and_hosts(ledger):
    leaf = row(kind="leaf", place=("features", "hooks"), value=True)
    owners = [leaf, replace(leaf, connector="zeta"), replace(leaf, host="other")]
    ledger.record(edit(adds=tuple(owners)))
    ledger.record(edit(drops=(leaf,)))
    assert ledger.rows() == tuple(owners[1:])


def test_digests_of_contents_stay_as_they_are(ledger):
    block = row(kind="block", format="text", place=("acme/notes",), value="ab" * 32)
    ledger.record(edit(adds=(block,)))
    assert ledger.rows() == (block,)


def test_origins_are_kept_per_file_and_replaced_or_forgotten(ledger):
    path = "/home/u/.codex/config.toml"
    root, table = Origin((), created=False, interior=b"\xff\n "), Origin(("mcp_servers",), created=True)
    ledger.record(edit(origins=(root, table)))
    assert ledger.origins(path) == {(): root, ("mcp_servers",): table}
    assert ledger.origins("/other") == {}
    again = Origin(("mcp_servers",), created=False, interior=b" ")
    ledger.record(edit(forgets=((), ("mcp_servers",)), origins=(again,)))
    assert ledger.origins(path) == {("mcp_servers",): again}


def test_an_edit_is_recorded_whole_or_not_at_all(ledger):
    bad = Origin(("x",), created=False, interior=object())
    with pytest.raises(LedgerError):
        ledger.record(edit(adds=(row(),), origins=(bad,)))
    assert ledger.rows() == ()
    ledger.record(edit(adds=(row(),)))
    assert ledger.rows() == (row(),)


def test_folders_made_for_files_are_remembered_and_forgotten(tmp_path, ledger):
    folders = (tmp_path / "a", tmp_path / "a" / "b")
    ledger.record(edit(), folders)
    ledger.record(edit(), folders)
    assert ledger.folders() == folders
    ledger.forget_folders(folders[1:])
    assert ledger.folders() == folders[:1]


# --- installs and removals -------------------------------------------------------------------------------------


def test_installs_are_one_per_host_scope_project_and_root(ledger):
    install = Install("acme", "codex", "user", "", "1.0", "0.1", "/src", {"CODEX_HOME": "/x"}, "2026-11-30T12:00:00Z")
    elsewhere = replace(install, roots={})
    newer = replace(install, version="2.0")
    for said in (install, elsewhere, newer):
        ledger.put_install(said)
    assert set(map(str, ledger.installs())) == {str(newer), str(elsewhere)}
    assert ledger.installs("zeta") == ledger.installs(host="cursor") == ()
    ledger.drop_install("acme", "codex", "user", roots={"CODEX_HOME": "/x"})
    assert ledger.installs("acme", "codex") == (elsewhere,)
    ledger.put_install(install)
    ledger.drop_install("acme", "codex", "user")
    assert ledger.installs() == ()


def test_a_removal_is_remembered_until_somebody_installs_again(ledger):
    ledger.remember_removal("acme", "codex")
    ledger.remember_removal("acme", "codex")
    assert ledger.was_removed("acme", "codex")
    assert not ledger.was_removed("acme", "cursor")
    ledger.put_install(Install("acme", "codex", "user"))
    assert not ledger.was_removed("acme", "codex")
    ledger.remember_removal("acme", "codex")
    ledger.forget_removal("acme", "codex")
    assert not ledger.was_removed("acme", "codex")

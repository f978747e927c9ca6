from __future__ import annotations

import os
from pathlib import Path

import pytest
from agent_connector.runtime.records import drop_record, list_records, read_record, write_record


def test_a_record_is_read_as_it_was_written(tmp_path: Path) -> None:
    record = {"name": "Zoë 漢字", "numbers": [1, 2.5, None], "lone": "\ud800"}

    write_record(tmp_path, "acme-db", record)

    assert read_record(tmp_path, "acme-db") == record


def test_a_record_is_private(tmp_path: Path) -> None:
    path = write_record(tmp_path / "root", "acme", {})

    modes = {part.relative_to(tmp_path).as_posix(): part.stat().st_mode & 0o777 for part in [path, *path.parents[:3]]}
    assert modes == {
        "root/connectors/acme/connector.json": 0o600,
        "root/connectors/acme": 0o700,
        "root/connectors": 0o700,
        "root": 0o700,
    }


def test_records_of_one_connector_have_names(tmp_path: Path) -> None:
    write_record(tmp_path, "acme", {"a": 1})
    write_record(tmp_path, "acme", {"h": 2}, name="hooks")
    write_record(tmp_path, "beta", {"b": 3})

    assert read_record(tmp_path, "acme", name="hooks") == {"h": 2}
    assert list_records(tmp_path) == ("acme", "beta")
    assert list_records(tmp_path, name="hooks") == ("acme",)


def test_dropping_a_record_leaves_the_others(tmp_path: Path) -> None:
    write_record(tmp_path, "acme", {})
    write_record(tmp_path, "beta", {})

    assert drop_record(tmp_path, "acme")
    assert not drop_record(tmp_path, "acme")
    assert list_records(tmp_path) == ("beta",)
    assert read_record(tmp_path, "acme") is None


def test_there_are_no_records_without_a_data_root(tmp_path: Path) -> None:
    assert list_records(tmp_path / "none") == ()


@pytest.mark.parametrize("wrong", ["", "..", "../x", "a/b", "A", "-a", "a b", "a\n", "a.b", "/etc", "x" * 200])
def test_an_id_is_checked_before_it_becomes_a_path(tmp_path: Path, wrong: str) -> None:
    with pytest.raises(ValueError, match="not a connector id"):
        write_record(tmp_path, wrong, {})
    with pytest.raises(ValueError, match="not a connector id"):
        drop_record(tmp_path, wrong)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"\xff"])
def test_a_damaged_record_says_so(tmp_path: Path, data: bytes) -> None:
    write_record(tmp_path, "acme", {}).write_bytes(data)

    with pytest.raises(ValueError, match=r"connector\.json is damaged"):
        read_record(tmp_path, "acme")


def test_a_record_that_cannot_be_written_leaves_the_old_one_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write_record(tmp_path, "acme", {"old": True})

    def full(_descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_record(tmp_path, "acme", {"new": True})

    assert read_record(tmp_path, "acme") == {"old": True}
    assert [entry.name for entry in path.parent.iterdir()] == ["connector.json"]

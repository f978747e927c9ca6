"""The ranks that ship: the very ones of o200k_base, in a form that can be read back."""

from __future__ import annotations

import hashlib
import lzma
from pathlib import Path

import pytest
from agent_connector.telemetry import ranks

SMALL = {b"a": 0, b"b": 1, b"ab": 2, bytes(255): 3}


@pytest.fixture(scope="module")
def shipped() -> dict[bytes, int]:
    return ranks.shipped()


def test_the_original_text_can_be_made_of_what_ships(shipped: dict[bytes, int]) -> None:
    text = ranks.upstream_text(shipped)

    assert hashlib.sha256(text).hexdigest() == ranks.UPSTREAM_SHA256
    assert len(text) == 3_613_922
    assert ranks.read_upstream(text) == shipped


def test_what_ships_is_small_and_packing_it_again_gives_the_same_bytes(shipped: dict[bytes, int]) -> None:
    file = Path(ranks.__file__).with_name(ranks.FILE)

    assert file.stat().st_size < 820_000
    assert lzma.decompress(ranks.pack(shipped)) == lzma.decompress(file.read_bytes())


def test_the_licence_of_the_ranks_lies_beside_them() -> None:
    notice = Path(ranks.__file__).with_name("o200k_base.LICENSE").read_text(encoding="utf-8")

    assert "MIT License" in notice
    assert "Copyright (c) 2022 OpenAI" in notice


def test_any_ranks_come_back_as_they_were() -> None:
    assert ranks.unpack(ranks.pack(SMALL)) == SMALL


@pytest.mark.parametrize(
    "wrong", [{b"a": 0, b"b": 2}, {b"a": 1}, {b"": 0}, {bytes(256): 0}], ids=["gap", "no zero", "empty", "too long"]
)
def test_ranks_that_the_form_cannot_hold_are_refused(wrong: dict[bytes, int]) -> None:
    with pytest.raises(ValueError):
        ranks.pack(wrong)


@pytest.mark.parametrize(
    "damaged",
    [b"", b"no xz", ranks.pack(SMALL)[:-8], lzma.compress(b"\1\2ab"), lzma.compress(b"\1\2\0ab")],
    ids=["empty", "other", "cut off", "no end of lengths", "too few bytes"],
)
def test_damaged_ranks_are_an_error_of_one_kind(damaged: bytes) -> None:
    with pytest.raises(ValueError, match="damaged"):
        ranks.unpack(damaged)

"""Counting: the very tokens of o200k_base, whatever the text, without network; and what happens without it."""

from __future__ import annotations

import json
import random
import socket
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from agent_connector.telemetry import tokens as module
from agent_connector.telemetry.tokens import PIECE, Heuristic, O200kBase, pieces, tokens
from hypothesis import given
from hypothesis import strategies as st

KNOWN = json.loads(Path(__file__).with_name("o200k_base.json").read_text(encoding="utf-8"))
"""Texts with their ids, as tiktoken makes them of the original ranks."""


@pytest.fixture(scope="module")
def counting() -> O200kBase:
    found = tokens()
    assert isinstance(found, O200kBase)
    return found


def ids(counting: O200kBase, text: str) -> list[int]:
    return counting._encoding.encode_ordinary(text)


@pytest.mark.parametrize("known", KNOWN, ids=[repr(known["text"])[:24] for known in KNOWN])
def test_known_texts_have_their_known_tokens(counting: O200kBase, known: dict[str, Any]) -> None:
    assert ids(counting, known["text"]) == known["ids"]
    assert counting.measure(known["text"]) == (len(known["ids"]), True)


# --- pieces ----------------------------------------------------------------------------------------------------


WORDS = ["a", "B", "'s", "'LL", "9", "/", "//", ";", "é", "字", "。", "🙂"]
PARTS = [*WORDS, *" \n\t\u0301\u00a0\u2028\x1c\u200d", "  ", "\r\n"]


@given(st.lists(st.sampled_from(PARTS), max_size=120).map("".join))
def test_the_sum_over_pieces_is_the_count_of_the_whole_wherever_there_is_a_boundary(text: str) -> None:
    counting = tokens()
    assert isinstance(counting, O200kBase)
    parts = list(pieces(text, 8))

    assert "".join(parts) == text
    assert all(len(part) <= 8 for part in parts)
    hard = sum(1 for part in parts[:-1] if len(part) == 8)
    total = sum(len(ids(counting, part)) for part in parts)
    if hard == 0:
        assert total == len(ids(counting, text))


CODE = Path(module.__file__).read_text(encoding="utf-8")
LARGE = {
    "code": CODE * 200,
    "indented JSON": json.dumps([{"n": n, "name": f"user {n}", "tags": ["a", "b"]} for n in range(8000)], indent=2),
    "JSON in one line": json.dumps([{"n": n * 7919, "name": f"user {n}"} for n in range(20000)]),
    "CJK": "".join(random.Random(1).choices("統計と日本語のテキスト数量模型语言。、\n ", k=300_000)),
    "comments": "x = 1;\n// a\n/// b\r\n\r\n/ c\n" * 20_000,
    "blanks": " a  b\n   \n\t c \r\n" * 30_000,
}


@pytest.mark.parametrize("kind", LARGE)
def test_large_texts_are_counted_as_if_they_were_one_piece(counting: O200kBase, kind: str) -> None:
    text = LARGE[kind]
    assert len(text) > 3 * PIECE

    assert counting.count(text) == len(ids(counting, text))


def test_a_text_without_any_boundary_is_off_by_a_token_per_piece_at_most(counting: O200kBase) -> None:
    text = "".join(random.Random(2).choices("ABCDEFabcdef0123456789+", k=4 * PIECE))

    assert abs(counting.count(text) - len(ids(counting, text))) <= 4


def test_a_million_blanks_are_counted(counting: O200kBase, capfd: pytest.CaptureFixture[str]) -> None:
    assert counting.measure(" " * 1_000_000)[1]
    assert counting.measure("a" * 200_000) == (25_000, True)
    assert capfd.readouterr() == ("", "")


# --- texts that are not quite ones ------------------------------------------------------------------------------


def test_half_a_surrogate_pair_counts_as_the_replacement_character(counting: O200kBase) -> None:
    assert counting.count("a\ud800b") == len(ids(counting, "a\ufffdb"))
    assert counting.count("\ud83d\ude42") == len(ids(counting, "🙂"))


def test_a_byte_order_mark_at_the_start_is_no_text(counting: O200kBase) -> None:
    assert counting.count("\ufeffhello") == counting.count("hello")
    assert counting.count("a\ufeff") > counting.count("a")


def test_text_that_looks_like_a_special_token_is_text(counting: O200kBase) -> None:
    assert counting.count("<|endoftext|>") > 1


# --- no network, no stderr, no engine --------------------------------------------------------------------------


def test_loading_and_counting_open_no_socket(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a socket was opened")

    for name in ("socket", "create_connection", "getaddrinfo"):
        monkeypatch.setattr(socket, name, refuse)

    assert O200kBase().count("hello world") == 2


def test_importing_loads_no_engine_and_no_ranks() -> None:
    code = "import sys, agent_connector.telemetry.tokens; print('tiktoken' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)

    assert done.stdout == "False\n"


class PanicException(BaseException):
    """As the engine's: no Exception, and known by its name alone."""


def test_what_the_engine_panics_about_is_estimated_and_said(monkeypatch: pytest.MonkeyPatch) -> None:
    counting = O200kBase()

    class Panicking:
        def encode_ordinary(self, text: str) -> list[int]:
            raise PanicException

    monkeypatch.setattr(counting, "_encoding", Panicking())

    assert counting.measure("eight ch") == (2, False)
    assert counting.count("eight ch") == 2


def test_an_interrupt_is_not_swallowed(monkeypatch: pytest.MonkeyPatch) -> None:
    counting = O200kBase()

    class Interrupted:
        def encode_ordinary(self, text: str) -> list[int]:
            raise KeyboardInterrupt

    monkeypatch.setattr(counting, "_encoding", Interrupted())

    with pytest.raises(KeyboardInterrupt):
        counting.count("hello")


@pytest.mark.parametrize("broken", ["tiktoken", "ranks"])
def test_without_engine_or_ranks_counts_are_estimates_and_labelled_so(
    monkeypatch: pytest.MonkeyPatch, broken: str
) -> None:
    if broken == "tiktoken":
        monkeypatch.setitem(sys.modules, "tiktoken", None)
    else:
        monkeypatch.setattr(module, "shipped", lambda: (_ for _ in ()).throw(ValueError("the ranks are damaged")))
    tokens.cache_clear()
    try:
        found = tokens()
    finally:
        tokens.cache_clear()

    assert found.source == "heuristic"
    assert found.measure("eight ch") == (2, False)


@pytest.mark.parametrize(
    ("text", "estimate"),
    [("", 0), ("a", 1), ("abcd", 1), ("abcde", 2), ("字字字字", 3), ('{"a":1,"b":2}', 5), ("a\ud800", 1)],
)
def test_the_estimate_takes_four_bytes_for_a_token_and_three_in_json(text: str, estimate: int) -> None:
    assert Heuristic().count(text) == estimate


def test_the_estimate_is_within_a_third_for_prose_code_and_json(counting: O200kBase) -> None:
    prose = (Path(__file__).parents[2] / "README.md").read_text(encoding="utf-8")
    for text in (prose, CODE, json.dumps([{"name": "Ada", "mail": "ada@example.com", "age": 36}] * 50)):
        assert 0.66 < Heuristic().count(text) / counting.count(text) < 1.34

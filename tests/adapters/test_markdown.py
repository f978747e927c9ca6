"""Frontmatter that any YAML reader reads back as what was meant."""

from __future__ import annotations

import json

import pytest
from agent_connector.adapters.families.markdown import markdown, one_line, yaml_value
from hypothesis import given
from hypothesis import strategies as st
from ruamel.yaml import YAML

NASTY = (
    "plain words", 'says "no" and \'yes\'', "key: value", "# not a comment", "a #comment", "- item", "trailing ",
    " leading", "two\nlines", "tab\there", "true", "Null", "~", "1.5", "0x1F", "2024-01-01", "12:30", "*anchor", "&a",
    "!tag", "%x", "@at", "`tick`", "{a: b}", "[a, b]", "a, b", "|", ">", "---", "...", "\\ backslash", "emoji 🎉",
    "ünïcödé", "\u2028 separator", "\u0085 next", "\ufeff mark", "\x7f delete", "\x00 nul", "", "on", "y", "<<", "=",
    "?", "a:", ":a",
)  # fmt: skip


def read_back(text: str) -> dict:
    _, head, _ = text.split("---\n", 2)
    return YAML(typ="safe", pure=True).load(head)


@pytest.mark.parametrize("text", NASTY)
def test_nasty_text_survives(text):
    assert read_back(markdown({"description": text, "after": "here"}, "x")) == {"description": text, "after": "here"}


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=30))
def test_any_text_survives(text):
    line = f"key: {yaml_value(text)}\n"
    assert "\n" not in line[:-1]
    assert YAML(typ="safe", pure=True).load(line) == {"key": text}


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("abc:-# ", max_size=4), inner, max_size=3),
    max_leaves=6,
)


@given(_JSON)
def test_an_authors_own_values_survive(value):
    read = YAML(typ="safe", pure=True).load(f"key: {yaml_value(value)}\n")
    assert json.dumps(read, sort_keys=True) == json.dumps({"key": value}, sort_keys=True)


def test_simple_words_are_written_bare():
    text = markdown({"name": "greet", "description": "Greets people, politely"}, "Body")
    assert text == "---\nname: greet\ndescription: Greets people, politely\n---\n\nBody\n"


def test_entries_that_are_none_are_left_out_and_a_body_without_any_has_no_head():
    assert markdown({"a": None}, "Body\n") == "Body\n"
    assert markdown({"a": None, "b": True}, "Body") == "---\nb: true\n---\n\nBody\n"


def test_odd_keys_are_quoted():
    assert read_back(markdown({"a: b": 1, "on": 2, "x-y": 3}, "")) == {"a: b": 1, "on": 2, "x-y": 3}


def test_the_body_is_kept_as_it_is():
    body = "---\nnot: frontmatter\n---\r\n\ttabs  \n"
    assert markdown({"a": "b"}, body).endswith("---\n\n" + body)


def test_one_line_joins_lines():
    assert one_line(" a\n  b\r\nc\t d ") == "a b c d"

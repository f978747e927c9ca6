"""Matchers: whatever form they are compared in, they find what the definition's own expression finds."""

from __future__ import annotations

import re

import pytest
from agent_connector.runtime.matcher_forms import compile_matcher
from agent_connector.runtime.matching import fits
from hypothesis import example, given
from hypothesis import strategies as st

_WORDS = ["acme", "_", "a", "b", "write", "-", "\\.", "[ab]", "(a|b)", "(?:x|y)", "^", "$", ".*", ".", "|"]
_MORE = [
    "a?",
    ".*?",
    "(?i:a)",
    "\\w",
    "(?=a)",
    "()",
    "a{2}",
    "\\b",
    "(?P<n>a)",
    "(?P=n)",
    "[^a]",
    "\\A",
    "\\Z",
    "(?i)",
    "(?x)",
]
_PIECE = st.sampled_from([*_WORDS, *_WORDS, *_MORE])
_PATTERN = st.lists(_PIECE, max_size=7).map("".join)
_NAME = st.text(alphabet="acmewrit_b.-xyAB\n", max_size=12)


def _compiles(pattern: str) -> bool:
    try:
        re.compile(pattern)
    except re.error:
        return False
    return True


@given(_PATTERN.filter(_compiles), st.lists(_NAME, min_size=1, max_size=3))
@example("^a$", ["a\n"])
@example("^a.*$", ["a\nb"])
@example("a|", ["zzz"])
def test_a_matcher_finds_what_searching_for_its_expression_finds(pattern, names):
    matcher = compile_matcher(pattern)
    # An expression that is found in every tool's name is none at all; a name with a line feed is no tool's.
    if matcher is None:
        names = [name for name in names if "\n" not in name] or ["x"]

    assert fits(matcher, names) == any(re.search(pattern, name) for name in names)


@pytest.mark.parametrize(
    ("pattern", "form"),
    [
        ("", None),
        (".*", None),
        ("acme_write", {"any": ["acme_write"]}),
        ("Bash|Edit", {"any": ["Bash", "Edit"]}),
        ("^mcp__acme__.*$", {"prefix": ["mcp__acme__"]}),
        ("^(Read|Write)$", {"exact": ["Read", "Write"]}),
        ("mcp__(a|b)__drop$", {"suffix": ["mcp__a__drop", "mcp__b__drop"]}),
        ("acme\\.x", {"any": ["acme.x"]}),
        ("acme_\\w+", {}),
        ("(?i)bash", {}),
    ],
)
def test_plain_words_need_no_expression(pattern, form):
    expected = None if form is None else {"regex": pattern, **form}

    assert compile_matcher(pattern) == expected


def test_an_expression_that_means_thousands_of_words_stays_one():
    assert compile_matcher("[abcdefghij][abcdefghij][abcdefghij]") == {"regex": "[abcdefghij]" * 3}


def test_a_matcher_without_a_name_to_look_at_fits_nothing():
    assert fits(compile_matcher("acme"), ()) is False

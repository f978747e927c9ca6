"""TOML files of ours mean what was meant."""

from __future__ import annotations

import tomllib

import pytest
from agent_connector.adapters.families.toml_text import toml_text
from hypothesis import given
from hypothesis import strategies as st

_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.text("\"\\\n\t\r\x00a'", max_size=12)
_VALUES = st.recursive(
    _TEXT | st.booleans() | st.integers(-(2**63), 2**63 - 1) | st.floats(allow_nan=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(_TEXT, _VALUES, max_size=4))
def test_every_value_survives(table):
    assert tomllib.loads(toml_text(table)) == table


@pytest.mark.parametrize(
    "text",
    [
        '"""',
        'ends with "',
        'ends with ""\n"',
        "\n",
        "a\n\n",
        "a\\\n b",
        '""""""\n',
        "\r\n",
        "x\r",
        'a\n"',
        "\x1b[0m\n",
    ],
)
def test_prose_survives(text):
    assert tomllib.loads(toml_text({"prose": text, "after": 1})) == {"prose": text, "after": 1}


def test_prose_of_several_lines_can_be_read():
    assert toml_text({"text": "One.\nTwo."}) == 'text = """\nOne.\nTwo."""\n'


def test_none_is_left_out():
    assert toml_text({"a": None, "b": {"c": None, "d": 1}}) == "b = { d = 1 }\n"


def test_what_is_no_json_value_is_refused():
    with pytest.raises(TypeError, match="bytes"):
        toml_text({"a": b"x"})

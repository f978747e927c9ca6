"""What is told of a payload that is no whole JSON: enough for a matcher, never more than stands there."""

from __future__ import annotations

import json
import time

import pytest
from agent_connector.runtime.outline import outline
from hypothesis import given
from hypothesis import strategies as st

SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)
OBJECTS = st.dictionaries(st.text(), VALUES, min_size=1)


def top_level(value):
    return {key: type(item)() if isinstance(item, dict | list) else item for key, item in value.items()}


@given(OBJECTS, st.booleans(), st.sampled_from([None, 2]))
def test_of_a_whole_object_it_is_the_top_level(value, ascii_only, indent):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)

    assert outline(text.encode("utf-8", "surrogatepass")) == json.loads(json.dumps(top_level(value)))


@given(OBJECTS, st.data())
def test_of_one_that_is_cut_off_it_is_a_part_of_that(value, data):
    text = json.dumps(value).encode()
    # A number that is cut off is another number; it stands last, as everything that is not whole.
    found = outline(text[: data.draw(st.integers(0, len(text)))]) or {}

    whole = top_level(value)
    assert list(found) == list(whole)[: len(found)]
    for key in list(found)[:-1]:
        assert found[key] == whole[key]


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b'\xef\xbb\xbf {"a": 1', {"a": 1}),
        (b'{"a": "x", "a": "y"}', {"a": "y"}),
        (b'{"a": NaN, "b": "\\q", "c": 1e999, "d": tru, "e": "kept"}', {"e": "kept"}),
        (b'{"a": {"tool_name": "inner"}, "b": ["]", "}"], "tool_name": "outer"}',
         {"a": {}, "b": [], "tool_name": "outer"}),
        (b'{"a": "\\"tool_name\\": \\"x\\"", "b": 1}', {"a": '"tool_name": "x"', "b": 1}),
        (b'{"a": "never closed, \\"tool_name\\": \\"x\\"}', {}),
        (b"{", None),
        (b"{}", None),
        (b"[1]", None),
        (b"", None),
    ],
)  # fmt: skip
def test_it_follows_the_object_as_far_as_it_goes(data, told):
    assert outline(data) == told


@pytest.mark.parametrize(
    "data",
    [
        b'{"a": ' + b"[" * 5_000_000,
        b'{"a": "' + rb"\"" * 2_500_000,
        b'{"a": [' + b'"x", ' * 1_000_000,
        b'{"a": "x' + b"\\" * 5_000_001,
        b'{"a": ' + b" " * 5_000_000,
    ],
    ids=["brackets", "quotes", "texts", "backslashes", "spaces"],
)
def test_nothing_takes_longer_than_its_length(data):
    started = time.process_time()
    outline(data)

    assert time.process_time() - started < 10

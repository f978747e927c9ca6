"""JSON of hook payloads and replies: what ``json`` makes of it, without importing it."""

from __future__ import annotations

import json
import math
import os
import subprocess
import sys
from pathlib import Path

import pytest
from agent_connector.runtime import jsontext
from hypothesis import given
from hypothesis import strategies as st

VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner),
)


@given(VALUES)
def test_what_is_written_reads_back_the_same(value):
    text = jsontext.dumps(value)

    assert text.isascii()
    assert "\n" not in text
    assert jsontext.loads(text.encode()) == value
    assert json.loads(text) == value


@given(VALUES)
def test_what_json_writes_is_read(value):
    assert jsontext.loads(json.dumps(value, indent=2, ensure_ascii=False).encode()) == value


@pytest.mark.parametrize(
    ("data", "value"),
    [
        (b'{"a": 1}', {"a": 1}),
        (b'\xef\xbb\xbf{"a": 1}', {"a": 1}),
        (b" \t\r\n[]\r\n", []),
        (b'"caf\xc3\xa9 \\ud83d\\ude00"', "café \U0001f600"),
        (b"12345678901234567890", 12345678901234567890),
        (b"-1.5e3", -1500.0),
        (b"null", None),
        (b'{"a":1,"a":2}', {"a": 2}),
    ],
)
def test_one_json_text_with_or_without_a_byte_order_mark_is_read(data, value):
    assert jsontext.loads(data) == value


BAD = {
    "empty": b"",
    "white space": b" \n",
    "only a byte order mark": b"\xef\xbb\xbf",
    "two byte order marks": b"\xef\xbb\xbf\xef\xbb\xbf{}",
    "truncated": b'{"a": [1, 2',
    "truncated text": b'"abc',
    "trailing text": b"{} {}",
    "trailing comma": b"[1,]",
    "single quotes": b"{'a': 1}",
    "comment": b"{} // no",
    "control character": b'"\n"',
    "no text": b"\x00",
    "invalid UTF-8": b'{"a": "\xff"}',
    "overlong UTF-8": b'"\xc0\x80"',
    "surrogate in UTF-8": b'"\xed\xa0\x80"',
    "UTF-16": '{"a": 1}'.encode("utf-16"),
    "NaN": b'{"a": NaN}',
    "Infinity": b"[Infinity]",
    "minus Infinity": b"-Infinity",
    "more than a double holds": b"[1e999]",
    "thousands of digits": b"1" * 5000,
    "deeper than the limit": b"[" * (jsontext.MAX_DEPTH + 1) + b"]" * (jsontext.MAX_DEPTH + 1),
    "deep objects": b'{"a":' * 2000 + b"1" + b"}" * 2000,
    "deeper than any stack": b"[" * 1_000_000,
}


@pytest.mark.parametrize("data", BAD.values(), ids=BAD)
def test_anything_else_is_a_value_error(data):
    with pytest.raises(ValueError, match=r"."):
        jsontext.loads(data)


def test_values_as_deep_as_the_limit_are_read_and_written():
    data = b"[" * jsontext.MAX_DEPTH + b"]" * jsontext.MAX_DEPTH

    assert jsontext.dumps(jsontext.loads(data)).encode() == data


def test_many_brackets_in_a_text_are_not_depth():
    text = "{[" * 100_000

    assert jsontext.loads(json.dumps({"source": text}).encode()) == {"source": text}


def test_many_siblings_are_not_depth():
    value = [[{"a": [1]}] * 3] * 2000

    assert jsontext.loads(json.dumps(value).encode()) == value


def test_half_a_surrogate_pair_is_written_as_a_replacement_character():
    # Strict readers (Rust's) refuse the escape of one half, and with it a whole reply and the deny in it.
    value = {"reason\udc00": ["a\ud800b", "\U0001f600"]}

    assert json.loads(jsontext.dumps(value)) == {"reason\ufffd": ["a\ufffdb", "\U0001f600"]}


def test_an_escaped_backslash_before_ud_is_left_alone():
    assert json.loads(jsontext.dumps("\\ud800")) == "\\ud800"


def contains_itself() -> list[object]:
    value: list[object] = []
    value.append(value)
    return value


def deep() -> list[object]:
    value: list[object] = []
    for _ in range(100_000):
        value = [value]
    return value


@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, {1, 2}, b"bytes", object(), {(1, 2): 3}, {"a": [lambda: 0]}, contains_itself(), deep()],
    ids=["NaN", "infinity", "set", "bytes", "object", "tuple as key", "function", "circle", "depth"],
)
def test_what_is_no_json_value_is_a_value_error(value):
    with pytest.raises(ValueError, match=r"."):
        jsontext.dumps(value)


def test_a_fault_leaves_nothing_behind():
    value = contains_itself()
    for _ in range(3):
        with pytest.raises(ValueError, match=r"."):
            jsontext.dumps(value)
    shared = {"a": 1}
    assert jsontext.dumps([shared, shared]) == '[{"a":1},{"a":1}]'


@pytest.mark.parametrize("missing", ["_scan", "_encode"])
def test_without_the_private_interface_json_itself_does_the_work(monkeypatch, missing):
    monkeypatch.setattr(jsontext, missing, None)

    assert jsontext.loads(b'\xef\xbb\xbf{"a": [1, 2.5, "\xc3\xa9"]}') == {"a": [1, 2.5, "é"]}
    assert jsontext.dumps({"a": [1, 2.5, "é\ud800"]}) == '{"a":[1,2.5,"\\u00e9\\ufffd"]}'
    for data in BAD.values():
        with pytest.raises(ValueError, match=r"."):
            jsontext.loads(data)
    for value in (math.nan, {1}, contains_itself(), deep()):
        with pytest.raises(ValueError, match=r"."):
            jsontext.dumps(value)


@pytest.mark.parametrize("surprise", [TypeError, AttributeError, SystemError])
def test_a_private_interface_that_behaves_otherwise_is_not_relied_upon(monkeypatch, surprise):
    def other(*_arguments: object) -> object:
        raise surprise

    monkeypatch.setattr(jsontext, "_scan", other)
    assert jsontext.loads(b'{"a": 1}') == {"a": 1}
    if surprise is not TypeError:  # which is also how a key that is no text is told
        monkeypatch.setattr(jsontext, "_encode", other)
        assert jsontext.dumps({"a": 1}) == '{"a":1}'


def supported_interpreters() -> list[Path]:
    """This one, and those where a version manager keeps them."""
    versions = Path(os.environ.get("PYENV_ROOT", "~/.pyenv")).expanduser() / "versions"
    others = [path for minor in range(11, 20) for path in versions.glob(f"3.{minor}.*/bin/python3")]
    return [Path(sys.executable), *sorted(others)]


ALL = """
import sys
sys.path.insert(0, sys.argv[1])
import jsontext
assert jsontext._scan and jsontext._encode, "falls back"
assert not {"json", "re", "typing", "enum"} & set(sys.modules), "loads json"
assert jsontext.loads(b'{"a": [1, -2.5e3, true, null, "\\\\u00e9"]}') == {"a": [1, -2500.0, True, None, "\\u00e9"]}
assert jsontext.dumps({"a": [1, 2.5, True, None, "\\u00e9"]}) == '{"a":[1,2.5,true,null,"\\\\u00e9"]}'
limit = jsontext.MAX_DEPTH
text = b"[" * limit + b"]" * limit
assert jsontext.dumps(jsontext.loads(text)).encode() == text
deep = []
for _ in range(100_000):
    deep = [deep]
circle = []
circle.append(circle)
bad = [b"", b"[1", b"[1,]", b"NaN", b"1e999", b"{} x", b"\\xff", b"[" * 100_000]
bad.append(b"[" * (limit + 1) + b"]" * (limit + 1))
faults = [(jsontext.loads, data) for data in bad]
faults += [(jsontext.dumps, value) for value in (deep, circle, {1}, float("nan"), {(1,): 2})]
for call, argument in faults:
    try:
        call(argument)
    except ValueError:
        continue
    raise SystemExit(f"{call.__name__} takes a {type(argument).__name__}")
print("as json")
"""


@pytest.mark.parametrize("python", supported_interpreters(), ids=str)
def test_the_private_interface_does_the_same_on_every_python_at_hand(python):
    done = subprocess.run(
        [python, "-I", "-S", "-B", "-c", ALL, str(Path(jsontext.__file__).parent)],
        capture_output=True,
        text=True,
        check=False,
    )

    assert (done.stdout.strip(), done.stderr) == ("as json", "")

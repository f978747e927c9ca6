"""What holds for every YAML file, whatever is in it and however it is written."""

from __future__ import annotations

import itertools
import math
from contextlib import suppress

import pytest
from agent_connector.documents.base import MISSING, same_value
from agent_connector.documents.proof import prove_append, prove_remove, prove_remove_item, prove_set
from agent_connector.documents.yaml import YamlDocument
from agent_connector.documents.yaml_meaning import resolved
from agent_connector.documents.yaml_writer import Style, inline, member_text
from agent_connector.errors import DocumentError, ProofError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML

from .strategies_yaml import yaml_files

SERVER = {"command": "/h/bin/x", "args": ["serve", "--é", 'q"\\', "a: b"], "env": {"A": "yes", "B.C": "1"}}
EDITS = (
    ("set", ("mcp_servers", "ours"), SERVER),
    ("set", ("mcp_servers", "o: #2"), {"url": "https://example.com/mcp", "timeout": 1.5, "on": True}),
    ("append", ("hooks", "Stop"), {"command": "a b", "timeout": 5}),
    ("append", ("hooks", "Stop"), "an item"),
    ("append", ("hooks", "pre_tool_call"), {"matcher": "*", "deep": [{"er": []}]}),
    ("append", ("list",), {"name": "ours", "args": ["x"]}),
    ("set", ("our_leaf",), "line\nbreak"),
    ("set", ("deep", "er", "est"), -0.0),
)
edits = st.sampled_from(EDITS)


def within(count):
    return settings(max_examples=count, deadline=None, suppress_health_check=[HealthCheck.too_slow])


class File:
    """A file with edits of ours in it, and the origins a ledger would keep."""

    def __init__(self, data):
        self.document = YamlDocument.parse(data)
        self.origins = {}

    @property
    def data(self):
        return self.document.data

    def put(self, edit):
        kind, place, value = edit
        edited = (prove_set if kind == "set" else prove_append)(self.document, place, value)
        for origin in edited.origins:
            self.origins.setdefault(origin.place, origin)
        self.document = edited.document

    def put_those_that_can_be(self, wanted):
        """The edits made; the others are refused for a reason that stands in the file."""
        made = []
        for edit in wanted:
            try:
                self.put(edit)
            except ProofError:
                assert blocked(self.document, edit)
            else:
                made.append(edit)
        return made

    def take(self, edit):
        kind, place, value = edit
        if kind == "set":
            self.document = prove_remove(self.document, place, self.origins)
        else:
            self.document = prove_remove_item(self.document, place, value, self.origins)


def blocked(document, edit):
    """Whether the file has what an edit may be refused for: a wrong type on the way, something shared by an alias or
    marked with an anchor or a tag, a comment between brackets, or a block of text that the end of the file cuts."""
    kind, place, _ = edit
    text = document.data.decode("utf-8-sig")
    for depth in range(len(place) - (kind == "set"), 0, -1):
        there = document.get(place[:depth])
        if there is None or there is MISSING:
            continue
        wanted = list if depth == len(place) else dict
        if not isinstance(there, wanted):
            return True
    return "*base" in text or "*list" in text or "{\n" in text or "{\r\n" in text or not text.endswith("\n")


@within(100)
@given(yaml_files())
def test_the_meaning_is_that_of_another_reader(data):
    data = data.replace(b" !mine", b"").replace(b" &own", b"")
    loaded = YAML(typ="safe", pure=True).load(data.decode("utf-8-sig"))
    assert same_value(YamlDocument.parse(data).value(), as_json(loaded or {}))


def as_json(value):
    """Timestamps as their text, keys as theirs."""
    if isinstance(value, dict):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_json(item) for item in value]
    return str(value) if hasattr(value, "isoformat") else value


@within(150)
@given(yaml_files(), edits)
def test_an_edit_taken_back_leaves_the_same_bytes(data, edit):
    file = File(data)
    if file.put_those_that_can_be([edit]):
        kind, place, value = edit
        there = file.document.get(place)
        assert same_value(there if kind == "set" else there[-1], value)
        file.take(edit)
    assert file.data == data


@within(50)
@given(yaml_files(), st.lists(edits, min_size=2, max_size=3, unique_by=str))
def test_edits_taken_back_in_any_order_leave_the_same_bytes(data, wanted):
    file = File(data)
    made = file.put_those_that_can_be(wanted)
    installed, origins = file.document, file.origins
    for order in itertools.permutations(made):
        file.document, file.origins = installed, origins
        for edit in order:
            file.take(edit)
        assert file.data == data


@within(100)
@given(yaml_files(), edits)
def test_every_line_of_the_file_stays_but_for_empty_containers_that_are_filled(data, edit):
    file = File(data)
    file.put_those_that_can_be([edit])
    after = iter(file.data.splitlines())
    flow = any(mark in data for mark in (b"{", b"[", b"~", b"null"))
    missing = [line for line in data.splitlines() if line not in after]
    assert not missing or flow or not data.endswith(b"\n") or not data.strip()


@within(100)
@given(yaml_files(), edits)
def test_line_ends_and_bom_are_the_file_s_own(data, edit):
    file = File(data)
    file.put_those_that_can_be([edit])
    assert file.data.startswith(b"\xef\xbb\xbf") == data.startswith(b"\xef\xbb\xbf")
    if b"\r\n" in data:
        assert b"\n" not in file.data.replace(b"\r\n", b"")


TAILS = (b"last:\n- 1\n", b"# a last word\n", b"\n\nlast: {a: 1}\n\n")


@within(60)
@given(yaml_files(), st.lists(edits, min_size=1, max_size=3, unique_by=str), st.sampled_from(TAILS))
def test_what_a_person_appends_in_between_stays_and_the_rest_comes_back(data, wanted, tail):
    file = File(data)
    made = file.put_those_that_can_be(wanted)
    try:
        file.document = YamlDocument.parse(file.data + tail)
        expected = YamlDocument.parse(data + tail)
    except DocumentError:
        return
    before = YamlDocument.parse(data).value()
    if not data.endswith(b"\n") or not all(same_value(expected.get((key,)), before[key]) for key in before):
        return  # a text block at the end would take the blank lines: removing what stands between is refused
    for edit in made:
        file.take(edit)
    assert same_value(file.document.value(), expected.value())
    if before:
        assert file.data == expected.data


@within(100)
@given(yaml_files(), st.sampled_from((1, "text", None, [], [1, {"a": 2}], {}, SERVER)), st.data())
def test_a_replaced_value_is_all_that_changes(data, value, draws):
    document = YamlDocument.parse(data)
    places = [place for place in places_of(document.value()) if place]
    if not places:
        return
    place = draws.draw(st.sampled_from(places))
    try:
        new = prove_set(document, place, value).document
    except ProofError:
        text = data.decode()
        assert any(mark in text for mark in ("*base", "*list", "#", "|", "- -"))
        return
    assert same_value(new.get(place), value)
    assert new.remove(place, {}).data == document.remove(place, {}).data


def places_of(value, at=()):
    if isinstance(value, dict):
        for key, inner in value.items():
            yield (*at, key)
            yield from places_of(inner, (*at, key))


texts = st.text(st.characters(exclude_categories=("Cs",)))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)


@within(200)
@given(json_values, st.integers(2, 4), st.integers(0, 3))
def test_a_value_written_is_read_as_itself_by_readers_of_both_versions(value, unit, dash):
    style = Style(unit=unit, dash=dash)
    for text in (
        member_text("k", value, 0, style) + "\n",
        "k: " + inline(value, style),
        "k: " + inline(value, Style(quoted=True)),
    ):
        assert same_value(YamlDocument.parse(text.encode()).get(("k",)), value), text
        for version in ((1, 1), (1, 2)):
            reader = YAML(typ="safe", pure=True)
            reader.version = version
            assert same_value(reader.load(text)["k"], value), text


@pytest.mark.parametrize(
    "text", ["1", "-7", "+1", "0x1F", "0o17", "1.5", ".5", "1e3", ".inf", "-.INF", "true", "FALSE", "null", "~", "x"]
)
def test_plain_scalars_mean_what_the_core_schema_says(text):
    loaded = YAML(typ="safe", pure=True).load(f"k: {text}")["k"]
    assert same_value(resolved(text), loaded)
    assert math.isnan(resolved(".NaN"))


@within(150)
@given(st.binary(max_size=30))
def test_arbitrary_bytes_are_parsed_or_refused_but_never_crash(garbage):
    for data in (garbage, b"a:\n  b: " + garbage, b"{" + garbage + b"}"):
        with suppress(DocumentError, ProofError):
            prove_set(YamlDocument.parse(data), ("ours",), SERVER)


@within(150)
@given(st.text("ab:-?#&*!|>{}[],'\"% \t\r\n\u0085\u2028\ufeff", max_size=25))
def test_odd_texts_are_parsed_or_refused_but_never_crash(text):
    try:
        file = File(text.encode())
        file.put(("set", ("a", "ours"), SERVER))
        file.take(("set", ("a", "ours"), SERVER))
    except (DocumentError, ProofError):
        return
    assert file.data == text.encode()

"""Properties of the TOML editor over generated files: the meaning changes as asked, and every byte comes back."""

from __future__ import annotations

import tomllib
from itertools import permutations

import pytest
import tomlkit
from agent_connector.documents.base import MISSING, same_value
from agent_connector.documents.toml import TomlDocument
from agent_connector.documents.toml_meaning import read_meaning
from agent_connector.documents.toml_scanner import scan
from agent_connector.documents.toml_writer import write_member
from agent_connector.errors import DocumentError, ProofError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .strategies_toml import toml_files

SERVER = {"command": "/h/bin/agent-connector", "args": ["serve", "--é", 'q"\\'], "env": {"A": "1", "B.C": "2"}}
REMOTE = {"url": "https://example.com/mcp", "startup_timeout_sec": 1.5, "enabled": True}
HOOK = {"matcher": "mcp__.*", "hooks": [{"type": "command", "command": "run 'it'", "timeout": 20}]}

INSERTS = (
    ("set", ("mcp_servers", "ours"), SERVER),
    ("set", ("mcp_servers", "our.other"), REMOTE),
    ("set", ("mcp_servers", "bare"), {}),
    ("set", ("our_key",), ["a", 1]),
    ("set", ("second_key",), "line\nbreak"),
    ("set", ("tui", "our_leaf"), True),
    ("set", ("deep", "er", "x", "y"), -0.0),
    ("set", ("hooks", "our_flag"), 7),
    ("append", ("hooks", "PreToolUse"), HOOK),
    ("append", ("hooks", "Stop"), {"command": "x"}),
    ("append", ("list",), {"name": "ours", "nested": {"deep": {"er": []}}}),
    ("append", ("notify",), "ours"),
    ("append", ("mcp_servers", "many"), REMOTE),
)
inserts = st.lists(st.sampled_from(INSERTS), min_size=1, max_size=3, unique_by=lambda insert: insert[1])


def within(count):
    return settings(max_examples=count, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def parses(data):
    try:
        TomlDocument.parse(data)
    except DocumentError:
        return False
    return True


def meaning(data):
    return read_meaning(data.decode("utf-8-sig"))


def blocked(document, verb, place, value):
    """Whether a wrong type stands in the way, which is the only reason to refuse."""
    node = document.value()
    for key in place[:-1]:
        node = node.get(key, {})
        if not isinstance(node, dict):
            return True
    there = node.get(place[-1], MISSING)
    if verb == "set":
        return False
    if there is MISSING or isinstance(there, list):
        text = document.data.decode("utf-8-sig")
        as_headers = any(section.path == place and section.is_element for section in scan(text))
        return as_headers and not isinstance(value, dict)
    return True


def expected_after(value, verb, place, new):
    key, *rest = place
    if rest:
        return {**value, key: expected_after(value.get(key, {}), verb, rest, new)}
    return {**value, key: new if verb == "set" else [*value.get(key, []), new]}


def make(document, verb, place, value, origins):
    edited = document.set(place, value) if verb == "set" else document.append(place, value)
    for origin in edited.origins:
        origins.setdefault(origin.place, origin)
    return edited.document


def undo(document, verb, place, value, origins):
    return document.remove(place, origins) if verb == "set" else document.remove_item(place, value, origins)


def make_all(document, chosen):
    """The document with those of the edits that can be made, which are these, and their origins."""
    origins = {}
    made = []
    for insert in chosen:
        verb, place, value = insert
        if blocked(document, *insert) or (verb == "set" and document.get(place) is not MISSING):
            continue
        document = make(document, verb, place, value, origins)
        made.append(insert)
    return document, made, origins


def rebuilt(text):
    """The meaning put together from the scanner's spans alone."""
    root = {}
    for section in scan(text):
        table = root
        for key in section.path[:-1]:
            table = table.setdefault(key, {})
            table = table[-1] if isinstance(table, list) else table
        if section.is_element:
            table.setdefault(section.path[-1], []).append({})
            table = table[section.path[-1]][-1]
        elif section.path:
            table = table.setdefault(section.path[-1], {})
        for member in section.members:
            inner = table
            for key in member.keys[:-1]:
                inner = inner.setdefault(key, {})
            inner[member.keys[-1]] = tomllib.loads(f"v = {text[member.value : member.value_end]}")["v"]
    return root


@within(200)
@given(toml_files())
def test_the_scanner_finds_what_the_parser_means(data):
    text = data.decode("utf-8-sig")
    assert same_value(rebuilt(text), tomllib.loads(text))


@within(150)
@given(toml_files(), st.sampled_from(INSERTS))
def test_an_edit_changes_the_meaning_of_its_place_only_and_its_removal_gives_the_same_bytes(data, insert):
    document = TomlDocument.parse(data)
    verb, place, _ = insert
    if blocked(document, *insert):
        with pytest.raises(ProofError):
            make(document, *insert, {})
        return
    origins = {}
    edited = make(document, *insert, origins)
    assert same_value(edited.value(), meaning(edited.data))
    assert same_value(edited.value(), expected_after(document.value(), *insert))
    if verb == "append" or document.get(place) is MISSING:
        assert undo(edited, *insert, origins).data == data


@within(80)
@given(toml_files(), inserts)
def test_several_edits_removed_in_any_order_give_the_same_bytes(data, chosen):
    document, made, origins = make_all(TomlDocument.parse(data), chosen)
    for order in permutations(made):
        rest = document
        for insert in order:
            rest = undo(rest, *insert, origins)
        assert rest.data == data


FOREIGN_TAILS = (
    '\n[projects."/new"]\ntrust_level = "trusted"\n',
    '\n[hooks.state."/h/config.toml:pre_tool_use:0:0"]\ntrusted_hash = "sha256:1"',
    "\n# a last word\n",
    "\n\n\n[[foreign.items]]\nx = 1\n\n[foreign]\ny = 2\n",
)


@within(100)
@given(toml_files(), inserts, st.sampled_from(FOREIGN_TAILS), st.data())
def test_what_a_host_appends_in_between_stays_and_the_rest_comes_back(data, chosen, tail, rest):
    document, made, origins = make_all(TomlDocument.parse(data), chosen)
    if not parses(data + tail.encode()):
        return
    changed = TomlDocument.parse(document.data + tail.encode())
    for insert in rest.draw(st.permutations(made)):
        changed = undo(changed, *insert, origins)
    assert changed.data == data + tail.encode()


@within(100)
@given(toml_files(), inserts, st.data())
def test_changed_comments_and_values_of_others_stay_and_the_rest_comes_back(data, chosen, rest):
    document, made, origins = make_all(TomlDocument.parse(data), chosen)

    def edit(old):
        return old.replace(b"# c", b"# changed by hand").replace(b"9007199254740993", b"[ 1, 2 ]")

    changed = TomlDocument.parse(edit(document.data))
    for insert in rest.draw(st.permutations(made)):
        changed = undo(changed, *insert, origins)
    assert changed.data == edit(data)


def without_empty(value):
    if isinstance(value, dict):
        pruned = {key: without_empty(item) for key, item in value.items()}
        return {key: item for key, item in pruned.items() if item not in ({}, [])}
    return [without_empty(item) for item in value] if isinstance(value, list) else value


def one_line_each(value):
    return "".join(write_member((key,), item) + "\n" for key, item in value.items())


@within(80)
@given(toml_files(), inserts, st.sampled_from((tomlkit.dumps, one_line_each)), st.data())
def test_after_a_host_rewrote_the_whole_file_removal_works_by_meaning(data, chosen, rewrite, rest):
    before = TomlDocument.parse(data)
    document, made, origins = make_all(before, chosen)
    changed = TomlDocument.parse(rewrite(document.value()).encode())
    if not same_value(changed.value(), document.value()):
        return
    for insert in rest.draw(st.permutations(made)):
        changed = undo(changed, *insert, origins)
    assert same_value(without_empty(changed.value()), without_empty(before.value()))
    assert b"agent-connector" not in changed.data


UPGRADES = (
    (SERVER, REMOTE),
    (SERVER, {"command": "new", "env": {"A": "2"}, "tools": {"t": {"mode": "x"}}}),
    (REMOTE, {}),
    ({}, SERVER),
    ({"list": [{"a": 1}, {"b": {"c": 2}}]}, {"list": [{"a": 1}]}),
)


@within(120)
@given(toml_files(), st.sampled_from(UPGRADES), st.sampled_from(FOREIGN_TAILS))
def test_an_upgrade_keeps_everything_outside_and_is_removed_like_the_first(data, values, tail):
    old, new = values
    place = ("mcp_servers", "ours")
    document = TomlDocument.parse(data)
    if blocked(document, "set", place, old):
        return
    origins = {}
    installed = make(document, "set", place, old, origins)
    upgraded = installed.set(place, new)
    assert upgraded.origins == ()
    assert same_value(upgraded.document.value(), expected_after(document.value(), "set", place, new))
    assert upgraded.document.remove(place, origins).data == data
    assert upgraded.document.set(place, old).document.data == installed.data
    assert upgraded.document.set(place, new).document is upgraded.document


@within(120)
@given(toml_files(), st.sampled_from((1, "text", [], [1], {}, SERVER, [HOOK], [])), st.data())
def test_any_existing_place_can_be_replaced_or_removed_without_touching_the_rest(data, value, rest):
    document = TomlDocument.parse(data)
    places = list(table_places(document.value()))
    if not places:
        return
    place = rest.draw(st.sampled_from(places))
    replaced = document.set(place, value).document
    assert same_value(replaced.value(), expected_after(document.value(), "set", place, value))
    removed = document.remove(place, {})
    assert removed.get(place) is MISSING
    assert same_value(without_empty(removed.value()), without_empty(less(document.value(), place)))


def table_places(value, at=()):
    for key, item in value.items():
        yield (*at, key)
        if isinstance(item, dict):
            yield from table_places(item, (*at, key))


def less(value, place):
    key, *rest = place
    if rest:
        return {**value, key: less(value[key], rest)}
    return {other: item for other, item in value.items() if other != key}

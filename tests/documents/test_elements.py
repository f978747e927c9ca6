"""Elements of lists that are found by their name: in every format as members of an object are."""

from __future__ import annotations

from functools import partial

import pytest
from agent_connector.documents.base import MISSING, same_value
from agent_connector.documents.elements import element_of, element_part, spelled, value_at
from agent_connector.documents.json import JsonDocument
from agent_connector.documents.proof import prove_remove, prove_set
from agent_connector.documents.toml import TomlDocument
from agent_connector.documents.yaml import YamlDocument
from agent_connector.errors import ProofError
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from .strategies_elements import json_lists, toml_lists, yaml_lists

OURS = ("servers", "[name=ours]")
FIRST = {"name": "ours", "command": "/h/bin/x", "args": ["serve", "--é"], "env": {"A": "1"}}
SECOND = {"name": "ours", "url": "https://x.example", "on": True, "headers": {"A": "b"}, "tags": ["q"]}
FORMATS = {
    "toml": (TomlDocument.parse, toml_lists()),
    "yaml": (YamlDocument.parse, yaml_lists()),
    "json": (partial(JsonDocument.parse, comments=True), json_lists()),
}
files = st.sampled_from(sorted(FORMATS)).flatmap(lambda name: st.tuples(st.just(name), FORMATS[name][1]))


def within(count):
    return settings(max_examples=count, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def opened(file):
    return FORMATS[file[0]][0](file[1])


def others(document):
    items = document.get(OURS[:1])
    return [item for item in items if item["name"] != "ours"] if isinstance(items, list) else []


def put(document, value, origins):
    edited = prove_set(document, OURS, value)
    for origin in edited.origins:
        origins.setdefault(origin.place, origin)
    return edited.document


@within(200)
@given(files)
def test_an_element_goes_in_behind_the_others_and_comes_out_without_a_trace(file):
    before, origins = opened(file), {}
    after = put(before, FIRST, origins)
    assert same_value(after.get(OURS), FIRST)
    assert same_value(after.get(OURS[:1]), [*others(before), FIRST])
    assert prove_remove(after, OURS, origins).data == file[1]


@within(200)
@given(files, st.permutations([FIRST, SECOND]))
def test_a_replaced_element_stands_where_it_stood_and_is_taken_out_like_the_first(file, values):
    before, origins = opened(file), {}
    first = put(before, values[0], origins)
    second = put(first, values[1], {})
    assert same_value(second.get(OURS[:1]), [*others(before), values[1]])
    assert put(second, values[0], {}).data == first.data
    assert prove_remove(second, OURS, origins).data == file[1]


@within(200)
@given(files, st.data())
def test_any_element_is_replaced_and_removed_alone(file, draws):
    document = opened(file)
    if not others(document):
        return
    called = draws.draw(st.sampled_from([item["name"] for item in others(document)]))
    place = ("servers", element_part("name", called))
    try:
        replaced = prove_set(document, place, {"name": called, "args": []}).document
        removed = prove_remove(document, place, {})
    except ProofError:
        assert b"#" in file[1] or b"/*" in file[1]  # a comment between the brackets leaves no safe place
        return
    rest = [item for item in others(document) if item["name"] != called]
    assert same_value(replaced.get(place), {"name": called, "args": []})
    assert same_value([item for item in others(replaced) if item["name"] != called], rest)
    assert removed.get(place) is MISSING
    assert same_value(others(removed), rest)


@within(150)
@given(files)
def test_every_line_of_the_neighbours_stays(file):
    before = opened(file)
    after = iter(put(before, FIRST, {}).data.splitlines())
    missing = [line for line in file[1].splitlines() if line.strip() and line not in after]
    in_brackets = file[0] == "json" or b"servers = [" in file[1] or b"servers: [" in file[1]
    assert in_brackets or not missing


@within(100)
@given(files, st.sampled_from(("ours2", "our", "OURS", "ours ")))
def test_elements_that_are_added_behind_ours_stay_when_it_goes(file, called):
    before, origins = opened(file), {}
    neighbour = ("servers", element_part("name", called))
    both = prove_set(put(before, FIRST, origins), neighbour, {"name": called}).document
    left = prove_remove(both, OURS, origins)
    assert same_value(left.get(OURS[:1]), [*others(before), {"name": called}])
    assert left.get(neighbour) == {"name": called}


TWICE = {
    "toml": b'[[servers]]\nname = "ours"\n\n[[servers]]\nname = "ours"\na = 1\n',
    "yaml": b"servers:\n- name: ours\n- name: ours\n  a: 1\n",
    "json": b'{"servers": [{"name": "ours"}, {"name": "ours", "a": 1}]}',
}


@pytest.mark.parametrize("file", TWICE.items())
def test_where_two_are_called_alike_nothing_is_guessed(file):
    document = opened(file)
    for edit in (partial(prove_set, document, OURS, FIRST), partial(prove_remove, document, OURS, {})):
        with pytest.raises(ProofError, match="several elements of servers are called ours"):
            edit()
    assert document.get(OURS) == {"name": "ours"}


OTHERWISE = {
    "toml": b"[servers.ours]\na = 1\n",
    "yaml": b"servers:\n  ours: {a: 1}\n",
    "json": b'{"servers": {"ours": {"a": 1}}}',
}


@pytest.mark.parametrize("file", OTHERWISE.items())
def test_an_object_where_a_list_belongs_is_left_alone(file):
    document = opened(file)
    assert document.get(OURS) is MISSING
    with pytest.raises(ProofError):
        prove_set(document, OURS, FIRST)
    with pytest.raises(ProofError):
        prove_remove(document, OURS, {})


@pytest.mark.parametrize("file", TWICE.items())
def test_an_element_cannot_be_put_under_another_name(file):
    with pytest.raises(ProofError, match="would not be called other"):
        prove_set(opened(file), ("servers", "[name=other]"), FIRST)
    with pytest.raises(ProofError, match="no element of servers is called other"):
        prove_remove(opened(file), ("servers", "[name=other]"), {})


def test_items_that_are_no_objects_have_no_name():
    document = YamlDocument.parse(b"servers: [1, ours, {x: ours}]\n")
    assert document.get(OURS) is MISSING
    assert prove_set(document, OURS, FIRST).document.get(("servers",))[3] == FIRST


@pytest.mark.parametrize("name", ["x", "x=y]", "[x]", "two words", "a\nb"])
def test_any_name_makes_a_place(name):
    place = ("a", element_part("id", name))
    assert element_of(place) == (("a",), "id", name)
    assert value_at({"a": [{"id": "other"}, {"id": name}]}, place) == {"id": name}
    assert spelled(place) == f"a[id={name}]"


def test_a_plain_key_is_no_element():
    assert element_of(("a", "[python]")) is None
    assert element_of(()) is None
    assert spelled(("a", "b")) == "a.b"
    assert spelled(()) == "the root"

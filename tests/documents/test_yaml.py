"""The YAML editor, case by case: where things go, in which form, and what is left alone or refused."""

from __future__ import annotations

from textwrap import dedent

import pytest
from agent_connector.documents.base import MISSING, Origin
from agent_connector.documents.proof import prove_append, prove_remove, prove_remove_item, prove_set
from agent_connector.documents.yaml import YamlDocument
from agent_connector.errors import DocumentError, ProofError

PLACE = ("mcp_servers", "ours")
SERVER = {"command": "npx", "args": ["-y", "acme"], "env": {"A": "yes"}}


def parse(text):
    return YamlDocument.parse(text.encode() if isinstance(text, str) else text)


def origins_of(edited):
    return {origin.place: origin for origin in edited.origins}


def after_set(text, place=PLACE, value=None):
    """The text after the edit, which must be undone exactly."""
    document = parse(text)
    edited = prove_set(document, place, SERVER if value is None else value)
    assert prove_remove(edited.document, place, origins_of(edited)).data == document.data
    return edited.document.data.decode()


def after_append(text, place, item):
    document = parse(text)
    edited = prove_append(document, place, item)
    assert prove_remove_item(edited.document, place, item, origins_of(edited)).data == document.data
    return edited.document.data.decode()


# --- reading ----------------------------------------------------------------------------------------------------


def test_anchors_aliases_and_merge_keys_are_followed():
    document = parse("base: &b {a: 1, b: 2}\nx:\n  <<: *b\n  b: 3\nlist: [*b]\n7: seven\nwhen: 2001-01-02\non: yes\n")
    assert document.value() == {
        "base": {"a": 1, "b": 2},
        "x": {"a": 1, "b": 3},
        "list": [{"a": 1, "b": 2}],
        "7": "seven",
        "when": "2001-01-02",
        "on": "yes",
    }
    assert document.get(("x", "a")) == 1
    assert document.get(("x", "c")) is MISSING
    assert document.get(("list", "a")) is MISSING


@pytest.mark.parametrize("text", ["", "\n \n", "# only a comment\n", "---\n", "\ufeff", "---\n...\n"])
def test_a_file_without_a_value_is_an_empty_object(text):
    assert parse(text).value() == {}


@pytest.mark.parametrize(
    ("data", "line", "column", "reason"),
    [
        (b"a: 1\n b: 2\n", 2, 3, "mapping values are not allowed"),
        (b"a: [1\n", 2, 1, "flow sequence"),
        (b"a:\n\tb: 1\n", 2, 1, "cannot start any token"),
        (b"a: 1\n---\nb: 2\n", 2, 1, "second document"),
        (b"a: 1\nb:\n  c: 1\n  'c': 2\n", 4, 3, "'c' stands here for the second time"),
        (b"a: *nobody\n", 1, 4, r"\*nobody"),
        (b"a: &a [*a]\n", 1, 8, "stands for nothing above it"),
        (b"a: 1\nb: \xff\n", 2, 4, "not UTF-8"),
        (b"a: \x07\n", 1, 4, "not valid YAML"),
        ("a: 1\n".encode("utf-16"), 1, 1, "UTF-16"),
    ],
)
def test_what_does_not_parse_is_refused_with_line_and_column(data, line, column, reason):
    with pytest.raises(DocumentError, match=reason) as refusal:
        parse(data)
    assert (refusal.value.line, refusal.value.column) == (line, column)


def test_aliases_that_stand_for_millions_of_values_are_refused():
    lines = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    lines += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 9)]
    with pytest.raises(DocumentError, match="too many values"):
        parse("\n".join(lines))


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ("{a: ", "}"), ("- ", "")])
def test_nesting_too_deep_to_be_read_is_refused(opening, closing):
    with pytest.raises(DocumentError, match="nested too deeply"):
        parse(opening * 3000 + closing * 3000)


def test_deep_nesting_is_read():
    parse("[" * 100 + "]" * 100)


# --- where things go --------------------------------------------------------------------------------------------


def test_an_entry_goes_behind_its_neighbours_and_the_comments_of_their_depth():
    text = dedent(
        """\
        # Mine.
        mcp_servers:
          time:            # about time
            command: "uvx"
            args: ['mcp-server-time']   # pinned?

          # fetch:
          #   command: uvx
        # The model.
        model: {default: opus}
        """
    )
    ours = '  ours:\n    command: npx\n    args:\n      - "-y"\n      - acme\n    env:\n      A: "yes"\n'
    assert after_set(text) == text.replace("# The model.\n", ours + "# The model.\n")


def test_a_new_container_goes_to_the_end_of_the_file():
    assert after_set("a: 1\n# end") == (
        'a: 1\n# end\nmcp_servers:\n  ours:\n    command: npx\n    args:\n      - "-y"\n      - acme\n'
        '    env:\n      A: "yes"'
    )
    assert after_set("---\na: 1\n...\n", value={"b": 1}) == "---\na: 1\nmcp_servers:\n  ours:\n    b: 1\n...\n"


def test_indentation_dashes_and_line_ends_are_those_of_the_file():
    text = "a:\r\n    b:\r\n    - 1\r\n"
    assert after_set(text, value={"args": ["x"], "env": {"A": 1}}) == (
        "a:\r\n    b:\r\n    - 1\r\n"
        "mcp_servers:\r\n    ours:\r\n        args:\r\n        - x\r\n        env:\r\n            A: 1\r\n"
    )


@pytest.mark.parametrize("empty", [" {}", "", " ~", " null", "   { }", "\n    {}"])
def test_an_empty_container_gives_way_and_comes_back_as_it_was(empty):
    text = f"mcp_servers:{empty}\nb: 1\n"
    assert after_set(text, value={"x": 1}) == "mcp_servers:\n  ours:\n    x: 1\nb: 1\n"
    edited = prove_set(parse(text), PLACE, {"x": 1})
    assert Origin(("mcp_servers",), created=False, interior=empty.encode()) in edited.origins


def test_comments_beside_an_empty_container_stay_where_they_are():
    text = "mcp_servers: {}  # none yet\n  # example:\n  #   command: x\nb: 1\n"
    assert after_set(text, value={"x": 1}) == (
        "mcp_servers:  # none yet\n  # example:\n  #   command: x\n  ours:\n    x: 1\nb: 1\n"
    )


def test_between_brackets_an_entry_goes_between_brackets():
    assert after_set("mcp_servers: {a: {b: 1}, }\n", value={"c": ["d"]}) == (
        "mcp_servers: {a: {b: 1}, ours: {c: [d]}, }\n"
    )
    assert after_set('{\n  "mcp_servers": {\n    "a": {"b": 1}\n  }\n}\n', value={"c": ["d"]}) == (
        '{\n  "mcp_servers": {\n    "a": {"b": 1},\n    "ours": {"c": ["d"]}\n  }\n}\n'
    )
    assert after_set("x: 1\nmcp_servers: {a: {}}\n", ("mcp_servers", "a", "b"), 1) == (
        "x: 1\nmcp_servers: {a: {b: 1}}\n"
    )


@pytest.mark.parametrize(("text", "dash"), [("Stop:\n- x # c\n- y: 1\n  z: 2\n", ""), ("Stop:\n  -  x\n", "  ")])
def test_an_item_goes_behind_the_last_one(text, dash):
    assert after_append(text, ("Stop",), {"command": "a b", "timeout": 5}) == (
        f'{text}{dash}- command: "a b"\n{dash}  timeout: 5\n'
    )


def test_a_blank_file_is_begun_and_blank_again():
    assert after_set("", ("a",), 1) == "a: 1\n"
    assert after_set("\ufeff\r\n", ("a",), 1) == "\ufeffa: 1\r\n"
    assert after_set("{}\n", ("a",), 1) == "a: 1\n"


def test_what_stands_behind_a_text_block_that_keeps_its_blank_lines_is_left_to_it():
    assert after_set("a: |+\n  x\n\n", ("b",), 1) == "a: |+\n  x\n\nb: 1\n"


# --- replacing and removing -------------------------------------------------------------------------------------


def test_a_replaced_entry_stays_in_its_place():
    text = "mcp_servers:\n  ours: {old: 1}  # mine\n  other:\n    a: 1\n"
    after = prove_set(parse(text), PLACE, {"new": [1]}).document.data.decode()
    assert after == "mcp_servers:\n  ours:\n    new:\n      - 1  # mine\n  other:\n    a: 1\n"


def test_a_container_whose_last_entry_goes_stays_where_it_is_not_ours():
    text = "a: 1\nmcp_servers:\n  ours:\n    x: 1\nb: 2\n"
    assert prove_remove(parse(text), PLACE, {}).data == b"a: 1\nmcp_servers: {}\nb: 2\n"


def test_a_container_of_ours_stays_while_somebodys_comment_stands_in_it():
    edited = prove_set(parse("a: 1\n"), PLACE, {"x": 1})
    changed = parse(edited.document.data.replace(b"  ours:", b"  # mine\n  ours:"))
    assert prove_remove(changed, PLACE, origins_of(edited)).data == b"a: 1\nmcp_servers: {}\n  # mine\n"


def test_entries_that_a_host_wrote_anew_are_removed_by_meaning():
    edited = prove_set(parse(""), PLACE, SERVER)
    rewritten = parse("mcp_servers: {ours: {args: ['-y', acme], command: npx, env: {A: 'yes'}}, b: {c: 1}}\n")
    assert prove_remove(rewritten, PLACE, origins_of(edited)).data == b"mcp_servers: {b: {c: 1}}\n"


# --- refused ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("mcp_servers: &s\n  a: 1\nother: *s\n", "would change too"),
        ("s: &s {a: 1}\nmcp_servers: *s\n", "is an alias"),
        ("s: &s {ours: 1}\nmcp_servers:\n  <<: *s\n", "comes from elsewhere"),
        ("mcp_servers: &s {}\n", "anchor or a tag"),
        ("mcp_servers: {a: 1 # c\n  }\n", "comment stands behind the last entry"),
        ("mcp_servers: [a]\n", "holds an array, not an object"),
        ("- a\n", "the root is an array"),
        ("? mcp_servers\n: a: 1\n", "lines of their own"),
        ("a: |\n  no end of line", "would change too"),
    ],
)
def test_what_cannot_be_proven_is_refused_with_the_reason(text, reason):
    with pytest.raises(ProofError, match=reason):
        prove_set(parse(text), PLACE, SERVER)


def test_a_value_that_yaml_cannot_hold_is_refused():
    for value, reason in (({1: 2}, "a key must be text"), ("\ud800", "surrogate"), (object(), "no value of type")):
        with pytest.raises(ProofError, match=reason):
            prove_set(parse(""), ("a",), value)


def test_a_removal_that_would_give_blank_lines_to_a_text_block_is_refused():
    edited = prove_set(parse("a: |+\n  x\n"), ("ours",), 1)
    changed = parse(edited.document.data + b"\n\nb: 2\n")
    with pytest.raises(ProofError, match="a would change too"):
        prove_remove(changed, ("ours",), origins_of(edited))

"""What holds for every JSON and JSONC file, whatever is in it and however it is written."""

import itertools
import json
import re

import pytest
from agent_connector.documents.base import MISSING, same_value
from agent_connector.documents.json import JsonDocument
from agent_connector.documents.proof import prove_append, prove_remove, prove_remove_item, prove_set
from agent_connector.errors import DocumentError, ProofError
from hypothesis import assume, given
from hypothesis import strategies as st

from .strategies_json import files, quick, texts, values

FORMATS = pytest.mark.parametrize("comments", [False, True], ids=["json", "jsonc"])
SERVER = {"command": "npx", "args": ["-y", "x // y"], "env": {"A": "é"}}
EDITS = (
    ("set", ("mcpServers", "ours"), SERVER),
    ("set", ("mcpServers", "theirs"), {"url": "https://example.com"}),
    ("append", ("hooks", "Stop"), {"hooks": [{"type": "command", "command": "a b"}]}),
    ("append", ("hooks", "Stop"), "an item"),
    ("append", ("hooks", "PreToolUse"), {"matcher": "*"}),
    ("set", ("statusLine",), {"type": "command"}),
    ("set", ("deep", "er", "est"), 12345678901234567890),
)
edits = st.sampled_from(EDITS)
COMMENT = r"//[^\r\n]*|/\*.*?\*/"
TOKENS = re.compile(rf'"(?:[^"\\]|\\.)*"|{COMMENT}|[-+.\w]+', re.DOTALL)
GAP = rf"(?s:[ \t\r\n]|{COMMENT})*"


class File:
    """A file with edits of ours in it, and the origins a ledger would keep."""

    def __init__(self, data, *, comments):
        self.document = JsonDocument.parse(data, comments=comments)
        self.comments = comments
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

    def take(self, edit):
        kind, place, value = edit
        if kind == "set":
            self.document = prove_remove(self.document, place, self.origins)
        else:
            self.document = prove_remove_item(self.document, place, value, self.origins)

    def edited_by_the_user(self, change):
        self.document = JsonDocument.parse(change(self.data), comments=self.comments)


@FORMATS
@given(data=st.data())
@quick
def test_a_value_set_and_removed_leaves_the_same_bytes(comments, data):
    before = data.draw(files(comments=comments))
    file = File(before, comments=comments)
    edit = ("set", data.draw(edits)[1] + ("new",), data.draw(values()))
    try:
        file.put(edit)
    except ProofError:
        assert isinstance(file.document.get(edit[1][:-1]), list | str)
        return
    assert same_value(file.document.get(edit[1]), edit[2])
    file.take(edit)
    assert file.data == before


@FORMATS
@given(data=st.data())
@quick
def test_edits_taken_back_in_any_order_leave_the_same_bytes(comments, data):
    before = data.draw(files(comments=comments))
    wanted = data.draw(st.lists(edits, min_size=2, max_size=3, unique_by=str))
    file = File(before, comments=comments)
    for edit in wanted:
        file.put(edit)
    installed, origins = file.document, file.origins
    for order in itertools.permutations(wanted):
        file.document, file.origins = installed, origins
        for edit in order:
            file.take(edit)
        assert file.data == before


@FORMATS
@given(data=st.data())
@quick
def test_edits_coming_and_going_leave_the_same_bytes_when_the_last_is_gone(comments, data):
    before = data.draw(files(comments=comments))
    file = File(before, comments=comments)
    inside = []
    for edit in data.draw(st.lists(edits, max_size=8)):
        if edit in inside:
            inside.remove(edit)
            file.take(edit)
        else:
            inside.append(edit)
            file.put(edit)
    for edit in inside:
        file.take(edit)
    assert file.data == before


@FORMATS
@given(data=st.data())
@quick
def test_what_the_user_edited_in_between_is_all_that_is_left(comments, data):
    before = data.draw(texts(comments=comments)).encode()
    file = File(before, comments=comments)
    wanted = data.draw(st.lists(edits, min_size=1, max_size=3, unique_by=str))
    for edit in wanted:
        file.put(edit)
    change = data.draw(foreign_edits(before, comments=comments))
    file.edited_by_the_user(change)
    for edit in data.draw(st.permutations(wanted)):
        file.take(edit)
    assert file.data == change(before)


@st.composite
def foreign_edits(draw, before, *, comments):
    """One thing a person does to their own members: change, rename, add before or behind, comment, delete."""
    members = [found.encode() for found in re.findall(rf'"u\d+"{GAP}:{GAP}1', before.decode())]
    if not members:
        return lambda data: data
    member = draw(st.sampled_from(members))
    key, number = member[:-1], member[-1:]
    changes = [
        (member, key + b"2.50"),
        (member, key + b'{"their": [1, 2]}'),
        (member, b'"before": 0,\n    ' + member),
        (member, member + b', "behind": 12345678901234567890'),
        (member, member + b',\r\n  \t"behind": [\r\n]'),
        (member, b'"renamed":' + number),
    ]
    if comments:
        changes += [
            (member, b"/* a, b */ " + member),
            (member, b"// above\n" + member),
            (member, member + b" /* behind */"),
            (member, member + b" // behind\n"),
        ]
    if member + b"," in before and not alone(before, member, comments=comments):
        changes += [(member + b",", b""), (member + b",", b"\n")]
        if comments:
            changes.append((member + b",", member + b", // behind\n"))
    old, new = draw(st.sampled_from(changes))
    return lambda data: data.replace(old, new, 1)


def alone(before, member, *, comments):
    """Whether nothing else stands in the object of ``member``: without it nobody can tell whose blanks are whose."""
    key = re.search(rb"u\d+", member)[0].decode()

    def objects(value):
        yield from [value] if isinstance(value, dict) else []
        for inner in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
            yield from objects(inner)

    return any(found.keys() == {key} for found in objects(JsonDocument.parse(before, comments=comments).value()))


@FORMATS
@given(data=st.data())
@quick
def test_a_replaced_value_is_all_that_changes(comments, data):
    text = data.draw(texts(comments=comments))
    places = list(users_members(JsonDocument.parse(text.encode(), comments=comments).value()))
    assume(places)
    place = data.draw(st.sampled_from(places))
    member = re.search(rf'"{place[-1]}"{GAP}:{GAP}(?=1)', text)
    old = data.draw(st.sampled_from(('"OLD"', '{"OLD":\n1}', '{"a": [1, {"b": 2}]}', "[ ]", "0", "{}", "[1,2]")))
    head, tail = text[: member.end()], text[member.end() + 1 :]
    document = JsonDocument.parse((head + old + tail).encode(), comments=comments)
    value = data.draw(values())
    new = prove_set(document, place, value).document
    after = new.data.decode()
    assert after.startswith(head)
    assert after.endswith(tail)
    assert same_value(new.get(place), value)


def users_members(value, place=()):
    for key, inner in value.items():
        if re.fullmatch(r"u\d+", key):
            yield (*place, key)
        elif isinstance(inner, dict):
            yield from users_members(inner, (*place, key))


@FORMATS
@given(data=st.data())
@quick
def test_numbers_strings_and_comments_stay_as_they_are_written(comments, data):
    before = data.draw(files(comments=comments))
    file = File(before, comments=comments)
    file.put(data.draw(edits))
    after = iter(TOKENS.findall(file.data.decode()))
    assert all(token in after for token in TOKENS.findall(before.decode()))


@FORMATS
@given(data=st.data())
@quick
def test_line_ends_and_bom_are_the_file_s_own(comments, data):
    before = data.draw(files(comments=comments))
    file = File(before, comments=comments)
    file.put(data.draw(edits))
    assert file.data.startswith(b"\xef\xbb\xbf") == before.startswith(b"\xef\xbb\xbf")
    if b"\r\n" in before:
        assert b"\n" not in file.data.replace(b"\r\n", b"")


@given(data=st.data())
@quick
def test_strict_json_means_what_the_standard_library_says(data):
    text = data.draw(texts(comments=False))
    at = data.draw(st.integers(0, len(text)))
    text = (
        text[:at]
        + data.draw(st.sampled_from(("", "", ",", "}", '"', "/", "\\", "1", "\x00", "NaN", "-")))
        + text[at + data.draw(st.integers(0, 2)) :]
    )
    try:
        expected = json.loads(text, parse_constant=lambda name: json.loads(name + "!"))
    except ValueError:
        if text.strip(" \t\r\n"):
            with pytest.raises(DocumentError) as failure:
                JsonDocument.parse(text.encode(), comments=False)
            assert failure.value.line >= 1
            assert failure.value.column >= 1
        return
    document = JsonDocument.parse(text.encode(), comments=False)
    assert same_value(document.value(), expected)
    assert document.get(("no such key",)) is MISSING


@given(garbage=st.binary(max_size=30))
@quick
def test_arbitrary_bytes_are_parsed_or_refused_but_never_crash(garbage):
    for data in (garbage, b'{"a": ' + garbage + b"}"):
        for comments in (False, True):
            try:
                document = JsonDocument.parse(data, comments=comments)
                prove_set(document, ("ours",), 1)
            except (DocumentError, ProofError):
                pass


@FORMATS
@given(data=st.data())
@quick
def test_a_truncated_file_is_refused(comments, data):
    text = data.draw(texts(comments=False)).strip()
    end = data.draw(st.integers(1, len(text) - 1))
    with pytest.raises(DocumentError):
        JsonDocument.parse(text[:end].encode(), comments=comments)

"""Managed blocks: put in, found, and taken out again without a trace."""

import hashlib

import pytest
from agent_connector.documents.base import Origin
from agent_connector.documents.block import blocks, excise, normal, strays, upsert
from agent_connector.errors import ProofError
from hypothesis import given, settings
from hypothesis import strategies as st

BOM = b"\xef\xbb\xbf"

lines = st.sampled_from(
    [
        b"",
        b"   ",
        b"# Title",
        b"text with trailing blanks  ",
        b"caf\xe9 in Latin-1 \xff",
        "größer → 日本".encode(),
        b"```",
        b"```sh",
        b"~~~~",
        b"- item\r",
        b"<!-- a comment -->",
        b"<!-- agent-connector:begin other/quoted hash=0123456789ab -->",
        b"<!-- agent-connector:end other/quoted -->",
    ]
)


@st.composite
def texts(draw):
    eol = draw(st.sampled_from([b"\n", b"\r\n"]))
    ends = st.sampled_from([eol, eol, eol, b"\n", b"\r\n"])
    body = b"".join(line + draw(ends) for line in draw(st.lists(lines, max_size=8)))
    return draw(st.sampled_from([b"", BOM])) + body + draw(st.sampled_from([b"", b"last", b" ", b"\r", b"\x0c"]))


contents = st.one_of(
    st.sampled_from(
        ["One line.", "a\n\nb", "```sh\nls\n```", "```\nnever closed", "~~~\r\nx\r\n~~~", "\n padded \n"]
    ),
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1, max_size=60),
).filter(lambda content: "agent-connector:" not in content)


@given(st.one_of(st.none(), texts()), contents)
@settings(max_examples=400)
def test_an_inserted_block_is_found_and_taking_it_out_gives_back_the_bytes(data, content):
    put = upsert(data, "acme/notes", content, "acme")
    assert put.action == "create"
    [ours] = [block for block in blocks(put.data) if block.id == "acme/notes"]
    assert ours.content == normal(content)
    assert not ours.edited
    assert excise(put.data, ["acme/notes"], origin=put.origin).data == data


@given(texts(), contents)
def test_a_file_that_existed_gets_its_bytes_back_without_any_memory_of_it(data, content):
    assert excise(upsert(data, "acme/notes", content, "acme").data, connector_id="acme").data == data


@given(st.one_of(st.none(), texts()), st.lists(contents, min_size=2, max_size=4), st.data())
@settings(max_examples=300)
def test_blocks_of_several_connectors_go_in_any_order(data, bodies, draw):
    ids = [f"acme{number}/notes" for number in range(len(bodies))]
    current, origin = data, None
    for name, content in zip(ids, bodies, strict=True):
        put = upsert(current, name, content, name.split("/")[0])
        current, origin = put.data, origin or put.origin
    for name in draw.draw(st.permutations(ids)):
        assert current is not None
        current = excise(current, [name], origin=origin).data
    assert current == data


@given(texts(), contents, contents)
def test_a_block_is_replaced_in_place_and_nothing_around_it_moves(data, first, second):
    before = upsert(data, "acme/notes", first, "acme")
    after = upsert(before.data, "acme/notes", second, "acme")
    assert after.data[: after.block.start] == before.data[: before.block.start]
    assert after.data[after.block.end :] == before.data[before.block.end :]
    assert excise(after.data, ["acme/notes"]).data == data


@given(st.one_of(st.none(), texts()), contents)
def test_putting_the_same_block_twice_changes_nothing(data, content):
    once = upsert(data, "acme/notes", content, "acme")
    twice = upsert(once.data, "acme/notes", content, "acme")
    assert (twice.action, twice.data, twice.origin) == ("skip", once.data, None)


@given(texts(), contents, st.sampled_from([b"Added below.\n", b"\nAdded below.\n", b"\n\n## More\n\ntext"]))
def test_text_added_below_afterwards_stays_as_it_is(data, content, added):
    put = upsert(data + b"\nend\n", "acme/notes", content, "acme")
    assert excise(put.data + added, ["acme/notes"], origin=put.origin).data == data + b"\nend\n" + added


@given(texts(), contents)
def test_text_added_above_afterwards_stays_as_it_is(data, content):
    start = len(BOM) if data.startswith(BOM) else 0
    data = data[:start] + b"first\n" + data[start:]
    put = upsert(data, "acme/notes", content, "acme")
    edited = put.data[:start] + b"Above.\n" + put.data[start:]
    assert excise(edited, ["acme/notes"], origin=put.origin).data == data[:start] + b"Above.\n" + data[start:]


@given(texts())
def test_a_text_without_blocks_of_ours_is_left_alone(data):
    assert excise(data, ["acme/notes"], connector_id="acme").data == data


def test_the_block_reads_as_specified():
    put = upsert(b"# Mine\n", "acme/notes", "Use acme.\n", "acme")
    notice = (
        '<!-- Managed by agent-connector for "acme". Do not edit between these markers: run your connector '
        "package's upgrade/sync command to rewrite this block; run its uninstall command to remove it "
        "(framework fallback: `agent-connector uninstall acme`). -->"
    )
    digest = hashlib.sha256(f"{notice}\nUse acme.".encode()).hexdigest()[:12]
    assert put.data.decode() == (
        "# Mine\n\n"
        f"<!-- agent-connector:begin acme/notes hash={digest} -->\n{notice}\nUse acme.\n"
        "<!-- agent-connector:end acme/notes -->\n"
    )


def test_exactly_one_blank_line_stands_between_text_and_block_however_the_text_ends():
    for ending in (b"", b"\n", b"\n\n", b"\n \n\n"):
        put = upsert(b"# Mine" + ending, "acme/notes", "x", "acme")
        assert put.data.startswith(b"# Mine\n\n<!-- agent-connector:begin")
        assert put.data.endswith(b"-->" + ending)


def test_an_absent_file_is_absent_again_and_a_blank_one_blank_again():
    absent = upsert(None, "acme/notes", "x", "acme")
    assert absent.origin == Origin((), created=True)
    assert excise(absent.data, ["acme/notes"], origin=absent.origin).data is None
    blank = upsert(b"\n \n", "acme/notes", "x", "acme")
    assert blank.origin == Origin((), created=False, interior=b"\n \n")
    reformatted = blank.data.rstrip() + b"\n"
    assert excise(reformatted, ["acme/notes"], origin=blank.origin).data == b"\n \n"


def test_a_file_we_created_stays_when_somebody_else_wrote_into_it():
    put = upsert(None, "acme/notes", "x", "acme")
    assert excise(put.data + b"\nMine.\n", ["acme/notes"], origin=put.origin).data == b"\nMine.\n"


def test_a_file_we_created_stays_while_it_holds_a_block_of_another_connector():
    put = upsert(None, "acme/notes", "x", "acme")
    both = upsert(put.data, "zeta/notes", "y", "zeta").data
    first = excise(both, ["acme/notes"], origin=put.origin)
    assert first.data is not None
    assert not first.last
    second = excise(first.data, ["zeta/notes"], origin=put.origin)
    assert second.data is None
    assert second.last


def test_windows_line_ends_are_used_where_the_file_uses_them():
    put = upsert(b"# Mine\r\nmore\r\n", "acme/notes", "a\nb", "acme")
    assert b"\n" not in put.data.replace(b"\r\n", b"")


def test_a_file_converted_to_other_line_ends_or_re_indented_around_is_not_an_edit():
    put = upsert(b"# Mine\n", "acme/notes", "a\nb", "acme").data
    converted = put.replace(b"\n", b"\r\n")
    assert upsert(converted, "acme/notes", "a\nb", "acme").action == "skip"
    assert excise(converted, ["acme/notes"]).data == b"# Mine\r\n"


def test_an_edited_block_is_left_alone_unless_forced_and_told_when_taken_out():
    put = upsert(b"# Mine\n", "acme/notes", "one", "acme").data
    edited = put.replace(b"\none\n", b"\none, and mine\n")
    refused = upsert(edited, "acme/notes", "two", "acme")
    assert (refused.action, refused.data) == ("edited", edited)
    assert upsert(edited, "acme/notes", "one", "acme").action == "edited"
    forced = upsert(edited, "acme/notes", "two", "acme", force=True)
    assert (forced.action, forced.block.content) == ("update", "two")
    gone = excise(edited, ["acme/notes"])
    assert gone.data == b"# Mine\n"
    assert [block.edited for block in gone.removed] == [True]
    assert gone.removed[0].content == "one, and mine"


def test_an_edit_that_was_undone_by_hand_is_none():
    put = upsert(b"", "acme/notes", "one", "acme").data
    assert not blocks(put.replace(b"one", b"two").replace(b"two", b"one"))[0].edited


def test_markers_quoted_in_a_fence_are_text():
    real = upsert(b"", "acme/notes", "x", "acme").data.strip()
    for fence in (b"```", b"~~~~", b"  ```"):
        quoted = b"Look:\n" + fence + b"md\n" + real + b"\n" + fence.strip() + b"\n"
        assert blocks(quoted) == ()
        assert excise(quoted, connector_id="acme").data == quoted
        assert [block.id for block in blocks(upsert(quoted, "acme/notes", "x", "acme").data)] == ["acme/notes"]


def test_a_fence_that_is_never_closed_does_not_hide_a_block():
    data = b"```\nforgotten\n"
    put = upsert(data, "acme/notes", "```sh\nls\n```", "acme")
    assert upsert(put.data, "acme/notes", "```sh\nls\n```", "acme").action == "skip"
    assert excise(put.data, ["acme/notes"]).data == data


def test_a_lone_marker_in_a_fence_does_not_swallow_the_text_behind_it():
    data = (
        b"```\n<!-- agent-connector:begin acme/notes hash=1 -->\n```\nmine\n<!-- agent-connector:end acme/notes -->\n"
    )
    assert blocks(data) == ()
    assert b"mine" in (excise(data, connector_id="acme").data or b"")


def test_of_lone_markers_only_their_lines_go():
    put = upsert(b"# Mine\n", "acme/notes", "kept", "acme").data
    without_end = put.replace(b"<!-- agent-connector:end acme/notes -->\n", b"") + b"more\n"
    assert [stray.id for stray in strays(without_end)] == ["acme/notes"]
    assert excise(without_end, connector_id="acme").data == b"# Mine\n\nkept\nmore\n"
    without_begin = b"a\n<!-- agent-connector:end acme/notes -->\nb\n"
    repaired = upsert(without_begin, "acme/notes", "x", "acme")
    assert repaired.repaired == 1
    assert excise(repaired.data, ["acme/notes"]).data == b"a\nb\n"


def test_lone_markers_of_others_stay():
    data = b"a\n<!-- agent-connector:end zeta/notes -->\n"
    assert excise(data, connector_id="acme").data == data


def test_duplicates_collapse_into_the_first():
    one = upsert(b"# Mine\n", "acme/notes", "x", "acme").data
    twice = one + b"\n" + one[len(b"# Mine\n\n") :]
    assert len(blocks(twice)) == 2
    put = upsert(twice, "acme/notes", "x", "acme")
    assert (put.action, put.data, put.repaired) == ("update", one, 1)


def test_every_block_of_a_connector_goes_by_its_prefix_and_no_other():
    data = upsert(b"# Mine\n", "acme/one", "1", "acme").data
    data = upsert(data, "acme-db/one", "2", "acme-db").data
    data = upsert(data, "acme/two", "3", "acme").data
    gone = excise(data, connector_id="acme")
    assert [block.id for block in gone.removed] == ["acme/one", "acme/two"]
    assert [block.id for block in blocks(gone.data or b"")] == ["acme-db/one"]


@pytest.mark.parametrize(
    ("data", "block_id", "content"),
    [
        ("text".encode("utf-16"), "acme/notes", "x"),
        ("text".encode("utf-16-le"), "acme/notes", "x"),
        (b"", "acme/notes", "<!-- agent-connector:end acme/notes -->"),
        (b"", "acme notes", "x"),
        (b"", "acme", "x"),
        (b"", "acme/notes", "\ud800"),
    ],
)
def test_what_could_not_be_taken_out_again_is_refused(data, block_id, content):
    with pytest.raises(ProofError):
        upsert(data, block_id, content, "acme")

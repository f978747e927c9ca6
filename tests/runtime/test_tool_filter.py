"""A choice of tools that the host does not make: what is left out is neither shown nor called."""

from __future__ import annotations

import fnmatch
import json

import pytest
from agent_connector.runtime.tool_filter import ToolFilter, fits
from hypothesis import given
from hypothesis import strategies as st


class Between:
    def __init__(self, include=("*",), exclude=()) -> None:
        self.answers: list[bytes] = []
        self.filter = ToolFilter(list(include), list(exclude), self.answers.append)

    def client(self, *messages) -> list:
        return _read(self.filter.from_client(_lines(*messages)))

    def server(self, *messages) -> list:
        return _read(self.filter.from_server(_lines(*messages)))


def _lines(*messages) -> bytes:
    return b"".join((json.dumps(message) + "\n").encode() for message in messages)


def _read(data: bytes) -> list:
    return [json.loads(line) for line in data.splitlines()]


LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
TOOLS = {"jsonrpc": "2.0", "id": 1, "result": {"tools": [{"name": "read"}, {"name": "drop"}], "nextCursor": "c"}}


def call(tool: str, number: int = 2) -> dict:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool}}


def test_the_list_shows_what_is_chosen_and_nothing_else_of_it_changes():
    between = Between(exclude=["drop"])

    assert between.client(LIST) == [LIST]
    assert between.server(TOOLS) == [{**TOOLS, "result": {"tools": [{"name": "read"}], "nextCursor": "c"}}]
    assert between.server(TOOLS) == [TOOLS]  # nobody asked


def test_a_call_of_what_is_left_out_never_reaches_the_server():
    between = Between(include=["re*"])

    assert between.client(call("drop"), call("read", 3)) == [call("read", 3)]
    (answer,) = map(json.loads, between.answers)
    assert (answer["id"], answer["error"]["code"]) == (2, -32602)
    assert "drop" in answer["error"]["message"]


def test_of_a_batch_only_the_forbidden_calls_are_taken_out():
    between = Between(exclude=["drop"])

    assert between.client([call("drop", 1), call("read", 2)]) == [[call("read", 2)]]
    assert [[message["id"] for message in json.loads(answer)] for answer in between.answers] == [[1]]


def test_a_method_written_with_escapes_is_the_same_method():
    between = Between(exclude=["drop"])

    line = json.dumps(call("drop")).replace("tools/call", "tools\\u002fcall").encode() + b"\n"

    assert between.filter.from_client(line) == b""
    assert between.answers


@pytest.mark.parametrize(
    ("line", "answered"),
    [
        (b'{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"drop"}}' % (b"9" * 5000), None),
        (b'{"jsonrpc":"2.0","x":NaN,"id":7,"method":"tools/call","params":{"name":"drop"}}', 7),
        (b'{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"x":1e999,"name":"drop"}}', 7),
        (b'{"x":"\xff","jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"drop"}}', 7),
        (b'{"id":7,"method":"tools/call","params":{"a":%s,"name":"drop"}}' % (b"[" * 9000 + b"]" * 9000), 7),
    ],
    ids=["endless id", "no number", "infinity", "other bytes", "too deep"],
)
def test_no_odd_spelling_carries_a_forbidden_call_past(line, answered):
    between = Between(exclude=["drop"])

    assert between.filter.from_client(line + b"\n") == b""
    (answer,) = map(json.loads, between.answers)
    assert (answer["id"], answer["error"]["code"]) == (answered, -32602)


def test_what_is_written_oddly_and_not_forbidden_passes_as_it_is():
    line = b'{"jsonrpc":"2.0","x":NaN,"id":%s,"method":"tools/call","params":{"name":"read"}}\n' % (b"9" * 5000)

    assert Between(exclude=["drop"]).filter.from_client(line) == line


def test_an_answer_in_the_servers_place_waits_for_the_end_of_the_servers_line():
    between = Between(exclude=["drop"])
    assert between.filter.from_server(b'{"half":') == b'{"half":'

    between.client(call("drop"))
    assert not between.answers
    ending, answer, following = between.filter.from_server(b"1}\n{}\n").splitlines()

    assert (ending, following) == (b"1}", b"{}")
    assert json.loads(answer)["id"] == 2


@pytest.mark.parametrize("data", [b"Ready.\n", b"{broken\n", b"no end", b"\xff\n\r\n"])
def test_everything_else_passes_as_it_is(data):
    between = Between(exclude=["drop"])

    assert between.filter.from_server(data) + between.filter.rest_of_server() == data
    assert between.filter.from_client(data) + between.filter.rest_of_client() == data


@given(st.lists(st.binary(max_size=30) | st.just(b"\n"), max_size=20))
def test_streams_without_tools_come_through_whatever_they_are_cut_into(pieces):
    between = Between(exclude=["drop"])

    onward = b"".join(map(between.filter.from_client, pieces)) + between.filter.rest_of_client()

    assert onward == b"".join(pieces)


@given(st.text("ab*?[]", max_size=8), st.text("ab", max_size=8))
def test_patterns_mean_what_they_mean_in_file_names(pattern, name):
    assert fits(name, pattern) == fnmatch.fnmatchcase(name, pattern)

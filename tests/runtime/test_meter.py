"""Which calls were made, and what became of each, told from the bytes of both sides."""

from __future__ import annotations

import json

import pytest
from agent_connector.runtime.lines import LINE_CAP
from agent_connector.runtime.meter import Answered, Meter


class Talk:
    """A client and a server that talk past a meter, in pieces of any size."""

    def __init__(self, piece: int = 1 << 20, *, lists: bool = True) -> None:
        self.answered: list[Answered] = []
        self.meter = Meter(self.answered.append, lists=lists)
        self.piece = piece

    def client(self, *messages: object) -> None:
        self._feed(self.meter.client_said, messages)
        self.meter.catch_up()

    def server(self, *messages: object) -> None:
        self._feed(self.meter.server_said, messages)
        self.meter.catch_up()

    def _feed(self, said, messages) -> None:
        data = b"".join(m if isinstance(m, bytes) else (json.dumps(m) + "\n").encode() for m in messages)
        for start in range(0, len(data), self.piece):
            said(data[start : start + self.piece])

    @property
    def calls(self) -> list[tuple[str, bool]]:
        return [(done.call.tool, done.error) for done in self.answered]


def call(number: object, tool: str = "fetch", **params: object) -> dict[str, object]:
    params = {"name": tool, "arguments": {"q": "x"}, **params}
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params}


def result(number: object, **more: object) -> dict[str, object]:
    return {"jsonrpc": "2.0", "id": number, "result": {"content": [{"type": "text", "text": "y"}], **more}}


@pytest.mark.parametrize("piece", [1, 7, 1 << 20])
def test_a_call_and_its_answer_make_one_measured_call_however_they_are_cut(piece):
    talk = Talk(piece)

    talk.client(call(1, "one"), call(2, "two"))
    talk.server(result(2), result(1, isError=True))

    assert talk.calls == [("two", False), ("one", True)]
    assert [json.loads(b"".join(done.result))["id"] for done in talk.answered if done.result] == [2, 1]
    assert all(done.call.milliseconds >= 0 for done in talk.answered)


def test_ids_of_another_type_are_other_ids():
    talk = Talk()

    talk.client(call(1, "number"), call("1", "text"))
    talk.server(result("1"))

    assert talk.calls == [("text", False)]


@pytest.mark.parametrize(
    "odd",
    [
        b'{"x":NaN}',
        b'{"x":' + b"[" * 600 + b"]" * 600 + b"}",
        b'{"x":"\xff"}',
        b'{"x":' + b"9" * 5000 + b"}",
    ],
    ids=["not a number", "deep", "no UTF-8", "long number"],
)
def test_what_only_others_can_read_is_a_call_and_its_answer_all_the_same(odd):
    head = b'{"jsonrpc":"2.0","id":1,'
    in_answer, in_call = Talk(), Talk()

    in_answer.client(call(1))
    in_answer.server(head + b'"result":{"content":[],"structuredContent":' + odd + b"}}\n")
    in_call.client(head + b'"method":"tools/call","params":{"name":"fetch","arguments":' + odd + b"}}\n")
    in_call.server(result(1))

    for talk in (in_answer, in_call):
        assert talk.calls == [("fetch", False)]
        assert talk.answered[0].returned > 0


@pytest.mark.parametrize("size", [40_000, LINE_CAP + 40_000])
@pytest.mark.parametrize(("data", "binary"), [("iVBORw0K", True), ("an order", False)])
def test_long_base64_is_told_from_long_text(size, data, binary):
    talk = Talk()
    block = {"type": "image", "mimeType": "image/png", "data": data * (size // len(data))}

    talk.client(call(1))
    talk.server({"jsonrpc": "2.0", "id": 1, "result": {"content": [block]}})

    assert [done.binary for done in talk.answered] == [binary]


def test_an_error_is_an_answer():
    talk = Talk()

    talk.client(call(1))
    talk.server({"jsonrpc": "2.0", "id": 1, "error": {"code": -32602, "message": "no"}})

    assert talk.calls == [("fetch", True)]


def test_what_the_server_asks_under_the_same_id_is_no_answer():
    talk = Talk()

    talk.client(call(1))
    talk.server({"jsonrpc": "2.0", "id": 1, "method": "sampling/createMessage", "params": {}})
    talk.client({"jsonrpc": "2.0", "id": 1, "result": {"content": []}})
    talk.server(result(1))

    assert talk.calls == [("fetch", False)]


def test_batches_are_taken_apart():
    talk = Talk()

    talk.client([call(1, "a"), {"jsonrpc": "2.0", "method": "notifications/x"}, call(2, "b")])
    talk.server([result(2), result(1)])

    assert sorted(talk.calls) == [("a", False), ("b", False)]


def test_rounds_that_ask_the_person_are_one_call_without_the_persons_time(monkeypatch):
    now = [0.0]
    monkeypatch.setattr("agent_connector.runtime.meter.monotonic", lambda: now[0])
    talk = Talk()

    talk.client(call(1))
    now[0] += 0.010
    talk.server({"jsonrpc": "2.0", "id": 1, "result": {"resultType": "input_required", "requestState": "v1.secret"}})
    now[0] += 60
    talk.client(call(2, inputResponses={"a": {"action": "accept"}}, requestState="v1.secret"))
    now[0] += 0.005
    talk.server(result(2))

    assert talk.calls == [("fetch", False)]
    assert talk.answered[0].call.milliseconds == pytest.approx(15)
    assert b"secret" not in b"".join(talk.answered[0].call.request or ())


def test_a_cancelled_call_and_one_that_is_never_answered_count_as_failed():
    talk = Talk()

    talk.client(call(1, "cancelled"), call(2, "lost"))
    talk.client({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
    talk.server(result(1))
    talk.meter.ended()

    assert talk.calls == [("cancelled", True), ("lost", True)]


def test_lists_of_tools_are_handed_on_unless_nobody_wants_them():
    wanted, unwanted = Talk(), Talk(lists=False)
    for talk in (wanted, unwanted):
        talk.client({"jsonrpc": "2.0", "id": 1, "method": "tools/list"})
        talk.server({"jsonrpc": "2.0", "id": 1, "result": {"tools": []}})

    assert [done.call.is_list for done in wanted.answered] == [True]
    assert unwanted.answered == []


@pytest.mark.parametrize(
    "hello",
    [
        {"method": "initialize", "id": 0, "params": {"clientInfo": {"name": "ada"}}},
        {
            "method": "server/discover",
            "id": 0,
            "params": {"_meta": {"io.modelcontextprotocol/clientInfo": {"name": "ada"}}},
        },
    ],
)
def test_the_client_is_known_in_either_era(hello):
    talk = Talk()

    talk.client({"jsonrpc": "2.0", **hello}, call(1))
    talk.server(result(1))

    assert talk.answered[0].client == "ada"


@pytest.mark.parametrize("order", ["python", "typescript"])
def test_long_answers_are_found_by_their_ends(order):
    text = "z" * 300_000
    answer = {"jsonrpc": "2.0", "id": 1, "result": {"content": [{"type": "text", "text": text}], "isError": True}}
    if order == "typescript":
        answer = {"result": answer["result"], "jsonrpc": "2.0", "id": 1}
    talk = Talk(65536)

    talk.client(call(1))
    talk.server(answer)

    assert talk.calls == [("fetch", True)]
    assert json.loads(b"".join(talk.answered[0].result or ())) == answer


def test_of_an_answer_too_long_to_keep_the_size_is_known():
    talk = Talk(65536)

    talk.client(call(1))
    talk.server(result(1, filler="z" * (LINE_CAP + 10_000)))

    assert talk.calls == [("fetch", False)]
    assert talk.answered[0].result is None
    assert talk.answered[0].returned > LINE_CAP


@pytest.mark.parametrize(
    "noise", [b"Server ready\n", b"{broken\n", b"\xff\xfe\n", b"[]\n", b"null\n", b"\r\n", b'{"id":1}\n']
)
def test_noise_is_passed_over(noise):
    talk = Talk()

    talk.client(noise, call(1), noise)
    talk.server(noise, result(1), noise)

    assert talk.calls == [("fetch", False)]

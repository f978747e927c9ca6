"""The ends of a JSON-RPC line tell what they tell for certain, and never anything that is not so."""

from __future__ import annotations

import json

from agent_connector.runtime.envelope import message_at
from hypothesis import given
from hypothesis import strategies as st

PLAIN = st.none() | st.booleans() | st.integers(-(10**6), 10**6) | st.text(max_size=12)
NAMES = st.sampled_from(["id", "method", "jsonrpc", "name", "isError", "resultType", 'x,"id', "a\\", "b:}", ""])
VALUES = st.recursive(
    PLAIN, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3), max_leaves=8
)
HOLDERS = st.dictionaries(st.sampled_from(["params", "result", "error"]), VALUES, max_size=1)


@st.composite
def messages(draw):
    """Members in any order, of which one may hold others: as in JSON-RPC."""
    members = [*draw(HOLDERS).items(), *draw(st.dictionaries(NAMES, PLAIN, max_size=4)).items()]
    return dict(draw(st.permutations(members)))


SPACING = st.sampled_from([(",", ":"), (", ", ": ")])
CUTS = st.integers(0, 200)


@given(messages(), SPACING, CUTS, st.booleans())
def test_whatever_is_told_of_a_message_is_so(message, spacing, cut, ascii_only):
    line = json.dumps(message, separators=spacing, ensure_ascii=ascii_only).encode()

    told = message_at(line[:cut], line[-cut:] if cut else b"")

    for name, value in told.items():
        assert name in message
        if isinstance(value, dict) and isinstance(message[name], dict):
            assert {key: message[name][key] for key in value} == value
        elif isinstance(value, dict):
            assert isinstance(message[name], list)
            assert value == {}
        else:
            assert message[name] == value


def test_the_usual_orders_of_members_tell_all_that_is_needed():
    big = "x" * 100_000
    result = {"content": [{"type": "text", "text": big}], "isError": True}
    python = json.dumps({"jsonrpc": "2.0", "id": 7, "result": result}).encode()
    typescript = json.dumps({"result": result, "jsonrpc": "2.0", "id": "7"}, separators=(",", ":")).encode()
    request = json.dumps(
        {"method": "tools/call", "params": {"name": "fetch", "arguments": {"q": big}}, "id": 0}
    ).encode()

    assert message_at(python[:4096], python[-4096:]) == {"jsonrpc": "2.0", "id": 7, "result": {"isError": True}}
    assert message_at(typescript[:4096], typescript[-4096:]) == {
        "jsonrpc": "2.0",
        "id": "7",
        "result": {"isError": True},
    }
    assert message_at(request[:4096], request[-4096:]) == {
        "method": "tools/call",
        "params": {"name": "fetch"},
        "id": 0,
    }

"""What a handler answers."""

from __future__ import annotations

import pytest
from agent_connector import Response


@pytest.mark.parametrize(
    ("response", "said"),
    [
        (Response.allow(), {"decision": "allow"}),
        (Response.deny("no"), {"decision": "deny", "reason": "no"}),
        (Response.ask("sure?"), {"decision": "ask", "reason": "sure?"}),
        (Response.modify({"a": 1}), {"decision": "modify", "updated_input": {"a": 1}}),
        (Response.context("x"), {"decision": "context", "additional_context": "x"}),
        (Response.output("x"), {"decision": "allow", "updated_output": "x"}),
        (Response(), {}),
    ],
)
def test_a_response_says_only_what_was_given(response, said):
    assert response.to_dict() == said


def test_responses_compare_by_what_they_say():
    assert Response.deny("a") == Response("deny", reason="a")
    assert hash(Response.deny("a")) == hash(Response("deny", reason="a"))
    assert Response.deny("a") != Response.ask("a")
    assert repr(Response.deny("a")) == "Response(decision='deny', reason='a')"


def test_a_response_has_no_other_fields():
    with pytest.raises(AttributeError):
        Response.allow().reson = "x"

"""What handlers answer: which shapes are understood, and what several answers come to."""

from __future__ import annotations

import pytest
from agent_connector import Response
from agent_connector.runtime.answers import AnswerError, merged, response_of


@pytest.mark.parametrize(
    ("answer", "response"),
    [
        (None, {}),
        ({}, {}),
        ({"decision": None}, {}),
        (Response.deny("no"), {"decision": "deny", "reason": "no"}),
        (Response(), {}),
        (
            {"decision": "modify", "updatedInput": {"a": 1}, "x": 2},
            {"decision": "modify", "updated_input": {"a": 1}},
        ),
        ({"updated_input": {"a": 1}}, {"decision": "modify", "updated_input": {"a": 1}}),
        ({"additionalContext": "c"}, {"decision": "context", "additional_context": "c"}),
        ({"updatedOutput": "o"}, {"updated_output": "o"}),
        ({"reason": "alone"}, {}),
    ],
)
def test_a_response_is_understood_in_either_spelling(answer, response):
    assert response_of(answer) == response


@pytest.mark.parametrize("field", ["additional_context", "updated_input", "updated_output"])
def test_a_grant_is_never_implied(field):
    value = {} if field == "updated_input" else "x"

    assert response_of({field: value}).get("decision") != "allow"


@pytest.mark.parametrize(
    "answer",
    [
        "deny",
        True,
        0,
        ["deny"],
        {"decison": "deny"},
        {"decision": "DENY"},
        {"decision": ["deny"]},
        {"decision": "deny", "reason": 3},
        {"decision": "modify"},
        {"decision": "modify", "updated_input": "x"},
        {"decision": "modify", "updated_input": {"when": object()}},
        {"additional_context": {"not": "text"}},
        {"updated_input": {"number": float("nan")}},
    ],
)
def test_what_is_no_response_is_refused_as_a_whole(answer):
    with pytest.raises(AnswerError):
        response_of(answer)


DENY = {"decision": "deny", "reason": "no"}
ASK = {"decision": "ask", "reason": "sure?"}
ALLOW = {"decision": "allow"}
MODIFY = {"decision": "modify", "updated_input": {"a": 1}, "reason": "first"}
LATER = {"decision": "modify", "updated_input": {"b": 2}}
KNOW = {"decision": "context", "additional_context": "one"}
MORE = {"decision": "context", "additional_context": "two"}


@pytest.mark.parametrize(
    ("responses", "result"),
    [
        ([], {}),
        ([{}, {}], {}),
        ([ALLOW, {}], ALLOW),
        ([ALLOW, DENY, ASK], DENY),
        ([DENY, {"decision": "deny", "reason": "second"}], DENY),
        ([MODIFY, DENY], DENY),
        ([ALLOW, ASK], ASK),
        ([MODIFY, ASK], {**ASK, "updated_input": {"a": 1}}),
        ([MODIFY, LATER], {"decision": "modify", "updated_input": {"b": 2}, "reason": "first"}),
        ([ALLOW, MODIFY], MODIFY),
        ([KNOW, MORE], {"decision": "context", "additional_context": "one\n\ntwo"}),
        ([KNOW, DENY, MORE], {**DENY, "additional_context": "one\n\ntwo"}),
        ([ALLOW, KNOW], {"decision": "allow", "additional_context": "one"}),
        ([{"updated_output": "x"}, {"updated_output": "y"}], {"updated_output": "y"}),
    ],
)
def test_several_answers_become_one(responses, result):
    assert merged(responses) == result


@pytest.mark.parametrize("others", [[ALLOW], [ASK, MODIFY], [KNOW, ALLOW, LATER]])
def test_a_deny_wins_wherever_it_stands(others):
    for place in range(len(others) + 1):
        assert merged([*others[:place], DENY, *others[place:]])["decision"] == "deny"

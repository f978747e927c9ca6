"""What handlers answer: one shape for all of them, and one answer of several. Loaded where an entry has answered."""

from __future__ import annotations

from ..response import DECISIONS, RESPONSE_FIELDS
from .jsontext import dumps

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

_CAMEL = {
    "updatedInput": "updated_input",
    "additionalContext": "additional_context",
    "updatedOutput": "updated_output",
}
_TEXTS = ("reason", "additional_context", "updated_output")


class AnswerError(Exception):
    """A handler answered something that is no response."""


def response_of(answer: Any) -> dict[str, Any]:
    """A handler's answer as a response: the fields that are said, by name. Raises :class:`AnswerError`.

    What cannot be told (an unknown decision, an input that is no object) is refused as a whole, so that half of an
    answer is never carried out.
    """
    if answer is None:
        return {}
    if hasattr(answer, "to_dict"):
        answer = answer.to_dict()
    if not isinstance(answer, dict):
        raise AnswerError(f"answered a {type(answer).__name__}, not a response")
    said = {_CAMEL.get(key, key): value for key, value in answer.items() if value is not None}
    response = {name: said[name] for name in RESPONSE_FIELDS if name in said}
    if said and not response:
        raise AnswerError("answered an object without any field of a response")
    _check(response)
    return _settled(response)


def _check(response: dict[str, Any]) -> None:
    decision = response.get("decision")
    if decision is not None and decision not in DECISIONS:
        raise AnswerError("answered a decision that there is not")
    for name in _TEXTS:
        if not isinstance(response.get(name, ""), str):
            raise AnswerError(f"answered {name} that is no text")
    if not isinstance(response.get("updated_input", {}), dict):
        raise AnswerError("answered updated_input that is no object")
    if decision == "modify" and "updated_input" not in response:
        raise AnswerError("answered modify without updated_input")
    try:
        dumps(response)
    except ValueError:
        raise AnswerError("answered what JSON cannot say") from None


def _settled(response: dict[str, Any]) -> dict[str, Any]:
    """With the decision that fields imply said out loud. ``allow`` is never implied: it may grant something."""
    if "decision" in response:
        return response
    if "updated_input" in response:
        return {"decision": "modify", **response}
    if "additional_context" in response:
        return {"decision": "context", **response}
    return response if "updated_output" in response else {}


def merged(responses: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """One response of several, in order: a deny wins, then an ask, then the last modify, then an explicit allow.

    Contexts are joined by an empty line; the last replaced output counts. An input that was changed stays changed
    when the person is asked about it.
    """
    responses = [response for response in responses if response]
    if len(responses) < 2:
        return dict(responses[0]) if responses else {}
    decisions = [response.get("decision") for response in responses]
    decision = next((word for word in ("deny", "ask", "modify", "allow", "context") if word in decisions), None)
    result: dict[str, Any] = {}
    if decision:
        result["decision"] = decision
        deciding = [response for response in responses if response.get("decision") == decision]
        reasons = [response["reason"] for response in deciding if response.get("reason")]
        if reasons:
            result["reason"] = reasons[-1] if decision == "modify" else reasons[0]
    if decision in ("ask", "modify"):
        inputs = [response["updated_input"] for response in responses if "updated_input" in response]
        if inputs:
            result["updated_input"] = inputs[-1]
    contexts = [response["additional_context"] for response in responses if response.get("additional_context")]
    if contexts:
        result["additional_context"] = "\n\n".join(contexts)
    outputs = [response["updated_output"] for response in responses if "updated_output" in response]
    if outputs:
        result["updated_output"] = outputs[-1]
    return result

"""The Gemini dialect of the model stand-in: what Gemini CLI speaks (``:generateContent``, streamed or not)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from model_script import Call, Step, has_script, step

USAGE = {
    "promptTokenCount": 1001,
    "cachedContentTokenCount": 64,
    "candidatesTokenCount": 11,
    "thoughtsTokenCount": 5,
    "totalTokenCount": 1017,
}
"""Reported for every reply, so that readers of usage logs have something to add up."""


def offered_tools(body: dict[str, Any]) -> list[str]:
    return [one["name"] for tool in body.get("tools", []) for one in tool.get("functionDeclarations", [])]


def tool_results(body: dict[str, Any]) -> list[tuple[str, bool]]:
    """(text, is_error) of every tool result in the conversation, oldest first; an error stands under its own key."""
    answers = [part["functionResponse"] for part in _parts(body["contents"]) if "functionResponse" in part]
    return [(_result(answer["response"]), "error" in answer["response"]) for answer in answers]


def conversation(body: dict[str, Any]) -> str:
    """Everything the model was given to read, the tool definitions aside."""
    system = body.get("systemInstruction") or {"parts": []}
    return "\n".join(_text(part) for part in _parts([system, *body["contents"]]))


def next_step(body: dict[str, Any]) -> Step:
    prompt, turns = "", 0
    for content in body["contents"]:
        if content.get("role") == "model":
            turns += 1
        elif has_script(text := "\n".join(part["text"] for part in content["parts"] if "text" in part)):
            prompt, turns = text, 0
    return step(prompt, turns)


def reply(body: dict[str, Any], wanted: Step, number: int) -> dict[str, Any]:
    del body
    if isinstance(wanted, Call):
        part: dict[str, Any] = {"functionCall": {"name": wanted.tool, "args": wanted.arguments}}
    else:
        part = {"text": wanted.text}
    candidate = {"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}
    return {
        "candidates": [candidate],
        "usageMetadata": USAGE,
        "modelVersion": "scripted",
        "responseId": f"resp-{number:06}",
    }


def events(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The same reply as a stream: one piece is all of it."""
    yield message


def _parts(contents: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [part for content in contents for part in content["parts"]]


def _text(part: dict[str, Any]) -> str:
    if "functionResponse" in part:
        return _result(part["functionResponse"]["response"])
    return str(part.get("text", ""))


def _result(response: dict[str, Any]) -> str:
    said = response.get("error", response.get("output", response))
    return said if isinstance(said, str) else json.dumps(said, ensure_ascii=False)

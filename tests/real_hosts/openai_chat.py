"""The chat completions dialect of the model stand-in: what most hosts speak to a model of one's own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from model_script import Call, Step, has_script, step

USAGE = {
    "prompt_tokens": 1001,
    "prompt_tokens_details": {"cached_tokens": 64},
    "completion_tokens": 17,
    "completion_tokens_details": {"reasoning_tokens": 5},
    "total_tokens": 1018,
}
"""Reported for every reply, so that readers of usage logs have something to add up."""

END_OF_STREAM = "[DONE]"


def offered_tools(body: dict[str, Any]) -> list[str]:
    return [tool["function"]["name"] for tool in body.get("tools") or []]


def tool_results(body: dict[str, Any]) -> list[tuple[str, bool]]:
    """(text, False) of every tool result in the conversation, oldest first; this dialect marks no errors."""
    return [(_text(message["content"]), False) for message in body["messages"] if message["role"] == "tool"]


def conversation(body: dict[str, Any]) -> str:
    """Everything the model was given to read, the tool definitions aside."""
    return "\n".join(_text(message.get("content")) for message in body["messages"])


def next_step(body: dict[str, Any]) -> Step:
    prompt, turns = "", 0
    for message in body["messages"]:
        if message["role"] == "assistant":
            turns += 1
        elif message["role"] == "user" and has_script(text := _text(message["content"])):
            prompt, turns = text, 0
    return step(prompt, turns)


def reply(body: dict[str, Any], wanted: Step, number: int) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": None}
    if isinstance(wanted, Call):
        function = {"name": wanted.tool, "arguments": json.dumps(wanted.arguments)}
        message["tool_calls"] = [{"id": f"call_{number:06}", "type": "function", "function": function}]
    else:
        message["content"] = wanted.text
    finish = "tool_calls" if isinstance(wanted, Call) else "stop"
    return {
        "id": f"chatcmpl-{number:06}",
        "object": "chat.completion",
        "created": 0,
        "model": body.get("model", "scripted"),
        "choices": [{"index": 0, "message": message, "finish_reason": finish}],
        "usage": USAGE,
    }


def events(completion: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The same reply as a stream."""
    choice = completion["choices"][0]
    delta = dict(choice["message"])
    if "tool_calls" in delta:
        delta["tool_calls"] = [{"index": 0, **call} for call in delta["tool_calls"]]
    head = {**completion, "object": "chat.completion.chunk", "usage": None}
    yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": choice["finish_reason"]}]}
    yield {**head, "choices": [], "usage": USAGE}


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(part.get("text", "") for part in content)
    return content or ""

"""The Messages dialect of the model stand-in: what Claude Code speaks (``POST /v1/messages``, SSE or plain)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from model_script import Call, Step, has_script, step

USAGE = {"input_tokens": 1001, "cache_creation_input_tokens": 32, "cache_read_input_tokens": 64, "output_tokens": 17}
"""Reported for every reply, so that readers of usage logs have something to add up."""

WAIT_TOOL = "WaitForMcpServers"
"""Offered by the host while servers are still starting; a sensible model calls it before giving up on a tool."""


def offered_tools(body: dict[str, Any]) -> list[str]:
    return [tool["name"] for tool in body.get("tools", [])]


def tool_results(body: dict[str, Any]) -> list[tuple[str, bool]]:
    """(text, is_error) of every tool result in the conversation, oldest first."""
    return [
        (_text(block.get("content", "")), bool(block.get("is_error")))
        for message in body["messages"]
        for block in _blocks(message)
        if block.get("type") == "tool_result"
    ]


def conversation(body: dict[str, Any]) -> str:
    """Everything the model was given to read, the tool definitions aside."""
    return "\n".join([_text(body.get("system", "")), *(_text(m["content"]) for m in body["messages"])])


def next_step(body: dict[str, Any]) -> Step:
    prompt, turns = "", 0
    for message in body["messages"]:
        if message["role"] == "user":
            text = "\n".join(b["text"] for b in _blocks(message) if b.get("type") == "text")
            if has_script(text):
                prompt, turns = text, 0
        elif message["role"] == "assistant":
            turns += not any(b.get("name") == WAIT_TOOL for b in _blocks(message))
    wanted = step(prompt, turns)
    tools = offered_tools(body)
    if isinstance(wanted, Call) and wanted.tool not in tools and WAIT_TOOL in tools:
        return Call(WAIT_TOOL, {})
    return wanted


def reply(body: dict[str, Any], wanted: Step, number: int) -> dict[str, Any]:
    if isinstance(wanted, Call):
        block = {"type": "tool_use", "id": f"toolu_{number:06}", "name": wanted.tool, "input": wanted.arguments}
    else:
        block = {"type": "text", "text": wanted.text}
    return {
        "id": f"msg_{number:06}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "scripted"),
        "content": [block],
        "stop_reason": "tool_use" if isinstance(wanted, Call) else "end_turn",
        "stop_sequence": None,
        "usage": USAGE,
    }


def events(message: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The same reply as a stream."""
    block = message["content"][0]
    opening = {**message, "content": [], "stop_reason": None, "usage": {**USAGE, "output_tokens": 1}}
    yield {"type": "message_start", "message": opening}
    if block["type"] == "tool_use":
        empty = {**block, "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
    else:
        empty = {**block, "text": ""}
        delta = {"type": "text_delta", "text": block["text"]}
    yield {"type": "content_block_start", "index": 0, "content_block": empty}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    ending = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": USAGE}
    yield {"type": "message_stop"}


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(b["text"] if "text" in b else _text(b.get("content", "")) for b in content)

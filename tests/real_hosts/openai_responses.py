"""The Responses dialect of the model stand-in: what Codex speaks (``POST /v1/responses``, SSE)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from model_script import Call, Step, has_script, step

USAGE = {
    "input_tokens": 1001,
    "input_tokens_details": {"cached_tokens": 64},
    "output_tokens": 17,
    "output_tokens_details": {"reasoning_tokens": 5},
    "total_tokens": 1018,
}
"""Reported for every reply, so that readers of usage logs have something to add up."""

SHELL_TOOL = "exec_command"
WAIT = {"cmd": "sleep 1", "yield_time_ms": 5000}
"""Codex starts its first request without waiting for MCP servers and has no tool to wait with: a nap serves."""
MOST_WAITS = 20


def offered_tools(body: dict[str, Any]) -> list[str]:
    """Bare names, and ``<namespace>__<name>`` for tools in a namespace (MCP)."""
    names: list[str] = []
    for tool in body.get("tools", []):
        if tool.get("type") == "namespace":
            names += [f"{tool['name']}__{inner['name']}" for inner in tool["tools"]]
        else:
            names.append(tool.get("name", tool["type"]))
    return names


def tool_results(body: dict[str, Any]) -> list[tuple[str, bool]]:
    """(text, False) of every tool result in the conversation, oldest first; this dialect marks no errors.

    The stand-in's own naps are left out.
    """
    naps = {item.get("call_id") for item in body["input"] if _is_nap(item)}
    return [
        (_text(item["output"]), False)
        for item in body["input"]
        if item.get("type") == "function_call_output" and item["call_id"] not in naps
    ]


def conversation(body: dict[str, Any]) -> str:
    """Everything the model was given to read, the tool definitions aside."""
    parts = [body.get("instructions") or ""]
    parts += [_text(item.get("content") or item.get("output") or "") for item in body["input"]]
    return "\n".join(parts)


def next_step(body: dict[str, Any]) -> Step:
    prompt, turns, naps = "", 0, 0
    for item in body["input"]:
        if item.get("type", "message") == "message" and item.get("role") == "user":
            text = _text(item["content"])
            if has_script(text):
                prompt, turns, naps = text, 0, 0
        elif _is_nap(item):
            naps += 1
        elif item.get("type") == "function_call" or item.get("role") == "assistant":
            turns += 1
    wanted = step(prompt, turns)
    tools = offered_tools(body)
    if isinstance(wanted, Call) and wanted.tool not in tools and SHELL_TOOL in tools and naps < MOST_WAITS:
        return Call(SHELL_TOOL, WAIT)
    return wanted


def reply(body: dict[str, Any], wanted: Step, number: int) -> dict[str, Any]:
    return {
        "id": f"resp_{number:06}",
        "object": "response",
        "created_at": 0,
        "status": "completed",
        "model": body.get("model", "scripted"),
        "output": [_item(body, wanted, number)],
        "usage": USAGE,
    }


def events(response: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The same reply as a stream."""
    item = response["output"][0]
    yield {"type": "response.created", "response": {**response, "status": "in_progress", "output": [], "usage": None}}
    yield {"type": "response.output_item.added", "output_index": 0, "item": item}
    yield {"type": "response.output_item.done", "output_index": 0, "item": item}
    yield {"type": "response.completed", "response": response}


def _item(body: dict[str, Any], wanted: Step, number: int) -> dict[str, Any]:
    if not isinstance(wanted, Call):
        content = [{"type": "output_text", "text": wanted.text, "annotations": []}]
        return {"type": "message", "id": f"msg_{number:06}", "role": "assistant", "content": content}
    item = {
        "type": "function_call",
        "id": f"fc_{number:06}",
        "call_id": f"call_{number:06}",
        "name": wanted.tool,
        "arguments": json.dumps(wanted.arguments),
        "status": "completed",
    }
    for tool in body.get("tools", []):
        prefix = f"{tool['name']}__" if tool.get("type") == "namespace" else ""
        if prefix and wanted.tool.startswith(prefix):
            return {**item, "namespace": tool["name"], "name": wanted.tool.removeprefix(prefix)}
    return item


def _is_nap(item: dict[str, Any]) -> bool:
    return (
        item.get("type") == "function_call"
        and item.get("name") == SHELL_TOOL
        and json.loads(item["arguments"]) == WAIT
    )


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    if isinstance(content, dict):
        return json.dumps(content)
    return "\n".join(part.get("text", "") for part in content)

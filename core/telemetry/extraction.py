"""Which text of a tool call a model reads, out of the two lines that were forwarded.

What hosts hand on was seen in their requests to the model: a structured result takes the place of the content's text,
and of a tool only name, description and input schema are told. Nothing is looked at but arguments and result:
``_meta``, ``requestState`` and ``inputResponses`` belong to host and server.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from ..values import frozen
from .modalities import Family, image_tokens, sound_tokens

_SAVED = 60
"""Tokens of the sentence that says where a host has put a file."""
_OMITTED = 12
"""Tokens of the sentence that says that a sound was left out."""
_CHARACTERS_PER_TOKEN_OF_BASE64 = 1.46


@frozen
class Call:
    """``asked`` and ``answered``: what is to be counted; ``estimated``: tokens of what is no text, answered."""

    tool: str
    asked: tuple[str, ...]
    answered: tuple[str, ...]
    estimated: int
    is_error: bool


@frozen
class Definition:
    """A tool as a model is told of it."""

    name: str
    text: str


@frozen
class Page:
    """A part of a list of tools. ``first``: the request named no cursor; ``last``: there is no further one."""

    definitions: tuple[Definition, ...]
    first: bool
    last: bool


def read_call(request: bytes, answer: bytes, family: Family) -> Call:
    """The call of two JSON-RPC lines. Raises ``ValueError`` where they are not what a call consists of."""
    params = _object(_object(_read(request)).get("params"))
    arguments = params.get("arguments")
    asked = () if arguments is None else (compact(arguments),)
    tool = str(params.get("name") or "")
    message = _object(_read(answer))
    error = message.get("error")
    if isinstance(error, dict):
        return Call(tool, asked, tuple(_error_texts(error, family)), 0, is_error=True)
    result = _object(message.get("result"))
    is_error = result.get("isError") is True
    texts, estimated = _answered(result, family, is_error=is_error)
    return Call(tool, asked, tuple(texts), estimated, is_error=is_error)


def read_page(request: bytes, answer: bytes) -> Page:
    """The tools of two JSON-RPC lines. Raises ``ValueError`` where they hold no list of tools."""
    params = _object(_read(request)).get("params")
    result = _object(_object(_read(answer)).get("result"))
    tools = result.get("tools")
    if not isinstance(tools, list):
        raise ValueError("there is no list of tools")
    return Page(
        tuple(_definition(tool) for tool in tools if isinstance(tool, dict)),
        # Where to go on is the only thing that such a request can say.
        first=not (isinstance(params, dict) and any(params[key] for key in params if key != "_meta")),
        last=not result.get("nextCursor"),
    )


def compact(value: Any) -> str:
    """JSON as hosts write it into a conversation: no spaces, no escapes. Raises ``ValueError``."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    except RecursionError:
        raise ValueError("too deep") from None


def _definition(tool: dict[str, Any]) -> Definition:
    told = {key: tool[key] for key in ("name", "description", "inputSchema") if tool.get(key) is not None}
    return Definition(str(tool.get("name") or ""), compact(told))


# --- results ---------------------------------------------------------------------------------------------------


def _answered(result: dict[str, Any], family: Family, *, is_error: bool) -> tuple[list[str], int]:
    listed = result.get("content")
    content = [block for block in listed if isinstance(block, dict)] if isinstance(listed, list) else []
    structured = result.get("structuredContent")
    if family == "openai" and structured is not None:
        return [compact(structured)], 0
    if family == "anthropic" and structured is not None and not is_error:
        images = [_block(block, family) for block in content if block.get("type") == "image"]
        return [compact(structured)], sum(estimated for _, estimated in images)
    blocks = [_block(block, family) for block in content]
    texts = [text for text, _ in blocks if text]
    if family == "generic" and structured is not None and not _said(structured, texts):
        texts.append(compact(structured))
    return texts, sum(estimated for _, estimated in blocks)


def _said(structured: Any, texts: list[str]) -> bool:
    """Whether one of the texts is the structured result, or, as servers wrap what is no object, its ``result``."""
    wrapped = structured.get("result") if isinstance(structured, dict) and structured.keys() == {"result"} else None
    for text in texts:
        if wrapped is not None and text == wrapped:
            return True
        try:
            said = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if said == structured or (wrapped is not None and said == wrapped):
            return True
    return False


def _block(block: dict[str, Any], family: Family) -> tuple[str, int]:
    """(text, tokens of what is no text) of a block of content."""
    kind = block.get("type")
    if kind == "text":
        return _text(block, "text"), 0
    if kind == "image":
        return "", image_tokens(_text(block, "data"), family)
    if kind == "audio":
        return "", _sound(_text(block, "data"), family)
    if kind == "resource":
        return _resource(_object(block.get("resource")), family)
    if kind == "resource_link":
        return _link(block, family), 0
    return compact({key: value for key, value in block.items() if key not in ("_meta", "data", "blob")}), 0


def _sound(data: str, family: Family) -> int:
    if family == "openai":
        return _OMITTED
    return _SAVED if family == "anthropic" else sound_tokens(data)


def _resource(resource: dict[str, Any], family: Family) -> tuple[str, int]:
    uri, text, blob = _text(resource, "uri"), _text(resource, "text"), _text(resource, "blob")
    if family == "openai":  # handed on as it is, base64 and all
        told = {key: resource[key] for key in ("uri", "mimeType", "text") if key in resource}
        return compact({"type": "resource", "resource": told}), round(len(blob) / _CHARACTERS_PER_TOKEN_OF_BASE64)
    if not blob:
        return f"{uri} {text}".strip(), 0
    if _text(resource, "mimeType").startswith("image/"):
        return uri, image_tokens(blob, family)
    return uri, _SAVED


def _link(block: dict[str, Any], family: Family) -> str:
    if family == "openai":
        keys = ("type", "uri", "name", "title", "description", "mimeType")
        return compact({key: block[key] for key in keys if key in block})
    name, uri, description = (_text(block, key) for key in ("name", "uri", "description"))
    return f"[Resource link: {name}] {uri}" + (f" ({description})" if description else "")


def _error_texts(error: dict[str, Any], family: Family) -> Iterator[str]:
    yield _text(error, "message")
    if family == "openai" and error.get("data") is not None:
        yield compact(error["data"])


# --- JSON ------------------------------------------------------------------------------------------------------


def _read(line: bytes) -> Any:
    try:
        return json.loads(line)
    except RecursionError:
        raise ValueError("too deep") from None


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("there is no object where one is expected")
    return value


def _text(value: dict[str, Any], key: str) -> str:
    found = value.get(key)
    return found if isinstance(found, str) else ""

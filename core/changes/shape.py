"""Recognising entries of ours by their own shape: what a ledger-less teammate, or a moved home, still has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

SELF = "agent-connector"
"""The connector that registers agent-connector's own MCP server."""

_OURS = re.compile(
    r"agent-connector(?:\.cmd)?[\"']?\s+"
    r"(?:(?P<verb>hook|serve|statusline|action|usage-event)\s[^\n]*?--connector[ =](?P<id>[a-z0-9][a-z0-9-]*)"
    r"|(?P<self>mcp)(?:\s|$))"
)


def connector_of(value: Any) -> str:
    """The connector whose launcher call stands anywhere in a config value, or ``""``."""
    match = _call_in(value)
    if match is None:
        return ""
    return SELF if match["self"] else match["id"]


def verb_of(value: Any) -> str:
    """What the launcher is called for in a config value; ``""`` where it is not called for a connector."""
    match = _call_in(value)
    return (match["verb"] or "") if match else ""


def _call_in(value: Any) -> re.Match[str] | None:
    return _OURS.search(" ".join(_strings(value)))


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)

"""Recognising entries of ours by their own shape: what a ledger-less teammate, or a moved home, still has."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

SELF = "agent-connector"
"""The connector that registers agent-connector's own MCP server."""

_OURS = re.compile(
    r"agent-connector(?:\.cmd)?[\"']?\s+"
    r"(?:(?:hook|serve|statusline|action)\s[^\n]*?--connector[ =](?P<id>[a-z0-9][a-z0-9-]*)|(?P<self>mcp)(?:\s|$))"
)


def connector_of(value: Any) -> str:
    """The connector whose launcher call stands anywhere in a config value, or ``""``."""
    match = _OURS.search(" ".join(_strings(value)))
    if match is None:
        return ""
    return SELF if match["self"] else match["id"]


def _strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)

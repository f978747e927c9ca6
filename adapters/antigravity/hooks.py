"""Antigravity's hooks. A hook process imports this and its family."""

from agent_connector.adapters.families.antigravity_hooks import (
    EVENTS,
    FIRES_WHEN,
    format,  # noqa: A004 - every host's name
    neutral,
    parse,
    repeats,
    tool_names,
)

__all__ = ("EVENTS", "FIRES_WHEN", "format", "neutral", "parse", "repeats", "tool_names")

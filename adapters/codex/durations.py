"""How long Codex lets a hook run, in its seconds (0.171)."""

from __future__ import annotations

from agent_connector.host import Json

from .hooks import SHORT_EVENTS

LONGEST_AT_THE_END = 3
DEFAULT_AT_THE_END = 1
DEFAULT = 600
SHORTEST = 1


def granted(event: str, asked: Json) -> int:
    """What the host makes of a ``timeout`` of this value, ``None`` for one that is not there."""
    at_the_end = event in SHORT_EVENTS
    if not isinstance(asked, int):
        return DEFAULT_AT_THE_END if at_the_end else DEFAULT
    return min(max(asked, SHORTEST), LONGEST_AT_THE_END) if at_the_end else max(asked, SHORTEST)

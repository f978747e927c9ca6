"""Times of a definition in the units hosts count in."""

from __future__ import annotations


def seconds(milliseconds: int) -> int:
    """Whole seconds, never less than asked for and never none."""
    return max(1, -(-milliseconds // 1000))


def given(milliseconds: int) -> int:
    """What is given, in milliseconds, where whole seconds are what can be asked for."""
    return seconds(milliseconds) * 1000

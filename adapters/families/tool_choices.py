"""Which tools of a server a host itself shows, where its lists take exact names and ``*`` in them."""

from __future__ import annotations


def starred_names(include: tuple[str, ...], exclude: tuple[str, ...]) -> bool:
    """``ServerDialect.chooses`` of such a host."""
    return not any(character in name for name in (*include, *exclude) for character in "?[")

"""Matchers: regular expressions of a definition, brought at install into a form that needs no ``re``.

One rule decides, in every host: the definition's expression is searched (unanchored) in each name the subject goes
by. A compiled matcher is ``None`` for everything, else ``{"regex": expression}``; where the expression means no more
than literal texts these stand beside it (``any``: the text is contained, ``prefix``, ``suffix``, ``exact``) and are
what is compared.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

Matcher = dict[str, "str | list[str]"]


def fits(matcher: dict[str, Any] | None, names: Iterable[str]) -> bool:
    """Whether the matcher finds something in one of the names. Raises ``re.error`` for an expression that is none."""
    if matcher is None:
        return True
    names = tuple(names)
    # A dot stops at a line feed and an anchor may stand before one: no matter, as no tool's name has any.
    if len(matcher) > 1 and not any("\n" in name for name in names):
        return any(_fits_text(matcher, name) for name in names)
    import re

    search = re.compile(matcher["regex"]).search
    return any(search(name) is not None for name in names)


def _fits_text(matcher: dict[str, Any], name: str) -> bool:
    return (
        any(text in name for text in matcher.get("any", ()))
        or name in matcher.get("exact", ())
        or name.startswith(tuple(matcher.get("prefix", ())))
        or name.endswith(tuple(matcher.get("suffix", ())))
    )

"""Which keys of a host's settings file a connector may not set."""

from __future__ import annotations

from collections.abc import Callable
from fnmatch import fnmatchcase

SENSITIVE_VARIABLES = ("*_proxy", "*token*", "*key*", "*secret*", "*password*")
"""Names of environment variables, in small letters, that lead somewhere or let somebody in."""


def refuser(other_surfaces: tuple[str, ...], sensitive: tuple[str, ...]) -> Callable[[str], str]:
    """``ConfigPatchDialect.refuses`` by patterns in small letters: what other surfaces set, and what decides over
    permissions, logins or credentials. Case does not matter: variables differ by system."""

    def refuses(key: str) -> str:
        folded = key.casefold()
        if any(fnmatchcase(folded, pattern) for pattern in other_surfaces):
            return "a surface of its own sets this key (hooks, server, statusline)"
        if any(fnmatchcase(folded, pattern) for pattern in sensitive):
            return "it decides over permissions, logins or credentials"
        return ""

    return refuses

"""The words that definitions, host descriptions and reports share."""

from __future__ import annotations

from typing import Literal

Scope = Literal["system", "user", "local", "project", "profile", "managed"]

COMMIT_SHARED: frozenset[Scope] = frozenset({"project"})
"""Scopes whose files people commit: no home path and no secret may stand in them."""

USER_WIDE: frozenset[Scope] = frozenset({"user", "system", "profile", "managed"})
"""Scopes that belong to no project."""

Surface = Literal[
    "server",
    "hooks",
    "nativeHooks",
    "commands",
    "skills",
    "subagents",
    "memory",
    "statusline",
    "actions",
    "configPatch",
]
OwnedSurface = Surface | Literal["trust"]
"""What a thing of ours in a file is for. ``trust``: that the host runs the rest of it."""
FormatId = Literal["json", "jsonc", "toml", "yaml"]
Transport = Literal["stdio", "http", "sse", "ws"]
Shell = Literal["sh", "cmd", "powershell"]

"""What differs in one host: overrides, config patches, native hooks."""

from collections.abc import Iterator, Sequence
from typing import Annotated, Literal

from pydantic import Field

from ..vocabulary import Scope
from .fields import Flag, JsonObject, JsonValue, Model, SwitchOr, Text
from .findings import Finding, Path
from .hooks import Hooks, NativeHooks, hooks_findings, native_hooks_findings
from .names import matches
from .server import Server
from .templates import secret_findings

RESERVED_KEYS = {
    "hooks*": "hooks or native_hooks",
    "mcpServers*": "server or extra",
    "enableAllProjectMcpServers": "server",
    "enableMcpjsonServers": "server",
    "enabledMcpjsonServers": "server",
    "disabledMcpjsonServers": "server",
    "statusLine": "statusline",
}
"""First segments of keys that agent-connector itself writes (``*``: whatever begins so), and what to use instead."""

_KEY = r"[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*"


class ConfigPatch(Model):
    """A leaf of the host's own settings (``key`` is dotted), written only if it is absent; ``reason`` is shown."""

    key: Annotated[Text, Field(json_schema_extra={"pattern": f"^{_KEY}$"})]
    value: JsonValue
    reason: Text
    docs_url: Text = ""


class MemoryOverride(Model):
    """``path``: another file (absolute, or from project or home by scope). ``mode``: for hosts that have several."""

    path: Text = ""
    mode: Literal["block", "agents-import"] | None = None


class PlatformOverride(Model):
    """``server`` is the whole server as this host shall get it; ``False`` keeps it away, ``None`` is no override."""

    hooks: SwitchOr[Hooks] = True
    """False: none in this host. An object replaces event by event."""
    native_hooks: NativeHooks = Field(default_factory=dict)
    """Hooks on the host's own events, by their own names."""
    config_patch: tuple[ConfigPatch, ...] = ()
    """Keys of the host's own settings to write if they are absent."""
    server: SwitchOr[Server] | None = None
    scope: Scope | None = None
    """The only scope to install at in this host."""
    commands: Flag = True
    skills: Flag = True
    subagents: Flag = True
    memory: SwitchOr[MemoryOverride] = True
    """False: none in this host."""
    statusline: Flag = True
    actions: Flag = True
    extra: JsonObject = Field(default_factory=dict)
    """Verbatim keys of the server entry."""


def override_findings(override: PlatformOverride, at: Path) -> Iterator[Finding]:
    """Every rule of an override but those of its server, which counts together with the connector's."""
    if not isinstance(override.hooks, bool):
        yield from hooks_findings(override.hooks, (*at, "hooks"))
    yield from native_hooks_findings(override.native_hooks, (*at, "native_hooks"))
    yield from _patch_findings(override.config_patch, (*at, "config_patch"))
    if isinstance(override.memory, MemoryOverride) and "\0" in override.memory.path:
        yield Finding((*at, "memory", "path"), "must not hold a NUL character")
    yield from secret_findings(override.extra, (*at, "extra"))


def _patch_findings(patches: Sequence[ConfigPatch], at: Path) -> Iterator[Finding]:
    earlier: list[str] = []
    for index, patch in enumerate(patches):
        place = (*at, index)
        if not matches(_KEY, patch.key):
            yield Finding(
                (*place, "key"),
                "must be names joined by dots (letters, digits, _ and -)",
                "array indexes and keys that contain a dot cannot be patched",
            )
        instead = reserved_for(patch.key)
        if instead:
            yield Finding((*place, "key"), f'"{patch.key}" belongs to agent-connector', f"use {instead}")
        if patch.key in earlier:
            yield Finding((*place, "key"), f'"{patch.key}" is patched twice')
        elif any(_contains(one, patch.key) or _contains(patch.key, one) for one in earlier):
            yield Finding((*place, "key"), f'"{patch.key}" and another patch contain each other')
        earlier.append(patch.key)
        if not patch.reason.strip():
            yield Finding((*place, "reason"), "must say why: it is shown to the user")
        yield from secret_findings(patch.value, (*place, "value"))


def reserved_for(key: str) -> str:
    """What to use instead of patching ``key``, or ``""`` where patching is possible."""
    first = key.split(".")[0]
    for pattern, instead in RESERVED_KEYS.items():
        if first == pattern or (pattern.endswith("*") and first.startswith(pattern[:-1])):
            return instead
    return ""


def _contains(outer: str, inner: str) -> bool:
    return inner.startswith(outer + ".")

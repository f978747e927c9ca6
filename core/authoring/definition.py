"""A connector's definition: as it is read (:class:`ConnectorConfig`) and as everything else uses it."""

from collections.abc import Mapping
from dataclasses import field
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from ..values import frozen
from ..vocabulary import Surface
from .content import Command, Memory, Skill, Subagent
from .fields import Model, Text, refuse
from .hooks import HookDefinition, Hooks, NativeHook
from .names import KEBAB
from .oauth import OAuthLogin
from .platforms import ConfigPatch, MemoryOverride, PlatformOverride
from .publish import PackageIdentity, Publish
from .server import Server
from .surfaces import Action, Statusline
from .telemetry import Telemetry

Targets = Literal["auto"] | tuple[str, ...]


def _to_targets(value: Any) -> Any:
    if value == "auto":
        return value
    if isinstance(value, str):
        raise refuse('must be "auto" or a list of host ids', f'write ["{value}"]')
    if not isinstance(value, (list, tuple)) or not all(isinstance(host, str) for host in value):
        raise refuse('must be "auto" or a list of host ids')
    return tuple(value)


class ConnectorConfig(Model):
    """What an author writes. Every key is optional, but something must be declared."""

    also: ClassVar[Mapping[str, str]] = {"hosts": "platforms"}

    id: Annotated[Text | None, Field(json_schema_extra={"pattern": KEBAB})] = None
    """The connector's name in hosts and commands; derived from the package name unless given."""
    mcp: PackageIdentity = PackageIdentity.model_construct()
    """The package's identity, where package metadata is absent or says something else."""
    display_name: Text | None = None
    """What hosts show; the id unless given."""
    version: Text | None = None
    """From package metadata unless given."""
    server: Server | None = None
    """The MCP server."""
    hooks: Hooks = Field(default_factory=dict)
    """What to do on lifecycle events, by event."""
    telemetry: Telemetry = Telemetry.model_construct()
    commands: tuple[Command, ...] = ()
    """Slash commands."""
    skills: tuple[Skill, ...] = ()
    """Agent Skills."""
    subagents: tuple[Subagent, ...] = ()
    """Named subagents."""
    memory: tuple[Memory, ...] = ()
    """Standing guidance for every session."""
    statusline: Statusline | None = None
    actions: tuple[Action, ...] = ()
    """What a user can trigger by name."""
    platforms: dict[Text, PlatformOverride] = Field(default_factory=dict)
    """What differs in single hosts, by host id."""
    targets: Annotated[Targets, BeforeValidator(_to_targets)] = "auto"
    """"auto" for every host that is found, or a list of host ids."""
    publish: Publish | None = None
    """What public registries need to know."""
    oauth: dict[Text, OAuthLogin] = Field(default_factory=dict)
    """Logins of the server, by login key."""


_AS_DECLARED = PlatformOverride.model_construct()


@frozen
class Connector:
    """A checked definition with every default filled in.

    ``source`` is the file it came from (empty for an inline one); relative references count from its folder. Two
    connectors are equal if they say the same, wherever they were read.
    """

    id: str
    display_name: str
    version: str
    mcp: PackageIdentity = field(default_factory=PackageIdentity)
    server: Server | None = None
    hooks: Mapping[str, tuple[HookDefinition, ...]] = field(default_factory=dict)
    telemetry: Telemetry = field(default_factory=Telemetry)
    commands: tuple[Command, ...] = ()
    skills: tuple[Skill, ...] = ()
    subagents: tuple[Subagent, ...] = ()
    memory: tuple[Memory, ...] = ()
    statusline: Statusline | None = None
    actions: tuple[Action, ...] = ()
    platforms: Mapping[str, PlatformOverride] = field(default_factory=dict)
    targets: Targets = "auto"
    publish: Publish | None = None
    oauth: Mapping[str, OAuthLogin] = field(default_factory=dict)
    source: str = field(default="", compare=False)

    @property
    def hook_events(self) -> tuple[str, ...]:
        """Events with at least one hook, in the order of the definition."""
        return tuple(event for event, definitions in self.hooks.items() if definitions)

    def override_for(self, host: str) -> PlatformOverride:
        """The host's override, or the one that changes nothing."""
        return self.platforms.get(host, _AS_DECLARED)

    def server_for(self, host: str) -> Server | None:
        """The server as this host shall get it, or ``None``."""
        override = self.override_for(host).server
        if override is None or override is True:
            return self.server
        return override or None

    def hooks_for(self, host: str) -> Mapping[str, tuple[HookDefinition, ...]]:
        """The hooks of this host: an override replaces event by event, ``hooks = false`` leaves none."""
        override = self.override_for(host).hooks
        if isinstance(override, bool):
            return self.hooks if override else {}
        return {**self.hooks, **override}

    def native_hooks_for(self, host: str) -> Mapping[str, tuple[NativeHook, ...]]:
        return self.override_for(host).native_hooks

    def config_patches_for(self, host: str) -> tuple[ConfigPatch, ...]:
        return self.override_for(host).config_patch

    def memory_override_for(self, host: str) -> MemoryOverride:
        """The tuning of the memory surface in this host (see :meth:`wants` for whether there is any memory)."""
        override = self.override_for(host).memory
        return override if isinstance(override, MemoryOverride) else MemoryOverride.model_construct()

    def wants(self, host: str, surface: Surface) -> bool:
        """Whether something of this surface is declared for this host and not switched off there."""
        declared: dict[Surface, object] = {
            "server": self.server_for(host),
            "hooks": any(self.hooks_for(host).values()),
            "nativeHooks": self.native_hooks_for(host),
            "configPatch": self.config_patches_for(host),
            "commands": self.commands,
            "skills": self.skills,
            "subagents": self.subagents,
            "memory": self.memory,
            "statusline": self.statusline,
            "actions": self.actions,
        }
        switches = ("commands", "skills", "subagents", "memory", "statusline", "actions")
        return bool(declared[surface]) and not (
            surface in switches and getattr(self.override_for(host), surface) is False
        )

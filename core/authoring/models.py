"""Every model of a definition, in one place to import from."""

from __future__ import annotations

from .content import Command, Memory, Skill, Subagent, ToolPolicy
from .definition import Connector, ConnectorConfig
from .handlers import PythonHandler
from .hooks import HookDefinition, NativeHook
from .oauth import OAuthLogin
from .platforms import ConfigPatch, MemoryOverride, PlatformOverride
from .publish import Author, PackageIdentity, Publish
from .server import Auth, Server, ToolFilter
from .surfaces import Action, ActionHost, Confirm, Statusline, StatuslineHost, StatuslineOptions
from .telemetry import Calibration, Telemetry

__all__ = [
    "Action",
    "ActionHost",
    "Auth",
    "Author",
    "Calibration",
    "Command",
    "ConfigPatch",
    "Confirm",
    "Connector",
    "ConnectorConfig",
    "HookDefinition",
    "Memory",
    "MemoryOverride",
    "NativeHook",
    "OAuthLogin",
    "PackageIdentity",
    "PlatformOverride",
    "Publish",
    "PythonHandler",
    "Server",
    "Skill",
    "Statusline",
    "StatuslineHost",
    "StatuslineOptions",
    "Subagent",
    "Telemetry",
    "ToolFilter",
    "ToolPolicy",
]

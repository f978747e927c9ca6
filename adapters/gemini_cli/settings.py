"""What else stands in Gemini CLI's ``settings.json``: hooks and patched keys."""

from __future__ import annotations

from agent_connector.adapters.families.matchers import NARROWED_EVENTS, portable
from agent_connector.adapters.families.nested_hooks import group
from agent_connector.adapters.families.repositories import with_folders_above
from agent_connector.adapters.families.settings_keys import refuser
from agent_connector.host import Blocker, ConfigPatchDialect, Grant, HookDialect, HookFile, HookSpec, Json
from agent_connector.location import EVENT, PROJECT, Place, absolute
from agent_connector.machine import OperatingSystem
from agent_connector.vocabulary import Shell

from .hooks import EVENTS, HOST_EVENTS
from .server import CONFIG_HOME, PROJECT_TRUST, SETTINGS, TRUST_FIX

_SHELLS: dict[OperatingSystem, Shell] = {"linux": "sh", "macos": "sh", "windows": "powershell"}

_SYSTEM_SETTINGS = (
    absolute("/etc", "gemini-cli", "settings.json")
    .on("macos", absolute("/Library", "Application Support", "GeminiCli", "settings.json"))
    .on("windows", absolute("C:\\ProgramData", "gemini-cli", "settings.json"))
    .moved_by("GEMINI_CLI_SYSTEM_SETTINGS_PATH")
)
"""What an organisation decides for everybody on the machine; it wins over all other settings."""


def item(spec: HookSpec) -> Json:
    """Times are milliseconds here."""
    return group(spec) if spec.timeout_ms is None else group(spec, timeout=spec.timeout_ms)


def matcher(event: str, pattern: str) -> str:
    """Native tool names are ``mcp_<server>_<tool>``, matched by an unanchored JavaScript regex.

    A definition that names a server in another host's way (``mcp__…``) finds no name of this one.
    """
    return portable(pattern, bare_after="_") if event in NARROWED_EVENTS else ""


def native_events(event: str) -> bool:
    return event in HOST_EVENTS


_FOLDER = Blocker(
    # The first that says anything decides: a folder's own entry, else whether folders are asked about at all.
    (
        Place(CONFIG_HOME.below("trustedFolders.json"), "jsonc", (PROJECT,)),
        Place(SETTINGS["user"], "jsonc", ("security", "folderTrust", "enabled")),
    ),
    blocks=lambda value: value not in ("TRUST_FOLDER", "TRUST_PARENT", False),
    text="Gemini CLI does not trust this folder, so it reads nothing of its .gemini folder",
    fix=TRUST_FIX,
    scopes=frozenset({"project"}),
    projects=with_folders_above,
    kind="trust",
)

FOLDER_GRANT = Grant(
    _FOLDER.places[0],
    "TRUST_FOLDER",
    "Gemini CLI then reads the whole .gemini folder of this project, other people's servers and hooks included",
    gate=_FOLDER,
    notes=(PROJECT_TRUST,),
)

BLOCKERS = (
    Blocker(
        tuple(
            Place(location, "jsonc", ("hooksConfig", "enabled"))
            for location in (_SYSTEM_SETTINGS, SETTINGS["project"], SETTINGS["user"])
        ),
        blocks=lambda value: value is False,
        text="Gemini CLI runs no hook: hooksConfig.enabled is false",
        fix="Take hooksConfig.enabled out of that file",
    ),
    _FOLDER,
)

HOOKS = HookDialect(
    files={scope: (HookFile(Place(location, "jsonc", ("hooks", EVENT))),) for scope, location in SETTINGS.items()},
    events=EVENTS,
    item=item,
    matcher=matcher,
    shells=_SHELLS,
    native_events=native_events,
    blockers=BLOCKERS,
    notes={"project": (PROJECT_TRUST,)},
    usage_event="AfterModel",
)

CONFIG_PATCH = ConfigPatchDialect(
    places={scope: Place(location, "jsonc") for scope, location in SETTINGS.items()},
    refuses=refuser(
        ("hooks*", "mcp", "mcp.*", "mcpservers*"),
        (
            "security*",
            "privacy*",
            "telemetry*",
            "tools*",
            "admin*",
            "experimental*",
            "advanced*",
            "*auth*",
            "*trust*",
        ),
    ),
)

"""Servers and hooks where Claude Code has them: a file of state in the home, ``.mcp.json``, and ``settings.json``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from agent_connector.host import (
    DEFAULT_HOOK_MS,
    Blocker,
    HookDialect,
    HookFile,
    HookSpec,
    Json,
    Note,
    ServerDialect,
)
from agent_connector.location import EVENT, NAME, PROJECT, Location, Place, project
from agent_connector.machine import OperatingSystem
from agent_connector.vocabulary import Scope, Shell

from .durations import given, seconds
from .matchers import NARROWED_EVENTS, portable
from .mcp_json import McpJson, render_entry, spelling
from .nested_hooks import group

SHELLS: dict[OperatingSystem, Shell] = {"linux": "sh", "macos": "sh", "windows": "sh"}
"""On Windows hooks and status lines run in Git Bash."""


def servers(state: Location, dialect: McpJson, approval: Note) -> ServerDialect:
    """``state``: the file that holds the person's servers, and those of single projects. ``approval``: what is asked
    before a server of ``.mcp.json`` starts."""

    def expresses(_key: str, template: str) -> bool:
        return spelling(dialect, template) is not None

    return ServerDialect(
        places={
            "user": Place(state, "json", ("mcpServers", NAME)),
            "local": Place(state, "json", ("projects", PROJECT, "mcpServers", NAME)),
            "project": Place(project(".mcp.json"), "json", ("mcpServers", NAME)),
        },
        render=lambda spec: render_entry(dialect, spec),
        expresses=expresses,
        has_cwd=False,
        notes={"project": (approval,)},
    )


def settings_files(user: Location, folder: str) -> dict[Scope, Location]:
    """``user``: the host's folder in a home; ``folder``: what it is called in a project."""
    return {
        "user": user.below("settings.json"),
        "local": project(folder, "settings.local.json"),
        "project": project(folder, "settings.json"),
    }


def hook_item(spec: HookSpec) -> Json:
    return group(spec) if spec.timeout_ms is None else group(spec, timeout=seconds(spec.timeout_ms))


def matcher(event: str, pattern: str) -> str:
    """Native tool names are ``mcp__<server>__<tool>`` or a built-in's; subagents are matched by type.

    A matcher of letters, digits, ``_`` and ``|`` alone is compared for equality, anything else is an unanchored
    JavaScript regex: so a bare tool name becomes a regex that is found inside the native name too.
    """
    return portable(pattern, bare_after="__") if event in NARROWED_EVENTS else ""


def time_limit(_event: str, asked: int | None) -> int:
    return DEFAULT_HOOK_MS if asked is None else given(asked)


def hooks(
    settings: Mapping[Scope, Location],
    events: Mapping[str, str],
    *,
    faults: Callable[[Json], Iterable[tuple[str, str]]] = lambda _content: (),
    time_limit: Callable[[str, int | None], int] = time_limit,
    blockers: tuple[Blocker, ...] = (),
    notes: Mapping[Scope, tuple[Note, ...]] | Note | None = None,
) -> HookDialect:
    """Registrations in the host's ``settings``; ``notes``: by scope, or one for every scope."""
    places = {scope: Place(file, "json", ("hooks", EVENT)) for scope, file in settings.items()}
    return HookDialect(
        files={scope: (HookFile(place, faults=faults),) for scope, place in places.items()},
        events=events,
        item=hook_item,
        matcher=matcher,
        time_limit=time_limit,
        shells=SHELLS,
        blockers=blockers,
        notes=dict.fromkeys(settings, (notes,)) if isinstance(notes, Note) else notes or {},
    )

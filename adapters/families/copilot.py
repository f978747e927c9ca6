"""What GitHub's Copilot hosts share: hook files that each of them reads, skills, agents and prompts in one place.

Copilot CLI, Visual Studio Code and the JetBrains plugin read ``.github/hooks/*.json`` alike. All of them take version
1, event names in camelCase, and ``bash`` beside ``powershell``; so one file serves, and the hook process tells by the
payload who called.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from agent_connector.host import ContentDialect, ContentFiles, HookDialect, HookFile, HookSpec, Json, Note
from agent_connector.location import EVENT, Location, Place, home, project
from agent_connector.machine import OperatingSystem
from agent_connector.vocabulary import Scope, Shell

from .agent_skills import skill_folder
from .durations import given, seconds
from .markdown import markdown
from .reports import content_drops, deny_drop, no_key

if TYPE_CHECKING:
    from agent_connector.authoring.models import Command, Skill, Subagent

USER = home(".copilot")
SHELLS: dict[OperatingSystem, Shell] = {"linux": "sh", "macos": "sh", "windows": "powershell"}
_DEFAULT_MS = 30_000
_KEYS: dict[Shell, str] = {"sh": "bash", "powershell": "powershell"}


def hooks(
    user: Location | None,
    events: Mapping[str, str],
    note: Note,
    *,
    native_events: Iterable[str] = (),
    matcher: Callable[[str, str], str] = lambda _event, _pattern: "",
    fails_closed: bool = False,
) -> HookDialect:
    """``user``: the folder of a user's own, where the host reads one. ``note``: what a project's hooks wait for.
    ``native_events``: all events of the host, where they may be registered by name. A host without matchers gets
    none: one would only narrow the hook for the other readers of its file."""
    known = frozenset((*events.values(), *native_events))
    return HookDialect(
        files=_files(user),
        events=events,
        item=_item,
        matcher=matcher,
        shells=SHELLS,
        committed_windows_shell="powershell",
        fails_closed=fails_closed,
        native_events=lambda event: event in known,
        time_limit=_time_limit,
        notes={"project": (note,)},
    )


def skills(host: str, user: Location) -> ContentDialect[Skill]:
    return ContentDialect(
        {"user": user.below("skills"), "project": project(".github", "skills")}, partial(_skill, host)
    )


def agents(host: str, user: Location) -> ContentDialect[Subagent]:
    return ContentDialect(
        {"user": user.below("agents"), "project": project(".github", "agents")}, partial(_agent, host)
    )


def prompts(host: str, user: Location) -> ContentDialect[Command]:
    """Slash commands; ``user``: the folder itself."""
    return ContentDialect({"user": user, "project": project(".github", "prompts")}, partial(_prompt, host))


def _files(user: Location | None) -> dict[Scope, tuple[HookFile, ...]]:
    """A file of agent-connector's own in the folders of the user and the project."""

    def file(folder: Location) -> tuple[HookFile, ...]:
        place = Place(folder.below("hooks", "agent-connector.json"), "json", ("hooks", EVENT))
        return (HookFile(place, scaffold={"version": 1}),)

    of_user: dict[Scope, tuple[HookFile, ...]] = {"user": file(user)} if user is not None else {}
    return {**of_user, "project": file(project(".github"))}


def _item(spec: HookSpec) -> Json:
    entry: dict[str, Json] = {"type": "command", _KEYS[spec.shell]: spec.command}
    if spec.command_windows:
        entry["powershell"] = spec.command_windows
    if spec.matcher:
        entry["matcher"] = spec.matcher
    if spec.timeout_ms is not None:
        entry["timeoutSec"] = seconds(spec.timeout_ms)
    return entry


def _time_limit(_event: str, asked: int | None) -> int:
    return _DEFAULT_MS if asked is None else given(asked)


def _skill(host: str, skill: Skill) -> ContentFiles:
    head = {"disable-model-invocation": True if skill.disable_model_invocation else None}
    return skill_folder(skill, head, notes=content_drops(host, skill))


def _agent(host: str, subagent: Subagent) -> ContentFiles:
    head = {
        "name": subagent.name,
        "description": subagent.description,
        "tools": list(subagent.tools.allow) or None,
        "model": subagent.model if subagent.model != "inherit" and subagent.model else None,
        **subagent.extra,
    }
    notes = deny_drop(host, subagent)
    if subagent.readonly:
        notes = (*notes, no_key(host, f'a subagent that only reads ("{subagent.name}")', asked=True))
    return ContentFiles({f"{subagent.name}.agent.md": markdown(head, subagent.prompt)}, notes)


def _prompt(host: str, command: Command) -> ContentFiles:
    head = {
        "description": command.description or None,
        "argument-hint": command.argument_hint or None,
        "model": command.model or None,
        "tools": list(command.tools.allow) or None,
        **command.extra,
    }
    notes = deny_drop(host, command)
    if command.subtask:
        notes = (*notes, no_key(host, f'a context of its own for "{command.name}"'))
    return ContentFiles({f"{command.name}.prompt.md": markdown(head, command.prompt)}, notes)

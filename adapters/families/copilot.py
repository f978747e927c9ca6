"""What GitHub's Copilot hosts share: hook files that each of them reads, skills, agents and prompts in one place.

Copilot CLI, Visual Studio Code and the JetBrains plugin read ``.github/hooks/*.json`` alike. All of them take version
1, event names in camelCase, and ``bash`` beside ``powershell``; so one file serves, and the hook process tells by the
payload who called.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_connector.host import ContentFiles, HookFile, HookSpec, Json
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


def hook_files(user: Location | None) -> dict[Scope, tuple[HookFile, ...]]:
    """A file of agent-connector's own in the folders of the user and the project."""

    def file(folder: Location) -> tuple[HookFile, ...]:
        place = Place(folder.below("hooks", "agent-connector.json"), "json", ("hooks", EVENT))
        return (HookFile(place, scaffold={"version": 1}),)

    of_user: dict[Scope, tuple[HookFile, ...]] = {"user": file(user)} if user is not None else {}
    return {**of_user, "project": file(project(".github"))}


def hook_item(spec: HookSpec) -> Json:
    entry: dict[str, Json] = {"type": "command", _KEYS[spec.shell]: spec.command}
    if spec.command_windows:
        entry["powershell"] = spec.command_windows
    if spec.matcher:
        entry["matcher"] = spec.matcher
    if spec.timeout_ms is not None:
        entry["timeoutSec"] = seconds(spec.timeout_ms)
    return entry


def time_limit(_event: str, asked: int | None) -> int:
    return _DEFAULT_MS if asked is None else given(asked)


def folders(user: Location | None, kind: str) -> dict[Scope, Location]:
    of_user: dict[Scope, Location] = {"user": user.below(kind)} if user is not None else {}
    return {**of_user, "project": project(".github", kind)}


def render_skill(host: str, skill: Skill) -> ContentFiles:
    head = {"disable-model-invocation": True if skill.disable_model_invocation else None}
    return skill_folder(skill, head, notes=content_drops(host, skill))


def render_agent(host: str, subagent: Subagent) -> ContentFiles:
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


def render_prompt(host: str, command: Command) -> ContentFiles:
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

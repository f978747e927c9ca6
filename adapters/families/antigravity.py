"""What Antigravity's editor and its command line share: where customizations stand, and how they are spelled.

Its files are strict JSON. A hooks file is a map of names to events, and our name in it is the connector's.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_connector.host import (
    DEFAULT_HOOK_MS,
    AlsoReads,
    ContentDialect,
    ContentFiles,
    Copy,
    HookDialect,
    HookFile,
    HookSpec,
    Json,
    MemoryDialect,
    Note,
    Rendered,
    ServerDialect,
    ServerSpec,
)
from agent_connector.location import EVENT, NAME, Location, Place, home, project

from .agent_skills import agents_skills
from .agents_md import AGENTS_MD, targets_in
from .antigravity_hooks import EVENTS, HOST_EVENTS, neutral
from .durations import given, seconds
from .markdown import markdown
from .mcp_json import McpJson, exact_names, literal_only, render_entry
from .nested_hooks import GroupRules, group, group_faults
from .reports import content_drops

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agent_connector.authoring.models import Command, Skill

CONFIG = home(".gemini", "config")
"""The person's customizations. ``~/.gemini`` itself belongs to Gemini CLI too."""
OF_PROJECT = project(".agents")
APP = home(".gemini", "antigravity")
CLI_APP = home(".gemini", "antigravity-cli")

_GROUPED = ("PreToolUse", "PostToolUse")
_TRUSTED = Note("info", "Antigravity reads a project's .agents folder only in a workspace that is trusted", gate=True)

_SERVER = McpJson(
    host="Antigravity",
    spell=None,
    types={"stdio": "", "http": ""},
    url_keys={"http": "serverUrl"},
    cwd_key="cwd",
    off=("disabled", True),
    exclude_key="disabledTools",
    filter_fix="Antigravity can hide tools by their exact names only: list them in tools.exclude.",
)


def servers_at(location: Location) -> Place:
    return Place(location, "json", ("mcpServers", NAME))


def server(user: Location, *copies: Copy) -> ServerDialect:
    """``user``: the person's own file; ``copies``: where it stands in other versions."""

    def render(spec: ServerSpec) -> Rendered:
        return render_entry(_SERVER, spec)

    def chooses(include: tuple[str, ...], exclude: tuple[str, ...]) -> bool:
        return "*" in include and exact_names(include, exclude)

    return ServerDialect(
        places={"user": servers_at(user), "project": servers_at(OF_PROJECT.below("mcp_config.json"))},
        render=render,
        expresses=literal_only,
        chooses=chooses,
        copies={"user": copies},
        notes={"project": (_TRUSTED,)},
    )


def _item(spec: HookSpec) -> Json:
    timeout = {} if spec.timeout_ms is None else {"timeout": seconds(spec.timeout_ms)}
    if spec.native_event in _GROUPED:
        return group(spec, **timeout)
    return {"type": "command", "command": spec.command, **timeout}


def _faults(content: Json) -> Iterable[tuple[str, str]]:
    """One thing of a wrong shape, and no hook of the file is loaded."""
    if "enabled" in content:
        yield "because of enabled, which is a hook's name at the top", "Move it into the hook it is meant for"
    for name, events in content.items():
        if not isinstance(events, dict):
            yield f"because of {name}, which is no object", "Make it an object of events, or take it out"
            continue
        if not isinstance(events.get("enabled", True), bool):
            yield f"because of {name}.enabled, which is neither true nor false", "Write true or false"
        flat = {
            event: [{"hooks": events[event]}] for event in HOST_EVENTS if event in events and event not in _GROUPED
        }
        for fault, fix in group_faults({"hooks": {**events, **flat}}, HOST_EVENTS, _RULES):
            yield fault.replace("hooks.", f"{name}."), fix.replace("hooks.", f"{name}.")


_RULES = GroupRules(types=("command", "prompt"), whole_seconds=True)


def _hook_file(folder: Location) -> tuple[HookFile, ...]:
    return (HookFile(Place(folder.below("hooks.json"), "json", (NAME, EVENT)), faults=_faults),)


HOOKS = HookDialect(
    files={"user": _hook_file(CONFIG), "project": _hook_file(OF_PROJECT)},
    events=EVENTS,
    item=_item,
    # The model calls all tools of servers through one of the host's, so no name of theirs can be matched.
    matcher=lambda _event, _pattern: "",
    native_events=HOST_EVENTS.__contains__,
    time_limit=lambda _event, asked: DEFAULT_HOOK_MS if asked is None else given(asked),
    fails_closed=True,
    spoken=lambda event: neutral(event)[0],
    notes={"project": (_TRUSTED,)},
)


def workflows(host: str) -> ContentDialect[Command]:
    """Slash commands."""

    def render(command: Command) -> ContentFiles:
        head = {"description": command.description or None, **command.extra}
        text = markdown(head, command.prompt)
        return ContentFiles({f"{command.name}.md": text}, content_drops(host, command))

    return ContentDialect({"user": APP.below("global_workflows"), "project": project(".agent", "workflows")}, render)


def skills(host: str) -> ContentDialect[Skill]:
    shared = agents_skills(host)
    return ContentDialect({"user": CONFIG.below("skills"), "project": shared.folders["project"]}, shared.render)


MEMORY = MemoryDialect(targets=targets_in(home(".gemini", AGENTS_MD)), scopes=("user", "project"))

READS_GEMINI_CLI = AlsoReads("gemini-cli", frozenset({"memory"}))

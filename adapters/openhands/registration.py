"""Hook registrations of OpenHands: one file counts, the project's or else the person's own, never both."""

from __future__ import annotations

from collections.abc import Iterable

from agent_connector.adapters.families.durations import given, seconds
from agent_connector.adapters.families.matchers import TOOL_EVENTS, portable
from agent_connector.adapters.families.nested_hooks import GroupRules, group, group_faults
from agent_connector.host import DEFAULT_HOOK_MS, Blocker, HookDialect, HookFile, HookSpec, Json, Note
from agent_connector.location import EVENT, Location, Place, home, project

from .hooks import EVENTS

_OF_PROJECT = project(".openhands", "hooks.json")
_OF_USER = home(".openhands", "hooks.json")
"""Wherever OPENHANDS_PERSISTENCE_DIR moves the rest."""

_IN_SNAKE_CASE = {
    "SessionStart": "session_start",
    "SessionEnd": "session_end",
    "UserPromptSubmit": "user_prompt_submit",
    "PreToolUse": "pre_tool_use",
    "PostToolUse": "post_tool_use",
    "Stop": "stop",
}
"""The other spelling the host reads, and the one it writes. With both of one event in a file no run begins."""

_RULES = GroupRules(types=("command", "prompt"), whole_seconds=True)


def item(spec: HookSpec) -> Json:
    return group(spec) if spec.timeout_ms is None else group(spec, timeout=seconds(spec.timeout_ms))


def matcher(event: str, pattern: str) -> str:
    """A Python regex that must match the whole of a tool's name, which is the bare one for a server's tool too."""
    written = portable(pattern, bare_after="^") if event in TOOL_EVENTS else ""
    return f".*(?:{written}).*" if written else ""


def _as_spelled(there: Json, event: str) -> str:
    other = _IN_SNAKE_CASE[event]
    return other if isinstance(there, dict) and other in there else event


def _faults(content: Json) -> Iterable[tuple[str, str]]:
    """What ends a run of the host before it has begun."""
    hooks = content.get("hooks", content)
    known = (*EVENTS.values(), *_IN_SNAKE_CASE.values())
    for key in hooks if isinstance(hooks, dict) else ():
        if key not in known:
            yield f"because of {key}, which is no event it knows", f"Take {key} out"
    yield from group_faults({"hooks": hooks}, known, _RULES)


def _files(location: Location) -> tuple[HookFile, ...]:
    """With ``hooks`` around the events, as is documented, or without, as it is read too."""
    return tuple(
        HookFile(Place(location, "json", at), faults=_faults, spelled=_as_spelled)
        for at in (("hooks", EVENT), (EVENT,))
    )


HOOKS = HookDialect(
    files={"user": _files(_OF_USER), "project": _files(_OF_PROJECT)},
    events=EVENTS,
    item=item,
    matcher=matcher,
    time_limit=lambda _event, asked: DEFAULT_HOOK_MS if asked is None else given(asked),
    notes={
        "project": (
            Note(
                "info", "In a project with hooks of its own OpenHands runs those alone, and none of the person's own"
            ),
        ),
    },
    blockers=(
        Blocker(
            (Place(_OF_PROJECT, "json"),),
            blocks=lambda content: content is not None,
            text="In this project OpenHands runs the project's hooks alone, and none of the person's own",
            fix="Install at project scope too",
            scopes=frozenset({"user"}),
        ),
    ),
)

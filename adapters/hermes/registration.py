"""Hook registrations of Hermes Agent: lists under ``hooks`` in the file that holds its servers too."""

from __future__ import annotations

from agent_connector.adapters.families.durations import given, seconds
from agent_connector.adapters.families.matchers import portable
from agent_connector.changes.shape import connector_of
from agent_connector.host import DEFAULT_HOOK_MS, Blocker, HookDialect, HookFile, HookSpec, Json, Note
from agent_connector.location import EVENT, Place
from agent_connector.machine import OperatingSystem
from agent_connector.vocabulary import Shell

from .hooks import EVENTS, HOST_EVENTS
from .server import CONFIG, HERMES_HOME

_LONGEST_MS = 300_000
_MATCHED = ("PreToolUse", "PostToolUse")

# No shell: the line is split into words as POSIX shells split it, on every system.
_SHELLS: dict[OperatingSystem, Shell] = {"linux": "sh", "macos": "sh", "windows": "sh"}

CONSENT = Note(
    "info",
    "Hermes runs a hook only after the person has agreed to its command",
    fix="Start `hermes` in a terminal and agree, or once with --accept-hooks, or set hooks_auto_accept: true.",
    gate=True,
)


def item(spec: HookSpec) -> Json:
    entry: dict[str, Json] = {"matcher": spec.matcher} if spec.matcher else {}
    entry["command"] = spec.command
    if spec.timeout_ms is not None:
        entry["timeout"] = seconds(min(spec.timeout_ms, _LONGEST_MS))
    return entry


def matcher(event: str, pattern: str) -> str:
    """A Python regex that must match the whole of ``mcp__server__tool``, its dashes made ``_``; for tools only."""
    written = portable(pattern, bare_after="__", dash="[-_]") if event in _MATCHED else ""
    return f".*(?:{written}).*" if written else ""


def native_events(event: str) -> bool:
    return event in HOST_EVENTS or event.startswith("kanban_")


def time_limit(_event: str, asked: int | None) -> int:
    return DEFAULT_HOOK_MS if asked is None else min(given(asked), _LONGEST_MS)


def _not_agreed(value: Json) -> bool:
    """What stands there is the list of commands agreed to, or whether all are."""
    if isinstance(value, list):
        return not any(connector_of(approval) for approval in value)
    return value is not True


HOOKS = HookDialect(
    files={"user": (HookFile(Place(CONFIG, "yaml", ("hooks", EVENT))),)},
    events=EVENTS,
    item=item,
    matcher=matcher,
    shells=_SHELLS,
    native_events=native_events,
    notes={"user": (CONSENT,)},
    blockers=(
        Blocker(
            (
                Place(HERMES_HOME.below("shell-hooks-allowlist.json"), "json", ("approvals",)),
                Place(CONFIG, "yaml", ("hooks_auto_accept",)),
            ),
            blocks=_not_agreed,
            text="Hermes runs no hook of ours before the person has agreed to its command",
            fix=CONSENT.fix,
            kind="question",
        ),
    ),
    time_limit=time_limit,
)

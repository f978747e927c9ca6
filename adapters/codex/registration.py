"""Hook registrations of Codex: ``hooks.json``, or ``[hooks]`` in ``config.toml`` where that is in use already."""

from __future__ import annotations

from pathlib import PurePath

from agent_connector.adapters.families.durations import seconds
from agent_connector.adapters.families.matchers import NARROWED_EVENTS, portable
from agent_connector.adapters.families.nested_hooks import group
from agent_connector.host import DEFAULT_HOOK_MS, HookDialect, HookFile, HookSpec, HookTrust, Json, Note
from agent_connector.location import EVENT, Location, Place, project

from .hooks import EVENTS, HOST_EVENTS, SHORT_EVENTS
from .server import CODEX_HOME, CONFIG, PROJECT_TRUST

_LONGEST_AT_THE_END = 3

_HOOKS_JSON: dict[str, Location] = {
    "user": CODEX_HOME.below("hooks.json"),
    "project": project(".codex", "hooks.json"),
}

_HOOK_TRUST = Note(
    "info",
    "Codex runs no hook that you have not reviewed, and `codex exec` leaves it out without a word",
    fix="Start `codex` and choose to review and trust the new hooks, or open /hooks there.",
)


def item(spec: HookSpec) -> Json:
    handler: dict[str, Json] = {}
    if spec.command_windows:
        handler["command_windows"] = spec.command_windows
    if spec.timeout_ms is not None:
        limit = seconds(spec.timeout_ms)
        handler["timeout"] = min(limit, _LONGEST_AT_THE_END) if spec.native_event in SHORT_EVENTS else limit
    return group(spec, **handler)


def matcher(event: str, pattern: str) -> str:
    """Native tool names are ``mcp__<server>__<tool>``, every character but letters, digits and ``_`` made ``_``.

    A list of plain words is compared for equality, anything else is an unanchored Rust regex, which knows no
    look-around and no back-references: a definition that uses them is not narrowed.
    """
    return portable(pattern, bare_after="__", dash="[-_]") if event in NARROWED_EVENTS else ""


def time_limit(event: str, asked: int | None) -> int:
    """Milliseconds a hook is given; the host's own default is ten minutes, which nobody wants to wait."""
    limit = asked or DEFAULT_HOOK_MS
    return min(limit, _LONGEST_AT_THE_END * 1000) if event in SHORT_EVENTS else limit


def native_events(event: str) -> bool:
    return event in HOST_EVENTS


def trust_key(file: PurePath, event: str, index: int) -> str:
    """As 0.171 writes it under ``[hooks.state]``: ``<file>:<event in snake case>:<group>:<handler>``."""
    snake = "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in event).lstrip("_")
    return f"{file}:{snake}:{index}:0"


def _files(scope: str) -> tuple[HookFile, ...]:
    return (
        HookFile(
            Place(_HOOKS_JSON[scope], "json", ("hooks", EVENT)),
            allowed_keys=("hooks", "description"),
            refuses_bom=True,  # 0.171; in config.toml a byte order mark is fine
        ),
        HookFile(Place(CONFIG[scope], "toml", ("hooks", EVENT))),
    )


HOOKS = HookDialect(
    files={"user": _files("user"), "project": _files("project")},
    events=EVENTS,
    item=item,
    matcher=matcher,
    native_events=native_events,
    time_limit=time_limit,
    notes={"user": (_HOOK_TRUST,), "project": (PROJECT_TRUST, _HOOK_TRUST)},
    trust=HookTrust(Place(CONFIG["user"], "toml", ("hooks", "state")), trust_key),
)

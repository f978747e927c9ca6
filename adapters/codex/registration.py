"""Hook registrations of Codex: ``hooks.json``, or ``[hooks]`` in ``config.toml`` where that is in use already."""

from __future__ import annotations

from collections.abc import Iterable

from agent_connector.adapters.families.durations import seconds
from agent_connector.adapters.families.matchers import NARROWED_EVENTS, portable
from agent_connector.adapters.families.nested_hooks import GroupRules, group, group_faults
from agent_connector.adapters.families.repositories import with_repository
from agent_connector.host import (
    DEFAULT_HOOK_MS,
    Blocker,
    Grant,
    HookDialect,
    HookFile,
    HookSpec,
    Json,
)
from agent_connector.location import EVENT, PROJECT, Location, Place, project

from .durations import granted
from .hooks import EVENTS, HOST_EVENTS, SHORT_EVENTS
from .server import CODEX_HOME, CONFIG, PROJECT_TRUST
from .trust import HOOK_TRUST, TRUST

_HOOKS_JSON: dict[str, Location] = {
    "user": CODEX_HOME.below("hooks.json"),
    "project": project(".codex", "hooks.json"),
}


def item(spec: HookSpec) -> Json:
    handler: dict[str, Json] = {}
    if spec.command_windows:
        handler["command_windows"] = spec.command_windows
    if spec.timeout_ms is not None:
        handler["timeout"] = granted(spec.native_event, seconds(spec.timeout_ms))
    return group(spec, **handler)


def matcher(event: str, pattern: str) -> str:
    """Native tool names are ``mcp__<server>__<tool>``, every character but letters, digits and ``_`` made ``_``.

    A list of plain words is compared for equality, anything else is an unanchored Rust regex, which knows no
    look-around and no back-references: a definition that uses them is not narrowed.
    """
    return portable(pattern, bare_after="__", dash="[-_]") if event in NARROWED_EVENTS else ""


def time_limit(event: str, asked: int | None) -> int:
    """Milliseconds a hook is given; the host's own default is ten minutes, which nobody wants to wait."""
    if asked is None and event not in SHORT_EVENTS:
        return DEFAULT_HOOK_MS
    return granted(event, None if asked is None else seconds(asked)) * 1000


def native_events(event: str) -> bool:
    return event in HOST_EVENTS


def _faults(content: Json) -> Iterable[tuple[str, str]]:
    """0.171 reads strictly: one value of a wrong type under an event it knows, and no hook of the file is loaded."""
    if not isinstance(content.get("description", ""), str | None):
        yield "because of description, which is no text", "Make it a text, or take it out"
    yield from group_faults(content, HOST_EVENTS, _STRICT)


_STRICT = GroupRules(types=("command", "mcp_tool", "prompt", "agent"), whole_seconds=True)

_PROJECT = Blocker(
    (Place(CONFIG["user"], "toml", ("projects", PROJECT, "trust_level")),),
    blocks=lambda value: value != "trusted",
    text="Codex does not trust this project, so it reads nothing of its .codex folder",
    fix=PROJECT_TRUST.fix,
    scopes=frozenset({"project"}),
    projects=with_repository,
    kind="trust",
)

PROJECT_GRANT = Grant(
    _PROJECT.places[0],
    "trusted",
    "Codex then reads the whole .codex folder of this project, and writes in the project without asking",
    gate=_PROJECT,
    notes=(PROJECT_TRUST,),
)

BLOCKERS = (
    Blocker(
        # A project's own config counts where that is trusted; "codex_hooks" is the feature's old name.
        tuple(
            Place(CONFIG[scope], "toml", ("features", name))
            for name in ("hooks", "codex_hooks")
            for scope in ("project", "user")
        ),
        blocks=lambda value: value is False,
        text="Codex runs no hook: they are switched off under [features]",
        fix="Take `hooks = false` (or `codex_hooks`) out of [features] there, or run `codex features enable hooks`",
    ),
    _PROJECT,
)


def _files(scope: str) -> tuple[HookFile, ...]:
    return (
        HookFile(
            Place(_HOOKS_JSON[scope], "json", ("hooks", EVENT)),
            allowed_keys=("hooks", "description"),
            refuses_bom=True,  # 0.171; in config.toml a byte order mark is fine
            faults=_faults,
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
    notes={"user": (HOOK_TRUST,), "project": (PROJECT_TRUST, HOOK_TRUST)},
    trust=TRUST,
    blockers=BLOCKERS,
)

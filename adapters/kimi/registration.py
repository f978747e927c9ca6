"""Hook registrations of Kimi Code: ``[[hooks]]`` of the person's ``config.toml``, which names the event itself.

Only ``event``, ``matcher``, ``command`` and ``timeout`` may stand there: one key more, and the host does not start.
How it reads a matcher was not seen, so none of ours is written.
"""

from __future__ import annotations

from agent_connector.adapters.families.durations import seconds
from agent_connector.host import HookDialect, HookFile, HookSpec, Json
from agent_connector.location import Place

from .hooks import EVENTS, HOST_EVENTS
from .server import KIMI_HOME

_LONGEST = 600
_DEFAULT_MS = 30_000


def item(spec: HookSpec) -> Json:
    entry: dict[str, Json] = {"event": spec.native_event}
    if spec.matcher:  # of a native hook, in the host's own words
        entry["matcher"] = spec.matcher
    entry["command"] = spec.command
    if spec.timeout_ms is not None:
        entry["timeout"] = min(seconds(spec.timeout_ms), _LONGEST)
    return entry


def native_events(event: str) -> bool:
    return event in HOST_EVENTS


def time_limit(_event: str, asked: int | None) -> int:
    """Milliseconds a hook is given."""
    return _DEFAULT_MS if asked is None else min(seconds(asked), _LONGEST) * 1000


HOOKS = HookDialect(
    files={"user": (HookFile(Place(KIMI_HOME.below("config.toml"), "toml", ("hooks",))),)},
    events=EVENTS,
    item=item,
    matcher=lambda _event, _pattern: "",
    native_events=native_events,
    event_key="event",
    time_limit=time_limit,
)

"""Which hooks a person let Codex run: keys by position and a digest of each hook, as 0.171.0 keeps them.

The digest is Codex's own business and may be counted otherwise some day; asking Codex itself (``hooks/list`` of its
app-server) would write databases and skills into the home, which looking must not.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import PurePath

from agent_connector.host import HookTrust, Json, Note, TrustState
from agent_connector.location import Place
from agent_connector.machine import OperatingSystem

from .durations import granted
from .server import CONFIG

_REVIEW = "Start `codex` and choose to review and trust the new hooks, or open /hooks there."

HOOK_TRUST = Note(
    "info",
    "Codex runs no hook that you have not reviewed, and `codex exec` leaves it out without a word",
    fix=_REVIEW,
    gate=True,
)

_UNMATCHED_EVENTS = ("UserPromptSubmit", "Stop", "Interrupt")
"""Events on which Codex takes a matcher for none."""


def trust_key(file: PurePath, event: str, index: int) -> str:
    """As it stands under ``[hooks.state]``: ``<file>:<event in snake case>:<group>:<handler>``."""
    return f"{file}:{_snake(event)}:{index}:0"


def _snake(event: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in event).lstrip("_")


def trust_state(event: str, item: Json, state: Json) -> TrustState:
    if not isinstance(state, dict) or not state.get("trusted_hash"):
        return "untrusted"
    if state["trusted_hash"] not in digests(event, item):
        return "changed"
    return "off" if state.get("enabled") is False else "trusted"


def trusted(event: str, item: Json, state: Json, system: OperatingSystem) -> Json:
    """What stands there once a hook is trusted. A person who switched it off is not talked over."""
    known = state if isinstance(state, dict) else {}
    counted = list(digests(event, item))
    if not counted or known.get("enabled") is False:
        return None
    return {**known, "trusted_hash": counted[-1 if system == "windows" else 0]}


def digests(event: str, item: Json) -> Iterator[str]:
    """What a group of ours counts as: on Windows its own command line may be in the place of the other."""
    handlers = item.get("hooks") if isinstance(item, dict) else None
    if not isinstance(handlers, list) or len(handlers) != 1 or not isinstance(handlers[0], dict):
        return
    handler = handlers[0]
    known: dict[str, Json] = {
        "async": handler.get("async", False),
        "timeout": granted(event, handler.get("timeout")),
        "type": handler.get("type"),
    }
    if handler.get("statusMessage") is not None:
        known["statusMessage"] = handler["statusMessage"]
    counted: dict[str, Json] = {"event_name": _snake(event)}
    if item.get("matcher") is not None and event not in _UNMATCHED_EVENTS:
        counted["matcher"] = item["matcher"]
    for command in (handler.get("command"), handler.get("command_windows")):
        if command is not None:
            value = {**counted, "hooks": [{**known, "command": command}]}
            text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
            yield "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


TRUST = HookTrust(
    Place(CONFIG["user"], "toml", ("hooks", "state")),
    key=trust_key,
    state=trust_state,
    told={
        "untrusted": ("Codex does not run what nobody has reviewed and trusted", _REVIEW),
        "changed": (
            "Codex does not run what has changed since it was trusted",
            "Start `codex` and review and trust the changed hooks, or open /hooks there.",
        ),
        "off": ("it is switched off in Codex", "Start `codex`, open /hooks and enable it there."),
    },
    grant=trusted,
    notes=(HOOK_TRUST,),
)

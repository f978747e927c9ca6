"""Reading what hosts send to status lines: where each field stands is data. Loaded in every statusline process.

As with hooks, what is missing or of another type is left out, never guessed.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    Keys = tuple[str, ...]
    Table = dict[str, tuple[Keys, ...]]

CLAUDE_CODE_LIKE: "Table" = {
    "session_id": (("session_id",),),
    "cwd": (("workspace", "current_dir"), ("cwd",)),
    "project": (("workspace", "project_dir"),),
    "transcript_path": (("transcript_path",),),
    "model.id": (("model", "id"),),
    "model.display_name": (("model", "display_name"),),
    "cost.total_usd": (("cost", "total_cost_usd"),),
    "context.used_tokens": (("context_window", "total_input_tokens"),),
    "context.max_tokens": (("context_window", "context_window_size"),),
    "context.percent": (("context_window", "used_percentage"),),
}
"""Field of a statusline context -> the keys under which the host has it, the first that is there counts. The shape
that Claude Code made common; a host's own module changes what it has elsewhere."""

_NUMBERS = ("cost.total_usd", "context.used_tokens", "context.max_tokens", "context.percent")


def fields_of(payload: "dict[str, Any]", table: "Table") -> "dict[str, Any]":
    """The fields that ``payload`` has: ``{"session_id": …, "model": {"id": …}, …}``."""
    found: dict[str, Any] = {}
    for name, places in table.items():
        for keys in places:
            value = at(payload, keys)
            if is_number(value) if name in _NUMBERS else isinstance(value, str) and value:
                group, dot, part = name.partition(".")
                if dot:
                    found.setdefault(group, {})[part] = value
                else:
                    found[name] = value
                break
    return found


def at(payload: "Any", keys: "Keys") -> "Any":
    """What stands under the keys, or ``None``."""
    for key in keys:
        if not isinstance(payload, dict):
            return None
        payload = payload.get(key)
    return payload


def is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)

"""What Claude Code tells a status line, as of 2.1.197. Loaded in every statusline process."""

from agent_connector.adapters.families.statusline_payloads import CLAUDE_CODE_LIKE, at, fields_of, is_number

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_USAGE = ("context_window", "current_usage")
_USED = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")

FIELDS = {name: places for name, places in CLAUDE_CODE_LIKE.items() if name != "context.used_tokens"}


def parse(payload: "dict[str, Any]") -> "dict[str, Any]":
    """The fields of a statusline context that the payload has.

    The tokens in the context are those of the last request, as ``used_percentage`` counts them too: the totals beside
    them were sums over the whole session in older versions. Before the first reply there are none.
    """
    found = fields_of(payload, FIELDS)
    usage = at(payload, _USAGE)
    counts = [usage[name] for name in _USED if is_number(usage.get(name))] if isinstance(usage, dict) else []
    if counts:
        found.setdefault("context", {})["used_tokens"] = sum(counts)
    return found

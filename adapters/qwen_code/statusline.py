"""What Qwen Code tells a status line, as of 0.24.4. Loaded in every statusline process."""

from agent_connector.adapters.families.statusline_payloads import CLAUDE_CODE_LIKE, fields_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# ``total_input_tokens`` is a sum over the session; what the context holds is the usage of the last request.
FIELDS = {
    **CLAUDE_CODE_LIKE,
    "project": (("workspace", "current_dir"),),
    "context.used_tokens": (("context_window", "current_usage"),),
}


def parse(payload: "dict[str, Any]") -> "dict[str, Any]":
    """The fields of a statusline context that the payload has: no model's id, no cost. A window of no tokens is one
    whose size Qwen Code does not know."""
    found = fields_of(payload, FIELDS)
    if found.get("context", {}).get("max_tokens") == 0:
        del found["context"]["max_tokens"]
    return found

"""What Copilot CLI tells a status line, as of 1.0.102. Loaded in every statusline process."""

from agent_connector.adapters.families.statusline_payloads import CLAUDE_CODE_LIKE, fields_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Input and output tokens of the whole session stand beside those that are in the context now.
FIELDS = {
    **CLAUDE_CODE_LIKE,
    "project": (("workspace", "current_dir"), ("cwd",)),
    "context.used_tokens": (("context_window", "current_context_tokens"),),
    "context.max_tokens": (("context_window", "displayed_context_limit"), ("context_window", "context_window_size")),
    "context.percent": (("context_window", "current_context_used_percentage"), ("context_window", "used_percentage")),
}


def parse(payload: "dict[str, Any]") -> "dict[str, Any]":
    """The fields of a statusline context that the payload has; it counts requests, not dollars."""
    return fields_of(payload, FIELDS)

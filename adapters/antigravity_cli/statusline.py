"""What Antigravity CLI tells a status line, by reports on 1.3 and 1.4. Loaded in every statusline process."""

from agent_connector.adapters.families.statusline_payloads import CLAUDE_CODE_LIKE, fields_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FIELDS = {
    **CLAUDE_CODE_LIKE,
    "session_id": (("session_id",), ("conversation_id",)),
    "project": (("workspace", "current_dir"),),
}


def parse(payload: "dict[str, Any]") -> "dict[str, Any]":
    """The fields of a statusline context that the payload has; it tells no cost."""
    return fields_of(payload, FIELDS)

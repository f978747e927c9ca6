"""What Cursor's command line tells a status line. Loaded in every statusline process."""

from agent_connector.adapters.families.statusline_payloads import CLAUDE_CODE_LIKE, fields_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# ``workspace.project_dir`` is where Cursor keeps transcripts, not the project.
FIELDS = {**CLAUDE_CODE_LIKE, "project": (("workspace", "current_dir"), ("cwd",))}


def parse(payload: "dict[str, Any]") -> "dict[str, Any]":
    """The fields of a statusline context that the payload has; Cursor reckons no cost. Its tokens are its own
    estimate, made of the percentage."""
    return fields_of(payload, FIELDS)

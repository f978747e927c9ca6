"""Codex's hook events. Plain data: a hook process imports this and nothing else of the host."""

EVENTS = {
    "SessionStart": "SessionStart",
    "SessionEnd": "SessionEnd",
    "UserPromptSubmit": "UserPromptSubmit",
    "PreToolUse": "PreToolUse",
    "PostToolUse": "PostToolUse",
    "PreCompact": "PreCompact",
    "PostCompact": "PostCompact",
    "Stop": "Stop",
    "PermissionRequest": "PermissionRequest",
    "SubagentStart": "SubagentStart",
    "SubagentStop": "SubagentStop",
}
"""Canonical event -> the host's own name."""

HOST_EVENTS = (*EVENTS.values(), "Interrupt")
"""All events of the host. A registration under another name is ignored without a word."""

SHORT_EVENTS = ("SessionEnd", "Interrupt")
"""Events whose hooks may take three seconds at most: the host cuts a larger time-out, with a warning."""


def neutral(event: str) -> tuple[str, int]:
    """(stdout, exit code) that says "no opinion": silence, whatever the event."""
    del event
    return "", 0

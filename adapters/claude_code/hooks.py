"""Claude Code's hook events. Plain data: a hook process imports this and nothing else of the host."""

EVENTS = {
    "SessionStart": "SessionStart",
    "SessionEnd": "SessionEnd",
    "UserPromptSubmit": "UserPromptSubmit",
    "PreToolUse": "PreToolUse",
    "PostToolUse": "PostToolUse",
    "PostToolUseFailure": "PostToolUseFailure",
    "PreCompact": "PreCompact",
    "PostCompact": "PostCompact",
    "Stop": "Stop",
    "Notification": "Notification",
    "PermissionRequest": "PermissionRequest",
    "SubagentStart": "SubagentStart",
    "SubagentStop": "SubagentStop",
}
"""Canonical event -> the host's own name."""


def neutral(event: str) -> tuple[str, int]:
    """(stdout, exit code) that says "no opinion": silence, whatever the event."""
    del event
    return "", 0

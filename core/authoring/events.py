"""The lifecycle events that mean the same in every host. Light: hook processes load this."""

from __future__ import annotations

HOOK_EVENTS = (
    "SessionStart",
    "SessionEnd",
    "UserPromptSubmit",
    "PreToolUse",
    "PostToolUse",
    "PreCompact",
    "Stop",
    "Notification",
    "PermissionRequest",
    "PostToolUseFailure",
    "SubagentStart",
    "SubagentStop",
    "PostCompact",
)

INPUT_EVENTS = ("PreToolUse", "PermissionRequest")
"""Events whose tool input a response may replace."""
OUTPUT_EVENTS = ("PostToolUse",)
"""Events whose tool output a response may replace."""

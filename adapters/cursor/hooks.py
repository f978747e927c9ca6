"""Cursor's hook events. Plain data: a hook process imports this and nothing else of the host."""

EVENTS = {
    "SessionStart": "sessionStart",
    "SessionEnd": "sessionEnd",
    "UserPromptSubmit": "beforeSubmitPrompt",
    "PreToolUse": "preToolUse",
    "PostToolUse": "postToolUse",
    "PostToolUseFailure": "postToolUseFailure",
    "PreCompact": "preCompact",
    "Stop": "stop",
    "SubagentStart": "subagentStart",
    "SubagentStop": "subagentStop",
}
"""Canonical event -> the host's own name."""

HOST_EVENTS = (
    *EVENTS.values(),
    "beforeShellExecution",
    "beforeMCPExecution",
    "beforeReadFile",
    "beforeTabFileRead",
    "afterShellExecution",
    "afterMCPExecution",
    "afterFileEdit",
    "afterTabFileEdit",
    "afterAgentResponse",
    "afterAgentThought",
    "workspaceOpen",
)
"""All events of the host. One other name in a hooks file and the host loads no hook of that file."""


def neutral(event: str) -> tuple[str, int]:
    """(stdout, exit code) that says "no opinion". Silence counts as a failed hook here, so it is spoken."""
    del event
    return "{}", 0

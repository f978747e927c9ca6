"""CodeBuddy Code's hooks, as documented since 1.16; they were not run. A hook process imports this and its family."""

from agent_connector.adapters.families.hook_payloads import claude_code_parse, mcp_tool_names, named_alike, silence
from agent_connector.adapters.families.nested_hook_replies import claude_code_like

EVENTS = named_alike("PostToolUseFailure", "PostCompact", "PermissionRequest", "SubagentStart")
FIRES_WHEN = dict.fromkeys(EVENTS, "once the hook was reviewed under /hooks")
neutral, parse, tool_names = silence, claude_code_parse, mcp_tool_names
format = claude_code_like(  # noqa: A001 - every host's name
    "CodeBuddy",
    EVENTS,
    output="CodeBuddy documents no way to replace a tool's output",
    modify="CodeBuddy takes another input only together with a grant, so none is given",
    context=("SessionStart", "UserPromptSubmit", "PostToolUse"),
).format

"""How Claude Code spells a server entry: strict JSON, ``${VAR}`` and ``${VAR:-default}`` expanded by the host."""

from __future__ import annotations

from agent_connector.adapters.families.claude_settings import servers
from agent_connector.adapters.families.mcp_json import McpJson, shell_style
from agent_connector.host import Note
from agent_connector.location import absolute, home

_DIALECT = McpJson(
    host="Claude Code",
    spell=shell_style,
    types={"stdio": "stdio", "http": "http", "sse": "sse", "ws": "ws"},
    timeout_key="timeout",
    startup_fix="Set MCP_TIMEOUT (milliseconds) in the environment Claude Code starts in.",
    filter_fix='Hide a tool with a rule such as "mcp__<server>__<tool>" under permissions.deny in settings.json.',
)

CONFIG_HOME = home(".claude").moved_by("CLAUDE_CONFIG_DIR")
STATE = home(".claude.json").moved_by("CLAUDE_CONFIG_DIR", ".claude.json")
"""The file the host keeps its state in, beside servers of user and local scope; a running host rewrites it."""


_MANAGED = (
    absolute("/etc", "claude-code")
    .on("macos", absolute("/Library", "Application Support", "ClaudeCode"))
    .on("windows", absolute("C:\\Program Files", "ClaudeCode"))
)
MANAGED_SETTINGS = _MANAGED.below("managed-settings.json")
"""What an organisation decides for everybody on the machine; it wins over all other settings."""


SERVER_APPROVAL = Note(
    "info",
    "Claude Code asks each person once before it starts a server of .mcp.json (headless runs do not ask)",
    fix="Start `claude` in the project and approve the server.",
    gate=True,
)


SERVER = servers(STATE, _DIALECT, SERVER_APPROVAL)

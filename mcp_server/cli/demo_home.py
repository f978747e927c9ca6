"""The throwaway home of ``demo``: the config files of a person who uses three agents, and a connector to install."""

from __future__ import annotations

from pathlib import Path
from typing import Any

CLAUDE_JSON = """\
{
  "numStartups": 412,
  "installMethod": "native",
  "autoUpdates": true,
  "userID": "5f0c9d1e7b",
  "tipsHistory": { "new-user-warmup": 3, "shift-enter": 40 },
  "mcpServers": {
    "github": {
      "type": "http",
      "url": "https://api.githubcopilot.com/mcp/"
    }
  },
  "projects": {
    "/home/ada/engine": {
      "allowedTools": [],
      "lastCost": 1.50,
      "lastTotalInputTokens": 12345678901234567890,
      "mcpServers": {}
    }
  },
  "hasCompletedOnboarding": true
}
"""

CLAUDE_SETTINGS = """\
{
    "model": "opus",
    "permissions": { "allow": ["Bash(git status)", "Bash(npm test:*)"], "deny": [] },
    "hooks": {
        "PreToolUse": [
            {
                "matcher": "Bash",
                "hooks": [ { "type": "command", "command": "~/bin/no-force-push.sh" } ]
            }
        ]
    }
}"""

CLAUDE_MEMORY = """\
# How I work

- Small commits, present tense.
- Ask before adding a dependency.
"""

CODEX_CONFIG = """\
# ~/.codex/config.toml
model = "gpt-5.2-codex"        # the good one
model_reasoning_effort = 'high'
approval_policy = "on-request"

[features]
hooks = true

# Staging docs. Do not remove, Grace needs it.
[mcp_servers.docs]
command = "npx"
args = [
  "-y",
  "@upstash/context7-mcp",     # pinned by the lock file
]

[mcp_servers.docs.env]
LOG_LEVEL = "debug"

[projects."/home/ada/engine"]
trust_level = "trusted"
"""

CODEX_HOOKS = """\
{
  "hooks": {
    "SessionStart": [
      { "hooks": [ { "type": "command", "command": "git fetch --quiet", "timeout": 20 } ] }
    ]
  }
}
"""

CODEX_MEMORY = "Prefer the standard library.\n"

CURSOR_MCP = """\
{
  // shared with the team, see the wiki
  "mcpServers": {
    "figma": { "url": "http://127.0.0.1:3845/mcp" },
    /* "old": { "command": "old-mcp" }, */
    "postgres": {
      "command": "npx",
      "args": ["-y", "@modelcontextprotocol/server-postgres", "postgresql://localhost/engine"], // read only
    },
  },
}
"""

FILES = {
    ".claude.json": CLAUDE_JSON,
    ".claude/settings.json": CLAUDE_SETTINGS,
    ".claude/CLAUDE.md": CLAUDE_MEMORY,
    ".codex/config.toml": CODEX_CONFIG,
    ".codex/hooks.json": CODEX_HOOKS,
    ".codex/AGENTS.md": CODEX_MEMORY,
    ".cursor/mcp.json": CURSOR_MCP.replace("\n", "\r\n"),
}
"""Path in the home folder -> text. Cursor's file has the line ends of Windows, and every file its own indentation."""

CONNECTOR: dict[str, Any] = {
    "id": "acme-db",
    "display_name": "Acme DB",
    "version": "1.2.0",
    "server": {
        "transport": "stdio",
        "command": "npx",
        "args": ["-y", "@acme/acme-db-mcp"],
        "env": {"ACME_DB_DSN": "${env:ACME_DB_DSN:-postgres://localhost/acme}"},
    },
    "hooks": {"PreToolUse": {"matcher": "acme_write", "decision": "ask", "reason": "Confirm the write to Acme DB"}},
    "commands": [
        {
            "name": "acme-report",
            "description": "A report from Acme DB",
            "prompt": "Query Acme DB and report on: $ARGUMENTS",
        }
    ],
    "skills": [
        {
            "name": "acme-queries",
            "description": "Writes queries for Acme DB. Use it when a question needs data from Acme DB.",
            "body": "Read the schema first; then query with a LIMIT.\n",
        }
    ],
    "memory": [{"content": "Acme DB holds the orders. Its times are UTC."}],
}
"""A connector with a server, a hook that asks before a write, a slash command, a skill and a memory block."""


def make(home: Path) -> None:
    """Write the config files into ``home``."""
    for name, text in FILES.items():
        path = home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    (home / ".claude.json").chmod(0o600)


def snapshot(home: Path) -> dict[str, tuple[int, bytes]]:
    """Every file, folder and link below ``home``: its mode, and its bytes (of a link: where it leads)."""
    return {path.relative_to(home).as_posix(): (path.lstat().st_mode, _content(path)) for path in home.rglob("*")}


def _content(path: Path) -> bytes:
    if path.is_symlink():
        return str(path.readlink()).encode()
    return path.read_bytes() if path.is_file() else b""

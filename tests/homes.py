"""Homes as people have them, connectors as authors write them, and what can be asked of a home."""

from __future__ import annotations

import json
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Any

from agent_connector.adapters.codex.trust import digests, trust_key
from agent_connector.machine import Machine, OperatingSystem
from agent_connector.operations.context import Context
from agent_connector.operations.install import install
from agent_connector.operations.reports import ChangeReport
from agent_connector.operations.requests import ConnectorSource, InstallRequest, UninstallRequest
from agent_connector.operations.uninstall import uninstall

CLAUDE_JSON = """{
  "numStartups": 12345678901234567890,
  "projects": {
    "/srv/shop": {"history": [{"display": "naïve ✓", "cost": 1.0}], "allowedTools": []}
  },
  "mcpServers": {
    "weather": {
      "type": "stdio",
      "command": "npx",
      "args": ["-y", "weather-mcp"],
      "env": {"WEATHER_API_KEY": "sk-live-0123456789abcdef0123456789abcdef"}
    }
  }
}
"""

CODEX_TOML = """# my settings
model = "gpt-5"   # the big one

[mcp_servers.weather]
command = "npx"
args = ["-y", "weather-mcp"] # keep

[projects."/srv/shop"]
trust_level = "trusted"
"""

CURSOR_JSON = """{
  // my servers
  "mcpServers": {
    "weather": { "command": "npx", "args": ["-y", "weather-mcp"] }, // works
  },
}
"""


ACME: dict[str, Any] = {
    "id": "acme-db",
    "version": "1.2.0",
    "server": {
        "transport": "stdio",
        "command": "npx",
        "args": ["-y", "@acme/acme-db-mcp"],
        "env": {"ACME_DB_DSN": "${env:ACME_DB_DSN:-sqlite://}"},
        "timeout_ms": 30000,
    },
    "hooks": {
        "PreToolUse": {"matcher": "acme_write", "decision": "ask", "reason": "Confirm the write"},
        "SessionStart": {"decision": "context", "additional_context": "Schema v12 is loaded."},
    },
    "commands": [{"name": "schema", "description": "Show the schema", "prompt": "Show the schema of $ARGUMENTS"}],
    "skills": [
        {"name": "acme-sql", "description": "Writes Acme SQL when asked for data", "body": "# SQL\n\nUse it."}
    ],
    "subagents": [{"name": "dba", "description": "Tunes queries", "prompt": "You tune queries."}],
    "memory": [{"content": "Acme rows are append-only."}],
    "statusline": {"command": ["echo", "acme"]},
    "platforms": {
        "claude-code": {
            "config_patch": [{"key": "env.ACME_TEAM", "value": "1", "reason": "Acme needs its team mode"}],
        }
    },
}


def snapshot(folder: Path) -> dict[str, tuple[bytes, int]]:
    """Every file below a folder but ours: relative path -> bytes and mode."""
    return {
        str(path.relative_to(folder)): (path.read_bytes(), path.stat().st_mode & 0o777)
        for path in sorted(folder.rglob("*"))
        if path.is_file() and ".agent-connector" not in path.relative_to(folder).parts
    }


def folders(folder: Path) -> set[str]:
    return {
        str(path.relative_to(folder))
        for path in folder.rglob("*")
        if path.is_dir() and ".agent-connector" not in path.relative_to(folder).parts
    }


class Desk:
    """What a person does, in short words."""

    def __init__(self, context: Context) -> None:
        self.context = context

    def install(self, definition: dict[str, Any] | None = None, **wishes: Any) -> ChangeReport:
        source = ConnectorSource(inline=ACME if definition is None else definition)
        return install(InstallRequest(source=source, **wishes), self.context)

    def uninstall(self, connector: str = "acme-db", **wishes: Any) -> ChangeReport:
        return uninstall(UninstallRequest(source=ConnectorSource(id=connector), **wishes), self.context)


def machine_on(system: OperatingSystem, env: dict[str, str] | None = None) -> Machine:
    """A machine of another system, to compute paths on."""
    if system == "windows":
        home = PureWindowsPath(r"C:\Users\Zoë O'Neil")
        return Machine(os=system, home=home, cwd=home / "shop", env=env or {})
    home_posix = PurePosixPath("/Users/zoe" if system == "macos" else "/home/zoe")
    return Machine(os=system, home=home_posix, cwd=home_posix / "shop", env=env or {})


def trust_codex_hooks(home: Path) -> None:
    """What a person who reviews all hooks of ``hooks.json`` in Codex leaves behind (a real Codex's test holds that
    these are the digests it counts)."""
    file, config = home / ".codex" / "hooks.json", home / ".codex" / "config.toml"
    trusted = ""
    for event, groups in json.loads(file.read_bytes())["hooks"].items():
        for index, group in enumerate(groups):
            (digest, *_) = digests(event, group)
            key = json.dumps(trust_key(file, event, index), ensure_ascii=False)
            trusted += f"\n[hooks.state.{key}]\ntrusted_hash = {json.dumps(digest)}\n"
    before = config.read_text(encoding="utf-8") if config.exists() else ""
    config.write_text(before + trusted, encoding="utf-8")

"""What is written for hooks, byte for byte: each host's own units, limits and matchers.

``registrations/<host>.*`` are the files of an otherwise empty home; ``LAUNCHER`` stands for the launcher's path.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from agent_connector.adapters.catalog import CATALOG
from agent_connector.host import HookSpec
from agent_connector.operations.context import Context
from agent_connector.operations.install import install
from agent_connector.operations.requests import ConnectorSource, InstallRequest

FIXTURES = Path(__file__).parent / "registrations"
STATIC = {"decision": "context", "additional_context": "x"}
DENY = {"decision": "deny", "reason": "no"}

DEFINITION: dict[str, Any] = {
    "id": "acme",
    "version": "1.0.0",
    "hooks": {
        "SessionStart": STATIC,
        "SessionEnd": {"command": ["true"], "timeout_ms": 10_000},
        "UserPromptSubmit": {**STATIC, "timeout_ms": 1},
        "PreToolUse": [
            {**DENY, "matcher": "^acme_write$", "timeout_ms": 999},
            {**DENY, "matcher": "mcp__acme-db__drop", "timeout_ms": 1001},
        ],
        "PostToolUse": {**STATIC, "matcher": "acme_read", "timeout_ms": 60_000},
        "Stop": {"command": ["true"], "timeout_ms": 7_200_000},
        "SubagentStart": {**STATIC, "matcher": "reviewer"},
        "PreCompact": DENY,
    },
    "platforms": {
        "claude-code": {"native_hooks": {"ConfigChange": {"command": ["true"], "matcher": "user_settings"}}},
        "codex": {"native_hooks": {"Interrupt": {"command": ["true"]}}},
        "cursor": {"native_hooks": {"afterFileEdit": {"command": ["true"], "matcher": "\\.py$"}}},
    },
}
FILES = {
    "claude-code": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "codex-toml": ".codex/config.toml",
    "cursor": ".cursor/hooks.json",
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_of_hooks_byte_for_byte(name: str, context: Context, home: Path) -> None:
    host = name.removesuffix("-toml")
    path = home / FILES[name]
    path.parent.mkdir()
    if name.endswith("-toml"):
        path.write_bytes(b'[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "theirs"\n')
    install(InstallRequest(source=ConnectorSource(inline=DEFINITION), targets=(host,)), context)

    written = path.read_text(encoding="utf-8")
    launcher = str(context.machine.launcher).replace("'", "'\"'\"'")
    for spelled in (launcher, launcher.replace('"', '\\"')):
        written = written.replace(spelled, "LAUNCHER")
    assert written.encode() == (FIXTURES / f"{name}{path.suffix}").read_bytes()


def written(host: str, event: str, ms: int | None) -> Any:
    dialect = CATALOG.get(host).hooks
    assert dialect is not None
    item = dialect.item(HookSpec(event, dialect.events.get(event, event), "run", timeout_ms=ms))
    return (item["hooks"][0] if "hooks" in item else item).get("timeout")


def given(host: str, event: str, ms: int | None) -> int:
    dialect = CATALOG.get(host).hooks
    assert dialect is not None
    return dialect.time_limit(event, ms)


TIMES = [
    # host, event, asked for in ms, written in s, given in ms
    ("claude-code", "PreToolUse", None, None, 60_000),
    ("claude-code", "PreToolUse", 1, 1, 1000),
    ("claude-code", "PreToolUse", 1000, 1, 1000),
    ("claude-code", "PreToolUse", 1001, 2, 2000),
    ("claude-code", "PreToolUse", 7_200_000, 7200, 7_200_000),
    ("claude-code", "SessionEnd", None, None, 1500),
    ("claude-code", "SessionEnd", 8000, 8, 8000),
    ("codex", "PreToolUse", None, None, 60_000),
    ("codex", "PreToolUse", 1, 1, 1000),
    ("codex", "PreToolUse", 1001, 2, 2000),
    ("codex", "PreToolUse", 7_200_000, 7200, 7_200_000),
    ("codex", "SessionEnd", None, None, 1000),
    ("codex", "SessionEnd", 1, 1, 1000),
    ("codex", "SessionEnd", 2500, 3, 3000),
    ("codex", "SessionEnd", 60_000, 3, 3000),
    ("codex", "Interrupt", None, None, 1000),
    ("cursor", "Stop", None, None, 60_000),
    ("cursor", "Stop", 1, 1, 1000),
    ("cursor", "Stop", 1001, 2, 2000),
    ("cursor", "Stop", 3_600_000, 3600, 3_600_000),
    ("cursor", "Stop", 3_600_001, 3600, 3_600_000),
]


@pytest.mark.parametrize(("host", "event", "asked", "seconds", "milliseconds"), TIMES)
def test_times_are_rounded_up_into_the_hosts_seconds_and_kept_in_its_limits(
    host: str, event: str, asked: int | None, seconds: int | None, milliseconds: int
) -> None:
    assert written(host, event, asked) == seconds
    assert given(host, event, asked) == milliseconds


@pytest.mark.parametrize("host", ["claude-code", "codex", "cursor"])
@pytest.mark.parametrize("asked", [1, 999, 1000, 1500, 59_999, 3_600_000])
def test_what_is_given_is_what_is_written_and_never_less_than_asked_for(host: str, asked: int) -> None:
    assert given(host, "PreToolUse", asked) == written(host, "PreToolUse", asked) * 1000 >= asked


MATCHERS = [
    # definition, Claude Code, Codex, Cursor
    ("", "", "", ""),
    (".*", "", "", ""),
    ("acme_write", "(?:acme_write)", "(?:acme_write)", "(?:acme_write)"),
    ("^acme_write$", "(?:^|__)acme_write$", "(?:^|__)acme_write$", "(?:^|MCP:)acme_write$"),
    ("acme_write|acme_drop", "(?:acme_write|acme_drop)", "(?:acme_write|acme_drop)", "(?:acme_write|acme_drop)"),
    ("mcp__acme-db__.*", "mcp__acme-db__.*", "mcp__acme[-_]db__.*", ""),
    ("Bash|Edit", "(?:Bash|Edit)", "(?:Bash|Edit)", "(?:Bash|Edit)"),
    ("(?i)acme", "", "", ""),
    ("a//b", "a//b", "a//b", ""),
]


@pytest.mark.parametrize(("pattern", "claude", "codex", "cursor"), MATCHERS)
@pytest.mark.parametrize("event", ["PreToolUse", "PostToolUse", "SubagentStop"])
def test_matchers_in_each_hosts_own_syntax(event: str, pattern: str, claude: str, codex: str, cursor: str) -> None:
    said = [CATALOG.get(host).hooks.matcher(event, pattern) for host in ("claude-code", "codex", "cursor")]  # type: ignore[union-attr]
    assert said == [claude, codex, cursor]

"""Claude Code, as of 2.1.197."""

from __future__ import annotations

from agent_connector.adapters.families.claude_content import content
from agent_connector.host import Detection, Host, RuntimeMark
from agent_connector.location import project

from .memory import MEMORY
from .server import CONFIG_HOME, SERVER, STATE
from .settings import CONFIG_PATCH, GRANTS, HOOKS, STATUSLINE

_CONTENT = content("Claude Code", CONFIG_HOME, ".claude")

HOST = Host(
    id="claude-code",
    name="Claude Code",
    detection=Detection(
        binaries=("claude",),
        markers=(CONFIG_HOME, STATE),
        project_markers=(project(".claude"), project(".mcp.json"), project("CLAUDE.md")),
        home_override="CLAUDE_CONFIG_DIR",
        version=("claude", "--version"),
        # CLAUDE_PROJECT_DIR is no mark: several hosts set it for compatibility.
        runtime=RuntimeMark(
            env=("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT"),
            not_env=("OMPCODE",),
            client_names=("claude-code",),
            session=("CLAUDE_CODE_SESSION_ID",),
        ),
    ),
    server=SERVER,
    hooks=HOOKS,
    native_hooks=True,
    model_family="anthropic",
    commands=_CONTENT.commands,
    skills=_CONTENT.skills,
    subagents=_CONTENT.subagents,
    memory=MEMORY,
    statusline=STATUSLINE,
    config_patch=CONFIG_PATCH,
    grants=GRANTS,
    verify="claude mcp list",
)

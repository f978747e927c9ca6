"""Claude Code, as of 2.1.197."""

from __future__ import annotations

from agent_connector.host import ContentDialect, Detection, Host, RuntimeMark
from agent_connector.location import Location, project
from agent_connector.vocabulary import Scope

from .content import render_command, render_skill, render_subagent
from .memory import MEMORY
from .server import CONFIG_HOME, SERVER, STATE
from .settings import CONFIG_PATCH, GRANTS, HOOKS, STATUSLINE


def _folders(kind: str) -> dict[Scope, Location]:
    return {"user": CONFIG_HOME.below(kind), "project": project(".claude", kind)}


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
    commands=ContentDialect(_folders("commands"), render_command),
    skills=ContentDialect(_folders("skills"), render_skill),
    subagents=ContentDialect(_folders("agents"), render_subagent),
    memory=MEMORY,
    statusline=STATUSLINE,
    config_patch=CONFIG_PATCH,
    grants=GRANTS,
    verify="claude mcp list",
)

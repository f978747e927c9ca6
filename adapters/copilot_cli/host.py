"""GitHub Copilot CLI, as of 1.0.102, which was run."""

from __future__ import annotations

from agent_connector.adapters.families.agents_md import targets_in
from agent_connector.adapters.families.copilot import agents, skills
from agent_connector.host import AlsoReads, Detection, Host, MemoryDialect, RuntimeMark
from agent_connector.location import project
from agent_connector.vocabulary import Scope

from .registration import HOOKS, STATUSLINE
from .server import COPILOT_HOME, FOLDER_GRANT, SERVER

_NAME = "Copilot CLI"
_IN_PROJECTS: frozenset[Scope] = frozenset({"project"})

HOST = Host(
    id="copilot-cli",
    name=_NAME,
    detection=Detection(
        binaries=("copilot",),
        markers=(COPILOT_HOME,),
        project_markers=(project(".github", "copilot"),),
        home_override="COPILOT_HOME",
        version=("copilot", "--version"),
        # Hooks get COPILOT_CLI, servers the id of the session.
        runtime=RuntimeMark(
            env=("COPILOT_CLI", "COPILOT_AGENT_SESSION_ID"),
            client_names=("copilot-cli",),
            payload_shape=(frozenset({"sessionId", "timestamp"}), frozenset()),
            session=("COPILOT_AGENT_SESSION_ID",),
        ),
    ),
    server=SERVER,
    hooks=HOOKS,
    native_hooks=True,
    skills=skills(_NAME, COPILOT_HOME),
    subagents=agents(_NAME, COPILOT_HOME),
    memory=MemoryDialect(
        targets=targets_in(COPILOT_HOME.below("copilot-instructions.md")), scopes=("user", "project")
    ),
    statusline=STATUSLINE,
    also_reads=(
        AlsoReads("claude-code", frozenset({"server", "skills", "memory"}), scopes=_IN_PROJECTS),
        AlsoReads("vscode-copilot", frozenset({"hooks"})),
        AlsoReads("jetbrains-copilot", frozenset({"hooks"}), scopes=_IN_PROJECTS),
    ),
    grants=(FOLDER_GRANT,),
    verify="copilot mcp list",
    facts=(
        "Version 1.0.102 was run.",
        "It has a command status line, and reads a project's `.mcp.json` before `.github/mcp.json`.",
        "A hook that fails before a tool call denies it, so a registered line ends well without the launcher.",
    ),
)

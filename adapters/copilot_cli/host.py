"""GitHub Copilot CLI, as of 1.0.102, which was run."""

from __future__ import annotations

from functools import partial

from agent_connector.adapters.families.agents_md import targets_in
from agent_connector.adapters.families.copilot import folders, render_agent, render_skill
from agent_connector.host import AlsoReads, ContentDialect, Detection, Host, MemoryDialect, RuntimeMark
from agent_connector.location import project
from agent_connector.vocabulary import Scope

from .registration import HOOKS, STATUSLINE
from .server import COPILOT_HOME, SERVER

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
    skills=ContentDialect(folders(COPILOT_HOME, "skills"), partial(render_skill, _NAME)),
    subagents=ContentDialect(folders(COPILOT_HOME, "agents"), partial(render_agent, _NAME)),
    memory=MemoryDialect(
        targets=targets_in(COPILOT_HOME.below("copilot-instructions.md")), scopes=("user", "project")
    ),
    statusline=STATUSLINE,
    also_reads=(
        AlsoReads("claude-code", frozenset({"server", "skills", "memory"}), scopes=_IN_PROJECTS),
        AlsoReads("vscode-copilot", frozenset({"hooks"})),
        AlsoReads("jetbrains-copilot", frozenset({"hooks"}), scopes=_IN_PROJECTS),
    ),
    verify="copilot mcp list",
)

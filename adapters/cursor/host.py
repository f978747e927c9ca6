"""Cursor: the editor and its command line, as of the agent runtime 1.0.18."""

from __future__ import annotations

from agent_connector.adapters.families.agents_md import AGENTS_MD, first_there
from agent_connector.host import (
    AlsoReads,
    ContentDialect,
    Detection,
    Files,
    Host,
    MemoryBlock,
    MemoryDialect,
    MemoryRequest,
    RuntimeMark,
)
from agent_connector.location import Location, home, project
from agent_connector.vocabulary import Scope

from .content import render_command, render_skill, render_subagent
from .registration import HOOKS, STATUSLINE
from .server import SERVER

_THIRD_PARTY_OFF = "loading of third-party (Claude) configuration is switched off in Cursor's settings"


def _folders(kind: str) -> dict[Scope, Location]:
    return {"user": home(".cursor", kind), "project": project(".cursor", kind)}


def memory_targets(request: MemoryRequest, files: Files) -> tuple[MemoryBlock, ...]:
    """The project's ``AGENTS.md``; what a user tells all projects stands in the app, not in a file."""
    return first_there(request.project, (AGENTS_MD,), files)


HOST = Host(
    id="cursor",
    name="Cursor",
    detection=Detection(
        binaries=("cursor-agent", "cursor"),
        markers=(home(".cursor"),),
        project_markers=(project(".cursor"),),
        version=("cursor-agent", "--version"),
        # A terminal inside the editor carries CURSOR_TRACE_ID too, and Claude Code is often run in one.
        runtime=RuntimeMark(
            env=(
                "CURSOR_PROJECT_DIR",
                "CURSOR_VERSION",
                "CURSOR_AGENT",
                "CURSOR_CONVERSATION_ID",
                "CURSOR_TRACE_ID",
                "CURSOR_CLI",
                "CURSOR_CWD",
            ),
            not_env=("CLAUDECODE",),
            client_names=("cursor-vscode",),
            payload_keys=("cursor_version",),
        ),
    ),
    server=SERVER,
    hooks=HOOKS,
    native_hooks=True,
    commands=ContentDialect(_folders("commands"), render_command),
    skills=ContentDialect(_folders("skills"), render_skill),
    subagents=ContentDialect(_folders("agents"), render_subagent),
    memory=MemoryDialect(targets=memory_targets, scopes=("project",)),
    statusline=STATUSLINE,
    also_reads=(
        AlsoReads("claude-code", frozenset({"hooks", "skills", "subagents", "memory"}), _THIRD_PARTY_OFF),
        AlsoReads("codex", frozenset({"skills"}), _THIRD_PARTY_OFF),
    ),
    verify="cursor-agent mcp list",
)

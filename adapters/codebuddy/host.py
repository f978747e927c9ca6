"""CodeBuddy Code (Tencent), which began as Claude Code."""

from __future__ import annotations

from agent_connector.adapters.families.claude_content import content
from agent_connector.adapters.families.claude_settings import hooks, servers, settings_files
from agent_connector.adapters.families.mcp_json import McpJson, shell_style
from agent_connector.adapters.families.memory_names import memory_in
from agent_connector.host import AlsoReads, Detection, Host, Note, RuntimeMark
from agent_connector.location import home, project

from .hooks import EVENTS

_USER, _STATE = home(".codebuddy"), home(".codebuddy.json")
_CONTENT = content("CodeBuddy", _USER, ".codebuddy")
_REVIEW = Note("info", "CodeBuddy runs a hook only once it was reviewed", "Type /hooks in a session.", gate=True)
_APPROVAL = Note("info", "CodeBuddy asks each person before it starts a server of .mcp.json", gate=True)
# Variables in small letters are not expanded.
_SERVER = McpJson("CodeBuddy", lambda reference: shell_style(reference) if reference.name.isupper() else None)

HOST = Host(
    id="codebuddy",
    name="CodeBuddy Code",
    detection=Detection(
        binaries=("codebuddy",),
        markers=(_USER, _STATE),
        project_markers=(project(".codebuddy"), project("CODEBUDDY.md")),
        version=("codebuddy", "--version"),
        runtime=RuntimeMark(env=("CODEBUDDY_PROJECT_DIR",)),  # its hooks also carry CLAUDE_PROJECT_DIR
    ),
    server=servers(_STATE, _SERVER, _APPROVAL),
    hooks=hooks(settings_files(_USER, ".codebuddy"), EVENTS, notes=_REVIEW),
    native_hooks=True,
    commands=_CONTENT.commands,
    skills=_CONTENT.skills,
    subagents=_CONTENT.subagents,
    memory=memory_in(_USER, "CODEBUDDY.md"),
    also_reads=(AlsoReads("claude-code", frozenset({"server"}), scopes=frozenset({"project"})),),
    verify="codebuddy mcp list",
    facts=(
        "From its documentation of 2025 and 2026, which promises Claude Code's hooks as they are; it was not run.",
    ),
)

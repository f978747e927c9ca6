"""Gemini CLI, as of 0.61.0. Its successor, Antigravity CLI, shares the folder ``~/.gemini``."""

from __future__ import annotations

from agent_connector.adapters.families.memory_names import MemoryNames, targets_by_name
from agent_connector.host import ContentDialect, Detection, Host, MemoryDialect, RuntimeMark
from agent_connector.location import Location, Place, project
from agent_connector.vocabulary import Scope

from .content import render_command, render_skill, render_subagent
from .server import CONFIG_HOME, SERVER, SETTINGS
from .settings import CONFIG_PATCH, FOLDER_GRANT, HOOKS


def _folders(kind: str) -> dict[Scope, Location]:
    return {"user": CONFIG_HOME.below(kind), "project": project(".gemini", kind)}


_MEMORY = MemoryNames(
    folder=CONFIG_HOME,
    read=("GEMINI.md",),
    settings=tuple(Place(SETTINGS[scope], "jsonc", ("context", "fileName")) for scope in ("project", "user")),
)

HOST = Host(
    id="gemini-cli",
    name="Gemini CLI",
    detection=Detection(
        binaries=("gemini",),
        markers=(
            CONFIG_HOME.below("settings.json"),
            CONFIG_HOME.below("projects.json"),
            CONFIG_HOME.below("trustedFolders.json"),
        ),
        project_markers=(project(".gemini"), project("GEMINI.md")),
        home_override="GEMINI_CLI_HOME",
        version=("gemini", "--version"),
        runtime=RuntimeMark(
            # Hooks are told the session, servers GEMINI_CLI. GEMINI_PROJECT_DIR is set by Qwen Code too.
            env=("GEMINI_CLI", "GEMINI_SESSION_ID"),
            client_names=("gemini-cli-mcp-client*", "mcp-test-client"),
            session=("GEMINI_SESSION_ID",),
        ),
    ),
    server=SERVER,
    hooks=HOOKS,
    native_hooks=True,
    config_patch=CONFIG_PATCH,
    commands=ContentDialect(_folders("commands"), render_command),
    skills=ContentDialect(_folders("skills"), render_skill),
    subagents=ContentDialect(_folders("agents"), render_subagent),
    memory=MemoryDialect(targets=targets_by_name(_MEMORY), scopes=("user", "project")),
    grants=(FOLDER_GRANT,),
    verify="gemini mcp list",
)

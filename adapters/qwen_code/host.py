"""Qwen Code, as of 0.24.4. It began as Gemini CLI; its hooks are Claude Code's."""

from __future__ import annotations

from agent_connector.adapters.families.memory_names import MemoryNames, targets_by_name
from agent_connector.host import ContentDialect, Detection, Host, MemoryDialect, RuntimeMark
from agent_connector.location import Location, Place, project
from agent_connector.vocabulary import Scope

from .content import render_command, render_skill, render_subagent
from .server import CONFIG_HOME, SERVER, SETTINGS
from .settings import CONFIG_PATCH, FOLDER_GRANT, HOOKS, STATUSLINE


def _folders(kind: str) -> dict[Scope, Location]:
    return {"user": CONFIG_HOME.below(kind), "project": project(".qwen", kind)}


_MEMORY = MemoryNames(
    folder=CONFIG_HOME,
    read=("QWEN.md", "AGENTS.md"),
    settings=tuple(Place(SETTINGS[scope], "jsonc", ("context", "fileName")) for scope in ("project", "user")),
)

HOST = Host(
    id="qwen-code",
    name="Qwen Code",
    detection=Detection(
        binaries=("qwen",),
        markers=(CONFIG_HOME,),
        project_markers=(project(".qwen"), project("QWEN.md")),
        home_override="QWEN_HOME",
        version=("qwen", "--version"),
        runtime=RuntimeMark(
            # Its hooks also carry GEMINI_PROJECT_DIR and CLAUDE_PROJECT_DIR.
            env=("QWEN_CODE_SESSION_ID", "QWEN_PROJECT_DIR"),
            client_names=("qwen-cli-mcp-client-*",),
            session=("QWEN_CODE_SESSION_ID",),
        ),
    ),
    server=SERVER,
    hooks=HOOKS,
    native_hooks=True,
    statusline=STATUSLINE,
    config_patch=CONFIG_PATCH,
    commands=ContentDialect(_folders("commands"), render_command),
    skills=ContentDialect(_folders("skills"), render_skill),
    subagents=ContentDialect(_folders("agents"), render_subagent),
    memory=MemoryDialect(targets=targets_by_name(_MEMORY), scopes=("user", "project")),
    grants=(FOLDER_GRANT,),
    verify="qwen mcp list",
)

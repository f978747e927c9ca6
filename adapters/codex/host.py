"""Codex CLI, as of 0.171.0."""

from __future__ import annotations

from agent_connector.adapters.families.agents_md import AGENTS_MD, OVERRIDE_MD, first_there
from agent_connector.host import (
    ContentDialect,
    Detection,
    Files,
    Host,
    MemoryBlock,
    MemoryDialect,
    MemoryRequest,
    RuntimeMark,
)
from agent_connector.location import Location, project
from agent_connector.vocabulary import Scope

from .content import COMMANDS_DEGRADED, render_command, render_skill, render_subagent
from .registration import HOOKS, PROJECT_GRANT
from .server import CODEX_HOME, SERVER


def _folders(kind: str) -> dict[Scope, Location]:
    return {"user": CODEX_HOME.below(kind), "project": project(".codex", kind)}


def memory_targets(request: MemoryRequest, files: Files) -> tuple[MemoryBlock, ...]:
    """``AGENTS.override.md`` shadows the ``AGENTS.md`` beside it, so where it exists the block stands there."""
    folder = CODEX_HOME.resolve(request.machine, request.project) if request.scope == "user" else request.project
    return first_there(folder, (OVERRIDE_MD, AGENTS_MD), files)


HOST = Host(
    id="codex",
    name="Codex",
    detection=Detection(
        binaries=("codex",),
        markers=(CODEX_HOME,),
        project_markers=(project(".codex"),),
        home_override="CODEX_HOME",
        version=("codex", "--version"),
        runtime=RuntimeMark(
            env=("CODEX_THREAD_ID", "CODEX_CI", "CODEX_MANAGED_BY_NPM"), client_names=("codex-mcp-client",)
        ),
    ),
    server=SERVER,
    hooks=HOOKS,
    native_hooks=True,
    model_family="openai",
    commands=ContentDialect(_folders("skills"), render_command, degraded=COMMANDS_DEGRADED),
    skills=ContentDialect(_folders("skills"), render_skill),
    subagents=ContentDialect(_folders("agents"), render_subagent),
    # The host cuts at 32 KiB, over all files together: what is left below is for the person's own.
    memory=MemoryDialect(targets=memory_targets, scopes=("user", "project"), budget=28 * 1024),
    grants=(PROJECT_GRANT,),
    verify="codex mcp list",
)

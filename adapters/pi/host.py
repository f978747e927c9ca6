"""Pi, as of 1.6.0."""

from __future__ import annotations

from agent_connector.adapters.families.agent_skills import agents_skills
from agent_connector.adapters.families.agents_md import AGENTS_MD, OVERRIDE_MD, targets_alike
from agent_connector.host import ContentDialect, Detection, Host, MemoryDialect, RuntimeMark
from agent_connector.location import project

from .content import render_command
from .registration import FOLDER_GRANT, HOOKS
from .server import HOST as NAME
from .server import PI_HOME, SERVER

HOST = Host(
    id="pi",
    name=NAME,
    detection=Detection(
        binaries=("pi",),
        markers=(PI_HOME,),
        project_markers=(project(".pi"),),
        home_override="PI_CODING_AGENT_DIR",
        version=("pi", "--version"),
        # Its fork omp sets a variable of its own where it sets any.
        runtime=RuntimeMark(
            env=("PI_CODING_AGENT", "PI_SESSION_ID"),
            not_env=("OMPCODE",),
            client_names=("pi",),
            session=("PI_SESSION_ID",),
        ),
    ),
    server=SERVER,
    hooks=HOOKS,
    native_hooks=True,
    commands=ContentDialect({"user": PI_HOME.below("prompts"), "project": project(".pi", "prompts")}, render_command),
    skills=agents_skills(NAME),
    memory=MemoryDialect(
        targets=targets_alike(PI_HOME, read=(OVERRIDE_MD, AGENTS_MD, "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD")),
        scopes=("user", "project"),
    ),
    grants=(FOLDER_GRANT,),
    verify="pi mcp list",
    facts=(
        "Run headless and over RPC with 1.6.0: servers, trust, every answer of hooks, dialogs, compaction.",
        "How it reads patterns and what is escaped is read in its documentation and source.",
        "It has servers and hooks, which the specification denies.",
        "A project's files are read where the folder, or one above it, is trusted; memory is read anywhere.",
    ),
)

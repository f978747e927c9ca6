"""Droid (Factory), as of 0.215.0."""

from __future__ import annotations

from agent_connector.adapters.families.agents_md import AGENTS_MD, targets_in
from agent_connector.host import ContentDialect, Detection, Host, MemoryDialect, RuntimeMark
from agent_connector.location import Location, project
from agent_connector.vocabulary import Scope

from .content import render_command, render_skill, render_subagent
from .registration import HOOKS
from .server import FACTORY, SERVER


def _folders(kind: str) -> dict[Scope, Location]:
    return {"user": FACTORY.below(kind), "project": project(".factory", kind)}


HOST = Host(
    id="droid",
    name="Droid",
    detection=Detection(
        binaries=("droid",),
        markers=(FACTORY,),
        project_markers=(project(".factory"),),
        version=("droid", "--version"),
        # Its hooks also carry CLAUDE_PROJECT_DIR and CLAUDE_PLUGIN_ROOT.
        runtime=RuntimeMark(env=("FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR"), client_names=("factory-cli",)),
    ),
    server=SERVER,
    hooks=HOOKS,
    native_hooks=True,
    commands=ContentDialect(_folders("commands"), render_command),
    skills=ContentDialect(_folders("skills"), render_skill),
    subagents=ContentDialect(_folders("droids"), render_subagent),
    memory=MemoryDialect(targets=targets_in(FACTORY.below(AGENTS_MD)), scopes=("user", "project")),
    verify="droid mcp list",
)

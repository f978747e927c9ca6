"""OpenCode, as of 1.18.33."""

from __future__ import annotations

from agent_connector.adapters.families.agent_skills import agents_skills
from agent_connector.host import AlsoReads, ContentDialect, Detection, Host, MemoryDialect, RuntimeMark
from agent_connector.location import Location, home, project
from agent_connector.vocabulary import Scope

from .content import render_command, render_subagent, targets
from .registration import HOOKS
from .server import CONFIG_HOME, IN_PROJECT, SERVER


def _folders(kind: str) -> dict[Scope, Location]:
    return {"user": CONFIG_HOME.below(kind), "project": IN_PROJECT.below(kind)}


HOST = Host(
    id="opencode",
    name="OpenCode",
    detection=Detection(
        binaries=("opencode",),
        markers=(CONFIG_HOME, home(".local", "share", "opencode")),
        project_markers=(IN_PROJECT, project("opencode.json"), project("opencode.jsonc")),
        version=("opencode", "--version"),
        # Its forks set its variables beside their own.
        runtime=RuntimeMark(env=("OPENCODE", "OPENCODE_PID"), not_env=("KILO",), client_names=("opencode",)),
    ),
    server=SERVER,
    hooks=HOOKS,
    native_hooks=True,
    commands=ContentDialect(_folders("command"), render_command),
    skills=agents_skills("OpenCode"),
    subagents=ContentDialect(_folders("agent"), render_subagent),
    memory=MemoryDialect(targets=targets, scopes=("user", "project")),
    also_reads=(
        AlsoReads("claude-code", frozenset({"skills"}), unless="OPENCODE_DISABLE_CLAUDE_CODE_SKILLS is set"),
    ),
    verify="opencode mcp list",
    facts=(
        "Run headless with 1.18.33: servers, refusals, changed inputs and outputs, context, sessions that end.",
        "Plugins are .js and .ts files: .mjs files, and whatever stands in folders below, are not loaded.",
        "It resolves {env:VAR} itself, also in commands: the specification has literals written in its place.",
        "Its hook permission.ask is never called; that a permission is asked for can only be looked at.",
        "What compaction makes of context is read in its types.",
    ),
)

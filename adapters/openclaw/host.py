"""OpenClaw, as of 2026.9.6."""

from __future__ import annotations

from agent_connector.adapters.families.agent_skills import agents_skills
from agent_connector.host import ContentDialect, Detection, Host, MemoryDialect, RuntimeMark

from .content import COMMANDS_DEGRADED, memory_targets, render_command
from .registration import HOOKS
from .server import CONFIG, OPENCLAW_HOME, SERVER
from .server import HOST as NAME

HOST = Host(
    id="openclaw",
    name=NAME,
    detection=Detection(
        binaries=("openclaw",),
        markers=(OPENCLAW_HOME, CONFIG),
        home_override="OPENCLAW_STATE_DIR",
        version=("openclaw", "--version"),
        # Its servers get no variable of its own, what its exec tool starts does.
        runtime=RuntimeMark(env=("OPENCLAW_SHELL", "OPENCLAW_CLI"), client_names=("openclaw-bundle-mcp",)),
    ),
    server=SERVER,
    hooks=HOOKS,
    native_hooks=True,
    commands=ContentDialect({"user": OPENCLAW_HOME.below("skills")}, render_command, COMMANDS_DEGRADED),
    skills=ContentDialect({"user": agents_skills(NAME).folders["user"]}, agents_skills(NAME).render),
    memory=MemoryDialect(targets=memory_targets, scopes=("user",)),
    verify="openclaw mcp list",
    facts=(
        "Run headless (agent --local) with 2026.9.6: servers, refusals, changed inputs, context, turns that went on.",
        "What only its Gateway tells (sessions' ends, compaction, subagents) is read in its documentation.",
        "It changes no input in place: what a hook returns counts, where the specification has it changed.",
        "A plugin among its extensions is listed as loaded, but called only with an entry in its config.",
        "A config with more of JSON5 than comments and trailing commas is left alone, with the manual edit.",
        "What it writes into its config itself is plain JSON, without the comments there were.",
        "It writes an AGENTS.md where there is none: memory installed before its first run stands in place of that.",
        "OPENCLAW_CONFIG_PATH and profiles are not looked at: OPENCLAW_STATE_DIR is.",
        "Memory of a project has no place there, which the specification puts into the person's workspace.",
    ),
)

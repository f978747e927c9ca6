"""Continue: its command line ``cn``, as of 1.5.47, and its editor extensions, which share the folder."""

from __future__ import annotations

from agent_connector.adapters.families.agents_md import AGENTS_MD, targets_in
from agent_connector.host import AlsoReads, ContentDialect, Detection, Host, MemoryDialect, RuntimeMark
from agent_connector.location import Location, project
from agent_connector.vocabulary import Scope

from .content import COMMANDS_DEGRADED, render_command, render_skill
from .server import CONTINUE_HOME, SERVER

_SKILLS: dict[Scope, Location] = {"user": CONTINUE_HOME.below("skills"), "project": project(".continue", "skills")}

HOST = Host(
    id="continue",
    name="Continue",
    detection=Detection(
        binaries=("cn",),
        markers=(CONTINUE_HOME,),
        project_markers=(project(".continue"),),
        home_override="CONTINUE_GLOBAL_DIR",
        version=("cn", "--version"),
        # It sets no variable of its own in what it starts.
        runtime=RuntimeMark(env=(), client_names=("continue-cli-client",)),
    ),
    server=SERVER,
    commands=ContentDialect(_SKILLS, render_command, degraded=COMMANDS_DEGRADED),
    skills=ContentDialect(_SKILLS, render_skill),
    # Of a project's files the first that is there is read, and no other; of the folder of rules all.
    memory=MemoryDialect(
        targets=targets_in(
            CONTINUE_HOME.below("rules", "agent-connector.md"),
            read=(AGENTS_MD, "AGENT.md", "CLAUDE.md", "CODEX.md"),
        ),
        scopes=("user", "project"),
    ),
    also_reads=(AlsoReads("claude-code", frozenset({"skills"}), scopes=frozenset({"project"})),),
    facts=(
        "Run headless with cn 1.5.47, without login: a server's call, rules, AGENTS.md and skills in its prompt.",
        "Read in its source: remote servers, interpolation, the order of memory files, /skill-<name>.",
        "It has no hooks: it reads their settings, Claude Code's too, and calls none of them, which a run showed.",
        "The specification has it run hooks from settings.json.",
        "Without models, name and version its config.yaml is refused; so none is made for a server alone.",
        "Models know a server's tools by bare names: of two servers with one such tool, the first is called.",
        "The time a server's start may take counts in its editor extensions alone.",
    ),
)

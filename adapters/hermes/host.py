"""Hermes Agent, as of 0.19.0."""

from __future__ import annotations

from agent_connector.adapters.families.agent_skills import agents_skills
from agent_connector.adapters.families.agents_md import AGENTS_MD, targets_in
from agent_connector.host import ContentDialect, Detection, Host, MemoryDialect, RuntimeMark

from .registration import HOOKS
from .server import CONFIG, HERMES_HOME, SERVER

HOST = Host(
    id="hermes",
    name="Hermes Agent",
    detection=Detection(
        binaries=("hermes", "hermes-agent", "hermes-acp"),
        markers=(HERMES_HOME, CONFIG),
        home_override="HERMES_HOME",
        version=("hermes", "--version"),
        runtime=RuntimeMark(
            # To servers it gives no mark, and calls itself "mcp" like everything made with the Python SDK.
            env=("HERMES_SESSION_ID",),
            payload_keys=("extra",),
            session=("HERMES_SESSION_ID",),
        ),
    ),
    server=SERVER,
    hooks=HOOKS,
    native_hooks=True,
    skills=ContentDialect({"user": HERMES_HOME.below("skills")}, agents_skills("Hermes Agent").render),
    # Of these the first that is there is read, and no other.
    memory=MemoryDialect(
        targets=targets_in(
            None, read=(".hermes.md", "HERMES.md", AGENTS_MD, "agents.md", "CLAUDE.md", ".cursorrules")
        ),
        scopes=("project",),
    ),
    verify="hermes mcp list",
    facts=(
        "Run headless with 0.19.0: a server's call, a deny, context with the prompt, what gets lost.",
        "Read in its source: remote servers, tool lists, times, Windows' folder, memory files, subagents' hooks.",
        "Its samples of SessionEnd and of subagents' events are put together from its source; they were not sent.",
        "It resolves ${VAR} in server entries, which the specification denies.",
    ),
)

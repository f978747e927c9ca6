"""Crush. Facts are from its source and documentation of 2026-08; it was not run: its package fetches the program from
a release page when it is installed."""

from __future__ import annotations

from agent_connector.adapters.families.agent_skills import agents_skills
from agent_connector.adapters.families.agents_md import AGENTS_MD, targets_in
from agent_connector.host import AlsoReads, Detection, Host, MemoryDialect, RuntimeMark
from agent_connector.location import Location, project

from .registration import HOOKS
from .server import CRUSH_HOME, SERVER

HOST = Host(
    id="crush",
    name="Crush",
    detection=Detection(
        binaries=("crush",),
        markers=(CRUSH_HOME,),
        project_markers=(project(".crush.json"), project("crush.json"), project(".crush"), project("CRUSH.md")),
        home_override="CRUSH_GLOBAL_CONFIG",
        version=("crush", "--version"),
        runtime=RuntimeMark(
            env=("CRUSH_SESSION_ID", "CRUSH_EVENT", "CRUSH"),
            client_names=("crush",),
            session=("CRUSH_SESSION_ID",),
        ),
    ),
    server=SERVER,
    hooks=HOOKS,
    skills=agents_skills("Crush"),
    memory=MemoryDialect(targets=targets_in(Location("config", (AGENTS_MD,))), scopes=("user", "project")),
    also_reads=(
        AlsoReads("claude-code", frozenset({"skills"})),
        AlsoReads("cursor", frozenset({"skills"}), scopes=frozenset({"project"})),
    ),
    facts=(
        "From its source and documentation of 2026-08; it was not run.",
        "Values of an entry are expanded as a shell does: what is meant literally is escaped.",
    ),
)

"""Zed, the editor. Facts are from its source and documentation of 2026; it was not run."""

from __future__ import annotations

from agent_connector.adapters.families.agent_skills import agents_skills
from agent_connector.adapters.families.agents_md import AGENTS_MD, targets_in
from agent_connector.host import Detection, Host, MemoryDialect, RuntimeMark
from agent_connector.location import project

from .server import SERVER, ZED_HOME

_RULES = (
    ".rules",
    ".cursorrules",
    ".windsurfrules",
    ".clinerules",
    ".github/copilot-instructions.md",
    "AGENT.md",
    AGENTS_MD,
    "CLAUDE.md",
    "GEMINI.md",
)
"""Zed reads the first of these in a project and none after it."""

HOST = Host(
    id="zed",
    name="Zed",
    detection=Detection(
        binaries=("zed", "zeditor"),
        markers=(ZED_HOME,),
        project_markers=(project(".zed"),),
        version=("zed", "--version"),
        # ZED_TERM is set in its terminals, where any other host may run: what it starts is told by the client's name.
        runtime=RuntimeMark(env=(), client_names=("Zed",)),
    ),
    server=SERVER,
    skills=agents_skills("Zed"),
    memory=MemoryDialect(targets=targets_in(ZED_HOME.below(AGENTS_MD), read=_RULES), scopes=("user", "project")),
    facts=(
        "From its source and documentation of 2026; it was not run.",
        "There is no command that lists servers: the agent panel shows a dot for each.",
    ),
)

"""Mistral Vibe, as of 3.0.2."""

from __future__ import annotations

from agent_connector.adapters.families.agent_skills import agents_skills
from agent_connector.adapters.families.agents_md import AGENTS_MD, targets_in
from agent_connector.host import ContentDialect, Detection, Host, MemoryDialect, RuntimeMark
from agent_connector.location import Location, project
from agent_connector.vocabulary import Scope

from .content import COMMANDS_DEGRADED, render_command, render_subagent
from .registration import HOOKS
from .server import FOLDER_GRANT, SERVER, VIBE_HOME


def _folders(kind: str) -> dict[Scope, Location]:
    return {"user": VIBE_HOME.below(kind), "project": project(".vibe", kind)}


HOST = Host(
    id="mistral-vibe",
    name="Mistral Vibe",
    detection=Detection(
        binaries=("vibe", "vibe-acp"),
        markers=(VIBE_HOME,),
        project_markers=(project(".vibe"),),
        home_override="VIBE_HOME",
        version=("vibe", "--version"),
        # What hooks are started with. Servers get no mark, and the name that everything made with the SDK has.
        runtime=RuntimeMark(env=("VIBE_APP_SERVER_BIN",)),
    ),
    server=SERVER,
    hooks=HOOKS,
    native_hooks=True,
    commands=ContentDialect(_folders("skills"), render_command, degraded=COMMANDS_DEGRADED),
    skills=agents_skills("Mistral Vibe"),
    subagents=ContentDialect(_folders("agents"), render_subagent),
    memory=MemoryDialect(targets=targets_in(VIBE_HOME.below(AGENTS_MD)), scopes=("user", "project")),
    grants=(FOLDER_GRANT,),
    facts=(
        "Run headless with 3.0.2: a server's call, a deny, another input, context and another output of a tool.",
        "Read in its source: remote servers, times, names, memory, subagents, shells on Windows.",
        "It has three hook events; the specification knows none of its hooks.",
        "A hook that fails, also with exit code 2, lets the call happen.",
        "Its own `vibe mcp add` and `remove` write config.toml anew and lose the comments in it.",
        "Two servers of one name void its whole config; what is no letter, digit, _ or - of a name counts as _.",
        "Models see no tool of a server: they call it in a program, as tools.mcp_<server>.<tool>, after a search.",
        "A disabled server is started all the same, and hidden.",
    ),
)

"""Cline: its command line as of 3.0.65, which was run; its extension for editors, from its documentation.

Cline runs hooks, executable files each named after an event (``~/.cline/hooks/PreToolUse``). None is registered: one
event has one file, which may be a person's own, and a hook that denies a call ends the whole run.
"""

from __future__ import annotations

from agent_connector.adapters.families.agents_md import targets_in
from agent_connector.host import Detection, Host, MemoryDialect, RuntimeMark
from agent_connector.location import project

from .server import CLINE_HOME, SERVER, STORAGES

HOST = Host(
    id="cline",
    name="Cline",
    detection=Detection(
        binaries=("cline",),
        markers=(CLINE_HOME, *STORAGES),
        project_markers=(project(".clinerules"), project(".cline")),
        version=("cline", "--version"),
        runtime=RuntimeMark(
            env=("CLINE_CONNECTOR_CLI_LAUNCH", "CLINE_BUILD_ENV"), client_names=("@cline/core", "Cline")
        ),
    ),
    server=SERVER,
    memory=MemoryDialect(
        # Once one file, today a folder of rules: all of it is read.
        targets=targets_in(None, read=(".clinerules",), otherwise=".clinerules/agent-connector.md"),
        scopes=("project",),
    ),
    verify="cline config --json",
    facts=(
        "Its command line 3.0.65 was run; what is said of its extension is from the documentation.",
        "A server is written for every editor that has the extension, and into `~/.cline` where that exists.",
        "It runs executable files as hooks. None is registered: one event has one file, and a deny ends the run.",
    ),
)

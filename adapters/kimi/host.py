"""Kimi Code CLI, as of 2.1.0."""

from __future__ import annotations

from agent_connector.adapters.families.agent_skills import agents_skills
from agent_connector.adapters.families.agents_md import targets_in
from agent_connector.host import Detection, Host, MemoryDialect, RuntimeMark
from agent_connector.location import project

from .registration import HOOKS
from .server import KIMI_HOME, SERVER

HOST = Host(
    id="kimi",
    name="Kimi Code",
    detection=Detection(
        binaries=("kimi",),
        markers=(KIMI_HOME,),
        project_markers=(project(".kimi-code"),),
        home_override="KIMI_CODE_HOME",
        version=("kimi", "--version"),
        # It sets no variable of its own in what it starts.
        runtime=RuntimeMark(env=(), client_names=("kimi-code",)),
    ),
    server=SERVER,
    hooks=HOOKS,
    native_hooks=True,
    skills=agents_skills("Kimi Code"),
    memory=MemoryDialect(targets=targets_in(None), scopes=("project",)),
    verify="kimi doctor",
)

"""The editor Antigravity. Facts are observations and documentation of 2026; it was not run."""

from __future__ import annotations

from agent_connector.adapters.families.antigravity import (
    APP,
    CONFIG,
    HOOKS,
    MEMORY,
    READS_GEMINI_CLI,
    server,
    servers_at,
    skills,
    workflows,
)
from agent_connector.host import AlsoReads, Copy, Detection, Host, RuntimeMark
from agent_connector.location import home

_NAME = "Antigravity"
_NEWER = home(".gemini", "antigravity-ide")

HOST = Host(
    id="antigravity",
    name=_NAME,
    detection=Detection(
        binaries=("antigravity",),
        markers=(APP, _NEWER),
        runtime=RuntimeMark(
            env=(),
            client_names=("antigravity-client",),
            payload_text=("transcriptPath", ("/.gemini/antigravity/", "/.gemini/antigravity-ide/")),
        ),
    ),
    server=server(APP.below("mcp_config.json"), Copy(_NEWER, servers_at(CONFIG.below("mcp_config.json")))),
    hooks=HOOKS,
    native_hooks=True,
    commands=workflows(_NAME),
    skills=skills(_NAME),
    memory=MEMORY,
    also_reads=(
        READS_GEMINI_CLI,
        AlsoReads("antigravity-cli", frozenset({"hooks"})),
        AlsoReads("antigravity-cli", frozenset({"server"}), scopes=frozenset({"project"})),
    ),
    facts=(
        "From observations of one installation, documentation and reports of 2026; it was not run.",
        "Hooks are documented for it, but were not seen at work: what is said of them is its command line's.",
        "Later versions keep a person's servers where its command line has them; which reads what is not known.",
    ),
)

"""Warp, the terminal with an agent. Facts are from its published source of 2026-08; it was not run."""

from __future__ import annotations

from agent_connector.adapters.families.agent_skills import agents_skills
from agent_connector.adapters.families.agents_md import AGENTS_MD, targets_in
from agent_connector.host import AlsoReads, Detection, Host, MemoryDialect, RuntimeMark
from agent_connector.location import home, project

from .server import SERVER

_TOGGLE = "file-based MCP servers are switched off in Warp's settings"

HOST = Host(
    id="warp",
    name="Warp",
    detection=Detection(
        binaries=("oz", "warp-terminal", "warp-cli"),
        markers=(home(".warp"),),
        project_markers=(project(".warp"), project("WARP.md")),
        # TERM_PROGRAM is set for every shell in its windows: it says where, not that Warp's agent called.
        runtime=RuntimeMark(
            env=(), client_names=("dev.warp.Warp-Stable", "dev.warp.Warp-Preview", "dev.warp.WarpOss")
        ),
    ),
    server=SERVER,
    skills=agents_skills("Warp"),
    memory=MemoryDialect(
        targets=targets_in(home(".agents", AGENTS_MD), read=("WARP.md",)), scopes=("user", "project")
    ),
    also_reads=(
        AlsoReads("claude-code", frozenset({"skills"})),
        AlsoReads("codex", frozenset({"skills"})),
        AlsoReads("cursor", frozenset({"skills"})),
    ),
    verify="oz mcp list",
    facts=(
        "From its published source of 2026-08; it was not run.",
        "The servers stand under `mcpServers`; Warp does not read a root key `mcp`, but `mcp.servers`.",
        "A variable of the form `${…}` that is not set costs a file all its servers, whoever wrote it.",
    ),
)

"""Antigravity's command line, ``agy``. Facts are its vendor's documentation and reports of 2026; it was not run."""

from __future__ import annotations

from agent_connector.adapters.families.antigravity import (
    CLI_APP,
    CONFIG,
    HOOKS,
    MEMORY,
    OF_PROJECT,
    READS_GEMINI_CLI,
    server,
    skills,
    workflows,
)
from agent_connector.host import AlsoReads, Detection, Host, RuntimeMark, StatuslineDialect
from agent_connector.location import Place

from .statusline import parse

_NAME = "Antigravity CLI"

HOST = Host(
    id="antigravity-cli",
    name=_NAME,
    detection=Detection(
        binaries=("agy",),
        markers=(CLI_APP,),
        project_markers=(OF_PROJECT.below("mcp_config.json"), OF_PROJECT.below("hooks.json")),
        version=("agy", "--version"),
        # The editor calls itself the same, and sends hooks the same keys: only its own folder tells them apart.
        runtime=RuntimeMark(
            env=(),
            client_names=("antigravity-client",),
            payload_text=("transcriptPath", ("/.gemini/antigravity-cli/",)),
        ),
    ),
    server=server(CONFIG.below("mcp_config.json")),
    hooks=HOOKS,
    native_hooks=True,
    commands=workflows(_NAME),
    skills=skills(_NAME),
    memory=MEMORY,
    statusline=StatuslineDialect(
        places={"user": Place(CLI_APP.below("settings.json"), "json", ("statusLine",))},
        render=lambda line, _options: {"type": "command", "command": line},
        shells={"linux": "sh", "macos": "sh", "windows": "cmd"},
        # The line is split at its spaces, and no shell reads it.
        refuses=lambda line: "it starts no program in a path with such characters" if {*"'\"^"} & {*line} else "",
        parse=parse,
    ),
    also_reads=(READS_GEMINI_CLI, AlsoReads("antigravity", frozenset({"hooks"}))),
    verify="agy plugin list",
    facts=(
        "From its vendor's documentation and from reports on versions 1.0.0 to 1.5.14; it was not run.",
        "Its hooks file is a map of hooks' names, not of events as the specification's ancestor has it.",
        "Before a tool call silence was seen to forbid (1.1.2) and to permit (1.2.3), `{}` to forbid (1.2.3).",
        "An allow was seen to spare the person's own question (1.2.3): what says nothing here is `ask`.",
        "Servers' tools are all called through `call_mcp_tool`; handlers are told mcp__<server>__<tool>.",
        "Context is an `ephemeralMessage`, which newer versions call outdated.",
        "Headless (agy -p) it denies what nobody allowed: `permissions.allow` in settings.json takes `mcp(*)`.",
        "Whether it reads workflows is not established. Its hooks say nothing of tokens.",
    ),
)

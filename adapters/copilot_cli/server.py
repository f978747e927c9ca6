"""How Copilot CLI spells a server entry. In a project it reads Claude Code's file, so the entry is one for both."""

from __future__ import annotations

from agent_connector.adapters.families.mcp_json import McpJson, exact_names, render_entry, shell_style
from agent_connector.host import Grant, Note, Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, PROJECT, Place, home, project

COPILOT_HOME = home(".copilot").moved_by("COPILOT_HOME")
TRUST = (
    "only in a folder that is trusted; headless runs (-p) skip them elsewhere without a word",
    "Start `copilot` in the project and trust the folder, or run `copilot -p … --trust-folder`.",
)

_TRUST_NOTE = Note("info", f"Copilot CLI starts a project's servers {TRUST[0]}", fix=TRUST[1], gate=True)
HOOK_TRUST = Note("info", f"Copilot CLI runs a project's hooks {TRUST[0]}", fix=TRUST[1], gate=True)

FOLDER_GRANT = Grant(
    # The same key in settings.json is passed over (1.0.102, run).
    Place(COPILOT_HOME.below("config.json"), "jsonc", ("trustedFolders",)),
    PROJECT,
    "Copilot CLI then runs whatever hooks and servers this project has, other people's included",
    surfaces=frozenset({"server", "hooks", "nativeHooks"}),
    kind="item",
    notes=(_TRUST_NOTE, HOOK_TRUST),
)

_DIALECT = McpJson(
    host="Copilot CLI",
    spell=shell_style,
    timeout_key="timeout",
    include_key="tools",
    filter_fix="Copilot CLI knows exact names of tools that are shown only: list them in tools.include.",
)


def render(spec: ServerSpec) -> Rendered:
    return render_entry(_DIALECT, spec)


def chooses(include: tuple[str, ...], exclude: tuple[str, ...]) -> bool:
    return not exclude and exact_names(include, exclude)


SERVER = ServerDialect(
    places={
        "user": Place(COPILOT_HOME.below("mcp-config.json"), "json", ("mcpServers", NAME)),
        # With this one there, .github/mcp.json is not looked at.
        "project": Place(project(".mcp.json"), "json", ("mcpServers", NAME)),
    },
    render=render,
    has_cwd=False,
    chooses=chooses,
    notes={"project": (_TRUST_NOTE,)},
)

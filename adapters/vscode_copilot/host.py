"""GitHub Copilot in Visual Studio Code. Facts are from its documentation and source of 2026; it was not run."""

from __future__ import annotations

from agent_connector.adapters.families.agents_md import targets_in
from agent_connector.adapters.families.copilot import USER, agents, hooks, prompts, skills
from agent_connector.host import AlsoReads, Detection, Host, MemoryDialect, Note, RuntimeMark
from agent_connector.location import project
from agent_connector.vocabulary import Scope

from .hooks import EVENTS
from .server import INSIDERS_FOLDER, SERVER, USER_FOLDER

_NAME = "VS Code"
_IN_PROJECTS: frozenset[Scope] = frozenset({"project"})
_FILES_OFF = "switched off in chat.hookFilesLocations"

HOST = Host(
    id="vscode-copilot",
    name="VS Code Copilot",
    detection=Detection(
        binaries=("code", "code-insiders"),
        markers=(USER_FOLDER, INSIDERS_FOLDER),
        project_markers=(project(".vscode", "mcp.json"), project(".github", "prompts")),
        version=("code", "--version"),
        # TERM_PROGRAM and VSCODE_… are set in its terminals, where any other host may run.
        runtime=RuntimeMark(
            env=(),
            client_names=("Visual Studio Code", "Visual Studio Code - Insiders"),
            payload_shape=(frozenset({"timestamp", "hook_event_name", "session_id"}), frozenset()),
        ),
    ),
    server=SERVER,
    hooks=hooks(
        USER,
        EVENTS,
        Note("info", "VS Code runs a project's hooks only in a workspace that is trusted", gate=True),
        fails_closed=True,  # Copilot CLI reads the same file, and denies a call whose hook fails
    ),
    commands=prompts(_NAME, USER_FOLDER.below("prompts")),
    skills=skills(_NAME, USER),
    subagents=agents(_NAME, USER),
    memory=MemoryDialect(targets=targets_in(None), scopes=("project",)),
    also_reads=(
        AlsoReads("claude-code", frozenset({"skills"})),
        AlsoReads("claude-code", frozenset({"memory"}), scopes=_IN_PROJECTS),
        AlsoReads("claude-code", frozenset({"hooks"}), _FILES_OFF),
        AlsoReads("copilot-cli", frozenset({"hooks"}), _FILES_OFF),
        AlsoReads("jetbrains-copilot", frozenset({"hooks"}), _FILES_OFF, _IN_PROJECTS),
    ),
    facts=(
        "From its documentation and source of 2026; it was not run.",
        "A user's servers stand in the profile's `mcp.json`; `~/.vscode/mcp.json` is not read.",
        "Events are registered under the names that Copilot CLI and JetBrains IDEs read too.",
    ),
)

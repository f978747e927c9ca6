"""GitHub Copilot in JetBrains IDEs. Facts are from the backend it ships (1.539.0), read and not run."""

from __future__ import annotations

from agent_connector.adapters.families.agents_md import targets_in
from agent_connector.adapters.families.copilot import USER, agents, hooks, prompts, skills
from agent_connector.host import AlsoReads, Detection, Host, MemoryDialect, Note, RuntimeMark
from agent_connector.vocabulary import Scope

from .hooks import EVENTS, HOST_EVENTS
from .server import PLUGIN_HOME, SERVER

_NAME = "Copilot in JetBrains IDEs"
_GATES = (
    f"{_NAME} runs hooks only in a trusted workspace, and where the setting agent.enableHooks and the organisation's "
    "policy let it; otherwise without a word"
)
_IN_PROJECTS: frozenset[Scope] = frozenset({"project"})

HOST = Host(
    id="jetbrains-copilot",
    name="JetBrains Copilot",
    detection=Detection(
        markers=(PLUGIN_HOME,),
        # It sends no session and no name of an event, which its kin do.
        runtime=RuntimeMark(
            env=(),
            payload_shape=(
                frozenset({"timestamp", "cwd"}),
                frozenset({"sessionId", "session_id", "hook_event_name", "hookEventName"}),
            ),
        ),
    ),
    server=SERVER,
    hooks=hooks(None, EVENTS, Note("info", _GATES, gate=True), native_events=HOST_EVENTS),
    native_hooks=True,
    commands=prompts(_NAME, USER.below("prompts")),
    skills=skills(_NAME, USER),
    subagents=agents(_NAME, USER),
    memory=MemoryDialect(targets=targets_in(None), scopes=("project",)),
    also_reads=(
        AlsoReads("claude-code", frozenset({"skills"})),
        AlsoReads("claude-code", frozenset({"memory", "subagents"}), scopes=_IN_PROJECTS),
        AlsoReads("copilot-cli", frozenset({"hooks"}), scopes=_IN_PROJECTS),
        AlsoReads("vscode-copilot", frozenset({"hooks"}), scopes=_IN_PROJECTS),
    ),
    facts=(
        "From the backend it ships (1.539.0), read and not run; the file of servers is known by reports only.",
        "Events in PascalCase, and entries with nothing but `command`, are passed over without a word.",
    ),
)

"""GitHub Copilot in JetBrains IDEs. Facts are from the backend it ships (1.539.0), read and not run."""

from __future__ import annotations

from functools import partial

from agent_connector.adapters.families.agents_md import targets_in
from agent_connector.adapters.families.copilot import (
    SHELLS,
    USER,
    folders,
    hook_files,
    hook_item,
    render_agent,
    render_prompt,
    render_skill,
    time_limit,
)
from agent_connector.host import (
    AlsoReads,
    ContentDialect,
    Detection,
    HookDialect,
    Host,
    MemoryDialect,
    Note,
    RuntimeMark,
)
from agent_connector.vocabulary import Scope

from .hooks import EVENTS, HOST_EVENTS
from .server import PLUGIN_HOME, SERVER

_NAME = "Copilot in JetBrains IDEs"
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
    hooks=HookDialect(
        files=hook_files(None),
        events=EVENTS,
        item=hook_item,
        # The host has no matchers; one would only narrow the hook for other readers of the file.
        matcher=lambda _event, _pattern: "",
        shells=SHELLS,
        committed_windows_shell="powershell",
        time_limit=time_limit,
        native_events=lambda event: event in HOST_EVENTS,
        notes={
            "project": (
                Note(
                    "info",
                    f"{_NAME} runs hooks only in a trusted workspace, and where the setting agent.enableHooks "
                    "and the organisation's policy let it; otherwise without a word",
                ),
            ),
        },
    ),
    native_hooks=True,
    commands=ContentDialect(folders(USER, "prompts"), partial(render_prompt, _NAME)),
    skills=ContentDialect(folders(USER, "skills"), partial(render_skill, _NAME)),
    subagents=ContentDialect(folders(USER, "agents"), partial(render_agent, _NAME)),
    memory=MemoryDialect(targets=targets_in(None), scopes=("project",)),
    also_reads=(
        AlsoReads("claude-code", frozenset({"skills"})),
        AlsoReads("claude-code", frozenset({"memory", "subagents"}), scopes=_IN_PROJECTS),
        AlsoReads("copilot-cli", frozenset({"hooks"}), scopes=_IN_PROJECTS),
        AlsoReads("vscode-copilot", frozenset({"hooks"}), scopes=_IN_PROJECTS),
    ),
)

"""How Zed spells a server entry. One entry that fits none of its shapes is an error of the whole settings file."""

from __future__ import annotations

from agent_connector.adapters.families.durations import seconds
from agent_connector.adapters.families.mcp_json import McpJson, literal_only, render_entry
from agent_connector.adapters.families.whole_files import refused_for_shape
from agent_connector.host import Note, Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, Location, Place, home, project

ZED_HOME = (
    Location("config", ("zed",)).on("macos", home(".config", "zed")).on("windows", Location("appdata", ("Zed",)))
)

_DIALECT = McpJson(
    host="Zed",
    spell=None,
    types={"stdio": "", "http": ""},
    timeout_key="timeout",
    time=seconds,
    off=("enabled", False),
    filter_fix="Switch tools off under agent.profiles.<profile>.context_servers.<server>.tools in its settings.",
)


def render(spec: ServerSpec) -> Rendered:
    return refused_for_shape("zed", "Zed", render_entry(_DIALECT, spec))


SERVER = ServerDialect(
    places={
        "user": Place(ZED_HOME.below("settings.json"), "jsonc", ("context_servers", NAME)),
        "project": Place(project(".zed", "settings.json"), "jsonc", ("context_servers", NAME)),
    },
    render=render,
    expresses=literal_only,
    has_cwd=False,
    notes={
        "user": (
            Note(
                "info",
                "Zed hands its servers on to agents that run in it (Claude, Gemini, Codex over ACP): one with a "
                "registration of its own has the server twice there",
            ),
        ),
        "project": (Note("info", "Zed starts a project's servers only in a worktree that is trusted", gate=True),),
    },
)

"""How Kimi Code spells a server entry: JSON without interpolation, a bearer token by its variable's name."""

from __future__ import annotations

from dataclasses import replace

from agent_connector.adapters.families.mcp_json import McpJson, exact_names, literal_only, render_entry
from agent_connector.host import Note, Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, Place, home, project

KIMI_HOME = home(".kimi-code").moved_by("KIMI_CODE_HOME")
"""The host of the same name before it, ``kimi-cli`` in ``~/.kimi``, is no longer maintained."""

_DIALECT = McpJson(
    host="Kimi Code",
    spell=None,
    types={"stdio": "", "http": "", "sse": "sse"},
    type_key="transport",
    cwd_key="cwd",
    timeout_key="toolTimeoutMs",
    startup_key="startupTimeoutMs",
    off=("enabled", False),
    include_key="enabledTools",
    exclude_key="disabledTools",
)


def render(spec: ServerSpec) -> Rendered:
    rendered = render_entry(_DIALECT, replace(spec, bearer_env="", extra={}))
    if rendered.value is None:
        return rendered
    bearer = {"bearerTokenEnvVar": spec.bearer_env} if spec.bearer_env else {}
    return Rendered({**rendered.value, **bearer, **spec.extra}, rendered.notes)


SERVER = ServerDialect(
    places={
        "user": Place(KIMI_HOME.below("mcp.json"), "json", ("mcpServers", NAME)),
        "project": Place(project(".kimi-code", "mcp.json"), "json", ("mcpServers", NAME)),
    },
    render=render,
    expresses=literal_only,
    chooses=exact_names,
    notes={
        "project": (
            Note("info", "Kimi Code starts a project's servers only in a workspace that is trusted", gate=True),
        )
    },
)

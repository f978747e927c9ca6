"""How Droid spells a server entry: JSON with comments, ``${VAR}`` expanded in ``env``, no defaults."""

from __future__ import annotations

from agent_connector.adapters.families.mcp_json import (
    McpJson,
    exact_names,
    has_no_default,
    plain_style,
    render_without_defaults,
)
from agent_connector.host import Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, Place, home, project
from agent_connector.references import has_reference

FACTORY = home(".factory")

_DIALECT = McpJson(
    host="Droid",
    spell=plain_style,
    timeout_key="timeout",
    startup_key="connectTimeout",
    off=("disabled", True),
    include_key="enabledTools",
    exclude_key="disabledTools",
)


def expresses(key: str, template: str) -> bool:
    """Whether a reference elsewhere than in ``env`` is expanded was not seen, so the wrapper does that."""
    return not has_reference(template) or (key != "" and has_no_default(template))


def render(spec: ServerSpec) -> Rendered:
    return render_without_defaults(_DIALECT, spec)


SERVER = ServerDialect(
    places={
        "user": Place(FACTORY.below("mcp.json"), "jsonc", ("mcpServers", NAME)),
        "project": Place(project(".factory", "mcp.json"), "jsonc", ("mcpServers", NAME)),
    },
    render=render,
    expresses=expresses,
    has_cwd=False,
    chooses=exact_names,
)

"""How Visual Studio Code spells a server entry: ``servers`` beside the ``inputs`` that people are asked for."""

from __future__ import annotations

from agent_connector.adapters.families.editors import CODE, INSIDERS, user_folder
from agent_connector.adapters.families.mcp_json import McpJson, render_entry
from agent_connector.host import Copy, Note, Rendered, ServerDialect, ServerSpec
from agent_connector.location import NAME, Location, Place, project
from agent_connector.references import EnvReference, env_references

USER_FOLDER, INSIDERS_FOLDER = user_folder(CODE), user_folder(INSIDERS)


def spell(reference: EnvReference) -> str | None:
    """``${env:VAR}``, which has no default in this host."""
    return f"${{env:{reference.name}}}" if reference.default is None else None


_DIALECT = McpJson(
    host="VS Code",
    spell=spell,
    cwd_key="cwd",
    filter_fix="Pick tools in the chat's tool picker.",
)


def render(spec: ServerSpec) -> Rendered:
    return render_entry(_DIALECT, spec)


def expresses(_key: str, template: str) -> bool:
    return all(spell(reference) is not None for reference in env_references([template]))


def _file(folder: Location) -> Place:
    return Place(folder.below("mcp.json"), "jsonc", ("servers", NAME))


_TRUST = Note(
    "info",
    "VS Code asks whether a server is trusted when it first starts, and again when its entry changes",
    gate=True,
)

SERVER = ServerDialect(
    places={"user": _file(USER_FOLDER), "project": _file(project(".vscode"))},
    copies={"user": (Copy(INSIDERS_FOLDER, _file(INSIDERS_FOLDER)),)},
    render=render,
    expresses=expresses,
    notes={"user": (_TRUST,), "project": (_TRUST,)},
)

"""Pi's hooks are a module in its folder of extensions. It sets no limit to how long they take."""

from __future__ import annotations

from agent_connector.adapters.families.plugin_module import source
from agent_connector.adapters.families.repositories import with_folders_above
from agent_connector.host import DEFAULT_HOOK_MS, Blocker, Grant, Note, plugin_hooks
from agent_connector.location import PROJECT, Place, project
from agent_connector.plugin import PluginDialect, PluginSpec

from .hooks import EVENTS, HOST_EVENTS
from .server import PI_HOME, PROJECT_TRUST


def files(spec: PluginSpec) -> dict[str, str]:
    """Of files it loads ``.js`` and ``.ts``, not ``.mjs``."""
    return {f"{spec.name}.js": spec.module}


_FOLDER = Blocker(
    # The first that says anything decides: the folder's own entry, or what is done about folders without one.
    (
        Place(PI_HOME.below("trust.json"), "json", (PROJECT,)),
        Place(PI_HOME.below("settings.json"), "json", ("defaultProjectTrust",)),
    ),
    blocks=lambda value: value not in (True, "always"),
    text="Pi does not trust this folder, so it reads nothing of its .pi folder",
    fix=PROJECT_TRUST.fix,
    scopes=frozenset({"project"}),
    projects=with_folders_above,
    kind="trust",
)

FOLDER_GRANT = Grant(
    _FOLDER.places[0],
    True,  # noqa: FBT003 - it is what stands there
    "Pi then reads the whole .pi folder and .agents/skills of this project, other people's extensions included",
    gate=_FOLDER,
    notes=(PROJECT_TRUST,),
)

_AT_START = Note("info", "Pi loads extensions when it starts", fix="Start it again, or call /reload.")

HOOKS = plugin_hooks(
    PluginDialect(
        folders={"user": PI_HOME.below("extensions"), "project": project(".pi", "extensions")},
        files=files,
        source=source("agent_connector.adapters.pi"),
    ),
    EVENTS,
    native_events=lambda event: event in HOST_EVENTS,
    time_limit=lambda _event, asked: asked or DEFAULT_HOOK_MS,
    notes={"user": (_AT_START,), "project": (_AT_START, PROJECT_TRUST)},
    blockers=(_FOLDER,),
)

"""A connector author's own command line: the same verbs, for one connector, under the author's name and version."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from agent_connector.operations.requests import ConnectorSource

from .commandline import OneConnector, Program
from .verbs import BRANDED

if TYPE_CHECKING:
    from agent_connector.authoring.branded import Branding
    from agent_connector.operations.context import Context


def run_branded(branding: Branding, argv: Sequence[str] | None = None) -> int:
    """Run ``branding``'s command line; ``argv`` are its arguments, by default those of this process."""
    from .program import start

    return start(lambda context: program(branding, context), sys.argv[1:] if argv is None else argv, branding.command)


def program(branding: Branding, context: Context) -> Program:
    return Program(
        name=branding.command,
        version=branding.version,
        about=f"Install {branding.command} into your AI coding agents, look after it there, and remove it again.",
        verbs=BRANDED,
        context=context,
        scoped_to=_connector(branding),
    )


def _connector(branding: Branding) -> OneConnector:
    """By its file wherever there is one: an update is read from there later, and its handlers are found by it."""
    from agent_connector.authoring.identity import connector_id

    if isinstance(branding.connector, Path):
        raw, path = {}, str(branding.connector.absolute())
    else:
        raw, path = branding.connector.raw, branding.connector.source
    own_id = str(raw.get("id") or connector_id(branding.identity.name))
    if path:
        definition = ConnectorSource(path=path, identity=branding.identity)
    else:
        definition = ConnectorSource(inline={**raw, "id": own_id, "version": raw.get("version", branding.version)})
    return OneConnector(ConnectorSource(id=own_id) if own_id else definition, definition)

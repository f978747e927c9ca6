"""What stands above core and is reached from it by name alone: core must not know it, so entry points lead there."""

from __future__ import annotations

from importlib.metadata import entry_points
from typing import TYPE_CHECKING, Any

from .errors import AgentConnectorError

if TYPE_CHECKING:
    from .operations.context import Context

FACES = "agent_connector.faces"
COMMAND_LINE = "cli"
COMPOSITION = "context"


def face(name: str) -> Any:
    """The object that the entry point names. Raises :class:`AgentConnectorError` where nothing provides it."""
    for point in entry_points(group=FACES, name=name):
        return point.load()
    raise AgentConnectorError(
        f"a part of agent-connector is not installed ({name})", hint="reinstall the package agent-connector-mcp"
    )


def composed() -> Context:
    """This machine and every host there is."""
    made: Context = face(COMPOSITION)()
    return made

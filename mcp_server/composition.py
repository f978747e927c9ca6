"""Where the parts meet: the engine is handed this machine, the hosts there are and our version."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_connector.machine import Machine

from .version import VERSION

if TYPE_CHECKING:
    from agent_connector.operations.context import Context, Progress


def context(machine: Machine | None = None, progress: Progress | None = None) -> Context:
    """What every operation is handed; ``machine`` is the one that runs us unless another is given."""
    from agent_connector.adapters.catalog import CATALOG
    from agent_connector.operations.context import Context

    here = machine or Machine.current()
    return Context(here, CATALOG, VERSION, progress) if progress else Context(here, CATALOG, VERSION)

"""What subagents of several hosts have in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_connector.authoring.models import Subagent


def blocked_tools(subagent: Subagent, writing: tuple[str, ...]) -> tuple[str, ...]:
    """Denied tools of a host that can only list them; for a subagent that may only read also those ``writing``."""
    return tuple(dict.fromkeys((*subagent.tools.deny, *(writing if subagent.readonly else ()))))

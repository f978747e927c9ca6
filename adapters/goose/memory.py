"""Which files of hints Goose reads: all of those named, in a project and in its own folder."""

from __future__ import annotations

import json

from agent_connector.adapters.families.agents_md import AGENTS_MD
from agent_connector.host import Files, MemoryBlock, MemoryRequest

from .server import GOOSE_HOME

_HINTS = ".goosehints"
_VARIABLE = "CONTEXT_FILE_NAMES"


def targets(request: MemoryRequest, _files: Files) -> tuple[MemoryBlock, ...]:
    """In a project ``AGENTS.md``, which serves other hosts too; a person's own hints; where neither name is read,
    the first that is."""
    names = _names(request.machine.env.get(_VARIABLE, ""))
    user = request.scope == "user"
    folder = GOOSE_HOME.resolve(request.machine, request.project) if user else request.project
    preferred = _HINTS if user else AGENTS_MD
    return (MemoryBlock(folder / (preferred if preferred in names else names[0])),)


def _names(said: str) -> tuple[str, ...]:
    try:
        listed = json.loads(said)
    except ValueError:
        listed = None
    named = [name for name in listed if isinstance(name, str) and name] if isinstance(listed, list) else []
    return tuple(named) or (AGENTS_MD, _HINTS)

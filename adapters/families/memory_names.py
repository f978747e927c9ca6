"""Memory of hosts whose settings say what their memory files are called."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath

from agent_connector.errors import AgentConnectorError
from agent_connector.host import Files, MemoryBlock, MemoryDialect, MemoryRequest
from agent_connector.location import Location, Place
from agent_connector.values import frozen

from .agents_md import AGENTS_MD, imports, without_our_blocks

_SEPARATORS = frozenset("/\\")


@frozen
class MemoryNames:
    """``folder`` holds the person's own file. ``read``: what is read where the settings say nothing, the host's own
    name first. ``settings`` are where other names may stand, a text or a list of them, the place that wins first."""

    folder: Location
    read: tuple[str, ...]
    settings: tuple[Place, ...]


def memory_in(folder: Location, name: str) -> MemoryDialect:
    """Of a host whose memory files are all called ``name``, the person's own in ``folder``."""
    return MemoryDialect(targets_by_name(MemoryNames(folder, (name,), ())), scopes=("user", "project"))


def targets_by_name(names: MemoryNames) -> Callable[[MemoryRequest, Files], tuple[MemoryBlock, ...]]:
    """``MemoryDialect.targets``: in a project ``AGENTS.md`` where it is read, so that one copy serves all hosts; else
    the first file that is read and there, the host's own before others. Where that one imports, or is a link to, the
    ``AGENTS.md`` beside it, the block stands there."""

    def targets(request: MemoryRequest, files: Files) -> tuple[MemoryBlock, ...]:
        read = sorted(_read_names(names, request, files), key=lambda name: name != names.read[0])
        if request.scope != "user" and AGENTS_MD in read:
            return (MemoryBlock(request.project / AGENTS_MD),)
        folder = request.project
        if request.scope == "user":
            folder = names.folder.resolve(request.machine, request.project)
        target = next((folder / name for name in read if files.exists(folder / name)), folder / read[0])
        return (MemoryBlock(_behind(target, request, files)),)

    return targets


def _read_names(names: MemoryNames, request: MemoryRequest, files: Files) -> list[str]:
    for place in names.settings:
        said = _setting(place, request, files)
        listed = [said] if isinstance(said, str) else said if isinstance(said, list) else []
        found = [name for name in listed if isinstance(name, str) and name and _SEPARATORS.isdisjoint(name)]
        if found:
            return found
    return list(names.read)


def _setting(place: Place, request: MemoryRequest, files: Files) -> object:
    from agent_connector.documents.opening import open_document  # detecting a host reads no documents

    try:
        data = files.read(place.location.resolve(request.machine, request.project))
        return open_document(place.format, data).get(place.at) if data else None
    except AgentConnectorError:  # whoever writes into that file says so
        return None


def _behind(target: PurePath, request: MemoryRequest, files: Files) -> PurePath:
    agents = target.parent / AGENTS_MD
    if target == agents or not files.exists(target):
        return target
    if files.real(target) == files.real(agents):
        return agents
    text = without_our_blocks((files.read(target) or b"").decode("utf-8", "replace"))
    return agents if imports(text, of=target, target=agents, machine=request.machine) else target

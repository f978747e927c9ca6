"""Standing guidance: a managed block in the file that the host really reads."""

from __future__ import annotations

from pathlib import PurePath

from ..changes.model import Wanted
from ..documents.block import SHARED, normal
from ..host import MemoryBlock, MemoryRequest, Note
from .target import Desired, Target

SOFT_BUDGET = 4 * 1024
"""Bytes of one entry beyond which installing warns: it is in every prompt of every host."""


def desired_memory(target: Target) -> Desired:
    entries = target.connector.memory
    if not target.wants("memory"):
        return Desired()
    dialect = target.host.memory
    if dialect is None:
        return target.lacks("memory", "memory file")
    if target.scope not in dialect.scopes:
        return target.lacks("memory", f"memory file at {target.scope} scope")
    tuning = target.connector.memory_override_for(target.host.id)
    mode = tuning.mode or "block"
    notes = []
    if mode not in dialect.modes:
        notes.append(Note("warn", f"{target.host.name} has no memory mode {mode}; a block is written"))
        mode = "block"
    if tuning.path:
        blocks: tuple[MemoryBlock, ...] = (MemoryBlock(_tuned(target, tuning.path)),)
    else:
        request = MemoryRequest(target.machine, target.project, target.scope, mode)
        blocks = dialect.targets(request, target.files)
    wanted = []
    for block in blocks:
        if block.shared:
            wanted.append(_block(target, block.path, f"{SHARED}/{block.shared}", block.content or "", shared=True))
            continue
        for entry in entries:
            wanted.append(_block(target, block.path, f"{target.connector.id}/{entry.name}", entry.content))
    for entry in entries:
        if len(entry.content.encode()) > SOFT_BUDGET:
            notes.append(
                Note("warn", f"memory {entry.name} is over 4 KiB; every prompt carries it", "Make it shorter")
            )
    if dialect.budget and sum(len(want.value.encode()) for want in wanted) > dialect.budget:
        notes.append(Note("warn", f"{target.host.name} cuts memory files beyond {dialect.budget} bytes"))
    return Desired(tuple(wanted), tuple(target.say("memory", note) for note in notes))


def _tuned(target: Target, path: str) -> PurePath:
    base = target.project if target.scope == "project" else target.machine.home
    return target.machine.path(path) if path.startswith("~") else base / path


def _block(target: Target, path: PurePath, block_id: str, content: str, *, shared: bool = False) -> Wanted:
    return Wanted(
        host=target.host.id,
        surface="memory",
        scope=target.scope,
        path=path,
        format="text",
        kind="block",
        place=(block_id,),
        value=normal(content),
        shared=shared,
    )

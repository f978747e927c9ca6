"""Where a memory block must stand for Claude Code to see it: in ``CLAUDE.md``, or in an ``AGENTS.md`` it imports."""

from __future__ import annotations

from pathlib import PurePath

from agent_connector.adapters.families.agents_md import AGENTS_MD, imports, without_our_blocks
from agent_connector.host import Files, MemoryBlock, MemoryDialect, MemoryRequest

from .server import CONFIG_HOME

CLAUDE_MD = "CLAUDE.md"
BRIDGE = "claude-agents-import"

_BRIDGE_MARK = f"<!-- agent-connector:begin _shared/{BRIDGE} "


def targets(request: MemoryRequest, files: Files) -> tuple[MemoryBlock, ...]:
    """One block in ``CLAUDE.md``; or in ``AGENTS.md``, with a shared import line where none of the user's exists.

    ``AGENTS.md`` is chosen when the mode is ``agents-import``, and also when ``CLAUDE.md`` already reads it (an
    import of the user's, a link, our own import line that another connector asked for): a second copy in
    ``CLAUDE.md`` would be read twice.
    """
    if request.scope == "local":
        return (MemoryBlock(request.project / "CLAUDE.local.md"),)
    folder = request.project
    candidates: tuple[PurePath, ...] = (folder / CLAUDE_MD, folder / ".claude" / CLAUDE_MD)
    if request.scope == "user":
        folder = CONFIG_HOME.resolve(request.machine, request.project)
        candidates = (folder / CLAUDE_MD,)
    agents = folder / AGENTS_MD
    target = next((path for path in candidates if files.exists(path)), candidates[0])
    if any(_reads(path, agents, request, files) for path in candidates):
        return (MemoryBlock(agents),)
    if request.mode == "agents-import" or any(_BRIDGE_MARK in _text(path, files) for path in candidates):
        bridge = MemoryBlock(target, content=_import_line(target, agents, request), shared=BRIDGE)
        return (MemoryBlock(agents), bridge)
    return (MemoryBlock(target),)


def _reads(claude: PurePath, agents: PurePath, request: MemoryRequest, files: Files) -> bool:
    """Whether the user has already made ``claude`` read ``agents``."""
    if not files.exists(claude):
        return False
    if files.real(claude) == files.real(agents):
        return True
    own_words = without_our_blocks(_text(claude, files))
    return imports(own_words, of=claude, target=agents, machine=request.machine)


def _text(path: PurePath, files: Files) -> str:
    return (files.read(path) or b"").decode("utf-8", "replace")


def _import_line(claude: PurePath, agents: PurePath, request: MemoryRequest) -> str:
    if request.scope != "user":
        return "@" + ("../" if claude.parent != agents.parent else "") + AGENTS_MD
    if agents.is_relative_to(request.machine.home):
        return "@~/" + agents.relative_to(request.machine.home).as_posix()
    return "@" + agents.as_posix()


MEMORY = MemoryDialect(targets=targets, scopes=("user", "local", "project"), modes=("block", "agents-import"))

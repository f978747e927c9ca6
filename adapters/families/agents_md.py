"""Memory in ``AGENTS.md`` files, and what it takes to know whether another file imports one."""

from __future__ import annotations

import ntpath
import posixpath
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import PurePath

from agent_connector.errors import AgentConnectorError
from agent_connector.host import Files, MemoryBlock, MemoryRequest
from agent_connector.location import Location
from agent_connector.machine import Machine

AGENTS_MD = "AGENTS.md"
OVERRIDE_MD = "AGENTS.override.md"

_IMPORT = re.compile(r"(?:^|(?<=\s))@(?P<path>[^\s`]+)")
_CODE_SPAN = re.compile(r"(`+)(?!`).*?(?<!`)\1(?!`)")
_FENCE = re.compile(r" {0,3}(?P<marks>`{3,}|~{3,})")
_OUR_BLOCK = re.compile(
    r"^<!-- agent-connector:begin (?P<id>\S+) [^\n]*\n.*?^<!-- agent-connector:end (?P=id) -->[^\n]*$",
    re.MULTILINE | re.DOTALL,
)
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)


def first_there(folder: PurePath, preferred: tuple[str, ...], files: Files) -> tuple[MemoryBlock, ...]:
    """A block in the first of the files that exists, else in the last one, which is then created."""
    for name in preferred:
        if files.exists(folder / name):
            return (MemoryBlock(folder / name),)
    return (MemoryBlock(folder / preferred[-1]),)


def targets_in(
    user: Location | None, *, read: tuple[str, ...] = (), otherwise: str = AGENTS_MD
) -> Callable[[MemoryRequest, Files], tuple[MemoryBlock, ...]]:
    """``MemoryDialect.targets`` of a host that reads the file ``user``, and in a project ``otherwise``, or no more
    than the first of ``read`` where one of them is there: another file made before it would hide that one."""

    def targets(request: MemoryRequest, files: Files) -> tuple[MemoryBlock, ...]:
        if request.scope == "user" and user is not None:
            return (MemoryBlock(user.resolve(request.machine, request.project)),)
        found = next((name for name in read if _is_file(request.project / name, files)), otherwise)
        return (MemoryBlock(request.project / found),)

    return targets


def targets_alike(
    folder: Location, *, read: tuple[str, ...]
) -> Callable[[MemoryRequest, Files], tuple[MemoryBlock, ...]]:
    """As :func:`targets_in`, of a host that chooses among the files in its own ``folder`` as it does in a project."""
    in_project = targets_in(None, read=read)

    def targets(request: MemoryRequest, files: Files) -> tuple[MemoryBlock, ...]:
        if request.scope == "user":
            request = replace(request, project=folder.resolve(request.machine, request.project))
        return in_project(request, files)

    return targets


def _is_file(path: PurePath, files: Files) -> bool:
    """Whether there is one; a folder of the same name is none."""
    try:
        return files.read(path) is not None
    except AgentConnectorError:
        return False


def imports(text: str, *, of: PurePath, target: PurePath, machine: Machine) -> bool:
    """Whether the Markdown file ``of`` with this ``text`` imports ``target`` by an ``@path``.

    Paths count from the file's folder; ``~`` is the home. Code spans and fences import nothing.
    """
    wanted = _normal(target, machine)
    for line in _outside_fences(text):
        for match in _IMPORT.finditer(_CODE_SPAN.sub("", line)):
            named = match["path"]
            rooted = named.startswith(("~/", "~\\"))
            path = machine.path(named) if rooted else of.parent / named
            if _normal(path, machine) == wanted:
                return True
    return False


def without_our_blocks(text: str) -> str:
    """The text as the person wrote it, without what managed blocks say and without comments."""
    return _COMMENT.sub("", _OUR_BLOCK.sub("", text.replace("\r\n", "\n")))


def _outside_fences(text: str) -> list[str]:
    lines = []
    fence = ""
    for line in text.splitlines():
        marks = _FENCE.match(line)
        if fence:
            if marks and marks["marks"].startswith(fence) and not line.strip().strip(fence[0]):
                fence = ""
        elif marks:
            fence = marks["marks"]
        else:
            lines.append(line)
    return lines


def _normal(path: PurePath, machine: Machine) -> str:
    text = str(path)
    if machine.os == "windows":
        return ntpath.normcase(ntpath.normpath(text))
    return posixpath.normpath(text)

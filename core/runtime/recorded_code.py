"""How a record names the code of an author's that a process runs: programs and Python handlers. Used at install."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..values import frozen
from .handler_places import place_at
from .user_code import compile_only, digest

if TYPE_CHECKING:
    from ..authoring.handlers import PythonHandler


@frozen
class RecordedCode:
    """Makes the entries of one definition's records. ``source``: the definition's file, ``""`` if it has none.

    ``folders`` become those that must be importable, ``problems`` what will not run, and why.
    """

    source: str
    folders: list[str]
    problems: list[str]

    def entry(
        self, command: Iterable[str] | None, handler: PythonHandler | None, where: Mapping[str, Any], *, on: str
    ) -> dict[str, Any]:
        """``{"kind": "command", "command"}`` or ``{"kind": "python", "handler", "digest"}``.

        ``where``: how a handler that stands in the definition is found there again; ``on``: what calls it, in words.
        """
        if command is not None:
            return {"kind": "command", "command": located(command, self.source)}
        assert handler is not None
        place = place_at(handler, self.source, where)
        if place.problem:
            what = handler.reference or handler.qualname
            self.problems.append(f"the handler {what} {on} will not run: {place.problem}")
        self.folders.extend(folder for folder in place.folders if folder not in self.folders)
        return {"kind": "python", "handler": place.handler, "digest": digest_of(place.file)}


def located(command: Iterable[str], source: str) -> list[str]:
    """A command with its files named for good: what stands beside the definition, or is written as if it did
    (``./guard.js``), is not looked for in whatever folder the host happens to be in."""
    return [_located(word, Path(source).parent) for word in command] if source else list(command)


def _located(word: str, folder: Path) -> str:
    written_as_beside = word.startswith(("./", "../", ".\\", "..\\"))
    if word and not Path(word).is_absolute() and (written_as_beside or (folder / word).is_file()):
        return os.path.abspath(folder / word)  # noqa: PTH100 - links are followed when it is run, not before
    return word


def digest_of(file: str) -> str:
    """SHA-256 of the file in hex; ``""`` where there is none."""
    try:
        return digest(Path(file).read_bytes()) if file else ""
    except OSError:
        return ""


def changed_files(entries: Iterable[Mapping[str, Any]]) -> tuple[str, ...]:
    """The files of Python handlers that are not what they were at install, or are gone; sorted."""
    changed = set()
    for entry in entries:
        file = entry["handler"].get("file", "")
        if file and digest_of(file) != entry["digest"]:
            changed.add(file)
    return tuple(sorted(changed))


def keep_bytecode(entries: Iterable[Mapping[str, Any]], data_root: Path) -> None:
    """The first call shall cost what every call costs. ``entries``: those of Python handlers."""
    for entry in entries:
        file = entry["handler"].get("file", "")
        try:
            compile_only(file, str(data_root))
        except (OSError, SyntaxError, ValueError):
            continue  # told already

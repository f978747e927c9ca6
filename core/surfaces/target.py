"""What every surface is asked with, and what it answers: the desired state of one connector in one host."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from ..changes.model import Change, Wanted
from ..changes.workfile import naming
from ..documents.base import Document
from ..documents.opening import open_document
from ..host import Files, Host, Note
from ..location import NAME, PROJECT, filled
from ..machine import Machine
from ..masking import mask
from ..values import frozen
from ..vocabulary import FormatId, Scope, Surface

if TYPE_CHECKING:
    from ..authoring.handlers import PythonHandler
    from ..authoring.models import Connector


@frozen
class Target:
    """One connector for one host at one scope. ``project`` is absolute."""

    connector: Connector
    host: Host
    scope: Scope
    machine: Machine
    project: PurePath
    files: Files
    trust: bool = False
    """Whether the person has us trust what is installed, where the host offers a way."""

    def wants(self, surface: Surface) -> bool:
        """Whether the definition has something of this surface for this host."""
        return self.connector.wants(self.host.id, surface)

    def document(self, path: PurePath, format_id: FormatId) -> Document | None:
        """The config file as it stands, or ``None`` if there is none. Raises :class:`DocumentError` naming it."""
        data = self.files.read(path)
        if data is None or not data.strip():
            return None
        with naming(path):
            return open_document(format_id, data)

    def filled(self, place: tuple[str, ...], **names: str) -> tuple[str, ...]:
        """A place of the description with its placeholders filled in."""
        known = {NAME: self.connector.id, PROJECT: str(self.project), **{f"{{{k}}}": v for k, v in names.items()}}
        return filled(place, known)

    def say(self, surface: Surface, note: Note, *, blocking: bool = False) -> Change:
        return Change(self.host.id, surface, note.level, note.text, fix=note.fix, blocking=blocking)

    def private_in(self, value: Any) -> str:
        """What of a value is this machine's or this person's own, so that no file which people commit may hold it."""
        from ..masking import fingerprint

        home = str(self.machine.home)
        for text in strings(value):
            if home in text:
                return f"the path {text}"
        return "what looks like a secret" if fingerprint(value) != value else ""

    def lacks(self, surface: Surface, what: str) -> Desired:
        """The host has no such surface: information, never a failure."""
        return Desired(changes=(self.say(surface, Note("info", f"{self.host.name} has no {what}")),))


@frozen
class Desired:
    """``commands``: lines that the host will run; ``next_steps``: what the person must still do."""

    wanted: tuple[Wanted, ...] = ()
    changes: tuple[Change, ...] = ()
    commands: tuple[str, ...] = ()
    next_steps: tuple[str, ...] = ()

    @staticmethod
    def joined(parts: Iterable[Desired]) -> Desired:
        parts = tuple(parts)
        return Desired(
            wanted=tuple(want for part in parts for want in part.wanted),
            changes=tuple(change for part in parts for change in part.changes),
            commands=tuple(dict.fromkeys(line for part in parts for line in part.commands)),
            next_steps=tuple(dict.fromkeys(step for part in parts for step in part.next_steps)),
        )


def strings(value: Any) -> Iterable[str]:
    """Every string in a JSON value, keys left out."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from strings(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from strings(item)


def commands_inside(value: Any) -> Iterable[str]:
    """Command lines that a host would find in a JSON value it is given as it is (hooks and servers in frontmatter,
    helpers in settings): whoever consents must see them, too. Secrets masked."""
    if isinstance(value, dict):
        shown = mask(value)
        if words := [word for key in ("command", "args") for word in strings(shown.get(key))]:
            yield " ".join(words)
        for key, item in value.items():
            if key not in ("command", "args"):
                yield from commands_inside(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from commands_inside(item)


def handler_line(command: Iterable[str] | None, handler: PythonHandler | None) -> str:
    """What a handler of an author's runs, for a person to read; ``""`` where nothing is run."""
    if command:
        from shlex import join

        return join(command)
    if handler is None:
        return ""
    return f"Python {handler.reference or f'{handler.file}:{handler.qualname}'}"

"""What of a connector stands in a host's files although no ledger of ours knows it.

A teammate's machine has the committed project files but not the ledger; a home may have been restored without its
data root. Entries are recognised by their own shape: a call of our launcher for this connector, a managed block of
its name, or, where a definition is at hand, exactly what it would install.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

from ..changes.model import AnyFormat, Kind, OwnedRow, Wanted
from ..changes.shape import connector_of
from ..changes.workfile import content_digest, naming, structured_format
from ..documents.base import MISSING, Place, same_value
from ..documents.block import SHARED, blocks
from ..documents.opening import open_document
from ..host import Files, Host, MemoryRequest
from ..location import NAME, PROJECT, filled
from ..machine import Machine
from ..masking import fingerprint
from ..plugin import PluginDialect, PluginSpec
from ..vocabulary import COMMIT_SHARED, USER_WIDE, Scope, Surface
from .hooks import files_beside, hooks_path
from .plugins import is_module_of


def rows_by_shape(
    connector: str,
    host: Host,
    scope: Scope,
    machine: Machine,
    project: PurePath,
    files: Files,
    wanted: Iterable[Wanted] = (),
) -> list[OwnedRow]:
    """Rows as the ledger would have them. Raises what reading and parsing the files raises."""
    finder = _Finder(connector, host, scope, machine, project, files)
    rows = [*finder.server(), *finder.hooks(), *finder.memory(), *finder.statusline()]
    rows += [row for row in finder.exactly(wanted) if not any(row.same_thing(known) for known in rows)]
    return rows


class _Finder:
    def __init__(
        self, connector: str, host: Host, scope: Scope, machine: Machine, project: PurePath, files: Files
    ) -> None:
        self.connector = connector
        self.host = host
        self.scope: Scope = scope
        self.machine = machine
        self.project = project
        self.files = files

    def server(self) -> Iterator[OwnedRow]:
        if self.host.server is None or self.scope not in self.host.server.places:
            return
        names = {NAME: self.connector, PROJECT: str(self.project)}
        copies = [copy.place for copy in self.host.server.copies.get(self.scope, ())]
        others = self.host.server.instead.get(self.scope, ())
        first = self.host.server.places[self.scope]
        for place in (first, *(other for other in others if other != first), *copies):
            at = filled(place.at, names)
            path = place.location.resolve(self.machine, self.project)
            found = self._get(path, place.format, at)
            if found is not MISSING and connector_of(found) == self.connector:
                yield self._row("server", path, place.format, "entry", at, found)

    def hooks(self) -> Iterator[OwnedRow]:
        dialect = self.host.hooks
        if dialect is not None and dialect.plugin is not None:
            yield from self._plugin(dialect.plugin)
            return
        for file in dialect.files.get(self.scope, ()) if dialect else ():
            path = hooks_path(file, self.connector, self.machine, self.project)
            above = filled(file.place.at[:-1], {NAME: self.connector})
            events = self._get(path, file.place.format, above)
            for event, items in events.items() if isinstance(events, dict) else ():
                for item in items if isinstance(items, list) else ():
                    if connector_of(item) == self.connector:
                        at = (*above, event)
                        yield self._row("hooks", path, file.place.format, "item", at, item)
            for beside, text in files_beside(file, self.connector, self.machine, self.project):
                if self.files.read(beside) == text.encode():
                    yield self._row("hooks", beside, "file", "file", (), text)

    def _plugin(self, plugin: PluginDialect) -> Iterator[OwnedRow]:
        """Where one file of the plugin is the connector's module, all that stands at the places of the others."""
        folder = plugin.folders.get(self.scope)
        if folder is None:
            return
        files = plugin.files(PluginSpec(self.connector, "", ""))
        texts = {path: self._text(folder.resolve(self.machine, self.project) / PurePath(path)) for path in files}
        if not any(text is not None and is_module_of(self.connector, text) for text in texts.values()):
            return
        for path, text in texts.items():
            if text is not None:
                at = folder.resolve(self.machine, self.project) / PurePath(path)
                yield self._row("hooks", at, "file", "file", (), text)

    def _text(self, path: PurePath) -> str | None:
        data = self.files.read(path)
        return None if data is None else data.decode("utf-8", "surrogateescape")

    def memory(self) -> Iterator[OwnedRow]:
        dialect = self.host.memory
        if dialect is None or self.scope not in dialect.scopes:
            return
        request = MemoryRequest(self.machine, self.project, self.scope)
        targets = dialect.targets(request, self.files)
        ours, others = f"{self.connector}/", False
        for path in dict.fromkeys(target.path for target in targets):
            for found in blocks(self.files.read(path) or b""):
                if found.id.startswith(ours):
                    yield self._row("memory", path, "text", "block", (found.id,), found.content)
                others = others or not found.id.startswith((ours, f"{SHARED}/"))
        for target in targets:
            for found in blocks(self.files.read(target.path) or b""):
                # What all connectors share goes with the last of them.
                if target.shared and found.id == f"{SHARED}/{target.shared}" and not others:
                    yield self._row("memory", target.path, "text", "block", (found.id,), found.content)

    def statusline(self) -> Iterator[OwnedRow]:
        dialect = self.host.statusline
        if dialect is None or self.scope not in dialect.places:
            return
        place = dialect.places[self.scope]
        path = place.location.resolve(self.machine, self.project)
        found = self._get(path, place.format, place.at)
        if found is not MISSING and connector_of(found) == self.connector:
            yield self._row("statusline", path, place.format, "leaf", place.at, found)

    def exactly(self, wanted: Iterable[Wanted]) -> Iterator[OwnedRow]:
        """Things in committed files that are exactly what the definition would put there."""
        for want in wanted:
            if self.scope not in COMMIT_SHARED or want.surface not in ("server", "commands", "skills", "subagents"):
                continue
            if want.kind == "file":
                if self.files.read(want.path) == str(want.value).encode():
                    yield self._row(want.surface, want.path, "file", "file", (), want.value)
            elif same_value(self._get(want.path, want.format, want.place), want.value):
                yield self._row(want.surface, want.path, want.format, want.kind, want.place, want.value)

    def _get(self, path: PurePath, format_id: AnyFormat, place: Place) -> Any:
        data = self.files.read(path)
        if data is None or format_id in ("text", "file"):
            return MISSING
        with naming(path):
            return open_document(structured_format(format_id), data).get(place)

    def _row(
        self, surface: Surface, path: PurePath, format_id: AnyFormat, kind: Kind, place: Place, value: Any
    ) -> OwnedRow:
        return OwnedRow(
            connector=self.connector,
            host=self.host.id,
            surface=surface,
            scope=self.scope,
            project="" if self.scope in USER_WIDE else str(self.project),
            path=str(path),
            format=format_id,
            kind=kind,
            place=place,
            value=content_digest(str(value)) if kind in ("block", "file") else fingerprint(value),
        )

"""Reads the logs of a host straight from its files, whatever else is kept of them.

Files are only ever read. What is passed over is told with its reason: a file that cannot be opened, lines that are no
JSON or too long to be a reply.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ..machine import Machine
from ..values import frozen
from .lines import wanted_blocks
from .reader import UsageReader
from .records import ServerCall, Upsert, UsageRecord


@frozen
class Skipped:
    """Something that was not read. ``count``: how often, for lines."""

    path: str
    reason: str
    count: int = 1


@frozen
class Reading:
    """What a host's logs say, each reply once, in no order."""

    records: tuple[UsageRecord, ...] = ()
    calls: tuple[ServerCall, ...] = ()
    skipped: tuple[Skipped, ...] = ()


def read_usage(reader: UsageReader, machine: Machine) -> Reading:
    """Everything there is. Never raises for what stands in the files."""
    skipped: list[Skipped] = []
    settled = Settled()
    for path in log_files(reader, machine, skipped):
        for upsert in _upserts(reader, path, skipped):
            settled.add(upsert)
    return Reading(tuple(settled.records()), tuple(settled.calls.values()), tuple(skipped))


def log_files(reader: UsageReader, machine: Machine, skipped: list[Skipped]) -> list[Path]:
    """Each file once, those that were written first before the others: they own what several tell. Links that lead
    out of a root are not followed: what they lead to belongs to somebody else."""
    found: dict[Path, float] = {}
    for logs in reader.logs:
        root = Path(logs.root.resolve(machine, machine.cwd))
        for pattern in logs.patterns:
            found |= _matching(root, pattern, skipped)
    return sorted(found, key=lambda path: (found[path], str(path)))


def _matching(root: Path, pattern: str, skipped: list[Skipped]) -> dict[Path, float]:
    try:
        real = root.resolve(strict=True)
        paths = sorted(real.glob(pattern))
    except OSError as error:
        if not isinstance(error, FileNotFoundError | NotADirectoryError):
            skipped.append(Skipped(str(root), error.strerror or "cannot be read"))
        return {}
    found = {}
    for path in paths:
        try:
            target = path.resolve(strict=True)
            if not target.is_relative_to(real):
                skipped.append(Skipped(str(path), "a link out of the folder of logs"))
            elif target.is_file():
                found[target] = target.stat().st_mtime
        except (OSError, RuntimeError) as error:  # a link that leads to itself is the latter
            skipped.append(Skipped(str(path), getattr(error, "strerror", "") or "cannot be read"))
    return found


def _upserts(reader: UsageReader, path: Path, skipped: list[Skipped]) -> Iterator[Upsert]:
    cursor = None
    refused = too_long = 0
    try:
        with path.open("rb") as file:
            for block in wanted_blocks(file, 0, reader.wanted):
                too_long += block.too_long
                scanned = reader.scan(block.lines, cursor)
                cursor = scanned.cursor
                refused += scanned.refused
                yield from scanned.upserts
                if block.torn:  # being written, or the last one of a host that was killed
                    yield from reader.scan([block.torn], cursor).upserts
    except OSError as error:
        skipped.append(Skipped(str(path), error.strerror or "cannot be read"))
    if refused:
        skipped.append(Skipped(str(path), "lines that are not understood", refused))
    if too_long:
        skipped.append(Skipped(str(path), "lines that are too long", too_long))


class Settled:
    """Upserts, of which the ones that tell the same come to one."""

    def __init__(self) -> None:
        self.calls: dict[str, ServerCall] = {}
        self._records: dict[tuple[str, str], UsageRecord] = {}
        self._came_from: dict[str, list[str]] = {}

    def add(self, upsert: Upsert) -> None:
        if isinstance(upsert, UsageRecord):
            key = (upsert.thread, upsert.key)
            standing = self._records.get(key)
            self._records[key] = upsert if standing is None else better(standing, upsert)
        elif isinstance(upsert, ServerCall):
            self.calls.setdefault(upsert.key, upsert)
        else:
            self._came_from.setdefault(upsert.session, []).append(upsert.came_from)

    def records(self) -> Iterator[UsageRecord]:
        real = {record.reply for record in self._records.values() if record.reply and not record.subagent}
        for (thread, key), record in self._records.items():
            is_aside = record.subagent and record.reply in real
            if not is_aside and not any((other, key) in self._records for other in self._before(thread)):
                yield record

    def _before(self, session: str) -> set[str]:
        """The sessions it came from, however far back."""
        found: set[str] = set()
        waiting = list(self._came_from.get(session, ()))
        while waiting:
            other = waiting.pop()
            if other not in found and other != session:
                found.add(other)
                waiting += self._came_from.get(other, ())
        return found


def better(standing: UsageRecord, other: UsageRecord) -> UsageRecord:
    """A reply is told while it grows: the largest counts. Of equals the one that is no subagent's, else the first."""
    return other if (other.total, not other.subagent) > (standing.total, not standing.subagent) else standing

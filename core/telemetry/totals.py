"""What a connector's tools were called for and what they cost, out of what this machine has counted."""

from __future__ import annotations

from ..runtime.jsontext import loads
from ..runtime.process import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_BYTES_PER_TOKEN = 4
_CONFIDENCES = ("heuristic", "tokenizer-approx", "tokenizer-calibrated", "tokenizer-exact", "host-native")
"""From the weakest on; as :mod:`.words` has them, which imports more than a status line needs."""
_CHUNK = 1 << 20


class ToolTotals:
    """``tokens_in``: what the tool was handed; ``tokens_out``: what it answered. ``errors``: calls that failed.
    ``confidence``: how the tokens are known, of the least certain call: ``heuristic``, ``tokenizer-approx``,
    ``tokenizer-calibrated`` or ``tokenizer-exact``."""

    __slots__ = ("calls", "confidence", "errors", "tokens_in", "tokens_out", "tool")

    def __init__(self, tool: str, calls: int, errors: int, tokens_in: int, tokens_out: int, confidence: str) -> None:
        self.tool = tool
        self.calls = calls
        self.errors = errors
        self.tokens_in = tokens_in
        self.tokens_out = tokens_out
        self.confidence = confidence

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ToolTotals):
            return NotImplemented
        return all(getattr(self, name) == getattr(other, name) for name in self.__slots__)

    def __hash__(self) -> int:
        return hash((self.tool, self.calls, self.errors, self.tokens_in, self.tokens_out))

    def __repr__(self) -> str:
        return (
            f"ToolTotals({self.tool!r}, calls={self.calls}, errors={self.errors}, tokens_in={self.tokens_in}, "
            f"tokens_out={self.tokens_out}, confidence={self.confidence!r})"
        )


def tool_totals(data_root: str, connector: str, since_ms: int | None) -> tuple[ToolTotals, ...]:
    """Per tool of the connector, as proxies counted its calls, the most called first.

    ``since_ms``: milliseconds since the epoch, ``None`` for all that is kept. What cannot be read counts as nothing.
    No lines are taken into the database here, for the processes that ask have none of the libraries for it: what is
    not there yet is read where it stands.
    """
    folder = f"{data_root}/telemetry"
    if not _entries(folder):
        return ()
    counted = _Counted(connector, since_ms)
    offsets = counted.in_database(data_root) if "telemetry.db" in _entries(folder) else {}
    for name in _entries(f"{folder}/spool"):
        counted.in_file(f"{folder}/spool/{name}", offsets.get(name, 0))
    for name in (f"{connector}.1.ndjson", f"{connector}.ndjson"):
        counted.in_file(f"{folder}/log/{name}", 0)
    return counted.totals()


class _Counted:
    """What was counted of one connector, from wherever it stands."""

    def __init__(self, connector: str, since_ms: int | None) -> None:
        self._connector = connector
        self._since = since_ms
        self._calls: dict[tuple[int, int], tuple[str, int, int, int, int]] = {}
        """(time, id) -> (tool, error, tokens in, tokens out, rank of confidence) of calls in files"""
        self._unnamed = 0
        self._tools: dict[str, list[int]] = {}
        """tool -> calls, errors, tokens in, tokens out, lowest rank of confidence"""

    def in_database(self, data_root: str) -> dict[str, int]:
        """Add what has been taken into the database; answers how far each file has been read for that."""
        try:
            from pathlib import Path

            from ..errors import AgentConnectorError
            from .reports import Query, groups
            from .store import Store
        except ImportError:  # an author's own Python may lack SQLite
            return {}
        query = Query(since=self._since, connector=self._connector)
        try:
            with Store.open(Path(data_root)) as store:
                # The sums, and how far they go, are of one moment.
                store.ask(lambda connection: connection.execute("BEGIN"))
                offsets = store.ask(lambda connection: dict(connection.execute("SELECT file, offset FROM folded")))
                for (_, tool), one in store.ask(lambda connection: groups(connection, query)).items():
                    self._add(tool, one.calls, one.errors, one.tin, one.tout, min(one.mix))
        except AgentConnectorError:
            return {}
        return offsets

    def in_file(self, path: str, offset: int) -> None:
        """Note the calls that stand in a file from there on. Of one that is told twice the better counted stays."""
        for line in _lines(path, self._connector, offset):
            tool, t, u = line.get("tool"), line.get("t"), line.get("u")
            told = line.get("connector") == self._connector and line.get("scope") == "call"
            if not told or not isinstance(tool, str) or not isinstance(t, int):
                continue
            if self._since is not None and t < self._since:
                continue
            if not isinstance(u, int):
                u = self._unnamed = self._unnamed - 1
            call = (tool, 1 if line.get("error") else 0, *_tokens(line))
            if (t, u) not in self._calls or self._calls[t, u][-1] < call[-1]:
                self._calls[t, u] = call

    def totals(self) -> tuple[ToolTotals, ...]:
        for tool, error, tokens_in, tokens_out, rank in self._calls.values():
            self._add(tool, 1, error, tokens_in, tokens_out, rank)
        found = [
            ToolTotals(tool, calls, errors, tokens_in, tokens_out, _CONFIDENCES[rank])
            for tool, (calls, errors, tokens_in, tokens_out, rank) in self._tools.items()
        ]
        return tuple(sorted(found, key=lambda one: (-one.calls, one.tool)))

    def _add(self, tool: str, calls: int, errors: int, tokens_in: int, tokens_out: int, rank: int) -> None:
        sums = self._tools.setdefault(tool, [0, 0, 0, 0, rank])
        for at, value in enumerate((calls, errors, tokens_in, tokens_out)):
            sums[at] += value
        sums[4] = min(sums[4], rank)


def _tokens(line: dict[str, Any]) -> tuple[int, int, int]:
    """Tokens in and out, and the rank of how they are known; what nobody counted is estimated from its size."""
    rank = _CONFIDENCES.index(line["conf"]) if line.get("conf") in _CONFIDENCES else 0
    counts = []
    for count, size in (("in", "inb"), ("out", "outb")):
        value = line.get(count)
        if not isinstance(value, int):
            given = line.get(size)
            value = -(-given // _BYTES_PER_TOKEN) if isinstance(given, int) else 0
            rank = 0 if value else rank
        counts.append(max(0, value))
    return counts[0], counts[1], rank


def _entries(folder: str) -> list[str]:
    try:
        return sorted(system.listdir(folder))
    except OSError:
        return []


def _lines(path: str, connector: str, offset: int) -> Iterator[dict[str, Any]]:
    """The lines that name the connector. One that is no JSON object (torn, of another program) is passed over."""
    named = f'"connector":"{connector}"'.encode()
    rest = b""
    for chunk in _chunks(path, offset):
        *whole, rest = (rest + chunk).split(b"\n")
        for line in whole:
            if named not in line:  # parsing is what costs
                continue
            try:
                value = loads(line)
            except ValueError:
                continue
            if isinstance(value, dict):
                yield value


def _chunks(path: str, offset: int) -> Iterator[bytes]:
    try:
        descriptor = system.open(path, system.O_RDONLY | getattr(system, "O_BINARY", 0))
    except OSError:
        return
    try:
        if system.fstat(descriptor).st_size >= offset:  # else it is another file than the one that was read
            system.lseek(descriptor, offset, 0)
        while chunk := system.read(descriptor, _CHUNK):
            yield chunk
    except OSError:
        return
    finally:
        system.close(descriptor)

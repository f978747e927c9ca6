"""What a connector's tools were called for and what they cost, out of what this machine has counted."""

from __future__ import annotations

from ..runtime.process import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from .reports import Groups, Query


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
    """Per tool of the connector's server, in all hosts, the most called first.

    ``since_ms``: milliseconds since the epoch, ``None`` for all that is kept. What cannot be read counts as nothing.
    """
    try:
        system.listdir(f"{data_root}/telemetry")
    except OSError:  # nothing was ever counted
        return ()
    totals = [
        ToolTotals(tool, group.calls, group.errors, group.tin, group.tout, group.confidence)
        for (_, tool), group in _groups(data_root, connector, since_ms).items()
    ]
    return tuple(sorted(totals, key=lambda total: (-total.calls, total.tool)))


def _groups(data_root: str, connector: str, since_ms: int | None) -> Groups:
    # Loaded where a status line or an action asks, and nowhere else.
    from pathlib import Path

    from ..errors import AgentConnectorError
    from .reports import Query, groups, joined

    query = Query("tool", "call", since_ms, connector)
    try:
        from .store import Store, ask, exists, in_memory
    except ImportError:  # a handler of another Python, for which there is no library to read lines with
        return _of_the_database(Path(data_root), query)

    def question(store: Store) -> Groups:
        found = [store.ask(lambda connection: groups(connection, query))]
        if logs := store.logs(connector):
            connection = in_memory(logs)
            found.append(groups(connection, query))
            connection.close()
        return joined(found)

    try:
        return ask(Path(data_root), question)[0] if exists(Path(data_root)) else {}
    except AgentConnectorError:
        return {}


def _of_the_database(data_root: Path, query: Query) -> Groups:
    """As of the last time that it was brought up to date."""
    from ..errors import AgentConnectorError
    from .reports import groups
    from .schema import FILE_NAME, connect_read_only

    file = data_root / "telemetry" / FILE_NAME
    try:
        connection = connect_read_only(file) if file.exists() else None
    except AgentConnectorError:
        return {}
    if connection is None:
        return {}
    try:
        return groups(connection, query)
    finally:
        connection.close()

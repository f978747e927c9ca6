"""What a connector's tools were called for and what they cost, out of what this machine has counted."""

from __future__ import annotations

from ..runtime.hook_log import SPOOL
from ..runtime.jsontext import loads
from ..runtime.process import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any, Literal

    Confidence = Literal["heuristic"]

BYTES_PER_TOKEN = 4
"""How a size becomes tokens where only sizes were counted."""
_CHUNK = 1 << 20
_ONE_CALL = (("PreToolUse",), ("PostToolUse", "PostToolUseFailure"), ("PermissionRequest",))
"""Events of which each call has one at most; which of them are told depends on what the connector asked for."""


class ToolTotals:
    """``tokens_in``: what the tool was handed and answered, as far as hosts told it; ``tokens_out``: what was
    answered to the host about it. ``errors``: calls that failed. ``confidence``: how the tokens are known."""

    __slots__ = ("calls", "confidence", "errors", "tokens_in", "tokens_out", "tool")

    def __init__(
        self, tool: str, calls: int, errors: int, tokens_in: int, tokens_out: int, confidence: Confidence
    ) -> None:
        self.tool = tool
        self.calls = calls
        self.errors = errors
        self.tokens_in = tokens_in
        self.tokens_out = tokens_out
        self.confidence: Confidence = confidence

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
    """Per tool of the connector, by its bare name in every host, the most called first.

    ``since_ms``: milliseconds since the epoch, ``None`` for all that is kept. What cannot be read counts as nothing.
    """
    counted: dict[str, dict[tuple[str, str], int]] = {}
    sizes: dict[str, list[int]] = {}
    for line in _lines(f"{data_root}/{SPOOL}", connector):
        tool, moment = line.get("tool"), line.get("t")
        if line.get("connector") != connector or not isinstance(tool, str) or not tool or not isinstance(moment, int):
            continue
        if since_ms is not None and moment < since_ms:
            continue
        key = (str(line.get("host")), str(line.get("event")))
        events = counted.setdefault(tool, {})
        events[key] = events.get(key, 0) + 1
        size = sizes.setdefault(tool, [0, 0])
        size[0] += _whole(line.get("in"))
        size[1] += _whole(line.get("out"))
    totals = [_totals(tool, events, sizes[tool]) for tool, events in counted.items()]
    return tuple(sorted(totals, key=lambda total: (-total.calls, total.tool)))


def _totals(tool: str, events: dict[tuple[str, str], int], sizes: list[int]) -> ToolTotals:
    calls = errors = 0
    for host in {host for host, _ in events}:
        calls += max(sum(events.get((host, event), 0) for event in kind) for kind in _ONE_CALL)
        errors += events.get((host, "PostToolUseFailure"), 0)
    tokens_in, tokens_out = (-(-size // BYTES_PER_TOKEN) for size in sizes)
    return ToolTotals(tool, calls, errors, tokens_in, tokens_out, "heuristic")


def _whole(value: Any) -> int:
    return value if isinstance(value, int) and value >= 0 else 0


def _lines(path: str, connector: str) -> Iterator[dict[str, Any]]:
    """The lines that name the connector. One that is no JSON object (torn, of another program) is passed over."""
    named = f'"connector":"{connector}"'.encode()
    rest = b""
    for chunk in _chunks(path):
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


def _chunks(path: str) -> Iterator[bytes]:
    try:
        descriptor = system.open(path, system.O_RDONLY | getattr(system, "O_BINARY", 0))
    except OSError:
        return
    try:
        while chunk := system.read(descriptor, _CHUNK):
            yield chunk
    except OSError:
        return
    finally:
        system.close(descriptor)

"""What readers of usage logs share: numbers as hosts write them, moments, and what a scan comes to."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any, TypeVar

import msgspec
from agent_connector.usage.records import Upsert


class Scanned:
    """See :class:`agent_connector.usage.reader.Scanned`."""

    __slots__ = ("cursor", "refused", "upserts")

    def __init__(self, cursor: Any = None) -> None:
        self.upserts: list[Upsert] = []
        self.cursor = cursor
        self.refused = 0


T = TypeVar("T")


def each_line(
    lines: Sequence[bytes], decoder: msgspec.json.Decoder[T], scanned: Scanned, take: Callable[[T], None]
) -> Scanned:
    """``take`` every line that ``decoder`` reads; the others are counted."""
    for line in lines:
        try:
            value = decoder.decode(line)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            scanned.refused += 1
        else:
            take(value)
    return scanned


def tokens(number: int | None) -> int:
    """A count can be absent, and a host's own arithmetic can bring it below nought."""
    return max(0, number or 0)


def moment(text: str) -> int:
    """Milliseconds since 1970 of a time stamp in ISO 8601, 0 for none."""
    try:
        return int(datetime.fromisoformat(text).timestamp() * 1000)
    except (ValueError, OverflowError):
        return 0

"""Histograms of latencies: eight buckets per doubling, so that a percentile is right to within a twentieth.

As a blob: ``0`` and a byte per call, its bucket; or, where that is shorter, ``1`` and pairs of bucket and count.
Few calls a day make most of the blobs, and the first kind is added up without a loop.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from itertools import chain, repeat
from math import ceil
from struct import Struct
from struct import pack as packed
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

Histogram = dict[int, int]
"""bucket -> count; counts below zero take something away."""

_PER_DOUBLING = 8
_EDGES = [ceil(2 ** (number / _PER_DOUBLING)) for number in range(1, 256)]
"""Whole microseconds at which each bucket has ended; the last one, from 66 minutes on, has no end."""
_PAIR = Struct("<Bi")
_FEW = 40
_CALLS, _PAIRS = b"\0", b"\1"


def buckets(latencies: Iterable[int]) -> bytes:
    """The bucket of each, from microseconds."""
    return bytes(map(bisect_right, repeat(_EDGES), latencies))


def blob(some: bytes, *, away: bool = False) -> bytes:
    """The blob of these buckets; ``away``: one that takes them away from another."""
    if away:
        return pack({number: -count for number, count in Counter(some).items()})
    return (_CALLS + some if len(some) < _FEW else pack(Counter(some))) if some else b""


def pack(counts: Mapping[int, int]) -> bytes:
    if not counts:
        return b""
    if min(counts.values()) >= 0 and sum(counts.values()) <= len(counts) * _PAIR.size:
        return _CALLS + bytes(chain.from_iterable(map(repeat, counts, counts.values())))
    return _PAIRS + packed("<" + "Bi" * len(counts), *chain.from_iterable(counts.items()))


def unpack(blob: bytes) -> Histogram:
    return _added((blob,))


def _added(blobs: Iterable[bytes]) -> Histogram:
    counts: Counter[int] = Counter()
    calls = []
    for blob in blobs:
        if blob[:1] == _CALLS:
            calls.append(blob[1:])
        else:
            for number, count in _PAIR.iter_unpack(blob[1:]):
                counts[number] += count
    counts.update(b"".join(calls))
    return {number: count for number, count in counts.items() if count}


def percentile(counts: Mapping[int, int], share: float) -> float | None:
    """Milliseconds below which ``share`` of the calls took; ``None`` where none was timed."""
    total = sum(counts.values())
    if total <= 0:
        return None
    rank = share * total
    below = 0
    for number in sorted(counts):
        count = counts[number]
        if count and below + count >= rank:
            return float(2 ** ((number + (rank - below) / count) / _PER_DOUBLING) / 1000)
        below += count
    return float(2 ** ((max(counts) + 1) / _PER_DOUBLING) / 1000)


class _Sum:
    """SQL aggregate ``latencies(blob)``: the histograms of a group as one."""

    def __init__(self) -> None:
        self._blobs: list[bytes] = []

    def step(self, blob: bytes) -> None:
        self._blobs.append(blob)

    def finalize(self) -> bytes:
        return pack(_added(self._blobs))


def _merged(one: bytes, other: bytes) -> bytes:
    return pack(_added((one, other)))


def _single(us: int | None) -> bytes:
    return b"" if us is None else _CALLS + bytes((bisect_right(_EDGES, us),))


def register(connection: sqlite3.Connection) -> None:
    """Teach SQL ``latencies(blob)`` (aggregate), ``latency_merged(blob, blob)`` and ``latency_of(us)``."""
    connection.create_aggregate("latencies", 1, _Sum)  # type: ignore[arg-type]  # typeshed asks for int results
    connection.create_function("latency_merged", 2, _merged, deterministic=True)
    connection.create_function("latency_of", 1, _single, deterministic=True)

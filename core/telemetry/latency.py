"""Histograms of latencies: eight buckets per doubling, so that a percentile is right to within a twentieth.

As a blob: (bucket, count) pairs of five bytes, in no order. A latency is in whole microseconds.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import log2
from struct import Struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import sqlite3

Histogram = dict[int, int]
"""bucket -> count; counts below zero take something away."""

_PER_DOUBLING = 8
_TOP = 255
"""Everything from 66 minutes on."""
_PAIR = Struct("<Bi")


def bucket(us: int) -> int:
    return min(_TOP, int(log2(us) * _PER_DOUBLING)) if us > 1 else 0


def pack(histogram: Mapping[int, int]) -> bytes:
    return b"".join([_PAIR.pack(number, count) for number, count in histogram.items() if count])


def unpack(blob: bytes) -> Histogram:
    return dict(_PAIR.iter_unpack(blob))


def percentile(histogram: Mapping[int, int], share: float) -> float | None:
    """Milliseconds below which ``share`` of the calls took; ``None`` where none was timed."""
    total = sum(histogram.values())
    if total <= 0:
        return None
    rank = share * total
    below = 0
    number = 0
    for number in sorted(histogram):
        count = histogram[number]
        if count and below + count >= rank:
            inside = (rank - below) / count
            return float(2 ** ((number + inside) / _PER_DOUBLING) / 1000)
        below += count
    return float(2 ** ((number + 1) / _PER_DOUBLING) / 1000)


class _Sum:
    """SQL aggregate ``latencies(blob)``: the histograms of a group as one."""

    def __init__(self) -> None:
        self._counts: Histogram = {}

    def step(self, blob: bytes) -> None:
        counts = self._counts
        for number, count in _PAIR.iter_unpack(blob):
            counts[number] = counts.get(number, 0) + count

    def finalize(self) -> bytes:
        return pack(self._counts)


def _merged(one: bytes, other: bytes) -> bytes:
    counts = unpack(one)
    for number, count in _PAIR.iter_unpack(other):
        counts[number] = counts.get(number, 0) + count
    return pack(counts)


def _single(us: int | None) -> bytes:
    return b"" if us is None else _PAIR.pack(bucket(us), 1)


def register(connection: sqlite3.Connection) -> None:
    """Teach SQL ``latencies(blob)`` (aggregate), ``latency_merged(blob, blob)`` and ``latency_of(us)``."""
    connection.create_aggregate("latencies", 1, _Sum)  # type: ignore[arg-type]  # typeshed asks for int results
    connection.create_function("latency_merged", 2, _merged, deterministic=True)
    connection.create_function("latency_of", 1, _single, deterministic=True)

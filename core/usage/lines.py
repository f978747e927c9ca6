"""Lines of a log that may matter, without looking at the others: of ten lines one has a number in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import BinaryIO

BLOCK = 1 << 20
LINE_CAP = 16 << 20
"""Bytes of a line. A longer one is passed over and counted: no reply is that long."""
_BOM = b"\xef\xbb\xbf"


class Block:
    """Some whole lines. ``end``: how far the file is read with them. ``torn``: a last line without its end, which may
    be whole or still being written; it is behind ``end``. ``too_long``: lines that were passed over."""

    __slots__ = ("end", "lines", "too_long", "torn")

    def __init__(self, lines: list[bytes], end: int, torn: bytes = b"", too_long: int = 0) -> None:
        self.lines = lines
        self.end = end
        self.torn = torn
        self.too_long = too_long


def wanted_blocks(file: BinaryIO, start: int, wanted: Sequence[bytes]) -> Iterator[Block]:
    """The file from ``start`` on, block by block: the lines with one of ``wanted`` in them. Raises ``OSError``."""
    file.seek(start)
    end = start
    rest: list[bytes] = []
    waiting = 0
    too_long = 0
    while data := file.read(BLOCK):
        if end + waiting == 0 and data.startswith(_BOM):
            data = data[len(_BOM) :]
            end = len(_BOM)
        cut = data.rfind(b"\n") + 1
        if not cut:
            waiting += len(data)
            if waiting <= LINE_CAP:
                rest.append(data)
            else:
                rest.clear()
            continue
        first_too_long = waiting > LINE_CAP
        if first_too_long:
            too_long += 1
            begin = data.find(b"\n") + 1
            whole = data[begin:cut]
        else:
            whole = b"".join((*rest, data[:cut])) if rest else data[:cut]
        end += waiting + cut
        rest = [data[cut:]] if cut < len(data) else []
        waiting = len(data) - cut
        yield Block(lines_with(whole, wanted), end, too_long=too_long)
        too_long = 0
    torn = b"".join(rest)
    if torn and any(needle in torn for needle in wanted):
        yield Block([], end, torn)


def lines_with(data: bytes, wanted: Sequence[bytes]) -> list[bytes]:
    """In the order they stand in. ``data``: whole lines."""
    places: dict[int, int] = {}
    for needle in wanted:
        at = data.find(needle)
        while at >= 0:
            end = data.find(b"\n", at)
            places[data.rfind(b"\n", 0, at) + 1] = end
            at = data.find(needle, end)
    return [data[start:end] for start, end in sorted(places.items())]

"""A stream cut into its lines, whatever pieces it comes in."""

from __future__ import annotations

LINE_CAP = 3 << 19
"""Bytes of a line that are kept at most (1.5 MiB); of a longer one only both ends."""
END = 4096
"""Bytes of either end of a line that is too long to keep."""


class Line:
    """One line, without its end. ``parts`` are its bytes as they came (long lines are not copied together), ``None``
    where it was too long to keep."""

    __slots__ = ("head", "parts", "size", "tail")

    def __init__(self, parts: list[bytes] | None, head: bytes, tail: bytes, size: int) -> None:
        self.parts = parts
        self.head = head
        self.tail = tail
        self.size = size

    @property
    def whole(self) -> bytes:
        return b"".join(self.parts or ())


class Lines:
    """Takes pieces of a stream, gives lines."""

    __slots__ = ("_parts", "_size", "_tail", "kept")

    def __init__(self) -> None:
        self.kept = LINE_CAP
        """Bytes of a line that are kept at most; may change at any time."""
        self._parts: list[bytes] = []
        self._size = 0
        self._tail = b""

    def feed(self, data: bytes) -> list[Line]:
        """The lines that end in ``data``."""
        found: list[Line] = []
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._take(data[start:end])
            found.append(self._line())
            self._parts, self._size, self._tail = [], 0, b""
            start = end + 1
        if start < len(data):
            self._take(data[start:] if start else data)
        return found

    def _take(self, part: bytes) -> None:
        self._size += len(part)
        if not self._tail and self._size <= self.kept:
            self._parts.append(part)
            return
        if not self._tail:
            kept = self._parts or [part]
            self._parts = [_start_of(kept)]
            self._tail = _end_of(kept)
        self._tail = (self._tail + part[-END:])[-END:]

    def _line(self) -> Line:
        if self._tail:
            return Line(None, self._parts[0], self._tail, self._size)
        return Line(self._parts, _start_of(self._parts), _end_of(self._parts), self._size)


def _start_of(parts: list[bytes]) -> bytes:
    start = b""
    for part in parts:
        start += part[: END - len(start)]
        if len(start) == END:
            break
    return start


def _end_of(parts: list[bytes]) -> bytes:
    end = b""
    for part in reversed(parts):
        end = part[max(0, len(part) - END + len(end)) :] + end
        if len(end) == END:
            break
    return end

"""A stream cut into its lines, whatever pieces it comes in."""

from __future__ import annotations

LINE_CAP = 2 << 20
"""Bytes of a line that are kept; of a longer one only both ends."""
END = 4096
"""Bytes of either end of a line that is too long to keep."""


class Line:
    """One line, without its end. ``whole`` is ``None`` where it was too long to keep."""

    __slots__ = ("head", "size", "tail", "whole")

    def __init__(self, whole: bytes | None, head: bytes, tail: bytes, size: int) -> None:
        self.whole = whole
        self.head = head
        self.tail = tail
        self.size = size


class Lines:
    """``keep`` may be switched off while nobody is interested: a line that began meanwhile is passed over."""

    __slots__ = ("_kept", "_parts", "_size", "_tail", "keep")

    def __init__(self) -> None:
        self.keep = True
        self._parts: list[bytes] = []
        self._size = 0
        self._kept: bool | None = None
        """Whether the line that has begun is kept; ``None`` at the start of one."""
        self._tail = b""

    def feed(self, data: bytes) -> list[Line]:
        """The lines that end in ``data``, but for those that nobody is interested in."""
        found: list[Line] = []
        if self._kept is None and not self.keep:
            if data.endswith(b"\n"):
                return found
            data = data[data.rfind(b"\n") + 1 :]
            self._kept = False
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            self._take(data[start:end])
            if self._kept:
                found.append(self._line())
            self._begin_anew()
            start = end + 1
        if start < len(data):
            self._take(data[start:] if start else data)
        return found

    def _take(self, part: bytes) -> None:
        if self._kept is None:
            self._kept = self.keep
        if not self._kept:
            return
        self._size += len(part)
        if self._size <= LINE_CAP:
            self._parts.append(part)
            return
        if not self._tail:
            whole = b"".join(self._parts)
            self._parts = [whole[:END] or part[:END]]
            self._tail = whole[-END:]
        self._tail = (self._tail + part[-END:])[-END:]

    def _line(self) -> Line:
        if self._size > LINE_CAP:
            return Line(None, self._parts[0], self._tail, self._size)
        whole = self._parts[0] if len(self._parts) == 1 else b"".join(self._parts)
        return Line(whole, whole[:END], whole[-END:], self._size)

    def _begin_anew(self) -> None:
        self._parts, self._size, self._kept, self._tail = [], 0, None, b""

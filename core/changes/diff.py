"""Unified diffs of planned edits. Only the changed region is compared, so a file of 10 MB costs nothing; what looks
like a secret is masked in every line, the user's own included."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..masking import mask_line, printable
from .model import FileEdit

CONTEXT = 3


def unified(edits: Iterable[FileEdit]) -> Iterator[tuple[str, str, bool, bool]]:
    """(path, diff text, created, deleted) of each file that changes, in order; edits of one file are one diff."""
    merged: dict[str, tuple[bytes | None, bytes | None]] = {}
    for edit in edits:
        first = merged[str(edit.path)][0] if str(edit.path) in merged else edit.before
        merged[str(edit.path)] = (first, edit.after)
    for path, (before, after) in merged.items():
        if before != after:
            text = "\n".join(_hunk(_lines(before), _lines(after)))
            yield path, text, before is None, after is None


def _lines(data: bytes | None) -> list[str]:
    return (data or b"").decode("utf-8", "replace").splitlines()


def _hunk(old: list[str], new: list[str]) -> Iterator[str]:
    head = 0
    while head < min(len(old), len(new)) and old[head] == new[head]:
        head += 1
    tail = 0
    while tail < min(len(old), len(new)) - head and old[-1 - tail] == new[-1 - tail]:
        tail += 1
    import difflib

    start = max(0, head - CONTEXT)
    old_part = old[start : len(old) - tail + min(tail, CONTEXT)]
    new_part = new[start : len(new) - tail + min(tail, CONTEXT)]
    previous = ""
    for number, line in enumerate(difflib.unified_diff(old_part, new_part, n=CONTEXT, lineterm="")):
        if number < 2:
            continue
        if line.startswith("@@"):
            yield _shifted(line, start)
        else:
            yield line[0] + printable(mask_line(line[1:], previous))
            previous = line[1:]


def _shifted(header: str, by: int) -> str:
    """The hunk header with line numbers of the whole file."""
    old, new = header.split()[1:3]
    return f"@@ {_shift(old, by)} {_shift(new, by)} @@"


def _shift(span: str, by: int) -> str:
    start, comma, length = span[1:].partition(",")
    return f"{span[0]}{int(start) + by}{comma}{length}"

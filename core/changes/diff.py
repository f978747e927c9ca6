"""Unified diffs of planned edits. Only the changed region is compared, so a file of 10 MB costs nothing; what looks
like a secret is masked in every line, the user's own included. A file that a program wrote as one line is shown as
if each member stood on a line of its own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from ..masking import mask_line, printable
from .model import FileEdit

CONTEXT = 3
LONGEST = 2_000
"""Characters of a line that nobody minds to read; longer ones are taken apart."""
_PIECE = r'"[^"\\]*(?:\\.[^"\\]*)*"|[^",\[{]+|[",\[{]'


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
    lines = (data or b"").decode("utf-8", "replace").splitlines()
    return [part for line in lines for part in ([line] if len(line) <= LONGEST else _members(line))]


def _members(line: str) -> Iterator[str]:
    """An overlong line in parts that end behind a comma or an opening bracket; what is still overlong is cut."""
    part: list[str] = []
    length = 0
    for piece in re.findall(_PIECE, line):
        length += len(piece)
        # Cut between pieces: half a string would not be masked by its name.
        part.append(piece if length <= LONGEST else "…")
        if piece in (",", "[", "{"):
            yield _cut(part)
            part, length = [], 0
    yield _cut(part)


def _cut(part: list[str]) -> str:
    return "".join(part if "…" not in part else [*part[: part.index("…")], "…"])


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
    for group in difflib.SequenceMatcher(None, old_part, new_part).get_grouped_opcodes(CONTEXT):
        yield f"@@ -{_span(group[0][1], group[-1][2], start)} +{_span(group[0][3], group[-1][4], start)} @@"
        for kind, old_from, old_to, new_from, new_to in group:
            if kind == "equal":
                yield from (" " + _shown(new, start + at) for at in range(new_from, new_to))
                continue
            yield from ("-" + _shown(old, start + at) for at in range(old_from, old_to))
            yield from ("+" + _shown(new, start + at) for at in range(new_from, new_to))


def _shown(lines: list[str], at: int) -> str:
    """The line before, shown or not, may say that this one is a secret."""
    return printable(mask_line(lines[at], lines[at - 1] if at else ""))


def _span(first: int, end: int, start: int) -> str:
    """Line numbers of the whole file, as unified diffs have them."""
    length = end - first
    begin = start + first + (1 if length else 0)
    return str(begin) if length == 1 else f"{begin},{length}"

"""Managed blocks: parts of a shared text file that belong to connectors, between marker lines.

Everything works on bytes, so what else stands in the file (other encodings, odd line ends) does not matter. A new
block is inserted, with its own separator of one blank line in front, at the end of the last line that has content;
whatever follows (a final newline, blank lines, nothing) stays behind it. In a file without content it goes first,
with one line end behind it. Taking a block out takes exactly that separator along, so insertions and removals in any
order give back the bytes of before.

::

    <!-- agent-connector:begin acme-db/usage hash=0f3a… -->
    <!-- Managed by agent-connector for "acme-db". Do not edit … -->
    content
    <!-- agent-connector:end acme-db/usage -->
"""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Literal

from ..errors import ProofError
from ..values import frozen
from .base import Origin
from .block_scan import BOM, Block, Stray, after_line_end, blocks, inner_hash, normal, strays

__all__ = ["SHARED", "Block", "Excised", "Stray", "Upserted", "blocks", "excise", "normal", "strays", "upsert"]

_FOREIGN_ENCODINGS = (b"\xff\xfe", b"\xfe\xff")
"""Starts of UTF-16 and UTF-32 texts: a block in UTF-8 would break them."""

SHARED = "_shared"
"""Stands for the connector in the id of a block that belongs to all of them together."""

_MARKER_WORDS = ("agent-connector:begin", "agent-connector:end")


@frozen
class Upserted:
    """``edited``: nothing was changed, because somebody edited the block and ``force`` was not given."""

    data: bytes
    action: Literal["create", "update", "skip", "edited"]
    block: Block
    """The block as it stands in ``data``."""
    origin: Origin | None = None
    """To be kept by the caller, when the file was absent or had no content (place ``()``)."""
    repaired: int = 0
    """Stray markers and duplicates of this block that were taken out."""


@frozen
class Excised:
    """``data`` is ``None`` where the file was created for a block and has no content left: it is to be deleted."""

    data: bytes | None
    removed: tuple[Block, ...]
    strays: int = 0
    last: bool = False
    """No block of anybody is left, so an origin that was kept for this file is spent."""


def upsert(data: bytes | None, block_id: str, content: str, connector_id: str, *, force: bool = False) -> Upserted:
    """The text with this block in it: replaced where it stands, appended where it does not.

    ``data`` is ``None`` for a file that is not there. An edited block is left alone unless ``force``.
    Raises :class:`ProofError` where a block cannot be put in such a way that it can be found and taken out again.
    """
    old = data or b""
    _refuse(old, block_id, content)
    body, repaired = _without_strays_and_duplicates(old, block_id)
    standing = next((block for block in blocks(body) if block.id == block_id), None)
    if standing is None:
        origin = None if _has_content(body) else Origin((), created=data is None, interior=body)
        new = _appended(body, block_id, content, connector_id)
        if excise(new, [block_id], origin=origin).data != (None if data is None else body):
            raise ProofError(f"block {block_id} could not be taken out again as it was put in")
        return Upserted(new, "create", _the(new, block_id), origin, repaired)
    if standing.edited and not force:
        return Upserted(old, "edited", next(block for block in blocks(old) if block.id == block_id))
    eol = _eol_of(body, standing)
    new = body[: standing.start] + _render(block_id, content, connector_id, eol) + body[standing.end :]
    fresh = _the(new, block_id)
    if fresh.actual == standing.actual and not standing.edited:
        return Upserted(body, "update" if repaired else "skip", standing, None, repaired)
    return Upserted(new, "update", fresh, None, repaired)


def excise(
    data: bytes, block_ids: Collection[str] = (), *, connector_id: str = "", origin: Origin | None = None
) -> Excised:
    """The text without the blocks named, and without every block and stray marker of ``connector_id``.

    Edited blocks go too; ``removed`` tells them, so that the caller can keep a copy. ``origin`` is what
    :func:`upsert` reported when the file had no content; it counts when no content is left.
    """

    def meant(name: str) -> bool:
        return name in block_ids or (bool(connector_id) and name.startswith(f"{connector_id}/"))

    removed = []
    for block in reversed([block for block in blocks(data) if meant(block.id)]):
        data = _cut(data, block)
        removed.append(block)
    lone = [stray for stray in strays(data) if meant(stray.id)]
    for stray in reversed(lone):
        data = data[: stray.start] + data[stray.end :]
    last = not blocks(data)
    restored: bytes | None = data
    if removed and last and origin is not None and not _has_content(data):
        restored = None if origin.created else origin.interior
    return Excised(restored, tuple(reversed(removed)), len(lone), last)


# --- changing --------------------------------------------------------------------------------------------------


def _refuse(data: bytes, block_id: str, content: str) -> None:
    if data.startswith(_FOREIGN_ENCODINGS) or b"\x00" in data:
        raise ProofError("the file is not text in UTF-8 or a like encoding", hint="save it as UTF-8 and try again")
    if any(word in content for word in _MARKER_WORDS):
        raise ProofError(f"the content of block {block_id} holds marker text of ours")
    if not re.fullmatch(r"[^\s/]+/[^\s]+", block_id):
        raise ProofError(f"{block_id!r} is no name for a block: it is <connector>/<name>, without spaces")
    try:
        f"{block_id}{content}".encode()
    except UnicodeEncodeError as error:
        raise ProofError(f"the content of block {block_id} is not valid Unicode text") from error


def _without_strays_and_duplicates(data: bytes, block_id: str) -> tuple[bytes, int]:
    """The first pair of this block stays where it is; later pairs and lone markers are remains of old faults."""
    pairs = [block for block in blocks(data) if block.id == block_id]
    for block in reversed(pairs[1:]):
        data = _cut(data, block)
    lone = [stray for stray in strays(data) if stray.id == block_id]
    for stray in reversed(lone):
        data = data[: stray.start] + data[stray.end :]
    return data, len(pairs[1:]) + len(lone)


def _appended(data: bytes, block_id: str, content: str, connector_id: str) -> bytes:
    eol = _dominant_eol(data)
    block = _render(block_id, content, connector_id, eol)
    if not _has_content(data):
        start = len(BOM) if data.startswith(BOM) else 0
        return data[:start] + block + eol + data[start:]
    at = _end_of_content(data)
    return data[:at] + eol + eol + block + data[at:]


def _render(block_id: str, content: str, connector_id: str, eol: bytes) -> bytes:
    notice = (
        f'<!-- Managed by agent-connector for "{connector_id}". Do not edit between these markers: run your '
        "connector package's upgrade/sync command to rewrite this block; run its uninstall command to remove it "
        f"(framework fallback: `agent-connector uninstall {connector_id}`). -->"
    )
    if connector_id == SHARED:
        notice = (
            f'<!-- Managed by agent-connector for "{SHARED}". Do not edit between these markers: it goes with the '
            "last connector that needs it. -->"
        )
    inner = f"{notice}\n{normal(content)}".encode().strip()
    lines = [
        f"<!-- agent-connector:begin {block_id} hash={inner_hash(inner)} -->".encode(),
        *inner.split(b"\n"),
        f"<!-- agent-connector:end {block_id} -->".encode(),
    ]
    return eol.join(lines)


def _cut(data: bytes, block: Block) -> bytes:
    """The text without one block and without the separator that came with it."""
    eol = _eol_of(data, block)
    before, after = data[: block.start], data[block.end :]
    if not before.removeprefix(BOM):
        # First in the file. A block behind it takes over its place, and needs no separator there.
        follower = next((other for other in blocks(data) if other.start > block.start), None)
        gap = data[block.end : follower.start] if follower else b""
        if follower and gap == _eol_of(data, follower) * 2:
            return before + data[follower.start :]
        return before + _without_first_line_end(after, eol)
    if before.endswith(eol + eol):
        return before[: -2 * len(eol)] + after
    separator = re.search(rb"\r?\n\r?\n\Z", before[-4:])
    if separator:
        return before[: len(before) - len(separator[0])] + after
    return before + _without_first_line_end(after, eol)


def _without_first_line_end(data: bytes, eol: bytes) -> bytes:
    return data[len(eol) :] if data.startswith(eol) else data[after_line_end(data, 0) :]


def _end_of_content(data: bytes) -> int:
    """Behind the last line that has content, in front of its line end."""
    newline = data.find(b"\n", len(data.rstrip()))
    if newline < 0:
        return len(data)
    return newline - 1 if data[newline - 1 : newline] == b"\r" else newline


def _dominant_eol(data: bytes) -> bytes:
    return b"\r\n" if data.count(b"\r\n") * 2 > data.count(b"\n") else b"\n"


def _eol_of(data: bytes, block: Block) -> bytes:
    """The line end that a block was written with."""
    newline = data.index(b"\n", block.start, block.end)
    return b"\r\n" if data[newline - 1 : newline] == b"\r" else b"\n"


def _the(data: bytes, block_id: str) -> Block:
    found = [block for block in blocks(data) if block.id == block_id]
    if len(found) != 1 or found[0].edited:
        raise ProofError(
            f"block {block_id} could not be found again after it was put in",
            hint="close the code fences of the text around it",
        )
    return found[0]


def _has_content(data: bytes) -> bool:
    return bool(data.removeprefix(BOM).strip())

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
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from ..errors import ProofError
from .base import Origin

BOM = b"\xef\xbb\xbf"
_FOREIGN_ENCODINGS = (b"\xff\xfe", b"\xfe\xff")
"""Starts of UTF-16 and UTF-32 texts: a block in UTF-8 would break them."""

_TOKEN = re.compile(
    rb"^<!-- agent-connector:begin (?P<begin>\S+)(?: hash=(?P<hash>\S*))? -->[ \t]*(?=\r?$)"
    rb"|^<!-- agent-connector:end (?P<end>\S+) -->[ \t]*(?=\r?$)"
    rb"|^ {0,3}(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)$",
    re.MULTILINE,
)
_NOTICE = re.compile(rb'<!-- Managed by agent-connector for "[^"\n]*"\. Do not edit [^\n]*-->[ \t]*\r?\n?')
_MARKER_WORDS = ("agent-connector:begin", "agent-connector:end")


@dataclass(frozen=True, slots=True)
class Block:
    """A block as it stands in a file; ``start`` and ``end`` are offsets of the marker pair, line end excluded."""

    id: str
    start: int
    end: int
    recorded: str
    """The hash on the begin marker."""
    actual: str
    """The hash of what stands between the markers now."""
    content: str
    """What stands between the markers without our notice, as :func:`normal` has it."""

    @property
    def edited(self) -> bool:
        """Somebody changed the inside since we wrote it."""
        return self.recorded != self.actual


@dataclass(frozen=True, slots=True)
class Stray:
    """A marker line without its counterpart, our notice behind it included; the span covers whole lines."""

    id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class Excised:
    """``data`` is ``None`` where the file was created for a block and has no content left: it is to be deleted."""

    data: bytes | None
    removed: tuple[Block, ...]
    strays: int = 0
    last: bool = False
    """No block of anybody is left, so an origin that was kept for this file is spent."""


def normal(content: str) -> str:
    """Content as it is compared: line ends as ``\\n``, nothing blank around it."""
    return content.replace("\r\n", "\n").replace("\r", "\n").strip()


def blocks(data: bytes) -> tuple[Block, ...]:
    """The blocks of a text, in order. Markers that are quoted in code fences are not blocks."""
    return tuple(part for part in _scan(data) if isinstance(part, Block))


def strays(data: bytes) -> tuple[Stray, ...]:
    """Marker lines without their counterpart, in order."""
    return tuple(part for part in _scan(data) if isinstance(part, Stray))


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


# --- finding ---------------------------------------------------------------------------------------------------


def _scan(data: bytes) -> Iterator[Block | Stray]:
    offset = len(BOM) if data.startswith(BOM) else 0
    body = data[offset:]
    tokens = list(_TOKEN.finditer(body))
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token["fence"] is not None:
            closing = _closing_fence(body, tokens, index)
            # A fence that nothing closes hides nothing: else one forgotten fence would hide all blocks below it.
            index = index + 1 if closing is None else closing + 1
            continue
        partner = _partner(tokens, index)
        if partner is None:
            yield _stray(body, token, offset)
            index += 1
        else:
            yield _block(body, token, tokens[partner], offset)
            index = partner + 1


def _partner(tokens: list[re.Match[bytes]], index: int) -> int | None:
    """The end marker that belongs to the begin marker at ``index``: the next marker, if it has the same id."""
    if tokens[index]["begin"] is None:
        return None
    for later in range(index + 1, len(tokens)):
        if tokens[later]["begin"] is not None:
            return None
        if tokens[later]["end"] == tokens[index]["begin"]:
            return later
    return None


def _closing_fence(body: bytes, tokens: list[re.Match[bytes]], index: int) -> int | None:
    """The token that closes the fence opened at ``index``, or ``None``.

    Fences inside a block that is as we wrote it belong to that block's content and close nothing outside of it.
    """
    fence = tokens[index]["fence"]
    if fence[:1] == b"`" and b"`" in tokens[index]["info"]:
        return None
    later = index + 1
    while later < len(tokens):
        token = tokens[later]
        partner = _partner(tokens, later)
        if partner is not None and not _block(body, token, tokens[partner], 0).edited:
            later = partner + 1
            continue
        if token["fence"] is not None and token["fence"].startswith(fence) and not token["info"].strip():
            return later
        later += 1
    return None


def _block(body: bytes, begin: re.Match[bytes], end: re.Match[bytes], offset: int) -> Block:
    inner = body[begin.end() : end.start()]
    text = _NOTICE.sub(b"", inner, count=1) if _NOTICE.match(inner.lstrip()) else inner
    return Block(
        id=begin["begin"].decode("utf-8", "surrogateescape"),
        start=begin.start() + offset,
        end=end.end() + offset,
        recorded=(begin["hash"] or b"").decode("utf-8", "surrogateescape"),
        actual=_hash(inner),
        content=normal(text.decode("utf-8", "surrogateescape")),
    )


def _stray(body: bytes, token: re.Match[bytes], offset: int) -> Stray:
    end = _after_line_end(body, token.end())
    notice = _NOTICE.match(body, end) if token["begin"] is not None else None
    name = (token["begin"] or token["end"]).decode("utf-8", "surrogateescape")
    return Stray(name, token.start() + offset, (notice.end() if notice else end) + offset)


def _the(data: bytes, block_id: str) -> Block:
    found = [block for block in blocks(data) if block.id == block_id]
    if len(found) != 1 or found[0].edited:
        raise ProofError(
            f"block {block_id} could not be found again after it was put in",
            hint="close the code fences of the text around it",
        )
    return found[0]


def _hash(inner: bytes) -> str:
    from hashlib import sha256

    return sha256(inner.replace(b"\r\n", b"\n").strip()).hexdigest()[:12]


def _has_content(data: bytes) -> bool:
    return bool(data.removeprefix(BOM).strip())


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
    inner = f"{notice}\n{normal(content)}".encode().strip()
    lines = [
        f"<!-- agent-connector:begin {block_id} hash={_hash(inner)} -->".encode(),
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
    return data[len(eol) :] if data.startswith(eol) else data[_after_line_end(data, 0) :]


def _after_line_end(data: bytes, at: int) -> int:
    for eol in (b"\r\n", b"\n"):
        if data.startswith(eol, at):
            return at + len(eol)
    return at


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

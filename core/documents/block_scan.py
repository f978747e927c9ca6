"""Finding managed blocks in a text: marker pairs, lone markers, and what only looks like them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..values import frozen

BOM = b"\xef\xbb\xbf"

_TOKEN = re.compile(
    rb"^<!-- agent-connector:begin (?P<begin>\S+)(?: hash=(?P<hash>\S*))? -->[ \t]*(?=\r?$)"
    rb"|^<!-- agent-connector:end (?P<end>\S+) -->[ \t]*(?=\r?$)"
    rb"|^ {0,3}(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*)$",
    re.MULTILINE,
)
_NOTICE = re.compile(rb'<!-- Managed by agent-connector for "[^"\n]*"\. Do not edit [^\n]*-->[ \t]*\r?\n?')


@frozen
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


@frozen
class Stray:
    """A marker line without its counterpart, our notice behind it included; the span covers whole lines."""

    id: str
    start: int
    end: int


def normal(content: str) -> str:
    """Content as it is compared: line ends as ``\\n``, nothing blank around it."""
    return content.replace("\r\n", "\n").replace("\r", "\n").strip()


def blocks(data: bytes) -> tuple[Block, ...]:
    """The blocks of a text, in order. Markers that are quoted in code fences are not blocks."""
    return tuple(part for part in _scan(data) if isinstance(part, Block))


def strays(data: bytes) -> tuple[Stray, ...]:
    """Marker lines without their counterpart, in order."""
    return tuple(part for part in _scan(data) if isinstance(part, Stray))


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
        actual=inner_hash(inner),
        content=normal(text.decode("utf-8", "surrogateescape")),
    )


def _stray(body: bytes, token: re.Match[bytes], offset: int) -> Stray:
    end = after_line_end(body, token.end())
    notice = _NOTICE.match(body, end) if token["begin"] is not None else None
    name = (token["begin"] or token["end"]).decode("utf-8", "surrogateescape")
    return Stray(name, token.start() + offset, (notice.end() if notice else end) + offset)


def inner_hash(inner: bytes) -> str:
    """Of what stands between two markers: the same after a change of line ends or of blank lines around it."""
    from hashlib import sha256

    return sha256(inner.replace(b"\r\n", b"\n").strip()).hexdigest()[:12]


def after_line_end(data: bytes, at: int) -> int:
    """``at``, or behind the line end that stands there."""
    for eol in (b"\r\n", b"\n"):
        if data.startswith(eol, at):
            return at + len(eol)
    return at

"""The ranks of o200k_base in the form they ship in: one compressed file beside this module.

Unpacked it is one byte per token with its length, a zero byte, then the bytes of all tokens, in rank order. The
original is base64 text of four times the size, which also takes four times as long to read.
"""

from __future__ import annotations

import base64
import lzma
from collections.abc import Iterable, Mapping
from itertools import accumulate
from pathlib import Path

FILE = "o200k_base.xz"
UPSTREAM_SHA256 = "446a9538cb6c348e3516120d7c08b09f57c36495e2acfffe59a5bf8b0cfb1a2d"
"""Of the original text (``o200k_base.tiktoken``), as tiktoken pins it."""
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 9 | lzma.PRESET_EXTREME}]


def shipped() -> dict[bytes, int]:
    """Token -> rank. Takes about half a second and 30 MiB. Raises ``OSError``, ``ValueError``."""
    return unpack(Path(__file__).with_name(FILE).read_bytes())


def unpack(packed: bytes) -> dict[bytes, int]:
    """Token -> rank. Raises ``ValueError`` for anything that :func:`pack` does not make."""
    try:
        data = lzma.decompress(packed)
    except (lzma.LZMAError, EOFError) as error:
        raise ValueError(f"the ranks are damaged: {error}") from None
    lengths, end, tokens = data.partition(b"\0")
    if not end or sum(lengths) != len(tokens):
        raise ValueError("the ranks are damaged: lengths and bytes do not agree")
    starts = accumulate(lengths, initial=0)
    return {
        tokens[start : start + length]: rank
        for rank, (start, length) in enumerate(zip(starts, lengths, strict=False))
    }


def pack(ranks: Mapping[bytes, int]) -> bytes:
    """The shipped form. Raises ``ValueError`` where ranks have gaps, or a token is longer than 255 bytes."""
    tokens = sorted(ranks, key=ranks.__getitem__)
    if [ranks[token] for token in tokens] != list(range(len(tokens))) or b"" in ranks:
        raise ValueError("ranks must count up from 0 without gaps, and tokens must not be empty")
    lengths = bytes(map(len, tokens))
    return lzma.compress(lengths + b"\0" + b"".join(tokens), check=lzma.CHECK_CRC64, filters=_FILTERS)


def read_upstream(text: bytes) -> dict[bytes, int]:
    """Ranks out of the original text: a line per token with its base64, a space and its rank."""
    return {base64.b64decode(token): int(rank) for token, rank in _fields(text.splitlines())}


def upstream_text(ranks: Mapping[bytes, int]) -> bytes:
    """The original text of ``ranks``, byte for byte."""
    ordered = sorted(ranks.items(), key=lambda item: item[1])
    return b"".join(b"%s %d\n" % (base64.b64encode(token), rank) for token, rank in ordered)


def _fields(lines: Iterable[bytes]) -> Iterable[list[bytes]]:
    return (line.split() for line in lines if line)

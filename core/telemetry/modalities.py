"""What images and sounds cost a model, by formula: their base64 is never counted as text.

The figures are the vendors' published ones: Anthropic one token per patch of 28 x 28 pixels, an image being shrunk to
1,568 tokens and 1,568 pixels a side (newer models read up to 4,784); OpenAI one per patch of 32 x 32, shrunk to 1,536
(models from GPT-4.1 on; some multiply that by up to 2.5); sound as Gemini has it, 32 tokens a second.
"""

from __future__ import annotations

import base64
import binascii
from typing import Literal

from ..runtime.counter_link import IMAGE_MOST

Family = Literal["openai", "anthropic", "generic"]

_HEAD = 65536
"""Characters of base64 that are decoded at most: where a JPEG with a preview inside has its size."""
_PATCH = {"anthropic": 28, "openai": 32, "generic": 28}
_MOST = {"anthropic": IMAGE_MOST, "openai": 1536, "generic": IMAGE_MOST}
_LONGEST_SIDE = 1568
_TOKENS_PER_SECOND = 32
_BYTES_PER_SECOND = 16_000
"""Of compressed sound, 128 kbit/s, where no header says it."""


def image_tokens(data: str, family: Family) -> int:
    """``data`` is the image in base64. Where its size cannot be read: the most that an image costs."""
    size = image_size(_head(data))
    if size is None:
        return _MOST[family]
    width, height = size
    if family != "openai" and max(size) > _LONGEST_SIDE:
        width = max(1, width * _LONGEST_SIDE // max(size))
        height = max(1, height * _LONGEST_SIDE // max(size))
    patch = _PATCH[family]
    return min(-(-width // patch) * -(-height // patch), _MOST[family])


def sound_tokens(data: str) -> int:
    """``data`` is the sound in base64: its length by its WAV header, else by its size."""
    head = _head(data)
    rate = int.from_bytes(head[28:32], "little") if head[:4] == b"RIFF" and head[8:12] == b"WAVE" else 0
    size = len(data) * 3 // 4
    return -(-size * _TOKENS_PER_SECOND // (rate or _BYTES_PER_SECOND))


def image_size(head: bytes) -> tuple[int, int] | None:
    """Width and height in pixels, out of the first bytes of a PNG, GIF, WebP or JPEG; ``None`` for anything else."""
    size = None
    if head[:8] == b"\x89PNG\r\n\x1a\n" and head[12:16] == b"IHDR" and len(head) >= 24:
        size = _big(head[16:20]), _big(head[20:24])
    elif head[:6] in (b"GIF87a", b"GIF89a") and len(head) >= 10:
        size = _little(head[6:8]), _little(head[8:10])
    elif head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        size = _webp_size(head)
    elif head[:2] == b"\xff\xd8":
        size = _jpeg_size(head)
    return size if size is not None and min(size) > 0 else None


def _webp_size(head: bytes) -> tuple[int, int] | None:
    if len(head) < 30:
        return None
    if head[12:16] == b"VP8 ":
        return _little(head[26:28]) & 0x3FFF, _little(head[28:30]) & 0x3FFF
    if head[12:16] == b"VP8L":
        bits = _little(head[21:25])
        return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
    if head[12:16] == b"VP8X":
        return _little(head[24:27]) + 1, _little(head[27:30]) + 1
    return None


_START_OF_FRAME = {*range(0xC0, 0xD0)} - {0xC4, 0xC8, 0xCC}
_WITHOUT_LENGTH = {0x01, *range(0xD0, 0xDA)}


def _jpeg_size(head: bytes) -> tuple[int, int] | None:
    at = 2
    while at + 9 <= len(head) and head[at] == 0xFF:
        marker = head[at + 1]
        if marker == 0xFF:  # padding
            at += 1
        elif marker in _START_OF_FRAME:
            return _big(head[at + 7 : at + 9]), _big(head[at + 5 : at + 7])
        elif marker in _WITHOUT_LENGTH:
            at += 2
        else:
            at += 2 + max(2, _big(head[at + 2 : at + 4]))
    return None


def _head(data: str) -> bytes:
    try:
        return base64.b64decode(data[:_HEAD])
    except (binascii.Error, ValueError):
        return b""


def _big(data: bytes) -> int:
    return int.from_bytes(data, "big")


def _little(data: bytes) -> int:
    return int.from_bytes(data, "little")

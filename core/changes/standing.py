"""Does a thing of ours stand in a file? Decided by meaning, as everything about ownership is."""

from __future__ import annotations

import hashlib
from typing import Literal

from ..documents.base import MISSING
from ..documents.opening import open_document
from ..errors import DocumentError
from ..masking import matches
from .model import OwnedRow

Standing = Literal["ours", "changed", "gone"]
"""``changed``: something else stands at its place. An item of an array is ``ours`` or ``gone``."""


def standing(row: OwnedRow, data: bytes | None) -> Standing:
    """How ``row`` stands in a file with these bytes (``None``: no file). Raises :class:`DocumentError` for a config
    file that does not parse."""
    if data is None:
        return "gone"
    if row.format == "file":
        return "ours" if row.value == hashlib.sha256(data).hexdigest() else "changed"
    if row.format == "text":
        return _block_standing(row, data)
    current = open_document(row.format, data).get(row.place)
    if row.kind == "item":
        found = isinstance(current, list) and any(matches(row.value, item) for item in current)
        return "ours" if found else "gone"
    if current is MISSING:
        return "gone"
    return "ours" if matches(row.value, current) else "changed"


def stands(row: OwnedRow, data: bytes | None) -> bool:
    """Whether ``row`` is ours and unchanged in these bytes; what does not parse holds nothing of ours for sure."""
    try:
        return standing(row, data) == "ours"
    except DocumentError:
        return False


def _block_standing(row: OwnedRow, data: bytes) -> Standing:
    from ..documents.block import blocks

    block = next((block for block in blocks(data) if block.id == row.place[0]), None)
    if block is None:
        return "gone"
    as_written = not block.edited and row.value == hashlib.sha256(block.content.encode()).hexdigest()
    return "ours" if as_written else "changed"

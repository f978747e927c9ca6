"""The port: how a host's usage logs are found and read. A reader is a description; the reading is :mod:`.reading`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from ..location import Location
from ..values import frozen
from .records import Upsert


class Scanned(Protocol):
    """``upserts``: what the lines say. ``cursor``: what is to be known of them when the next ones of the same file
    are read (JSON; ``None`` at a file's beginning). ``refused``: lines that could not be understood."""

    upserts: list[Upsert]
    cursor: Any
    refused: int


@frozen
class LogFiles:
    """Files below ``root``, by ``patterns`` as in :meth:`pathlib.Path.glob`."""

    root: Location
    patterns: tuple[str, ...]


@frozen
class JsonLinesReader:
    """Of logs that have one JSON value a line and only grow.

    ``wanted``: a line is looked at if it has one of these bytes in it; it must be a superset, ``scan`` decides.
    """

    logs: tuple[LogFiles, ...]
    wanted: tuple[bytes, ...]
    scan: Callable[[Sequence[bytes], Any], Scanned]


UsageReader = JsonLinesReader

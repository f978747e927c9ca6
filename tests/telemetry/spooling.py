"""Spools as writers leave them, and what they come to when added up by hand."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from pathlib import Path
from typing import Any

NOW = 1_790_000_000.0
"""A moment to count from: 2026-09-21T14:13:20Z."""
NOW_MS = int(NOW * 1000)
HOUR = 3_600_000
DAY = 24 * HOUR


def row(t: int = NOW_MS, **more: Any) -> dict[str, Any]:
    told = {"scope": "call", "connector": "acme", "host": "codex", "tool": "query", "session": "s1"}
    return {"t": t, **told, "inb": 40, "outb": 400, "in": 9, "out": 99, "conf": "tokenizer-exact", "ms": 12.5, **more}


def spool(data_root: Path, rows: Iterable[dict[str, Any] | bytes], day: str = "") -> Path:
    """Add lines as writers do; bytes stand for lines that are none. ``day``: default that of :data:`NOW`."""
    folder = data_root / "telemetry" / "spool"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    path = folder / f"{day or time.strftime('%Y-%m-%d', time.gmtime(NOW))}.ndjson"
    with path.open("ab") as file:
        for one in rows:
            file.write(one if isinstance(one, bytes) else json.dumps(one).encode() + b"\n")
    return path

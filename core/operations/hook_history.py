"""What hook processes left behind: which events came, what went wrong, which handlers could not be started."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from time import time
from typing import Any

from ..runtime.hook_log import FAULTS, unloadable
from ..telemetry.activity import last_rows
from ..values import frozen

FAULT_DAYS = 7
_DAY_MS = 24 * 60 * 60 * 1000
_NOT_FAULTS = ("changed", "unavailable")
"""Words of the log that say how a handler stands, which is looked up now."""


@frozen
class Faults:
    """One kind of fault on one event: how often, when last, and where then (entry, kind of exception, line)."""

    connector: str
    host: str
    event: str
    fault: str
    count: int
    last_ms: int
    where: str


@frozen
class History:
    """Times are milliseconds since 1970. ``calls``: (connector, host, event) -> the last time its hook answered.
    ``used``: host -> the last sign that it was used at all."""

    calls: Mapping[tuple[str, str, str], int]
    used: Mapping[str, int]
    faults: tuple[Faults, ...]


def hook_history(data_root: Path) -> History:
    """All there is, of every connector; faults of the last days only. What cannot be read is passed over."""
    calls: dict[tuple[str, str, str], int] = {}
    used: dict[str, int] = {}
    faults: dict[tuple[str, str, str, str], Faults] = {}
    for row in last_rows(data_root):
        used[row.host] = max(used.get(row.host, 0), row.t)
        if row.scope == "hook":
            calls[row.connector, row.host, row.event] = row.t
    since = now_ms() - FAULT_DAYS * _DAY_MS
    for name in (f"{FAULTS}.1", FAULTS):
        for line in _lines(data_root / name):
            moment, connector, host, event = _common(line)
            used[host] = max(used.get(host, 0), moment)
            fault = str(line.get("fault", ""))
            if moment >= since and fault not in _NOT_FAULTS:
                _add(faults, Faults(connector, host, event, fault, 1, moment, str(line.get("where", ""))))
    used.pop("", None)
    return History(calls, used, tuple(sorted(faults.values(), key=lambda found: -found.last_ms)))


def _add(faults: dict[tuple[str, str, str, str], Faults], one: Faults) -> None:
    key = (one.connector, one.host, one.event, one.fault)
    before = faults.get(key)
    if before is None:
        faults[key] = one
        return
    last = one if one.last_ms >= before.last_ms else before
    faults[key] = Faults(*key, before.count + 1, last.last_ms, last.where)


def _common(line: Mapping[str, Any]) -> tuple[int, str, str, str]:
    moment = line.get("t")
    connector, host, event = (str(line.get(name, "")) for name in ("connector", "host", "event"))
    return (moment if isinstance(moment, int) else 0), connector, host, event


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    """Whole lines; one that a crash cut off is no line."""
    try:
        with path.open("rb") as file:
            for text in file:
                line = _object(text)
                if line is not None:
                    yield line
    except OSError:
        return


def _object(text: bytes) -> dict[str, Any] | None:
    try:
        line = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return line if isinstance(line, dict) else None


def faults_of(history: History, connector: str, host: str) -> list[Faults]:
    return [one for one in history.faults if (one.connector, one.host) == (connector, host)]


@frozen
class Mark:
    """A handler that could not be started the last time it was needed. Times are milliseconds since 1970."""

    since_ms: int
    tried_ms: int


def marks(data_root: Path, connector: str) -> dict[str, Mark]:
    """By the handlers' keys, ``<host>.<event>.<index>``."""
    folder = data_root / "connectors" / connector / "unloadable"
    found = {}
    for key in unloadable(str(data_root), connector):
        try:
            tried = (folder / key).stat().st_mtime_ns // 1_000_000
            text = (folder / key).read_text("ascii", "replace").strip()
        except OSError:
            continue  # mended this very moment
        found[key] = Mark(int(text) if text.isdecimal() and len(text) < 16 else tried, tried)
    return found


def now_ms() -> int:
    return int(time() * 1000)


def moment_ms(text: str) -> int:
    """An ISO 8601 moment in milliseconds; 0 for what is none."""
    try:
        return int(datetime.fromisoformat(text).timestamp() * 1000)
    except (ValueError, OverflowError, OSError):
        return 0


def shown(milliseconds: int) -> str:
    """``2026-11-30 16:29 UTC``; ``""`` for what is no moment."""
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (ValueError, OverflowError, OSError):
        return ""


def iso(milliseconds: int) -> str:
    """``2026-11-30T16:29:03+00:00``; ``""`` for what is no moment."""
    try:
        return datetime.fromtimestamp(milliseconds // 1000, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return ""


def newest(moments: Iterable[int]) -> int:
    return max(moments, default=0)

"""Adding a row of telemetry: one line in the day's spool, with one write. Counts only, never content.

Readers fold the spool into the store (:mod:`agent_connector.telemetry`), each line exactly once.
"""

from __future__ import annotations

from time import gmtime, strftime

from .appending import add_line
from .process import variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FOLDER = "telemetry/spool"
LOG_FOLDER = "telemetry/log"
VARIABLE = "AGENT_CONNECTOR_TELEMETRY"
"""``0`` switches all telemetry off."""
TEXT_MOST = 200
"""Characters of a name: servers choose the names of their tools, and may choose any length."""
CAP = 64 << 20
"""Bytes of one file up to which rows are added, for the case that nobody ever folds or prunes."""


def append_row(data_root: str, row: dict[str, Any], *, log_only: bool = False) -> bool:
    """``row`` as the store takes it; ``log_only``: to the connector's own log, which is never folded.

    What cannot be written is given up: nobody waits for telemetry, or fails by it. Returned is whether it stands
    there.
    """
    if variable(VARIABLE) == "0":
        return False
    day = strftime("%Y-%m-%d", gmtime())
    name = f"{LOG_FOLDER}/{row['connector']}.ndjson" if log_only else f"{FOLDER}/{day}.ndjson"
    return add_line(data_root, name, shortened(row), cap=CAP)


def shortened(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: f"{value[: TEXT_MOST - 1]}…" if isinstance(value, str) and len(value) > TEXT_MOST else value
        for name, value in row.items()
    }

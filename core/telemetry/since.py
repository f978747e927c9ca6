"""``30s``, ``15m``, ``24h``, ``7d``, a date or a moment: where a window of time begins."""

from __future__ import annotations

import re
from datetime import UTC, datetime

from ..errors import UsageError

_AGE = re.compile(r"([0-9]{1,9})([smhd])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400}


def since_ms(text: str, now: float) -> int | None:
    """Milliseconds since the epoch, ``None`` for no bound (an empty ``text``). ``now``: seconds since the epoch.

    Dates and moments without a zone are UTC. Raises :class:`UsageError` for anything else.
    """
    text = text.strip()
    if not text:
        return None
    if age := _AGE.fullmatch(text):
        return max(0, int((now - int(age[1]) * _SECONDS[age[2]]) * 1000))
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        moment = None
    if moment is None or "-" not in text:
        raise UsageError(
            f"not a time to begin at: {text!r}",
            hint="Say 30s, 15m, 24h or 7d, a date (2026-11-30) or a moment (2026-11-30T08:00).",
        )
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return max(0, int(moment.timestamp() * 1000))

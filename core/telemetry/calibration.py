"""How many tokens Anthropic counts where o200k_base counts one: asked for now and then, where a person wants that.

This is the one thing in telemetry that sends content away, so three consents are needed: the connector's
``calibration.anthropic_count_tokens``, and ``AGENT_CONNECTOR_CALIBRATE=anthropic`` and ``ANTHROPIC_API_KEY`` in the
environment. A sample is asked for beside the counting, which never waits for it. What stays are sums of numbers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import Lock, Thread
from time import gmtime, monotonic, strftime
from typing import Any
from urllib.parse import urlsplit

from ..runtime.process import variable
from ..runtime.records import write_private
from .modalities import Family

FILE = "telemetry/calibration.json"
SAMPLES_A_DAY = 20
SECONDS_BETWEEN = 30.0
MOST_CHARACTERS = 32_000
FEWEST_TOKENS = 50
"""Of a sample."""
ENOUGH_SAMPLES = 3
ENOUGH_TOKENS = 500
"""From which on the ratio is used."""
PLAUSIBLE = (0.5, 3.0)

_PLACE = "https://api.anthropic.com"
_MODEL = "claude-sonnet-4-6"
_REPLY_SECONDS = 15
_REPLY_CAP = 65536
_FAMILY = "anthropic"
_LOOPBACK = ("127.0.0.1", "localhost", "::1")


class Calibration:
    """What is known of the ratio in a data root; ``key`` and ``place``: whom to ask, ``""`` for nobody."""

    def __init__(
        self,
        data_root: str,
        *,
        key: str = "",
        place: str = _PLACE,
        model: str = _MODEL,
        between: float = SECONDS_BETWEEN,
    ) -> None:
        self._path = Path(data_root, FILE)
        self._key = key if _may_be_told(place) else ""
        self._place = place.rstrip("/")
        self._model = model
        self._between = between
        self._not_before = 0.0
        self._asking: Thread | None = None
        self._lock = Lock()
        self._state = _read(self._path)

    def ratio(self, family: Family) -> float | None:
        """Tokens that the family's own counting finds to one of o200k_base; ``None`` where too little is known."""
        with self._lock:
            known = _object(_object(self._state.get("families")).get(family))
        ours, theirs = _whole(known.get("ours")), _whole(known.get("theirs"))
        if _whole(known.get("samples")) < ENOUGH_SAMPLES or ours < ENOUGH_TOKENS:
            return None
        ratio = theirs / ours
        return ratio if PLAUSIBLE[0] <= ratio <= PLAUSIBLE[1] else None

    def offer(self, text: str, count: Callable[[], int]) -> bool:
        """Ask about ``text``, of which o200k_base makes ``count()`` tokens, if it is time for a sample. Returns at
        once, with whether it is being asked."""
        if not self._key or monotonic() < self._not_before or len(text) > MOST_CHARACTERS:
            return False
        if self._asking is not None and self._asking.is_alive():
            return False
        counted = count()
        if counted < FEWEST_TOKENS:
            return False
        today = strftime("%Y-%m-%d", gmtime())
        with self._lock:
            if self._state.get("day") != today:
                self._state |= {"day": today, "asked": 0}
            if _whole(self._state.get("asked")) >= SAMPLES_A_DAY:
                return False
            # Before it is asked: a process that ends meanwhile must not ask for more than its share.
            self._state["asked"] = _whole(self._state.get("asked")) + 1
            self._save()
        self._not_before = monotonic() + self._between
        self._asking = Thread(target=self._sample, args=(text, counted), daemon=True)
        self._asking.start()
        return True

    def wait(self, seconds: float) -> None:
        """Until the sample under way is done."""
        if self._asking is not None:
            self._asking.join(seconds)

    def _sample(self, text: str, counted: int) -> None:
        try:
            around = self._around()
            theirs = self._ask(text) - around
        except _RefusedError:
            with self._lock:
                self._state["asked"] = SAMPLES_A_DAY  # tomorrow is another day
                self._save()
        except Exception:  # noqa: BLE001 - the network may fail in any way; there is just no sample
            return
        else:
            if theirs > 0:
                self._learn(counted, theirs)

    def _around(self) -> int:
        """Tokens of a message with nothing in it: asked for once per model."""
        with self._lock:
            known = _object(self._state.get("around"))
        if known.get("model") == self._model:
            return _whole(known.get("tokens"))
        tokens = max(0, self._ask("a") - 1)
        with self._lock:
            self._state["around"] = {"model": self._model, "tokens": tokens}
        return tokens

    def _learn(self, ours: int, theirs: int) -> None:
        with self._lock:
            families = _object(self._state.get("families"))
            known = _object(families.get(_FAMILY))
            if known.get("model") != self._model:
                known = {}
            families[_FAMILY] = {
                "model": self._model,
                "samples": _whole(known.get("samples")) + 1,
                "ours": _whole(known.get("ours")) + ours,
                "theirs": _whole(known.get("theirs")) + theirs,
            }
            self._state["families"] = families
            self._save()

    def _save(self) -> None:
        with suppress(OSError):
            write_private(self._path, json.dumps(self._state).encode())

    def _ask(self, text: str) -> int:
        """Raises ``_RefusedError`` where asking again makes no sense, ``OSError`` and ``ValueError`` otherwise."""
        from urllib.error import HTTPError  # loads the whole of TLS: in this thread, for those who asked for it
        from urllib.request import HTTPRedirectHandler, Request, build_opener

        class Straight(HTTPRedirectHandler):
            """The key goes to the named place and no other."""

            def redirect_request(self, *_: Any) -> None:
                return None

        body = {"model": self._model, "messages": [{"role": "user", "content": text}]}
        headers = {"content-type": "application/json", "x-api-key": self._key, "anthropic-version": "2023-06-01"}
        request = Request(  # noqa: S310 - the scheme was looked at
            f"{self._place}/v1/messages/count_tokens", json.dumps(body).encode(), headers
        )
        try:
            with build_opener(Straight).open(request, timeout=_REPLY_SECONDS) as reply:
                tokens = json.loads(reply.read(_REPLY_CAP))["input_tokens"]
        except HTTPError as error:
            error.close()
            if error.code in (400, 401, 403, 404):
                raise _RefusedError from None
            raise
        if type(tokens) is not int:
            raise ValueError("no number of tokens")
        return tokens


class _RefusedError(Exception):
    pass


def from_environment(data_root: str) -> Calibration:
    """As this process's environment says: without both consents nobody is ever asked."""
    wanted = variable("AGENT_CONNECTOR_CALIBRATE") == "anthropic"
    key = variable("ANTHROPIC_API_KEY") if wanted else ""
    return Calibration(
        data_root,
        key=key,
        place=variable("ANTHROPIC_BASE_URL") or _PLACE,
        model=_model_named(variable("ANTHROPIC_MODEL")),
    )


def _model_named(name: str) -> str:
    """Hosts take short names and additions in brackets, the service does not."""
    full = re.match(r"claude-[a-z0-9.-]+", name)
    return full[0] if full else _MODEL


def _may_be_told(place: str) -> bool:
    """Whether a key may be sent there: encrypted, or to this machine."""
    try:
        parts = urlsplit(place)
        return bool(parts.hostname) and (
            parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK)
        )
    except ValueError:
        return False


def _read(path: Path) -> dict[str, Any]:
    try:
        return _object(json.loads(path.read_bytes()))
    except (OSError, ValueError):
        return {}


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _whole(value: Any) -> int:
    return value if type(value) is int and value >= 0 else 0

"""Handlers that could not be started: whether they still cannot, and what the model is told of it.

Loaded when a session begins and some are marked (see :func:`.hook_log.unloadable`).
"""

from __future__ import annotations

import sys

from .author import limited, loaded_here, python_tag
from .hook_log import handler_key, mark
from .process import system, variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from .dispatch import Dispatch


def still_broken(dispatch: Dispatch, keys: list[str]) -> Iterator[str]:
    """One line for the model about the handlers (see :func:`.hook_log.unloadable`) that still cannot be started."""
    broken = [key for key in keys if not _mended(dispatch, key)]
    if broken:
        events = ", ".join(dict.fromkeys(key.split(".")[1] for key in broken))
        yield (
            f"agent-connector: a hook of the connector {dispatch.connector} does not run ({events}): it cannot be "
            f"loaded, so whatever it guards is not guarded. `agent-connector doctor` says why."
        )


def _mended(dispatch: Dispatch, key: str) -> bool:
    """Whether what was marked can be started again, or is not wanted any more."""
    entry, index = _entry_of(dispatch, key)
    if entry is None:
        mark(dispatch.data_root, dispatch.connector, key, broken=False)
        return True
    if entry["kind"] == "command":
        mended = _is_there(entry["command"][0])
    elif dispatch.record is not None and dispatch.record["python"]["tag"] == python_tag():
        before = len(dispatch.faults)
        mended = bool(
            limited(dispatch, entry, index, lambda: bool(loaded_here(dispatch, entry, index)), failed=False, key=key)
        )
        del dispatch.faults[before:]  # told when it was needed
    else:
        mended = False  # it is told mended by running the next time
    if mended:
        mark(dispatch.data_root, dispatch.connector, key, broken=False)
    return mended


def _entry_of(dispatch: Dispatch, key: str) -> tuple[dict[str, Any] | None, int]:
    assert dispatch.record is not None
    host = dispatch.record["hosts"].get(key.split(".")[0], {"events": {}, "native": {}})
    for event, entries in (*host["events"].items(), *host["native"].items()):
        for index, entry in enumerate(entries):
            if handler_key(key.split(".")[0], event, index) == key and entry["kind"] != "static":
                return entry, index
    return None, 0


def _is_there(program: str) -> bool:
    if "/" in program or "\\" in program:
        return bool(system.access(program, 1))
    separator = ";" if sys.platform == "win32" else ":"
    return any(system.access(f"{folder}/{program}", 1) for folder in variable("PATH").split(separator))

"""What a hook process leaves behind where something went wrong: faults, and which handlers cannot run.

Everything is a line in a file below the data root, added with one write, and nothing of it is content: no payload,
no reply, no message of an exception.
"""

from __future__ import annotations

from time import time

from .appending import APPEND, add_line, make_folders, open_appending
from .process import system

FAULTS = "logs/hooks.ndjson"
LOG_CAP = 1 << 20
"""Bytes of a log before it becomes ``<name>.1`` and a new one begins."""


def log_fault(data_root: str, connector: str, host: str, event: str, fault: str, where: str = "") -> None:
    """``fault`` is one of a few words; ``where`` says in which handler, at which line, by which kind of exception."""
    line = {"t": _now(), "connector": connector, "host": host, "event": event, "fault": fault}
    if where:
        line["where"] = where
    add_line(data_root, FAULTS, line, cap=LOG_CAP, rotate=True)


def open_output(data_root: str, connector: str) -> int:
    """A descriptor for what a connector's handlers print: ``logs/handlers/<connector>.log``, private and capped."""
    return open_appending(data_root, f"logs/handlers/{connector}.log", cap=LOG_CAP, rotate=True)


def _now() -> int:
    return int(time() * 1000)


# --- handlers that cannot run ----------------------------------------------------------------------------------


def unloadable(data_root: str, connector: str) -> list[str]:
    """The handlers (``<host>.<event>.<index>``) that could not be started the last time they were needed."""
    try:
        return sorted(system.listdir(_unloadable_folder(data_root, connector)))
    except OSError:
        return []


def mark(data_root: str, connector: str, handler: str, *, broken: bool) -> None:
    """Remember that a handler cannot be started, or that it can again. The mark holds since when (milliseconds); its
    own time is that of the last try."""
    path = f"{_unloadable_folder(data_root, connector)}/{handler}"
    try:
        if not broken:
            system.unlink(path)
            return
        make_folders(data_root, f"connectors/{connector}/unloadable/{handler}")
        descriptor = system.open(path, APPEND, 0o600)
        try:
            if not system.fstat(descriptor).st_size:
                system.write(descriptor, str(_now()).encode())
        finally:
            system.close(descriptor)
        system.utime(path)
    except OSError:
        pass


def handler_key(host: str, event: str, index: int) -> str:
    """The name of a handler's mark: a file name on every system."""
    return f"{host}.{''.join(letter if letter.isalnum() else '_' for letter in event)}.{index}"


def _unloadable_folder(data_root: str, connector: str) -> str:
    return f"{data_root}/connectors/{connector}/unloadable"

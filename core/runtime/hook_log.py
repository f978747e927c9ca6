"""What a hook process leaves behind: faults, counts, and which handlers cannot run. Light: every dispatch loads this.

Everything is a line in a file below the data root, added with one write, and nothing of it is content: no payload,
no reply, no message of an exception.
"""

from __future__ import annotations

import sys
from time import time

from .jsontext import dumps
from .process import system, variable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

FAULTS = "logs/hooks.ndjson"
SPOOL = "telemetry/spool.ndjson"
TELEMETRY_VARIABLE = "AGENT_CONNECTOR_TELEMETRY"
LOG_CAP = 1 << 20
"""Bytes of a log before it becomes ``<name>.1`` and a new one begins."""
SPOOL_CAP = 64 << 20
"""Bytes of the spool up to which counts are added, for the case that nobody ever folds it."""

_APPEND = system.O_WRONLY | system.O_CREAT | system.O_APPEND | getattr(system, "O_BINARY", 0)


def log_fault(data_root: str, connector: str, host: str, event: str, fault: str, where: str = "") -> None:
    """``fault`` is one of a few words; ``where`` says in which handler, at which line, by which kind of exception."""
    line = {"t": _now(), "connector": connector, "host": host, "event": event, "fault": fault}
    if where:
        line["where"] = where
    _add(data_root, FAULTS, line, cap=LOG_CAP, rotate=True)


def count(
    data_root: str, connector: str, host: str, event: str, *, tool: str, sizes: tuple[int, int], verdict: str, ms: int
) -> None:
    """One line of telemetry: counts only. ``sizes``: bytes of the payload and of the reply."""
    if variable(TELEMETRY_VARIABLE) == "0":
        return
    line = {
        "t": _now(),
        "scope": "hook",
        "connector": connector,
        "host": host,
        "event": event,
        "tool": tool,
        "in": sizes[0],
        "out": sizes[1],
        "verdict": verdict,
        "ms": ms,
    }
    _add(data_root, SPOOL, line, cap=SPOOL_CAP, rotate=False)


def open_output(data_root: str, connector: str) -> int:
    """A descriptor for what a connector's handlers print: ``logs/handlers/<connector>.log``, private and capped."""
    return _open(data_root, f"logs/handlers/{connector}.log", cap=LOG_CAP, rotate=True)


def _now() -> int:
    return int(time() * 1000)


def _add(data_root: str, name: str, line: dict[str, Any], *, cap: int, rotate: bool) -> None:
    """A log that cannot be written is no reason to keep a host waiting, or to fail."""
    try:
        descriptor = _open(data_root, name, cap=cap, rotate=rotate)
    except OSError:
        return
    try:
        if rotate or system.fstat(descriptor).st_size < cap:
            _write(descriptor, (dumps(line) + "\n").encode())
    except (OSError, ValueError):
        pass
    finally:
        system.close(descriptor)


def _write(descriptor: int, data: bytes) -> None:
    if sys.platform == "win32":  # appending is not atomic there
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
        try:
            system.write(descriptor, data)
        finally:
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
    else:
        system.write(descriptor, data)


def _open(data_root: str, name: str, *, cap: int, rotate: bool) -> int:
    path = f"{data_root}/{name}"
    try:
        descriptor = system.open(path, _APPEND, 0o600)
    except FileNotFoundError:
        make_folders(data_root, name)
        descriptor = system.open(path, _APPEND, 0o600)
    if rotate and system.fstat(descriptor).st_size >= cap:
        system.close(descriptor)
        system.replace(path, path + ".1")
        descriptor = system.open(path, _APPEND, 0o600)
    return descriptor


def make_folders(root: str, name: str) -> None:
    """Make the folders of ``root/name`` that are missing, for their owner only. ``root`` itself must exist."""
    folder = root
    for part in name.split("/")[:-1]:
        folder = f"{folder}/{part}"
        try:  # noqa: SIM105 - contextlib costs half an interpreter's start
            system.mkdir(folder, 0o700)
        except FileExistsError:
            pass


# --- handlers that cannot run ----------------------------------------------------------------------------------


def unloadable(data_root: str, connector: str) -> list[str]:
    """The handlers (``<host>.<event>.<index>``) that could not be started the last time they were needed."""
    try:
        return sorted(system.listdir(_unloadable_folder(data_root, connector)))
    except OSError:
        return []


def mark(data_root: str, connector: str, handler: str, *, broken: bool) -> None:
    """Remember that a handler cannot be started, or that it can again."""
    path = f"{_unloadable_folder(data_root, connector)}/{handler}"
    try:
        if not broken:
            system.unlink(path)
            return
        make_folders(data_root, f"connectors/{connector}/unloadable/{handler}")
        system.close(system.open(path, _APPEND, 0o600))
    except OSError:
        pass


def handler_key(host: str, event: str, index: int) -> str:
    """The name of a handler's mark: a file name on every system."""
    return f"{host}.{''.join(letter if letter.isalnum() else '_' for letter in event)}.{index}"


def _unloadable_folder(data_root: str, connector: str) -> str:
    return f"{data_root}/connectors/{connector}/unloadable"

"""Files below the data root that several processes add lines to. Light: every dispatch loads this."""

from __future__ import annotations

import sys

from .jsontext import dumps
from .process import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

APPEND = system.O_WRONLY | system.O_CREAT | system.O_APPEND | getattr(system, "O_BINARY", 0)


def add_line(data_root: str, name: str, line: dict[str, Any], *, cap: int, rotate: bool = False) -> bool:
    """Add ``line`` as JSON to the file, with one write. At ``cap`` bytes the file becomes ``<name>.1`` and a new one
    begins (``rotate``), or nothing more is added. What cannot be written is no reason to keep a host waiting, or to
    fail: returned is whether it was."""
    try:
        descriptor = open_appending(data_root, name, cap=cap, rotate=rotate)
    except OSError:
        return False
    try:
        data = (dumps(line) + "\n").encode()
        return (rotate or system.fstat(descriptor).st_size < cap) and _write(descriptor, data) == len(data)
    except (OSError, ValueError):
        return False
    finally:
        system.close(descriptor)


def _write(descriptor: int, data: bytes) -> int:
    if sys.platform == "win32":  # appending is not atomic there
        import msvcrt

        msvcrt.locking(descriptor, msvcrt.LK_LOCK, 1)
        try:
            return system.write(descriptor, data)
        finally:
            msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
    return system.write(descriptor, data)


def open_appending(data_root: str, name: str, *, cap: int, rotate: bool) -> int:
    """A descriptor of the file, private; folders that are missing are made. Raises ``OSError``."""
    path = f"{data_root}/{name}"
    try:
        descriptor = system.open(path, APPEND, 0o600)
    except FileNotFoundError:
        make_folders(data_root, name)
        descriptor = system.open(path, APPEND, 0o600)
    if rotate and system.fstat(descriptor).st_size >= cap:
        system.close(descriptor)
        system.replace(path, path + ".1")
        descriptor = system.open(path, APPEND, 0o600)
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

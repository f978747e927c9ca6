"""Reading what install wrote for the processes that hosts start. Light: every dispatch loads this."""

from __future__ import annotations

from .jsontext import loads
from .process import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

VERSION = 1
"""Of the records that these processes work by. A newer one may mean anything."""
_CHUNK = 65536


def read_record(data_root: str, connector: str, name: str) -> dict[str, Any] | None:
    """``connectors/<connector>/<name>.json``, or ``None`` without one. Raises ``ValueError`` for a damaged one
    and for one of a newer agent-connector, ``OSError``."""
    if not is_id(connector):
        return None
    try:
        data = read_file(f"{data_root}/connectors/{connector}/{name}.json")
    except FileNotFoundError:
        return None
    record = loads(data)
    if not isinstance(record, dict) or is_newer(record):
        raise ValueError(f"the {name} record of {connector} is of a newer agent-connector, or damaged")
    return record


def is_newer(record: dict[str, Any]) -> bool:
    version = record.get("version")
    return isinstance(version, int) and version > VERSION


def is_installed(data_root: str, connector: str) -> bool:
    """Whether the connector has any record: an id that was never installed here is nothing to speak of."""
    if not is_id(connector):
        return False
    try:
        system.stat(f"{data_root}/connectors/{connector}/connector.json")
    except OSError:
        return False
    return True


def is_id(connector: str) -> bool:
    """It becomes part of a path."""
    return len(connector) <= 100 and connector.isascii() and connector.replace("-", "a").isalnum()


def read_file(path: str) -> bytes:
    descriptor = system.open(path, system.O_RDONLY | getattr(system, "O_BINARY", 0))
    try:
        data = system.read(descriptor, _CHUNK)
        chunk = data
        while chunk:
            chunk = system.read(descriptor, _CHUNK)
            data += chunk
        return data
    finally:
        system.close(descriptor)

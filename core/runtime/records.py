"""What we keep of each installed connector: ``<data_root>/connectors/<id>/<name>.json``, private, replaced whole."""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from pathlib import Path
from typing import Any

from .own_files import is_newer

_ID = re.compile(r"[a-z0-9][a-z0-9-]{0,99}")
_NAME = re.compile(r"[a-z][a-z-]{0,30}")


def folder_of(data_root: Path, connector_id: str) -> Path:
    """The connector's own folder. Raises ``ValueError`` for an id that is none, before it becomes part of a path."""
    if not _ID.fullmatch(connector_id):
        raise ValueError(f"not a connector id: {connector_id!r} (lower-case letters, digits and dashes)")
    return data_root / "connectors" / connector_id


def _file_of(data_root: Path, connector_id: str, name: str) -> Path:
    if not _NAME.fullmatch(name):
        raise ValueError(f"not a record name: {name!r}")
    return folder_of(data_root, connector_id) / f"{name}.json"


def write_record(data_root: Path, connector_id: str, record: dict[str, Any], *, name: str = "connector") -> Path:
    """Write a record (JSON values); the old one or the new one is there at any moment. Raises ``OSError``."""
    path = _file_of(data_root, connector_id, name)
    text = json.dumps(record, ensure_ascii=False, indent=2) + "\n"
    make_private_folder(path.parent)
    write_private(path, text.encode("utf-8", "surrogatepass"))
    return path


def read_record(data_root: Path, connector_id: str, *, name: str = "connector") -> dict[str, Any] | None:
    """The record, or ``None`` if there is none. Raises ``ValueError`` where the file is no such record."""
    path = _file_of(data_root, connector_id, name)
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ValueError(f"the record {path} cannot be read: {error.strerror}") from error
    try:
        record = json.loads(data.decode("utf-8", "surrogatepass"))
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the record {path} is damaged: {error}") from error
    if not isinstance(record, dict):
        raise ValueError(f"the record {path} is damaged: it holds no object")
    if is_newer(record):
        raise ValueError(f"the record {path} was written by a newer agent-connector")
    return record


def list_records(data_root: Path, *, name: str = "connector") -> tuple[str, ...]:
    """The ids of the connectors that have a record of this name, sorted."""
    try:
        folders = [entry.name for entry in os.scandir(data_root / "connectors") if entry.is_dir()]
    except FileNotFoundError:
        return ()
    return tuple(
        sorted(folder for folder in folders if _ID.fullmatch(folder) and _file_of(data_root, folder, name).is_file())
    )


def drop_record(data_root: Path, connector_id: str) -> bool:
    """Remove all records of a connector; whether there were any."""
    folder = folder_of(data_root, connector_id)
    if not folder.is_dir():
        return False
    shutil.rmtree(folder)
    return True


def make_private_folder(folder: Path) -> None:
    """Make the folder and what is missing above it, for its owner only."""
    missing = [path for path in (folder, *folder.parents) if not path.exists()]
    for path in reversed(missing):
        path.mkdir(mode=0o700, exist_ok=True)


def write_private(path: Path, data: bytes, *, mode: int = 0o600) -> None:
    """Replace the file as a whole, through a uniquely named one beside it."""
    handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        Path(temporary).chmod(mode)
        Path(temporary).replace(path)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise

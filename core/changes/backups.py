"""Copies of files as they were before we changed them, one folder per applied plan, pruned by age and size."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path, PurePath

from .files import PRIVATE_FILE, private_folder, replace_file

FOLDER = "backups"
MAX_AGE_SECONDS = 30 * 24 * 3600.0
MAX_BYTES = 200 * 1024 * 1024
_NAME = re.compile(r"(\d{8}T\d{6})\.(\d{6})Z-[0-9a-f]+")
_MANIFEST = "manifest.json"


def write_backup(data_root: Path, files: Mapping[PurePath, bytes], digest: str) -> Path | None:
    """Keep the bytes of ``files`` in ``backups/<UTC stamp>-<digest>/``, with a manifest that says which is which.

    ``None`` where there is nothing to keep. Raises :class:`FileError`.
    """
    if not files:
        return None
    private_folder(data_root)
    private_folder(data_root / FOLDER)
    folder = data_root / FOLDER / f"{stamp()}-{digest}"
    private_folder(folder)
    manifest = []
    for number, (path, data) in enumerate(files.items()):
        name = f"{number}-{_plain(path.name)}"
        replace_file(folder / name, data, mode=PRIVATE_FILE)
        manifest.append({"path": str(path), "copy": name})
    replace_file(folder / _MANIFEST, json.dumps(manifest, indent=1).encode(), mode=PRIVATE_FILE)
    return folder


def read_backup(folder: Path) -> dict[str, bytes]:
    """Path -> bytes of before; empty for a backup that was not finished."""
    try:
        manifest = json.loads((folder / _MANIFEST).read_bytes())
    except FileNotFoundError:
        return {}
    return {entry["path"]: (folder / entry["copy"]).read_bytes() for entry in manifest}


def prune(
    data_root: Path,
    *,
    keep: Path | None = None,
    max_age: float = MAX_AGE_SECONDS,
    max_bytes: int = MAX_BYTES,
    now: float | None = None,
) -> tuple[Path, ...]:
    """Remove backups older than ``max_age`` seconds, then the oldest until the rest fits ``max_bytes``; ``keep``
    stays. Anything in the folder that is no backup of ours stays too. Answers what was removed."""
    now = time.time() if now is None else now
    removed = []
    total = 0
    for folder, written in sorted(_backups(data_root), key=lambda pair: pair[0].name, reverse=True):
        size = sum(file.stat().st_size for file in folder.iterdir() if file.is_file())
        total += size
        if folder == keep or (now - written <= max_age and total <= max_bytes):
            continue
        total -= size
        discard(folder)
        removed.append(folder)
    return tuple(removed)


def stamp() -> str:
    """Now, in UTC, with microseconds: sorts as text."""
    now = time.time_ns()
    return time.strftime("%Y%m%dT%H%M%S", time.gmtime(now // 1_000_000_000)) + f".{now // 1000 % 1_000_000:06d}Z"


def _backups(data_root: Path) -> Iterator[tuple[Path, float]]:
    import calendar

    folder = data_root / FOLDER
    for entry in folder.iterdir() if folder.is_dir() else ():
        match = _NAME.fullmatch(entry.name)
        if match and entry.is_dir() and not entry.is_symlink():
            yield entry, calendar.timegm(time.strptime(match[1], "%Y%m%dT%H%M%S"))


def _plain(name: str) -> str:
    """A file name of the user's as one that every system takes."""
    return re.sub(r"[^A-Za-z0-9._-]", "_", name)[-80:]


def discard(folder: Path) -> None:
    """What cannot be removed now is tried again next time."""
    with suppress(OSError):
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()

"""One writer per data root at a time."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from ..errors import FileError, LockedError
from .files import PRIVATE_FILE, private_folder

FILE_NAME = "lock"
PATIENCE_SECONDS = 60.0


@contextmanager
def data_root_lock(data_root: Path, *, timeout: float = PATIENCE_SECONDS) -> Iterator[None]:
    """Waits up to ``timeout`` seconds. The same thread may take it again inside; the system frees it when a process
    dies. Makes the data root. Raises :class:`LockedError` when time is up, :class:`FileError` where locking fails."""
    from filelock import FileLock, Timeout

    private_folder(data_root)
    file = data_root / FILE_NAME
    lock = FileLock(file, mode=PRIVATE_FILE, is_singleton=True)
    try:
        lock.acquire(timeout=timeout)
    except Timeout as error:
        raise LockedError(
            f"another agent-connector has been writing for {timeout:g} seconds (lock file {file})",
            hint="Wait for it, or end it if it hangs, and run this again.",
        ) from error
    except (OSError, NotImplementedError) as error:
        raise FileError(
            f"cannot lock {file}: {error}", hint="Give yourself the right to the folder, or move it to a local disk."
        ) from error
    try:
        yield
    finally:
        lock.release()

"""Files on disk: read for planning, replaced atomically, always with an error that says what and where.

A file is replaced by writing a uniquely named one beside it, flushing that to disk and renaming it over the old one,
so that whoever looks, and whatever crashes, sees the old bytes or the new ones. Links are followed: the link stays,
what it leads to is replaced.
"""

from __future__ import annotations

import os
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from typing import Final

from ..errors import FileChangedError, FileError

PRIVATE_FILE: Final = 0o600
PRIVATE_FOLDER: Final = 0o700
ORDINARY_FILE: Final = 0o666
ORDINARY_FOLDER: Final = 0o777
"""As any program makes files and folders: the umask decides."""

_POSIX = os.name == "posix"
_BINARY = getattr(os, "O_BINARY", 0)
_HINTS = {
    "ENOSPC": "Free some space on that disk and run it again; the file is as it was.",
    "EDQUOT": "Free some space within your quota and run it again; the file is as it was.",
    "EFBIG": "The file would be larger than this system lets it be; the file is as it was.",
    "EACCES": "Give yourself the right to it and to its folder, then run it again.",
    "EPERM": "Give yourself the right to it and to its folder, then run it again.",
    "EROFS": "That file system is mounted read-only.",
    "ELOOP": "The links lead in a circle: repair or remove them.",
    "ENOTDIR": "A part of the path is a file and not a folder: move that file away.",
    "EEXIST": "A part of the path is a file and not a folder: move that file away.",
    "ENAMETOOLONG": "The path is longer than this system allows.",
}


class _Anything:
    """Whatever stands in the file is to be replaced."""


ANYTHING: Final = _Anything()


class DiskFiles:
    """The read-only ``Files`` port on this machine's disk."""

    def read(self, path: PurePath) -> bytes | None:
        """The bytes, or ``None`` if there is no such file (or a link that leads nowhere).

        Raises :class:`FileError` for folders, devices and what may not be read.
        """
        return read_file(path)

    def exists(self, path: PurePath) -> bool:
        return _is_there(path)

    def real(self, path: PurePath) -> PurePath:
        return final_target(path)


def read_file(path: PurePath) -> bytes | None:
    """See :meth:`DiskFiles.read`."""
    try:
        with _explained("read", path):
            if _status(path) is None:
                return None
            return Path(path).read_bytes()
    except FileError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            return None
        raise


def final_target(path: PurePath) -> Path:
    """Where the links of ``path`` lead in the end; the file itself need not exist."""
    return Path(os.path.realpath(path))


def check_writable(path: PurePath) -> None:
    """Raises :class:`FileError` if :func:`replace_file` would surely fail or override somebody's protection."""
    target = final_target(path)
    with _explained("write", path):
        str(path).encode()  # what cannot be spelled in Unicode could be written, but not remembered
        existing = _status(path)
    if existing is not None and not (existing.st_mode & 0o222 and os.access(target, os.W_OK)):
        raise FileError(
            f"cannot write {path}: it is read-only", hint=f"Make it writable (chmod u+w '{target}') and run it again."
        )
    # For root every file is writable, so the bits are looked at; a folder's bits only where they bind us.
    folder = next((parent for parent in target.parents if _is_there(parent)), None)
    if folder is not None and not folder.is_dir():
        raise FileError(f"cannot write {path}: {folder} is not a folder", hint=_HINTS["ENOTDIR"])
    if folder is not None and not os.access(folder, os.W_OK):
        raise FileError(f"cannot write {path}: the folder {folder} is read-only", hint=_HINTS["EACCES"])


def missing_folders(path: PurePath) -> tuple[Path, ...]:
    """The folders that must be made before ``path`` can be written, outermost first."""
    missing = []
    for parent in final_target(path).parents:
        if _is_there(parent):
            break
        missing.append(parent)
    return tuple(reversed(missing))


def replace_file(
    path: PurePath,
    data: bytes,
    *,
    mode: int | None = None,
    new_mode: int = ORDINARY_FILE,
    executable: bool = False,
    expected: bytes | _Anything | None = ANYTHING,
    temporary: str = "",
) -> tuple[Path, ...]:
    """Put ``data`` into the file, atomically and durably; answers the folders made for it, outermost first.

    An existing file keeps mode and owner unless ``mode`` says exactly what it shall have; a new one gets ``new_mode``
    less the umask; ``executable`` adds the right to execute for whom the file is readable. With ``expected`` the file
    is read once more right before the rename, and left alone if it holds anything else (``None``: if it exists).
    ``temporary`` names the file written first, in the target's folder.

    Raises :class:`FileError`, :class:`FileChangedError`; then the file is as it was and nothing is left beside it.
    """
    check_writable(path)
    target = final_target(path)
    folders = missing_folders(path)
    beside = target.parent / (temporary or temporary_name())
    with _explained("write", path):
        try:
            make_folders(folders, PRIVATE_FOLDER if mode == PRIVATE_FILE else ORDINARY_FOLDER)
            existing = _status(target)
            _write_beside(beside, data, target if existing else None, mode, new_mode)
            if _POSIX and executable:
                _make_executable(beside)
            _require_to_the_last(path, expected)
            _rename(beside, target)
        except BaseException:
            with suppress(OSError):
                beside.unlink()
            remove_empty_folders(folders)
            raise
        _flush_folder(target.parent)
    return folders


def delete_file(path: PurePath, *, expected: bytes | _Anything | None = ANYTHING) -> None:
    """Delete what ``path`` leads to; a link stays. Nothing to delete is fine. Errors as :func:`replace_file`."""
    check_writable(path)
    target = final_target(path)
    with _explained("delete", path):
        _require_to_the_last(path, expected)
        target.unlink(missing_ok=True)
        _flush_folder(target.parent)


def require(path: PurePath, expected: bytes | _Anything | None) -> None:
    """Raises :class:`FileChangedError` unless the file holds exactly ``expected``."""
    if not isinstance(expected, _Anything) and read_file(path) != expected:
        raise _changed(path)


def _require_to_the_last(path: PurePath, expected: bytes | _Anything | None) -> None:
    """As :func:`require`, right before the file is replaced. Reading a large one takes milliseconds in which a host
    may write it, so what the system says of the file is looked at before and after."""
    seen = _signature(path)
    require(path, expected)
    if not isinstance(expected, _Anything) and _signature(path) != seen:
        raise _changed(path)


def _changed(path: PurePath) -> FileChangedError:
    return FileChangedError(
        f"{path} was changed by another program since it was read", hint="Run it again: it is planned anew."
    )


def _signature(path: PurePath) -> tuple[int, ...]:
    found = _status(path)
    return (found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns) if found else ()


def make_folders(folders: Iterable[Path], mode: int) -> None:
    for folder in folders:
        folder.mkdir(mode, exist_ok=True)
        _flush_folder(folder.parent)


def remove_empty_folders(folders: Iterable[Path]) -> None:
    """Innermost first; those that hold something, or are gone, are passed over."""
    for folder in sorted(folders, key=lambda path: len(path.parts), reverse=True):
        with suppress(OSError):
            folder.rmdir()


def private_folder(path: Path) -> None:
    """Make sure that a folder of ours exists and that nobody else can look into it."""
    with _explained("make the folder", path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.mkdir(PRIVATE_FOLDER, exist_ok=True)
        mode = path.stat().st_mode
        shared_by_all = mode & stat.S_ISVTX  # somebody chose /tmp or the like: closing it would harm others
        if _POSIX and mode & 0o077 and not shared_by_all:
            path.chmod(PRIVATE_FOLDER)


def temporary_name() -> str:
    return f".agent-connector-{os.urandom(8).hex()}.tmp"


# --- the steps -------------------------------------------------------------------------------------------------


def _is_there(path: PurePath) -> bool:
    """Never raises, also where we may not look."""
    return os.path.exists(path)  # noqa: PTH110


def _status(path: PurePath) -> os.stat_result | None:
    """What stands there, links followed; ``None`` if nothing. Raises :class:`FileError` for what is no plain file."""
    try:
        found = os.stat(path)  # noqa: PTH116
    except FileNotFoundError:
        return None
    if stat.S_ISDIR(found.st_mode):
        raise FileError(f"{path} is a folder where a file is expected", hint="Move the folder away and run it again.")
    if not stat.S_ISREG(found.st_mode):
        raise FileError(f"{path} is not a plain file", hint="Only plain files, and links to them, are edited.")
    return found


def _write_beside(beside: Path, data: bytes, like: Path | None, mode: int | None, new_mode: int) -> None:
    """``like``: the file whose owner, mode and attributes are kept; ``None`` for a new one."""
    first_mode = PRIVATE_FILE if like is not None or mode is not None else new_mode
    descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, first_mode)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        if _POSIX and like is not None:
            _keep_nature(descriptor, like)
        if _POSIX and mode is not None:
            os.fchmod(descriptor, mode)
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _keep_nature(descriptor: int, like: Path) -> None:
    """Owner and group as far as we may set them (a user may give away groups only), mode, access lists."""
    old, new = like.stat(), os.fstat(descriptor)
    if (new.st_uid, new.st_gid) != (old.st_uid, old.st_gid):
        with suppress(OSError):
            os.fchown(descriptor, old.st_uid if os.geteuid() == 0 else -1, old.st_gid)
    os.fchmod(descriptor, stat.S_IMODE(old.st_mode))
    if hasattr(os, "listxattr"):
        with suppress(OSError):
            for name in os.listxattr(like):
                with suppress(OSError):
                    os.setxattr(descriptor, name, os.getxattr(like, name))


def _make_executable(file: Path) -> None:
    mode = stat.S_IMODE(file.stat().st_mode)
    file.chmod(mode | (mode & 0o444) >> 2)


def _rename(beside: Path, target: Path) -> None:
    """Windows refuses for a moment while another program (a virus scanner, the host) has the file open."""
    for pause in () if _POSIX else (0.05, 0.1, 0.2, 0.4):
        try:
            beside.replace(target)
        except PermissionError:
            time.sleep(pause)
        else:
            return
    beside.replace(target)


def _flush_folder(folder: Path) -> None:
    """Make a rename durable. Some file systems cannot; Windows need not."""
    if not _POSIX:
        return
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


@contextmanager
def _explained(doing: str, path: PurePath) -> Iterator[None]:
    try:
        yield
    except ValueError as error:
        raise FileError(f"cannot {doing} {os.fspath(path)!r}: {error}") from error
    except OSError as error:
        import errno

        name = errno.errorcode.get(error.errno or 0, "")
        raise FileError(f"cannot {doing} {path}: {error.strerror or error}", hint=_HINTS.get(name, "")) from error

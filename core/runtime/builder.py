"""Makes what hosts start: a runtime of the installed files, and the launcher that runs it.

A runtime never changes once it has its name: it is built in a folder of its own, named last, and the launcher is
switched to it by one rename. So a host that starts something at any moment gets the old or the new, never a mixture,
and processes of the old one find their files for days.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import shutil
import time
from collections.abc import Collection, Mapping
from pathlib import Path

from ..values import frozen
from .assembly import (
    BUILDING,
    Runtime,
    build_runtime,
    content_digest,
    neutral_rules,
    python_tag,
    read_manifest,
    running_from,
)
from .distributions import own_distribution, own_files
from .interpreters import durable_interpreter
from .launcher import Stamp, posix_launcher, read_stamp, windows_launcher
from .neutral import Rule
from .records import make_private_folder, write_private

_ABANDONED_SECONDS = 3600
UNUSED_SECONDS = 7 * 24 * 3600
"""How long a runtime stays after the launcher was switched away from it: running servers still load from it."""


@frozen
class Refreshed:
    runtime: Runtime
    launcher: Path
    launcher_changed: bool
    warnings: tuple[str, ...] = ()
    pruned: tuple[str, ...] = ()


def refresh(data_root: Path, *, environment: Mapping[str, str], force: bool = False) -> Refreshed:
    """Make launcher and runtime what the running installation is; nothing changes where they already are.

    A launcher of a newer version is left alone, with a warning: several installations share one data root.
    ``environment`` is looked at for ``PATH`` and cache folders only. ``force`` builds anew even what looks right
    (healing). Raises :class:`RuntimeBuildError`, ``OSError``.
    """
    before = current_runtime(data_root)
    newer = _newer_version(data_root)
    if newer is not None:
        own = own_distribution().version
        warning = f"the launcher is of version {newer.version}, this is {own}: the launcher stays as it is"
        return Refreshed(newer, launcher_path(data_root), launcher_changed=False, warnings=(warning,))
    runtime = build_runtime(data_root, force=force)
    interpreter = durable_interpreter(environment)
    changed = build_launcher(data_root, Stamp(str(interpreter.path), runtime.name))
    if before is not None and before != runtime.path and before.is_dir():
        os.utime(before)  # prune_runtimes counts from here
    return Refreshed(
        runtime,
        launcher_path(data_root),
        changed,
        (interpreter.warning,) if interpreter.warning else (),
        prune_runtimes(data_root),
    )


def _newer_version(data_root: Path) -> Runtime | None:
    """The launcher's runtime, if it works and is of a newer version than the running installation."""
    stamp = read_stamp(launcher_path(data_root))
    if stamp is None or not os.access(stamp.interpreter, os.X_OK):
        return None
    path = data_root / "runtime" / stamp.runtime
    manifest = read_manifest(path)
    if manifest is None:
        return None
    from packaging.version import Version

    version = str(manifest["version"])
    if Version(version) <= Version(own_distribution().version):
        return None
    return Runtime(path, path.name, version, str(manifest["digest"]), built=False)


def is_current(data_root: Path) -> bool:
    """Whether launcher and runtime are there and of the running installation's own files. Cheap, reads only: what
    was changed inside a runtime, and other versions of required distributions, are for :func:`refresh` to see."""
    stamp = read_stamp(launcher_path(data_root))
    runtime = current_runtime(data_root)
    manifest = read_manifest(runtime) if runtime is not None else None
    if stamp is None or manifest is None or not os.access(stamp.interpreter, os.X_OK):
        return False
    if runtime == running_from(data_root):
        return True
    return bool(manifest["python"] == python_tag() and manifest["own"] == content_digest(own_files()))


def current_runtime(data_root: Path) -> Path | None:
    """The folder of the runtime that the launcher names, whether it exists or not; ``None`` without a launcher."""
    stamp = read_stamp(launcher_path(data_root))
    return data_root / "runtime" / stamp.runtime if stamp is not None else None


def prune_runtimes(
    data_root: Path, keep: Collection[str] = (), *, unused_seconds: float = UNUSED_SECONDS
) -> tuple[str, ...]:
    """Remove runtimes that the launcher no longer names since ``unused_seconds``, and builds that were abandoned.

    ``keep`` names folders that stay in any case. Returns the names removed; what cannot be removed stays.
    """
    folder = data_root / "runtime"
    current = current_runtime(data_root)
    removed = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else []:
        if path.name in keep or path == current:
            continue
        age = time.time() - path.lstat().st_mtime
        if age > (_ABANDONED_SECONDS if path.name.startswith(BUILDING) else unused_seconds):
            shutil.rmtree(path, ignore_errors=True)
            if not path.exists():
                removed.append(path.name)
    return tuple(removed)


# --- launcher --------------------------------------------------------------------------------------------------


def launcher_path(data_root: Path) -> Path:
    """The launcher that host configs of this system point at."""
    return data_root / "bin" / ("agent-connector.cmd" if os.name == "nt" else "agent-connector")


def build_launcher(data_root: Path, stamp: Stamp, rules: tuple[Rule, ...] | None = None) -> bool:
    """Write the launcher so that it names ``stamp``; whether anything had to be written.

    On Windows a batch file stands beside the ``sh`` script, which Git Bash takes. Raises ``OSError``.
    """
    rules = neutral_rules() if rules is None else rules
    folder = data_root / "bin"
    texts = {"agent-connector": posix_launcher(stamp, rules)}
    if os.name == "nt":
        forward = Stamp(stamp.interpreter.replace("\\", "/"), stamp.runtime)
        texts = {
            "agent-connector": posix_launcher(forward, rules),
            "agent-connector.cmd": windows_launcher(stamp, rules, launcher_folder=str(folder)),
        }
    make_private_folder(folder)
    changed = False
    for name, text in texts.items():
        path, data = folder / name, text.encode("utf-8", "surrogateescape")
        if path.is_symlink() or not path.is_file() or path.read_bytes() != data or not os.access(path, os.X_OK):
            write_private(path, data, mode=0o700)
            changed = True
    return changed


def remove_runtime(data_root: Path) -> None:
    """Remove the launcher and every runtime; a process that runs from one of them does so when it ends."""
    if running_from(data_root) is not None:
        atexit.register(_remove, data_root)
    else:
        _remove(data_root)


def _remove(data_root: Path) -> None:
    for name in ("agent-connector", "agent-connector.cmd"):
        (data_root / "bin" / name).unlink(missing_ok=True)
    with contextlib.suppress(OSError):  # somebody's own file stands there, or it never was
        (data_root / "bin").rmdir()
    shutil.rmtree(data_root / "runtime", ignore_errors=True)

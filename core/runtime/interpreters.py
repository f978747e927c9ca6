"""Which Python the launcher names: the base of the one that runs us, where that will still be there tomorrow.

A virtual environment, a package runner's cache or a temporary folder goes away; the interpreter they were made from
stays. Where even that one lives in such a place, another of the same version is looked for.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..values import frozen

_ASK = (
    "import sys, json; print(json.dumps([getattr(sys, '_base_executable', '') or sys.executable, "
    "sys.implementation.cache_tag, getattr(sys, 'abiflags', ''), sys.maxsize, sys.platform]))"
)
_USUAL_FOLDERS = ("/usr/local/bin", "/usr/bin", "/opt/homebrew/bin")
_TEMPORARY = ("/tmp", "/var/tmp", "/private/tmp", "/private/var/tmp")  # noqa: S108 - compared with, never written to
_ASK_SECONDS = 10


@frozen
class Interpreter:
    """``warning`` is set where no durable interpreter was found and the launcher may one day find none."""

    path: Path
    warning: str = ""


def durable_interpreter(
    environment: Mapping[str, str], usual_folders: tuple[str, ...] = _USUAL_FOLDERS
) -> Interpreter:
    """The interpreter for the launcher. ``environment`` gives ``PATH`` and the places of caches; ``usual_folders``
    are searched behind ``PATH``."""
    base = Path(getattr(sys, "_base_executable", "") or sys.executable)
    reason = fleeting(base, environment)
    if not reason:
        return Interpreter(_versioned(base))
    for candidate in _candidates(environment, usual_folders):
        found = _base_of_same_kind(candidate)
        if found is not None and not fleeting(found, environment):
            return Interpreter(_versioned(found))
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    return Interpreter(
        base,
        f"{base} lives in {reason} and may go away with it, and no other Python {version} was found: "
        f"install Python {version} and run `agent-connector upgrade`",
    )


def fleeting(interpreter: Path, environment: Mapping[str, str]) -> str:
    """Why this interpreter may be gone tomorrow (``a temporary folder``, …), or ``""``."""
    if not interpreter.exists():
        return "a folder that is gone"
    for reason, folder in _fleeting_folders(environment):
        if _within(interpreter, folder):
            return reason
    home = interpreter.parent.parent if interpreter.parent.name in ("bin", "Scripts") else interpreter.parent
    if (home / "pyvenv.cfg").exists():
        return "a virtual environment"
    if (home / "conda-meta").is_dir() and home.parent.name == "envs":
        return "a conda environment"
    return ""


def _fleeting_folders(environment: Mapping[str, str]) -> Iterable[tuple[str, Path]]:
    temporary = [environment[name] for name in ("TMPDIR", "TEMP", "TMP") if environment.get(name)]
    for folder in (*temporary, *_TEMPORARY):
        yield "a temporary folder", Path(folder)
    home = Path(environment.get("HOME") or environment.get("USERPROFILE") or Path.home())
    cache = Path(environment.get("XDG_CACHE_HOME") or home / ".cache")
    caches = [cache, home / "Library" / "Caches"]
    caches += [Path(environment[name]) for name in ("UV_CACHE_DIR", "PIPX_HOME") if environment.get(name)]
    yield from (("a cache", folder) for folder in caches)


def _within(path: Path, folder: Path) -> bool:
    return path.is_relative_to(folder) or path.is_relative_to(folder.resolve())


def _versioned(interpreter: Path) -> Path:
    """``python3.11`` beside ``python3`` where both are the same: its name cannot come to mean another version.

    Links are not followed further: package managers move a link with each patch release and delete what it named.
    """
    sibling = interpreter.with_name(f"python{sys.version_info[0]}.{sys.version_info[1]}{interpreter.suffix[:4]}")
    if os.name == "nt":
        sibling = interpreter
    try:
        return sibling if sibling != interpreter and sibling.samefile(interpreter) else interpreter
    except OSError:
        return interpreter


def _candidates(environment: Mapping[str, str], usual_folders: tuple[str, ...]) -> Iterable[Path]:
    version = f"{sys.version_info[0]}.{sys.version_info[1]}"
    suffix = ".exe" if os.name == "nt" else ""
    folders = [folder for folder in environment.get("PATH", "").split(os.pathsep) if folder]
    for name in (f"python{version}", "python3", "python"):
        for folder in (*folders, *usual_folders):
            path = Path(folder, name + suffix)
            if path.is_absolute() and path.is_file() and os.access(path, os.X_OK):
                yield path


def _base_of_same_kind(candidate: Path) -> Path | None:
    """The base interpreter behind ``candidate``, if its bytecode and extensions are those of this process."""
    import subprocess

    try:
        answer = subprocess.run(
            [candidate, "-I", "-S", "-c", _ASK],
            capture_output=True,
            check=True,
            stdin=subprocess.DEVNULL,
            timeout=_ASK_SECONDS,
        )
        base, *kind = json.loads(answer.stdout)
    except (OSError, subprocess.SubprocessError, ValueError, TypeError):
        return None
    ours = [sys.implementation.cache_tag, getattr(sys, "abiflags", ""), sys.maxsize, sys.platform]
    return Path(base) if kind == ours and Path(base).is_absolute() else None

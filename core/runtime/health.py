"""Whether what hosts start would start: launcher, interpreter, runtime, and that they agree."""

from __future__ import annotations

import os
from pathlib import Path

from ..errors import RuntimeBuildError
from ..values import frozen
from .assembly import read_manifest
from .builder import is_current, launcher_path
from .distributions import own_distribution
from .launcher import read_stamp

_RUN_SECONDS = 30


@frozen
class RuntimeHealth:
    """``problems`` are broken, ``stale`` works but is not what is installed; both empty: all is well."""

    launcher: Path
    interpreter: str = ""
    runtime: str = ""
    version: str = ""
    """Version of the runtime."""
    installed: str = ""
    """Version of the running installation; empty where the package runs without being installed."""
    problems: tuple[str, ...] = ()
    stale: str = ""

    @property
    def ok(self) -> bool:
        return not self.problems


def check_runtime(data_root: Path, *, run: bool = True) -> RuntimeHealth:
    """Look at the launcher and what it names; with ``run``, also start it. Writes nothing."""
    launcher = launcher_path(data_root)
    stamp = read_stamp(launcher)
    installed = _installed_version()
    if stamp is None:
        what = "is not one of ours" if launcher.exists() else "is not there"
        return RuntimeHealth(launcher, installed=installed, problems=(f"the launcher {launcher} {what}",))
    problems = []
    if not os.access(launcher, os.X_OK):
        problems.append(f"the launcher {launcher} is not executable")
    if not os.access(stamp.interpreter, os.X_OK):
        problems.append(f"the launcher's Python, {stamp.interpreter}, is gone")
    runtime = data_root / "runtime" / stamp.runtime
    manifest = read_manifest(runtime)
    if manifest is None:
        problems.append(f"the runtime {runtime} is gone or damaged")
    version = str(manifest["version"]) if manifest else ""
    if run and not problems:
        problems += _start(launcher, version)
    return RuntimeHealth(
        launcher,
        stamp.interpreter,
        stamp.runtime,
        version,
        installed,
        tuple(problems),
        _staleness(data_root, version, installed) if not problems else "",
    )


def _installed_version() -> str:
    try:
        return own_distribution().version
    except RuntimeBuildError:  # run without being installed: there is nothing to compare with
        return ""


def _staleness(data_root: Path, version: str, installed: str) -> str:
    if not installed:
        return ""
    if version != installed:
        return f"the runtime is version {version}, installed is {installed}"
    if not is_current(data_root):
        return f"the runtime was made of other files than the installed version {installed}"
    return ""


def _start(launcher: Path, version: str) -> list[str]:
    import subprocess

    try:
        answer = subprocess.run(
            [launcher, "--version"], capture_output=True, check=False, stdin=subprocess.DEVNULL, timeout=_RUN_SECONDS
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        return [f"the launcher {launcher} does not start: {error}"]
    said = answer.stdout.decode("utf-8", "replace").strip()
    if answer.returncode != 0:
        why = answer.stderr.decode("utf-8", "replace").strip().splitlines()
        return [f"the launcher {launcher} ends with {answer.returncode}: {why[-1] if why else 'no message'}"]
    if version not in said.split():
        return [f"the launcher {launcher} says {said!r}, its runtime is version {version}"]
    return []

"""Makes what hosts start: a runtime of the installed files, and the launcher that runs it.

A runtime never changes once it has its name: it is built in a folder of its own, named last, and the launcher is
switched to it by one rename. So a host that starts something at any moment gets the old or the new, never a mixture,
and processes of the old one find their files for days.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import py_compile
import secrets
import shutil
import sys
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from importlib.metadata import Distribution
from pathlib import Path, PurePosixPath
from typing import Any

from ..errors import RuntimeBuildError
from .distributions import (
    SourceFile,
    distribution_files,
    metadata_files,
    own_distribution,
    own_files,
    required_distributions,
)
from .entries import entry_texts
from .interpreters import durable_interpreter
from .launcher import Stamp, posix_launcher, read_stamp, windows_launcher
from .neutral import Rule, rules_of
from .records import make_private_folder, write_private

MANIFEST = "manifest.json"
_FORMAT = 1
_BUILDING = ".building-"
_ABANDONED_SECONDS = 3600
UNUSED_SECONDS = 7 * 24 * 3600
"""How long a runtime stays after the launcher was switched away from it: running servers still load from it."""


@dataclass(frozen=True, slots=True)
class Runtime:
    """A runtime in its place. ``name`` is its folder below ``runtime/``: the version, followed by ``+digest`` where
    other content of the same version was there before."""

    path: Path
    name: str
    version: str
    digest: str
    built: bool
    """Whether this call built it."""


@dataclass(frozen=True, slots=True)
class Refreshed:
    runtime: Runtime
    launcher: Path
    launcher_changed: bool
    warnings: tuple[str, ...] = ()
    pruned: tuple[str, ...] = ()


def refresh(data_root: Path, *, environment: Mapping[str, str], force: bool = False) -> Refreshed:
    """Make launcher and runtime what the running installation is; nothing changes where they already are.

    ``environment`` is looked at for ``PATH`` and cache folders only. ``force`` builds anew even what looks right
    (healing). Raises :class:`RuntimeBuildError`, ``OSError``.
    """
    before = current_runtime(data_root)
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


def is_current(data_root: Path) -> bool:
    """Whether launcher and runtime are there and of the running installation's own files. Cheap, reads only: what
    was changed inside a runtime, and other versions of required distributions, are for :func:`refresh` to see."""
    runtime = current_runtime(data_root)
    manifest = read_manifest(runtime) if runtime is not None else None
    if runtime is None or manifest is None:
        return False
    files = own_files()
    running_from = files[0].path.parent if files else None
    if running_from == runtime / "site" / "agent_connector":
        return True
    return bool(manifest["python"] == _python_tag() and manifest["own"] == _content_digest(files))


def current_runtime(data_root: Path) -> Path | None:
    """The folder of the runtime that the launcher names, whether it exists or not; ``None`` without a launcher."""
    stamp = read_stamp(launcher_path(data_root))
    return data_root / "runtime" / stamp.runtime if stamp is not None else None


# --- runtime ---------------------------------------------------------------------------------------------------


def build_runtime(data_root: Path, *, force: bool = False) -> Runtime:
    """Have a runtime of the installed files below ``data_root/runtime``; without network.

    Raises :class:`RuntimeBuildError` where the installation is incomplete, ``OSError`` where nothing can be written.
    """
    own = own_distribution()
    required = required_distributions()
    files = own_files()
    manifest = {
        "format": _FORMAT,
        "version": own.version,
        "python": _python_tag(),
        "own": _content_digest(files),
        "distributions": {required_one.metadata["Name"]: required_one.version for required_one in required},
    }
    digest = _digest(json.dumps(manifest, sort_keys=True).encode())
    manifest["digest"] = digest

    folder = data_root / "runtime"
    make_private_folder(folder)
    existing = _with_digest(folder, own.version, digest)
    if existing is not None and not force:
        return Runtime(existing, existing.name, own.version, digest, built=False)
    building = folder / f"{_BUILDING}{os.getpid()}-{secrets.token_hex(4)}"
    try:
        building.mkdir(mode=0o700)
        _fill(building, files, own, required)
        write_private(building / MANIFEST, (json.dumps(manifest, indent=1, sort_keys=True) + "\n").encode())
        placed = _place(building, own.version, digest, replacing=existing if force else None)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return Runtime(placed, placed.name, own.version, digest, built=True)


def _python_tag() -> str:
    return (
        f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}-{sys.platform}-{sys.maxsize.bit_length() + 1}"
    )


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _content_digest(files: Iterable[SourceFile]) -> str:
    lines = [f"{file.place} {_digest(file.path.read_bytes())}" for file in files]
    return _digest("\n".join(lines).encode())


def read_manifest(runtime: Path) -> dict[str, Any] | None:
    try:
        manifest = json.loads((runtime / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return None
    known = isinstance(manifest, dict) and manifest.get("format") == _FORMAT
    return manifest if known and {"digest", "own", "python", "version"} <= manifest.keys() else None


def _with_digest(folder: Path, version: str, digest: str) -> Path | None:
    for name in _names(version, digest):
        manifest = read_manifest(folder / name)
        if manifest is not None and manifest["digest"] == digest:
            return folder / name
    return None


def _names(version: str, digest: str) -> tuple[str, str]:
    return version, f"{version}+{digest[:12]}"


def _place(building: Path, version: str, digest: str, *, replacing: Path | None) -> Path:
    """Give the built folder its name. Somebody else may have been faster, with the same content or another."""
    if replacing is not None:
        broken = building.with_name(f"{building.name}-old")
        replacing.rename(broken)
        shutil.rmtree(broken, ignore_errors=True)
    for name in _names(version, digest):
        place = building.with_name(name)
        try:
            building.rename(place)
        except OSError:
            manifest = read_manifest(place)
            if manifest is not None and manifest["digest"] == digest:
                return place
            if not place.exists():
                raise
        else:
            return place
    # The long name is taken by something that is no runtime of ours any more (its manifest is damaged).
    shutil.rmtree(place)
    building.rename(place)
    return place


def _fill(building: Path, files: tuple[SourceFile, ...], own: Distribution, required: Iterable[Distribution]) -> None:
    site = building / "site"
    copier = _Copier(site)
    for file in files:
        # Never linked: a checkout's files are edited in place, and a runtime does not change.
        copier.copy(file)
        if file.place.suffix == ".py":
            _compile(site / file.place, str(file.place))
    for file in metadata_files(own):
        copier.copy(file)
    for source in required:
        for file in distribution_files(source):
            copier.link(file)
            copier.link_bytecode(file)
    entry = building / "entry"
    entry.mkdir(mode=0o700)
    for name, text in entry_texts(neutral_rules()).items():
        write_private(entry / f"{name}.py", text.encode("utf-8"))


class _Copier:
    """Puts files below ``site``, as hard links as long as the file system makes them."""

    def __init__(self, site: Path) -> None:
        self._site = site
        self._folders: set[Path] = set()
        self._can_link = True

    def _target(self, place: PurePosixPath) -> Path:
        target = self._site / place
        if target.parent not in self._folders:
            make_private_folder(target.parent)
            self._folders.add(target.parent)
        return target

    def copy(self, file: SourceFile) -> None:
        target = self._target(file.place)
        shutil.copyfile(file.path, target)
        target.chmod(0o600)

    def link(self, file: SourceFile) -> None:
        self._link(file.path, self._target(file.place))

    def link_bytecode(self, file: SourceFile) -> None:
        """The bytecode an installer left beside the source, for this Python; what is missing is made at first use."""
        if file.place.suffix != ".py":
            return
        cached = Path(importlib.util.cache_from_source(str(file.path)))
        if cached.is_file():
            self._link(cached, self._target(file.place.parent / "__pycache__" / cached.name))

    def _link(self, path: Path, target: Path) -> None:
        # Some installers fill an environment with links into their cache: the file itself is wanted.
        source = path.resolve()
        if self._can_link:
            try:
                os.link(source, target)
            except FileExistsError:
                return  # two distributions claim one file, as namespace packages' __init__.py
            except OSError:
                self._can_link = False
            else:
                return
        shutil.copy2(source, target)  # keeps the modification time, which the bytecode names


def _compile(path: Path, shown_as: str) -> None:
    try:
        py_compile.compile(
            str(path), dfile=shown_as, doraise=True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
        )
    except py_compile.PyCompileError as error:
        raise RuntimeBuildError(f"{shown_as} does not compile: {error.msg}") from None


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
        if age > (_ABANDONED_SECONDS if path.name.startswith(_BUILDING) else unused_seconds):
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


def neutral_rules() -> tuple[Rule, ...]:
    """The neutral replies of every host whose adapter is part of this installation."""
    places = {file.place for file in own_files()}
    folders = {place.parts[2] for place in places if len(place.parts) == 4 and place.parts[3] == "hooks.py"}
    return rules_of(folder.replace("_", "-") for folder in sorted(folders))

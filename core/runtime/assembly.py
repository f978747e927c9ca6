"""Puts a runtime together: the installed files in a folder of their own, which never changes once it has its name."""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import py_compile
import secrets
import shutil
import sys
from collections.abc import Iterable
from importlib.metadata import Distribution
from pathlib import Path, PurePosixPath
from typing import Any

from ..errors import RuntimeBuildError
from ..values import frozen
from .distributions import (
    SourceFile,
    distribution_files,
    hooks_modules,
    metadata_files,
    metadata_of,
    own_distribution,
    own_files,
    required_distributions,
)
from .entries import entry_texts
from .neutral import Rule, load, rules_of
from .pack import FILE, make_pack
from .records import make_private_folder, write_private

MANIFEST = "manifest.json"
BUILDING = ".building-"
"""Begins the name of a folder that is not a runtime yet."""
_FORMAT = 1


@frozen
class Runtime:
    """A runtime in its place. ``name`` is its folder below ``runtime/``: the version, followed by ``+digest`` where
    other content of the same version was there before."""

    path: Path
    name: str
    version: str
    digest: str
    built: bool
    """Whether this call built it."""


def build_runtime(data_root: Path, *, force: bool = False) -> Runtime:
    """Have a runtime of the installed files below ``data_root/runtime``; without network.

    Raises :class:`RuntimeBuildError` where the installation is incomplete, ``OSError`` where nothing can be written.
    """
    itself = running_from(data_root)
    if itself is not None:
        return _itself(itself, force=force)
    own = own_distribution()
    required = required_distributions()
    files = own_files()
    digest = _manifest(own, required, files)["digest"]

    folder = data_root / "runtime"
    make_private_folder(folder)
    existing = _with_digest(folder, own.version, digest)
    if existing is not None and not force:
        return Runtime(existing, existing.name, own.version, digest, built=False)
    building = folder / f"{BUILDING}{os.getpid()}-{secrets.token_hex(4)}"
    try:
        building.mkdir(mode=0o700)
        _fill(building, files, own, required)
        # Of what was copied: a checkout may have changed since the digest above was taken.
        copied = [SourceFile(building / "site" / file.place, file.place) for file in files]
        manifest = _manifest(own, required, copied)
        write_private(building / MANIFEST, (json.dumps(manifest, indent=1, sort_keys=True) + "\n").encode())
        placed = _place(building, own.version, manifest["digest"], replacing=existing if force else None)
    finally:
        shutil.rmtree(building, ignore_errors=True)
    return Runtime(placed, placed.name, own.version, manifest["digest"], built=True)


def _manifest(own: Distribution, required: Iterable[Distribution], files: Iterable[SourceFile]) -> dict[str, Any]:
    manifest: dict[str, Any] = {
        "format": _FORMAT,
        "version": own.version,
        "python": python_tag(),
        "own": content_digest(files),
        "distributions": {about.name: about.version for about in map(metadata_of, required)},
    }
    return {**manifest, "digest": _digest(json.dumps(manifest, sort_keys=True).encode())}


def _itself(runtime: Path, *, force: bool) -> Runtime:
    """A runtime is whole or it is not: it cannot be made out of itself."""
    manifest = read_manifest(runtime)
    if force or manifest is None:
        raise RuntimeBuildError(
            f"agent-connector runs from {runtime}, and a runtime cannot be made out of itself",
            hint="install agent-connector-mcp (pip, pipx or uv) and run that one's `agent-connector upgrade`",
        )
    return Runtime(runtime, runtime.name, str(manifest["version"]), str(manifest["digest"]), built=False)


def python_tag() -> str:
    return (
        f"{sys.implementation.cache_tag}{getattr(sys, 'abiflags', '')}-{sys.platform}-{sys.maxsize.bit_length() + 1}"
    )


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def content_digest(files: Iterable[SourceFile]) -> str:
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
    write_private(building / FILE, make_pack(site))


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


def running_from(data_root: Path) -> Path | None:
    """The runtime this very process runs from, if it is one of ``data_root``."""
    site = Path(__file__).resolve().parents[2]
    for path in (data_root / "runtime").glob("*/site"):
        if path.resolve() == site:
            return path.parent
    return None


def neutral_rules() -> tuple[Rule, ...]:
    """The neutral replies of every host of this installation, those of other packages included."""
    rules: list[Rule] = []
    for host, module in sorted(hooks_modules().items()):
        try:
            rules += rules_of(host, load(module))
        except Exception:  # noqa: BLE001, S112 - another package's code may fail in any way; its host stays silent
            continue
    return tuple(rules)

"""Which files the installed agent-connector consists of, and which distributions it needs: what a runtime copies."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Iterator
from email.parser import HeaderParser
from functools import lru_cache
from importlib.metadata import Distribution, PackageNotFoundError, distribution, entry_points
from pathlib import Path, PurePosixPath

from ..errors import RuntimeBuildError
from ..host import HOSTS_GROUP
from ..values import frozen

DISTRIBUTION = "agent-connector-mcp"
PACKAGE = "agent_connector"
# In an editable installation that maps folders, these stand elsewhere than the package they belong to.
_PARTS = ("adapters", "mcp_server", "prompts")
_UNWANTED_SUFFIXES = (".pyc", ".pyo", "~")


@frozen
class SourceFile:
    """A file and the place it gets, relative to the runtime's ``site`` folder."""

    path: Path
    place: PurePosixPath


@frozen
class Metadata:
    """What a distribution says of itself; ``requires`` as requirement texts (``"idna>=2; extra == 'x'"``)."""

    name: str
    version: str
    requires: tuple[str, ...]


def metadata_of(source: Distribution) -> Metadata:
    """Read anew, as everything of an installation: it may be another since. What is the same is understood once."""
    text = source.read_text("METADATA")
    if text is None:  # an egg-info, which says what it requires elsewhere
        return Metadata(source.metadata["Name"], source.version, tuple(source.requires or ()))
    return _headers(text.partition("\n\n")[0])


@lru_cache(maxsize=256)
def _headers(text: str) -> Metadata:
    """``text`` without the description: ``importlib.metadata`` reads that too, for every single question."""
    headers = HeaderParser().parsestr(text)
    return Metadata(headers["Name"], headers["Version"], tuple(headers.get_all("Requires-Dist") or ()))


def own_files() -> tuple[SourceFile, ...]:
    """The files of the imported agent_connector package, from a wheel, an editable tree or a runtime; sorted."""
    files: dict[str, str] = {}
    for name in (PACKAGE, *(f"{PACKAGE}.{part}" for part in _PARTS)):
        for folder in _package_folders(name):
            for place, path in _walk(folder, name.replace(".", "/")):
                files.setdefault(place, path)
    places = sorted(files, key=lambda place: place.split("/"))
    return tuple(SourceFile(Path(files[place]), PurePosixPath(place)) for place in places)


def _package_folders(name: str) -> list[Path]:
    try:
        spec = importlib.util.find_spec(name)
    except ModuleNotFoundError:
        spec = None
    return [Path(folder) for folder in (spec.submodule_search_locations or ())] if spec else []


def _walk(folder: Path, prefix: str) -> Iterator[tuple[str, str]]:
    """Place below ``prefix`` and path of each file, as texts: every install looks at hundreds, and a ``Path`` of
    each would take longer than looking."""
    root = str(folder)
    for parent, folders, names in os.walk(root, followlinks=True):
        folders[:] = [name for name in folders if name != "__pycache__" and not name.startswith(".")]
        place = prefix + parent[len(root) :].replace(os.sep, "/")
        for name in names:
            path = parent + os.sep + name
            # A link tree of an editable installation keeps links to files that were deleted since.
            if not name.startswith(".") and not name.endswith(_UNWANTED_SUFFIXES) and os.path.isfile(path):  # noqa: PTH113
                yield f"{place}/{name}", path


def own_distribution() -> Distribution:
    """Our own metadata. Raises :class:`RuntimeBuildError` where the package runs without being installed."""
    try:
        return distribution(DISTRIBUTION)
    except PackageNotFoundError:
        raise RuntimeBuildError(
            f"{DISTRIBUTION} is not installed in the Python that runs it ({sys.executable})",
            hint="install it (pip install .), then run agent-connector from there",
        ) from None


def required_distributions() -> tuple[Distribution, ...]:
    """Every distribution ours needs on this system, those that add hosts to it, and what they need in turn; sorted
    by name. Our extras stay out.

    Raises :class:`RuntimeBuildError` where one is missing.
    """
    from packaging.utils import canonicalize_name

    found = {canonicalize_name(metadata_of(adding).name): adding for adding in _host_packages()}
    seen = {(name, "") for name in found}
    waiting: list[tuple[Distribution, frozenset[str]]] = [(own_distribution(), frozenset())]
    waiting += [(adding, frozenset()) for adding in found.values()]
    while waiting:
        owner, extras = waiting.pop()
        for required, more in _wanted(metadata_of(owner).requires, extras):
            name = canonicalize_name(required)
            wanted = {(name, extra) for extra in more} | {(name, "")}
            if wanted <= seen:
                continue
            seen |= wanted
            if name not in found:
                found[name] = _installed(required, owner)
            waiting.append((found[name], more))
    found.pop(canonicalize_name(DISTRIBUTION), None)
    return tuple(found[name] for name in sorted(found))


def _host_packages() -> list[Distribution]:
    """Distributions whose hosts are in the catalogue: without them the launcher could not undo what they hold."""
    return [entry.dist for entry in entry_points(group=HOSTS_GROUP) if entry.dist is not None]


def hooks_modules() -> dict[str, str]:
    """Host id -> the light module that knows its hook events: ``hooks``, beside the module of its description."""
    found = {}
    for entry in entry_points(group=HOSTS_GROUP):
        package = entry.module.rpartition(".")[0] or entry.module
        found[entry.name] = f"{package}.hooks"
    for folder in _package_folders(f"{PACKAGE}.adapters"):
        for file in folder.glob("*/hooks.py"):
            name = file.parent.name
            found[name.replace("_", "-")] = f"{PACKAGE}.adapters.{name}.hooks"
    return found


@lru_cache(maxsize=256)
def _wanted(requires: tuple[str, ...], extras: frozenset[str]) -> tuple[tuple[str, frozenset[str]], ...]:
    """Name and extras of each requirement that applies to this system."""
    from packaging.requirements import Requirement

    requirements = [Requirement(text) for text in requires]
    return tuple(
        (requirement.name, frozenset(requirement.extras))
        for requirement in requirements
        if requirement.marker is None or any(requirement.marker.evaluate({"extra": extra}) for extra in ("", *extras))
    )


def _installed(name: str, owner: Distribution) -> Distribution:
    try:
        return distribution(name)
    except PackageNotFoundError:
        raise RuntimeBuildError(
            f"{metadata_of(owner).name} needs {name}, which is not installed beside it",
            hint=f"install agent-connector again: pip install --upgrade {DISTRIBUTION}",
        ) from None


def metadata_files(source: Distribution) -> tuple[SourceFile, ...]:
    """The distribution's metadata alone (``*.dist-info``), without notes on where it was installed from."""
    return tuple(file for file in _recorded(source) if _is_metadata(file.place))


def distribution_files(source: Distribution) -> tuple[SourceFile, ...]:
    """The files of a required distribution that stand in its site folder: no scripts, no bytecode.

    Raises :class:`RuntimeBuildError` where none can be found.
    """
    files = _recorded(source)
    if not any(not _is_metadata(file.place) for file in files):
        # No record, as distributors' packages have it, or an editable installation: the packages themselves.
        files += _importable(source)
    if not any(not _is_metadata(file.place) for file in files):
        raise RuntimeBuildError(f"the files of {source.metadata['Name']} cannot be found")
    return files


def _is_metadata(place: PurePosixPath) -> bool:
    return place.parts[0].endswith((".dist-info", ".egg-info"))


def _recorded(source: Distribution) -> tuple[SourceFile, ...]:
    files = []
    for recorded in source.files or ():
        place = PurePosixPath(recorded.as_posix())
        if place.is_absolute() or ".." in place.parts or "__pycache__" in place.parts:
            continue
        if place.name == "direct_url.json" or (place.suffix == ".pth" and place.name.startswith("__editable__")):
            continue
        path = Path(str(source.locate_file(recorded)))
        if not place.name.endswith(_UNWANTED_SUFFIXES) and path.is_file():
            files.append(SourceFile(path, place))
    return tuple(files)


def _importable(source: Distribution) -> tuple[SourceFile, ...]:
    names = (source.read_text("top_level.txt") or source.metadata["Name"].replace("-", "_")).split()
    files = []
    for name in names:
        folders = _package_folders(name)
        for folder in folders:
            files += [SourceFile(Path(path), PurePosixPath(place)) for place, path in _walk(folder, name)]
        spec = None if folders else importlib.util.find_spec(name)
        if spec is not None and spec.origin is not None:
            files.append(SourceFile(Path(spec.origin), PurePosixPath(Path(spec.origin).name)))
    return tuple(files)

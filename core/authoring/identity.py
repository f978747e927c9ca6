"""Who a connector is: read from the package that holds it, so that authors say it once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from ..values import frozen
from .names import to_kebab
from .reading import read_json, read_toml

if TYPE_CHECKING:
    from importlib.metadata import Distribution

_PYTHON_PACKAGES = ("site-packages", "dist-packages")
_NODE_PACKAGES = "node_modules"
_SUFFIXES = ("-mcp-server", "-mcp")


@frozen
class Identity:
    """What package metadata says; empty where it says nothing. ``source`` is the file or distribution it is from."""

    name: str = ""
    mcp_name: str = ""
    version: str = ""
    scripts: tuple[str, ...] = ()
    source: str = ""

    @property
    def command(self) -> str:
        """The command users type: the script named like the connector or the package, else the first."""
        for wanted in (connector_id(self.name), bare_name(self.name)):
            if wanted in self.scripts:
                return wanted
        return self.scripts[0] if self.scripts else ""

    def over(self, other: Identity) -> Identity:
        """This identity, completed by another one."""
        return Identity(
            name=self.name or other.name,
            mcp_name=self.mcp_name or other.mcp_name,
            version=self.version or other.version,
            scripts=self.scripts or other.scripts,
            source=self.source or other.source,
        )


def bare_name(package: str) -> str:
    """The package name without npm scope or registry namespace."""
    return package.rsplit("/", 1)[-1]


def connector_id(package: str) -> str:
    """``@acme/acme-db-mcp`` -> ``acme-db``; empty where nothing usable is left."""
    name = to_kebab(bare_name(package))
    for suffix in _SUFFIXES:
        if name.endswith(suffix) and len(name) > len(suffix):
            return name.removesuffix(suffix)
    return name


def find_identity(folder: Path, *, home: PurePath | None = None) -> Identity:
    """The identity of the package around ``folder``.

    The nearest folder that has metadata counts, up to the root of the repository, or below ``home`` where there is
    no repository. pyproject.toml goes before package.json and is completed by it. In an installed package its own
    metadata counts, never that of a project whose environment it is installed in. Raises
    :class:`ConnectorConfigError` for a metadata file that does not parse.
    """
    folder = folder.absolute()
    environment = next((parent for parent in (folder, *folder.parents) if parent.name in _PYTHON_PACKAGES), None)
    if environment is not None:
        return _installed_identity(environment, folder)
    for candidate in _up_to_root(folder, home):
        identity = _from_pyproject(candidate / "pyproject.toml").over(_from_package_json(candidate / "package.json"))
        if identity.name or identity.mcp_name:
            return identity
    return Identity()


def distribution_identity(distribution: str) -> Identity:
    """The identity of an installed distribution. Raises :class:`importlib.metadata.PackageNotFoundError`."""
    from importlib.metadata import distribution as find

    return _of_distribution(find(distribution))


def _installed_identity(environment: Path, folder: Path) -> Identity:
    """The identity of the distribution that put files into ``folder`` of an environment."""
    from importlib.metadata import distributions

    inside = f"{folder.relative_to(environment).as_posix()}/"
    owners = [
        _of_distribution(found)
        for found in distributions(path=[str(environment)])
        if any(line.startswith(inside) for line in (found.read_text("RECORD") or "").splitlines())
    ]
    return min(owners, key=lambda owner: owner.name, default=Identity())


def _of_distribution(found: Distribution) -> Identity:
    name = found.metadata["Name"]
    scripts = tuple(point.name for point in found.entry_points if point.group == "console_scripts")
    return Identity(name=name, version=found.version, scripts=scripts, source=name)


def _up_to_root(folder: Path, home: PurePath | None) -> Iterator[Path]:
    for candidate in (folder, *folder.parents):
        if (candidate == home and candidate != folder) or candidate.name == _NODE_PACKAGES:
            return
        yield candidate
        if (candidate / ".git").exists():
            return


def _from_pyproject(path: Path) -> Identity:
    project = _table(path, read_toml).get("project")
    if not isinstance(project, Mapping):
        return Identity()
    scripts = project.get("scripts")
    return Identity(
        name=_text(project.get("name")),
        version=_text(project.get("version")),
        scripts=tuple(scripts) if isinstance(scripts, Mapping) else (),
        source=str(path),
    )


def _from_package_json(path: Path) -> Identity:
    package = _table(path, read_json)
    name, binaries = _text(package.get("name")), package.get("bin")
    if isinstance(binaries, str):  # npm: one command, named like the package
        binaries = {bare_name(name): binaries}
    return Identity(
        name=name,
        mcp_name=_text(package.get("mcpName")),
        version=_text(package.get("version")),
        scripts=tuple(binaries) if isinstance(binaries, Mapping) else (),
        source=str(path) if package else "",
    )


def _table(path: Path, read: Callable[[Path], Any]) -> Mapping[str, Any]:
    value = read(path) if path.is_file() else {}
    return value if isinstance(value, Mapping) else {}


def _text(value: Any) -> str:
    return value.strip() if isinstance(value, str) else ""

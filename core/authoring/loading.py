"""Finding and reading a definition file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from .raw import Definition
from .reading import READERS, read_toml, unreadable

STEM = "agent-connector.config"
FILE_NAMES = tuple(f"{STEM}{suffix}" for suffix in (".py", ".toml", ".yaml", ".yml", ".json"))
"""In the order in which they count where a folder has several."""
PYPROJECT = "pyproject.toml"
TABLE = "agent-connector"
"""``[tool.agent-connector]`` in pyproject.toml."""


def find_definition(start: Path) -> Path | None:
    """The definition file of ``start`` or of the nearest folder above it."""
    start = start.absolute()
    for folder in (start, *start.parents):
        for name in FILE_NAMES:
            if (folder / name).is_file():
                return folder / name
        if _has_table(folder / PYPROJECT):
            return folder / PYPROJECT
    return None


def executes_code(path: Path) -> bool:
    """Whether loading this definition runs its author's code (so that consent can be asked first)."""
    return path.suffix.lower() == ".py"


def load_definition(path: Path) -> Definition:
    """The definition in a file, or in the nearest one of a folder; not yet checked.

    A ``.py`` file is run. Raises :class:`ConnectorConfigError` with file, line and column for a file that is not
    there, does not parse, fails when run, or holds no definition.
    """
    path = path.absolute()
    if path.is_dir():
        found = find_definition(path)
        if found is None:
            raise unreadable(path, "has no definition", hint=f"create {FILE_NAMES[0]} or {FILE_NAMES[1]} there")
        path = found
    if not path.is_file():
        raise unreadable(path, "does not exist")
    if executes_code(path):
        from .python_file import load_python

        return load_python(path)
    reader = READERS.get(path.suffix.lower())
    if reader is None:
        raise unreadable(path, "is not a definition", hint=f"a definition is a {', '.join(['.py', *READERS])} file")
    value = reader(path)
    if path.name == PYPROJECT:
        tool = value.get("tool")
        value = tool.get(TABLE) if isinstance(tool, Mapping) else None
        if value is None:
            raise unreadable(path, f"has no [tool.{TABLE}] table")
    if not isinstance(value, Mapping):
        raise unreadable(path, "must hold one object (a table of keys)")
    return Definition(dict(value), str(path))


def _has_table(path: Path) -> bool:
    # A project's file without our table is none of our business, even if it does not parse.
    if not path.is_file() or TABLE.encode() not in path.read_bytes():
        return False
    tool = read_toml(path).get("tool")
    return isinstance(tool, Mapping) and TABLE in tool

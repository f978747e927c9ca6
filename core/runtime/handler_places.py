"""Where the code of a connector's handlers stands, found without running any of it. Used at install."""

from __future__ import annotations

import ast
import os
import sys
import sysconfig
from collections.abc import Iterable, Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..values import frozen
from .author import python_tag

if TYPE_CHECKING:
    from ..authoring.handlers import PythonHandler


@frozen
class Place:
    """``handler`` as a hook record has it. ``folders`` must be importable for it; ``problem`` is ``""`` where all is
    well."""

    handler: dict[str, Any]
    file: str = ""
    folders: tuple[str, ...] = ()
    problem: str = ""


def python_record(folders: Iterable[str], data_root: Path) -> dict[str, Any]:
    """The interpreter that runs this, as a hook record names it."""
    return {
        "executable": sys.executable,
        "base": getattr(sys, "_base_executable", "") or sys.executable,
        "version": f"{sys.version_info[0]}.{sys.version_info[1]}",
        "tag": python_tag(),
        "folders": list(dict.fromkeys(folders)),
        "path": search_path(data_root),
    }


def search_path(data_root: Path) -> list[str]:
    """The environment's part of the module search path, with everything its ``.pth`` files added: absolute folders
    and archives, without the standard library, the running script's folder and what is ours."""
    library = {sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), sysconfig.get_config_var("DESTSHARED")}
    library |= {str(Path(folder, "lib-dynload")) for folder in library if folder}
    script = os.path.dirname(os.path.abspath(sys.argv[0])) if sys.argv and sys.argv[0] else ""  # noqa: PTH100, PTH120
    kept = []
    for entry in sys.path:
        path = Path(entry)
        ours = path.is_relative_to(data_root)
        archive = path.suffix == ".zip" and path.name.startswith("python")
        if path.is_absolute() and path.exists() and not (ours or archive or entry in library or entry == script):
            kept.append(entry)
    return kept


def place_at(handler: PythonHandler, source: str, where: Mapping[str, Any]) -> Place:
    """``source``: the definition's file (empty: given in place). ``where``: how a handler that stands in the
    definition itself is found there again (see :mod:`.handlers`)."""
    folder = str(Path(source).parent) if source else ""
    if handler.reference:
        return _referenced(handler.reference, folder)
    if not source:
        return Place({}, problem="stands in a definition that has no file")
    module = _imported_as(source)
    place = {
        "file": source,
        **({"module": module} if module else {}),
        **where,
        **({"qualname": handler.qualname} if handler.qualname.isidentifier() else {}),
    }
    root = _root_of(source, module) if module else folder
    return Place(place, source, (root,), "" if Path(source).is_file() else f"stands in {source}, which is gone")


def _referenced(reference: str, folder: str) -> Place:
    where, _, name = reference.rpartition(":")
    if where.endswith(".py"):
        return _in_file(where, name, folder)
    return _in_module(where, name, folder)


def _in_file(where: str, name: str, folder: str) -> Place:
    if not folder and not Path(where).is_absolute():
        return Place({}, problem=f"names {where}, but the definition has no folder it could count from")
    file = os.path.normpath(Path(folder, where))
    folders = tuple(dict.fromkeys(filter(None, (folder, str(Path(file).parent)))))
    return Place({"file": file, "name": name}, file, folders, static_fault(file, name))


def _in_module(module: str, name: str, folder: str) -> Place:
    folders = [folder] if folder else []
    file, root = find_module(module, folders)
    place = {"module": module, "file": file, "name": name}
    if not file:
        where = f"{folder} or " if folder else ""
        return Place(place, "", tuple(folders), f"no module {module} in {where}the environment of {sys.executable}")
    return Place(place, file, tuple(filter(None, [*folders, root])), static_fault(file, name))


def find_module(name: str, folders: Sequence[str]) -> tuple[str, str]:
    """(file of the module, folder that must be added to the search path for it), both ``""`` where it is not found.

    Packages above it are not imported: finding must not run anybody's code.
    """
    parts = name.split(".")
    spec: ModuleSpec | None = PathFinder.find_spec(parts[0], [*folders, *sys.path])
    root = ""
    if spec is None:
        spec = _found_by_others(parts[0])
        root = _parent_of(spec) if spec else ""
    for depth in range(2, len(parts) + 1):
        locations = list(spec.submodule_search_locations or ()) if spec else []
        spec = PathFinder.find_spec(".".join(parts[:depth]), locations) if locations else None
    if spec is None or not spec.has_location or not spec.origin:
        return "", ""
    return spec.origin, root


def _found_by_others(name: str) -> ModuleSpec | None:
    """Editable installations may have a finder of their own, which a hook process does without."""
    for finder in sys.meta_path:
        find = getattr(finder, "find_spec", None)
        if find is None or finder is PathFinder:
            continue
        spec: ModuleSpec | None = find(name, None, None)
        if spec is not None and spec.has_location:
            return spec
    return None


def _parent_of(spec: ModuleSpec) -> str:
    """The folder in which the module is found by its own name, or ``""`` where it is in none."""
    path = Path(spec.origin or "")
    path = path.parent if path.name == "__init__.py" else path
    return str(path.parent) if path.stem == spec.name else ""


def _imported_as(source: str) -> str:
    """The name under which the definition's file is imported, where it is part of a package: its imports may be
    relative, so it cannot be run as a file."""
    for name, module in list(sys.modules.items()):
        if getattr(module, "__file__", None) == source and "." in name and getattr(module, "__package__", ""):
            return name
    return ""


def _root_of(source: str, module: str) -> str:
    path = Path(source)
    depth = module.count(".") + (path.name == "__init__.py")
    return str(path.parents[depth]) if depth < len(path.parents) else ""


def static_fault(file: str, name: str) -> str:
    """Why the function could not be there, by a look at the file; ``""`` in doubt. ``name``: ``""`` for one that has
    none, in a file that must be Python at least."""
    try:
        tree = ast.parse(Path(file).read_bytes(), file)
    except FileNotFoundError:
        return f"{file} does not exist"
    except OSError as error:
        return f"{file} cannot be read: {error.strerror}"
    except (SyntaxError, ValueError) as error:
        return f"{file} is not valid Python: {error}"
    first = name.split(".")[0]
    return "" if not first or _may_bind(tree, first) else f"{file} defines no {first}"


def _may_bind(tree: ast.Module, name: str) -> bool:
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef() if node.name == name:
                return True
            case ast.Name(id=found, ctx=ast.Store()) if found == name:
                return True
            case ast.alias() if (node.asname or node.name.split(".")[0]) in (name, "*"):
                return True
            case ast.FunctionDef(name="__getattr__"):
                return True
    return False

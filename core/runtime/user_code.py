"""Loading an author's Python: his folders on the path, bytecode of it in our data root, nothing beside his files.

``importlib.util`` costs two thirds of an interpreter's start, so the loader is taken from where the interpreter
itself has it; that place is private to CPython, and ``importlib.machinery`` is the same by its public name.
"""

from __future__ import annotations

import sys

from .process import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable
    from importlib.machinery import FileFinder, SourceFileLoader
    from types import ModuleType
    from typing import Any
else:
    try:
        from _frozen_importlib_external import FileFinder, SourceFileLoader
    except ImportError:
        from importlib.machinery import FileFinder, SourceFileLoader

BYTECODE = "cache/handlers"
"""Where bytecode of authors' code is kept, below the data root."""
_BYTECODE_SUFFIX = ".pyc"

_compiled: list[tuple[str, bytes]] = []
"""What was compiled in this process because it was new or had changed: (file, source)."""


class Loader(SourceFileLoader):
    """Reads bytecode from our folder, or where the interpreter would look; writes it to ours alone."""

    folder = ""

    def get_data(self, path: str) -> bytes:
        if path.endswith(_BYTECODE_SUFFIX):
            try:
                return super().get_data(_kept_at(self.folder, path))
            except OSError:
                pass
        return super().get_data(path)

    def source_to_code(self, data: Any, path: Any, **more: Any) -> Any:  # type: ignore[override]  # static there
        _compiled.append((path, bytes(data)))
        return super().source_to_code(data, path, **more)

    def _cache_bytecode(self, _source_path: str, bytecode_path: str, data: bytes) -> None:
        if self.folder:
            _keep(_kept_at(self.folder, bytecode_path), data)


def _kept_at(folder: str, path: str) -> str:
    """``folder`` followed by the path, without the colon of a drive."""
    path = path.replace("\\", "/").replace(":", "")
    return f"{folder}/{path.lstrip('/')}"


def _keep(path: str, data: bytes) -> None:
    try:
        _make_folders(path[: path.rindex("/")])
        temporary = f"{path}.{system.getpid()}"
        descriptor = system.open(temporary, system.O_WRONLY | system.O_CREAT | system.O_EXCL, 0o600)
        try:
            while data:
                data = data[system.write(descriptor, data) :]
        finally:
            system.close(descriptor)
        system.replace(temporary, path)
    except OSError:  # it is compiled again next time
        pass


def _make_folders(folder: str) -> None:
    try:
        system.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    except FileNotFoundError:
        _make_folders(folder[: folder.rindex("/")])
        system.mkdir(folder, 0o700)


def prepare_imports(folders: Iterable[str], search_path: Iterable[str], data_root: str) -> None:
    """Make importable what an author's code imports: his own folders first, then the interpreter's library, then
    ``search_path`` (his environment's), then what was importable before."""
    kept = f"{data_root}/{BYTECODE}"
    Loader.folder = kept
    ours, library = sys.path[:1], sys.path[1:]
    sys.path[:] = dict.fromkeys([*folders, *library, *search_path, *ours])
    # The launcher starts us with -B: it is for the folders that are not ours, and those are not written to.
    sys.dont_write_bytecode = False
    sys.path_hooks.insert(0, FileFinder.path_hook((Loader, [".py"]), *_extension_suffixes()))
    sys.path_importer_cache.clear()


def _extension_suffixes() -> list[tuple[Any, list[str]]]:
    """How extension modules are found, and packages that consist of bytecode alone."""
    for finder in sys.path_importer_cache.values():
        loaders = getattr(finder, "_loaders", None)
        if loaders:
            others: dict[Any, list[str]] = {}
            for suffix, loader in loaders:
                if suffix != ".py":
                    others.setdefault(loader, []).append(suffix)
            return list(others.items())
    from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader

    return [(ExtensionFileLoader, EXTENSION_SUFFIXES)]


def compile_only(file: str, data_root: str) -> None:
    """Keep the file's bytecode without running it. Raises ``OSError``, ``SyntaxError``, ``ValueError``."""
    writing, sys.dont_write_bytecode = sys.dont_write_bytecode, False
    Loader.folder = f"{data_root}/{BYTECODE}"
    try:
        Loader("_", file).get_code("_")
    finally:
        sys.dont_write_bytecode = writing
        _compiled.clear()


def run_file(file: str, name: str) -> dict[str, Any]:
    """Run a Python file as a module called ``name``; its names and values."""
    loader = Loader(name, file)
    code: Any = loader.get_code(name)
    module: ModuleType = type(sys)(name)
    module.__file__ = file
    module.__loader__ = loader
    sys.modules[name] = module  # dataclasses and pickle look their module up
    exec(code, module.__dict__)  # noqa: S102 - the point of a handler in Python
    return module.__dict__


def import_module(name: str) -> dict[str, Any]:
    __import__(name)
    return sys.modules[name].__dict__


def compiled_now(file: str) -> bytes | None:
    """The source of ``file`` if it had to be compiled in this process."""
    return next((source for path, source in _compiled if path == file), None)


def digest(data: bytes) -> str:
    """SHA-256 in hex, without the size of ``hashlib``."""
    for name in ("_sha2", "_sha256", "hashlib"):  # as 3.12 has it, as 3.11 has it, and where it is public
        try:
            return str(__import__(name).sha256(data).hexdigest())
        except ImportError:
            pass
    raise ImportError("no SHA-256")

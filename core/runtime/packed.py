"""Loads modules out of a pack (see :mod:`.pack`). Its code is what a pack begins with; nothing imports it by name.

Finding a module in the file system costs a fifth of a millisecond, and a hook process has twenty of them. For the
same reason this one does without ``__future__``, which is in the pack like the others.
"""

import sys
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    import posix as system
    from importlib.machinery import ExtensionFileLoader, ModuleSpec
    from types import ModuleType

    MODULES: dict[str, tuple[bool, str, bytes | tuple[int, int]]] = {}
    """Name -> (whether it is a package, its file below the runtime's ``site``, its code, or where that stands behind
    the head and how long it is); for an extension module the file's full path, and no code."""
    BASE = ""
    """The runtime's folder, with a slash behind it."""
    PACK = ""
    BEHIND = 0
    """Where the head of the pack ends."""
else:
    from _frozen_importlib import ModuleSpec
    from _frozen_importlib_external import ExtensionFileLoader

    if sys.platform == "win32":
        import nt as system
    else:
        import posix as system


class Finder:
    """What stands in the pack is loaded from there, everything else as ever."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> "ModuleSpec | None":
        del path, target
        found = MODULES.get(name)
        if found is None:
            return None
        is_package, file, kept = found
        code = kept if isinstance(kept, bytes) else _behind(*kept)
        if code is None:
            return None
        MODULES[name] = is_package, file, code
        if not code:
            return _extension(name, file)
        spec = ModuleSpec(name, self, origin=f"{BASE}site/{file}", is_package=is_package)  # type: ignore[arg-type]
        if is_package:
            assert spec.submodule_search_locations is not None
            spec.submodule_search_locations.append(f"{BASE}site/{file}"[: -len("/__init__.py")])
        return spec

    def create_module(self, spec: "ModuleSpec") -> None:
        del spec

    def exec_module(self, module: "ModuleType") -> None:
        _, file, code = MODULES[module.__name__]
        assert isinstance(code, bytes)
        module.__file__ = f"{BASE}site/{file}"
        exec(loads(code), module.__dict__)  # noqa: S102, S302 - our own bytecode, made with the runtime


def _behind(start: int, length: int) -> "bytes | None":
    """What stands behind the head; ``None`` where the pack is cut off, or gone."""
    try:
        with open(PACK, "rb", 0) as pack:  # noqa: PTH123 - pathlib costs as much as the whole start
            pack.seek(BEHIND + start)
            data = pack.read(length)
    except OSError:
        return None
    return data if len(data) == length else None


def _extension(name: str, file: str) -> "ModuleSpec | None":
    """A library's extension module where it stood when the runtime was made: looking for it costs three listings."""
    try:
        system.stat(file)
    except OSError:
        return None
    return ModuleSpec(name, ExtensionFileLoader(name, file), origin=file)


sys.meta_path.insert(0, Finder())

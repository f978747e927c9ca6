"""Loads modules out of a pack (see :mod:`.pack`). Its code is what a pack begins with; nothing imports it by name.

Finding a module in the file system costs a fifth of a millisecond, and a hook process has twenty of them; even here
the import system takes thirty microseconds to come to its answer. So a module is loaded with all that it imports, in
one read, and what it imports stands in ``sys.modules`` before it asks. For the same reason this one does without
``__future__``, which is in the pack like the others.
"""

import sys
from marshal import loads

TYPE_CHECKING = False
if TYPE_CHECKING:
    import posix as system
    from importlib.machinery import ExtensionFileLoader, ModuleSpec
    from types import CodeType, ModuleType

    BUNDLES: dict[str, tuple[int, int]] = {}
    """Name -> where behind the head its bundle stands, and how long it is. A bundle is a marshalled tuple: name,
    whether it is a package, file below the runtime's ``site``, and code of each module, the one it is for last."""
    EXTENSIONS: dict[str, str] = {}
    """Modules of the library that are files of their own -> where these stood when the runtime was made: looking for
    one costs three listings."""
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

Module = type(sys)


class Finder:
    """What stands in the pack is loaded from there, everything else as ever."""

    def find_spec(self, name: str, path: object = None, target: object = None) -> "ModuleSpec | None":
        del path, target
        if name in EXTENSIONS:
            return _extension(name, EXTENSIONS[name])
        bundle = _bundle(*BUNDLES[name]) if name in BUNDLES else None
        if not bundle:
            return None
        *before, wanted = bundle
        for name, is_package, file, code in before:
            if name not in sys.modules:
                self.load(self.spec_of(name, is_package, file, code))
        return self.spec_of(*wanted)

    def spec_of(self, name: str, is_package: bool, file: str, code: "CodeType") -> "ModuleSpec":  # noqa: FBT001
        spec = ModuleSpec(
            name,
            self,  # type: ignore[arg-type]
            origin=f"{BASE}site/{file}",
            loader_state=code,
            is_package=is_package,
        )
        if spec.submodule_search_locations is not None:
            spec.submodule_search_locations.append(f"{BASE}site/{file}"[: -len("/__init__.py")])
        return spec

    def load(self, spec: "ModuleSpec") -> None:
        """What the import system does with a module's spec, where its package is loaded already."""
        module = Module(spec.name)
        module.__spec__, module.__loader__, module.__package__ = spec, spec.loader, spec.parent
        if spec.submodule_search_locations is not None:
            module.__path__ = spec.submodule_search_locations
        sys.modules[spec.name] = module
        try:
            self.exec_module(module)
        except BaseException:
            del sys.modules[spec.name]
            raise
        package, _, own_name = spec.name.rpartition(".")
        if package:
            setattr(sys.modules[package], own_name, module)

    def create_module(self, spec: "ModuleSpec") -> None:
        del spec

    def exec_module(self, module: "ModuleType") -> None:
        spec = module.__spec__
        assert spec is not None
        assert spec.origin is not None
        module.__file__ = spec.origin
        exec(spec.loader_state, module.__dict__)  # noqa: S102 - our own bytecode, made with the runtime


def _bundle(start: int, length: int) -> "tuple[tuple[str, bool, str, CodeType], ...]":
    """Nothing where the pack is cut off, or gone. It is opened anew: what is open, an author's code may close."""
    try:
        with open(PACK, "rb", 0) as pack:  # noqa: PTH123 - pathlib costs as much as the whole start
            pack.seek(BEHIND + start)
            data = pack.read(length)
    except OSError:
        return ()
    found: tuple[tuple[str, bool, str, CodeType], ...] = loads(data) if len(data) == length else ()  # noqa: S302
    return found


def _extension(name: str, file: str) -> "ModuleSpec | None":
    try:
        system.stat(file)
    except OSError:
        return None
    return ModuleSpec(name, ExtensionFileLoader(name, file), origin=file)


sys.meta_path.insert(0, Finder())

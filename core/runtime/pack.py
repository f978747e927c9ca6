"""The pack: bytecode of everything a hook or a statusline process may load, in one file.

A pack is the interpreter's magic number, the length of its head in four bytes, the head, and the bundles. The head is
the code of :mod:`.packed` and where the bundles stand; a bundle is a module with all it imports, so that a process
reads what it needs in three or four pieces and pays neither for hosts it was not called by nor for handlers that are
not there. Where there is no pack, or one of another Python, the same modules are found in the runtime's ``site``.
"""

from __future__ import annotations

import ast
import importlib.util
import marshal
from collections.abc import Iterator
from importlib.util import MAGIC_NUMBER
from pathlib import Path
from types import CodeType

FILE = "entry/pack"
"""Relative to the runtime."""
LENGTH_BYTES = 4
START_BYTES = len(MAGIC_NUMBER) + LENGTH_BYTES

_CORE = (
    "",
    "response",
    "runtime",
    *(
        f"runtime.{name}"
        for name in (
            "answers",
            "appending",
            "author",
            "broken",
            "caller",
            "commands",
            "dispatch",
            "errand",
            "event",
            "handlers",
            "hook",
            "hook_log",
            "host_context",
            "jsontext",
            "limits",
            "matching",
            "native",
            "neutral",
            "outline",
            "own_files",
            "process",
            "programs",
            "reply",
            "spool",
            "standby",
            "statusline",
            "user_code",
        )
    ),
    # What a handler's file imports of us.
    "authoring",
    "authoring.api",
    "authoring.raw",
    "authoring.shapes",
)
_PACKAGE = "agent_connector"
_ADAPTERS = f"{_PACKAGE}.adapters"

_VERBS = ("runtime.hook", "runtime.statusline")
"""One of the two is loaded before anything else is asked for."""
_SOON = {
    "runtime.hook": ("runtime.dispatch", "runtime.caller", "runtime.matching", "runtime.spool"),
    "runtime.handlers": ("authoring.api", "authoring.shapes"),
}
"""What a module all but always imports while it works: it stands in its bundle as if it did so at its top."""


def make_pack(site: Path) -> bytes:
    """The pack of the package in ``site``, for the Python that runs this. Raises ``OSError``, ``SyntaxError``."""
    names = dict.fromkeys([*map(_full, _CORE), *_of_hosts(site)])
    modules = {name: _module(site, name) for name in names} | {"__future__": _future()}
    imports = {name: [found for found in _imported(site, name) if found in names] for name in names}
    for name, soon in _SOON.items():
        imports[_full(name)] += map(_full, soon)
    verbs = [_full(verb) for verb in _VERBS]
    loaded_at_first = set(_loaded_by(verbs[0], imports)).intersection(*(_loaded_by(verb, imports) for verb in verbs))

    places: dict[str, tuple[int, int]] = {}
    bundles = b""
    for name in modules:
        there = set() if name in verbs else loaded_at_first - {name}
        bundle = marshal.dumps(tuple(modules[found] for found in _loaded_by(name, imports) if found not in there))
        places[name] = (len(bundles), len(bundle))
        bundles += bundle
    finder = f"{_PACKAGE}/runtime/packed.py"
    head = marshal.dumps((_compiled(site / finder, finder), places, _extensions()))
    return MAGIC_NUMBER + len(head).to_bytes(LENGTH_BYTES, "little") + head + bundles


def _full(name: str) -> str:
    return f"{_PACKAGE}.{name}" if name else _PACKAGE


def _module(site: Path, name: str) -> tuple[str, bool, str, CodeType]:
    place = _place_of(site, name)
    return name, place.endswith("/__init__.py"), place, _compiled(site / place, place)


def _loaded_by(name: str, imports: dict[str, list[str]]) -> Iterator[str]:
    """What is loaded when a module is imported, each behind what it imports, and itself last."""
    loaded: dict[str, None] = {}

    def load(name: str, waiting: tuple[str, ...]) -> None:
        if name in loaded or name in waiting:
            return
        package = name.rpartition(".")[0]
        for wanted in [*([package] if package else []), *imports.get(name, ())]:
            load(wanted, (*waiting, name))
        loaded[name] = None

    load(name, ())
    yield from loaded


def _extensions() -> dict[str, str]:
    scanner = importlib.util.find_spec("_json")
    return {"_json": scanner.origin} if scanner is not None and scanner.has_location and scanner.origin else {}


def _place_of(site: Path, name: str) -> str:
    path = name.replace(".", "/")
    return f"{path}/__init__.py" if (site / path).is_dir() else f"{path}.py"


def _compiled(path: Path, shown_as: str) -> CodeType:
    """Without docstrings, asserts, what is for type checkers, and the import behind ``from __future__``, which has
    done its work when a module is compiled: all of it would be paid on every call."""
    tree = ast.parse(path.read_bytes(), shown_as)
    postponed = any(map(_is_of_the_future, tree.body))
    tree.body = [kept for node in tree.body for kept in _at_run_time(node)]
    flags = annotations.compiler_flag if postponed else 0
    code: CodeType = compile(tree, shown_as, "exec", flags, dont_inherit=True, optimize=2)
    return code


def _at_run_time(node: ast.stmt) -> list[ast.stmt]:
    if _is_of_the_future(node):
        return []
    if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
        return node.orelse
    return [node]


def _is_of_the_future(node: ast.stmt) -> bool:
    return isinstance(node, ast.ImportFrom) and node.module == "__future__"


def _future() -> tuple[str, bool, str, CodeType]:
    """Authors' modules import it, and it is the only one of the library's that costs a search."""
    spec = importlib.util.find_spec("__future__")
    assert spec is not None
    assert spec.origin is not None
    return "__future__", False, "__future__.py", _compiled(Path(spec.origin), "__future__.py")


def _of_hosts(site: Path) -> Iterator[str]:
    """The light modules of our hosts, and what they import of their own kind."""
    waiting = [
        f"{_ADAPTERS}.{path.parent.name}.{path.stem}"
        for name in ("hooks.py", "statusline.py")
        for path in sorted((site / _PACKAGE).glob(f"adapters/*/{name}"))
    ]
    seen: set[str] = set()
    while waiting:
        name = waiting.pop()
        if name in seen or not name.startswith(_ADAPTERS) or not (site / _place_of(site, name)).is_file():
            continue
        seen.add(name)
        waiting.append(name.rpartition(".")[0])
        waiting += _imported(site, name)
    yield from sorted(seen)


def _imported(site: Path, name: str) -> Iterator[str]:
    """The modules a module imports when it is loaded, those of ``from … import module`` included."""
    path = site / _place_of(site, name)
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.parse(path.read_bytes()).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)

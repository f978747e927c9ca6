"""The pack: bytecode of everything a hook or a statusline process may load, in one file.

A pack is the interpreter's magic number, the length of its head in four bytes, the head, and what is rarely needed.
The head, which is read at once, is a marshalled pair: the code of :mod:`.packed`, and the modules by name. Modules
stay marshalled until they are imported; those of single hosts stand behind the head, so that a process pays for its
own host and not for all there are. Where there is no pack, or one of another Python, the same modules
are found in the runtime's ``site``.
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
_FAMILIES = f"{_ADAPTERS}.families"


def make_pack(site: Path) -> bytes:
    """The pack of the package in ``site``, for the Python that runs this. Raises ``OSError``, ``SyntaxError``."""
    names = [".".join(filter(None, (_PACKAGE, name))) for name in _CORE]
    modules: dict[str, tuple[bool, str, bytes | tuple[int, int]]] = {}
    behind = b""
    for name in dict.fromkeys([*names, *_of_hosts(site)]):
        place = _place_of(site, name)
        code = _compiled(site / place, place)
        data = marshal.dumps(code)
        of_one_host = name.startswith(_ADAPTERS + ".") and not name.startswith(_FAMILIES)
        modules[name] = (place.endswith("/__init__.py"), place, (len(behind), len(data)) if of_one_host else data)
        behind += data if of_one_host else b""
    modules["__future__"] = (False, "__future__.py", marshal.dumps(_future()))
    scanner = importlib.util.find_spec("_json")
    if scanner is not None and scanner.has_location and scanner.origin:
        modules["_json"] = (False, scanner.origin, b"")
    finder = f"{_PACKAGE}/runtime/packed.py"
    head = marshal.dumps((_compiled(site / finder, finder), modules))
    return MAGIC_NUMBER + len(head).to_bytes(LENGTH_BYTES, "little") + head + behind


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


def _future() -> CodeType:
    """Authors' modules import it, and it is the only one of the library's that costs a search."""
    spec = importlib.util.find_spec("__future__")
    assert spec is not None
    assert spec.origin is not None
    return _compiled(Path(spec.origin), "__future__.py")


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
        waiting += _imported(site / _place_of(site, name), name)
    yield from sorted(seen)


def _imported(path: Path, name: str) -> Iterator[str]:
    """The modules a module imports when it is loaded, those of ``from … import module`` included."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.parse(path.read_bytes()).body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = importlib.util.resolve_name("." * node.level + (node.module or ""), package)
            yield base
            yield from (f"{base}.{alias.name}" for alias in node.names)

"""Running a definition that is Python, without leaving traces in this process or beside the file."""

from __future__ import annotations

import contextlib
import hashlib
import sys
import threading
import traceback
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import ConnectorConfigError
from .raw import Definition
from .reading import unreadable

_PREFERRED = ("connector", "definition")
_ONE_AT_A_TIME = threading.RLock()


def load_python(path: Path) -> Definition:
    """Run the file and take its definition: ``connector``, ``definition``, or the only one there is.

    Raises :class:`ConnectorConfigError` with file and line.
    """
    with _ONE_AT_A_TIME:
        namespace = _run(path)
    definitions = {name: value for name, value in namespace.items() if isinstance(value, Definition)}
    for name in _PREFERRED:
        if name in definitions:
            return Definition(definitions[name].raw, str(path))
    different = {id(value): value for value in definitions.values()}
    if len(different) == 1:
        return Definition(next(iter(different.values())).raw, str(path))
    hint = "write connector = define_connector(…)"
    if different:
        raise unreadable(
            path, f"has several definitions ({', '.join(definitions)}) and none called connector", hint=hint
        )
    raise unreadable(path, "defines no connector", hint=hint)


def _run(path: Path) -> dict[str, Any]:
    digest = hashlib.sha256(str(path).encode("utf-8", "surrogatepass")).hexdigest()[:12]
    module = types.ModuleType(f"_agent_connector_definition_{digest}")
    module.__file__ = str(path)
    try:
        code = compile(path.read_bytes(), str(path), "exec", dont_inherit=True)
    except SyntaxError as fault:
        raise unreadable(path, f"is not valid Python: {fault.msg}", fault.lineno or 0, fault.offset or 0) from fault
    except (OSError, ValueError) as fault:
        raise unreadable(path, f"cannot be read: {fault}") from fault
    # A definition that prints must not disturb a protocol on our stdout.
    with _import_state(path.parent, module), contextlib.redirect_stdout(sys.stderr):
        try:
            exec(code, module.__dict__)  # noqa: S102  the point of a definition in Python
        except ConnectorConfigError:
            raise
        except (Exception, SystemExit) as fault:
            from ..masking import mask

            reason = f"failed: {type(fault).__name__}: {mask(str(fault))}"
            raise unreadable(path, reason, _line_in(fault, path)) from fault
    return module.__dict__


@contextlib.contextmanager
def _import_state(folder: Path, module: types.ModuleType) -> Iterator[None]:
    """The folder importable while the file runs; afterwards its modules are forgotten and nothing was compiled.

    Modules of the same name in the next definition's folder must be that folder's.
    """
    before, path, no_bytecode = set(sys.modules), list(sys.path), sys.dont_write_bytecode
    sys.modules[module.__name__] = module
    sys.path.insert(0, str(folder))
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.path[:] = path
        sys.dont_write_bytecode = no_bytecode
        for name in set(sys.modules) - before:
            if name == module.__name__ or _is_neighbour(name, folder):
                del sys.modules[name]


def _is_neighbour(name: str, folder: Path) -> bool:
    """Whether the module was found through ``folder`` itself, not through an environment that lies below it."""
    expected = folder.joinpath(*name.split("."))
    file = getattr(sys.modules[name], "__file__", None)
    if isinstance(file, str):
        return Path(file).parent in (expected, expected.parent)
    return str(expected) in getattr(sys.modules[name], "__path__", ())  # a package without __init__.py


def _line_in(fault: BaseException, path: Path) -> int:
    """The last line of the definition that was running."""
    lines = [frame.lineno for frame in traceback.extract_tb(fault.__traceback__) if frame.filename == str(path)]
    return (lines[-1] or 0) if lines else 0

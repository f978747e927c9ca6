"""Calling a connector's Python handlers: in this process, with its output out of the host's way.

A handler is found by where it stands, as the record has it: ``file`` with ``event``, ``index`` and ``host`` for a
hook that a definition in Python holds, ``file`` with ``at`` for other code in it (``["actions", id, "run"]``),
``file`` or ``module`` with ``name`` for one that a definition refers to.
"""

from __future__ import annotations

import gc
import sys

from .process import heard_at, leave
from .user_code import import_module, prepare_imports, run_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

FAREWELL_SECONDS = 1.0
"""What a handler's exit functions may take, after the reply was given."""
MODULE = "_agent_connector_handler"
_PREFERRED = ("connector", "definition")


class UnloadableError(Exception):
    """A handler is not where the record says, or its module fails."""

    def __init__(self, cause: BaseException) -> None:
        super().__init__(str(cause))
        self.cause = cause


_loaded: dict[str, dict[str, Any]] = {}
_prepared: list[bool] = []


def prepare(python: dict[str, Any], data_root: str) -> None:
    """Make the author's environment importable, once per process. ``python``: that part of the record."""
    if not _prepared:
        _prepared.append(True)
        gc.freeze()  # what is there already need never be looked at again
        gc.enable()
        prepare_imports(python["folders"], python["path"], data_root)
        if python["executable"]:
            sys.executable = python["executable"]  # what a handler starts with it shall find the same modules


def load_handler(handler: dict[str, Any], connector: str) -> Callable[[Any], Any]:
    """The function a record's ``handler`` names. Raises :class:`UnloadableError`."""
    try:
        names = _names_of(handler)
        if handler.get("name"):
            found: Any = names
            first, *rest = handler["name"].split(".")
            found = names[first]
            for part in rest:
                found = getattr(found, part)
        else:
            found = _in_definition(names, handler, connector)
        if not callable(found):
            raise TypeError(f"a {type(found).__name__} cannot be called")
    except (KeyboardInterrupt, GeneratorExit):
        raise
    except Exception as cause:
        raise UnloadableError(cause) from cause
    except SystemExit as cause:
        raise UnloadableError(cause) from cause
    return found  # type: ignore[no-any-return]  # callable, as was just seen


def _names_of(handler: dict[str, Any]) -> dict[str, Any]:
    where = handler.get("module") or handler["file"]
    if where not in _loaded:
        if handler.get("module"):
            _loaded[where] = import_module(where)
        else:
            name = f"{MODULE}_{len(_loaded)}" if _loaded else MODULE
            _loaded[where] = run_file(where, name)
    return _loaded[where]


def _in_definition(names: dict[str, Any], handler: dict[str, Any], connector: str) -> Any:
    from ..authoring.raw import Definition

    definitions = {name: value for name, value in names.items() if isinstance(value, Definition)}
    definition = next((definitions[name] for name in _PREFERRED if name in definitions), None)
    if definition is None or (definition.raw.get("id") not in (None, connector) and len(definitions) > 1):
        fitting = [value for value in definitions.values() if value.raw.get("id") == connector]
        definition = next(iter(fitting or definitions.values()), None)
    if definition is None:
        raise LookupError(f"{handler['file']} defines no connector any more")
    return _by_place(definition.raw, handler)


def _by_place(raw: dict[str, Any], handler: dict[str, Any]) -> Any:
    """The handler as written, by its place in the checked definition; by its name where the places were shifted."""
    if "at" in handler:
        return _by_keys(raw, handler["at"])
    from ..authoring.shapes import hook_lists

    holder = raw
    if handler.get("host"):
        holder = raw.get("platforms", raw.get("hosts", {}))[handler["host"]]
    hooks = holder.get("native_hooks", holder.get("nativeHooks")) if handler.get("native") else holder["hooks"]
    entries = hook_lists(hooks)[handler["event"]]
    expected = handler.get("qualname")
    index = handler["index"]
    found = entries[index]["handler"] if index < len(entries) else None
    if expected and getattr(found, "__qualname__", None) != expected:
        others = [entry.get("handler") for entry in entries if isinstance(entry, dict)]
        found = next((other for other in others if getattr(other, "__qualname__", None) == expected), found)
    if found is None:
        raise LookupError("the definition has no such handler any more")
    return found


def _by_keys(raw: Any, keys: list[str]) -> Any:
    """What stands under the keys; an action under its id."""
    found = raw
    for key in keys:
        if isinstance(found, list | tuple):
            found = next((item for item in found if item.get("id") == key), None)
        elif found is not None:
            found = found.get(key, found.get("platforms") if key == "hosts" else None)
    if found is None:
        raise LookupError(f"the definition has no {'.'.join(keys)} any more")
    return found


def call(function: Callable[[Any], Any], argument: Any) -> Any:
    """What the handler answers; a coroutine is run to its end."""
    answer = function(argument)
    if hasattr(answer, "__await__"):
        import asyncio

        async def waited() -> Any:
            return await answer

        return asyncio.run(waited())
    return answer


def flush() -> None:
    """Write out what handlers left in buffers: this process ends without the interpreter's own farewell."""
    for stream in (sys.stdout, sys.stderr):
        try:  # noqa: SIM105 - contextlib costs half an interpreter's start
            stream.flush()
        except Exception:  # noqa: BLE001, S110 - a handler may have put anything there
            pass


def farewell() -> None:
    """What the end of a process does for code that ran in it: exit functions, and closing of files it left open."""
    if "atexit" in sys.modules:
        import atexit

        atexit._run_exitfuncs()
    for names in _loaded.values():
        names.clear()
    flush()


def say_farewell(code: int) -> None:
    """The same behind a reply that was given: the process ends with ``code`` where it takes too long."""
    from .author import end_by
    from .limits import set_limit

    set_limit(FAREWELL_SECONDS, lambda: leave(code))
    end_by(lambda own: leave(code if heard_at[0] >= 0 else own))
    farewell()

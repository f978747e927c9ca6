"""Code that a definition names: a Python function, in place or by reference, or a program with its arguments."""

import re
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, PlainSerializer, ValidationInfo, WithJsonSchema

from ..values import frozen
from .fields import refuse
from .findings import Finding, Path
from .templates import secret_findings

_NAME = r"[^\W\d]\w*(?:\.[^\W\d]\w*)*"
_REFERENCE = re.compile(rf"(?:{_NAME}|[^\0]*\.py):{_NAME}")

REFERENCE_HINT = 'write "module:function" or "./file.py:function"'


@frozen
class PythonHandler:
    """A function to call: by ``reference`` (a relative file counts from the definition's folder), or one that stands
    in the definition itself, which is found again by its place there. ``file`` and ``qualname`` say where its code
    is; ``function`` is the live object while the definition is loaded, and ``None`` in a record read back.
    """

    reference: str = ""
    file: str = ""
    qualname: str = ""
    function: Callable[..., Any] | None = field(default=None, compare=False, repr=False)


def _to_handler(value: Any, info: ValidationInfo) -> Any:
    if isinstance(value, PythonHandler):
        return value
    if isinstance(value, str):
        if not _REFERENCE.fullmatch(value):
            raise refuse("is not a reference to a function", REFERENCE_HINT)
        return PythonHandler(reference=value)
    if callable(value):
        return _of_function(value)
    if isinstance(value, dict) and value.get("kind") == "python" and (info.context or {}).get("stored"):
        return PythonHandler(file=str(value.get("file", "")), qualname=str(value.get("qualname", "")))
    raise refuse("must be a function or a reference to one", REFERENCE_HINT)


def _of_function(function: Callable[..., Any]) -> PythonHandler:
    inner: Any = function
    while True:  # partial objects and decorated functions: the code is what counts
        nearer = getattr(inner, "__wrapped__", None) or getattr(inner, "func", None)
        if nearer is None:
            break
        inner = nearer
    code = getattr(inner, "__code__", None) or getattr(type(inner).__call__, "__code__", None)
    return PythonHandler(
        file=getattr(code, "co_filename", ""),
        qualname=getattr(inner, "__qualname__", type(inner).__qualname__),
        function=function,
    )


def _to_record(handler: PythonHandler) -> Any:
    return handler.reference or {"kind": "python", "file": handler.file, "qualname": handler.qualname}


if TYPE_CHECKING:
    Handler = PythonHandler
else:  # Any to pydantic, so that it looks no further into what the validator made
    Handler = Annotated[
        Any,
        BeforeValidator(_to_handler),
        PlainSerializer(_to_record),
        WithJsonSchema({"type": "string", "description": REFERENCE_HINT}),
    ]


def program_findings(command: tuple[str, ...] | None, at: Path) -> Iterator[Finding]:
    """The rules of a ``command`` that stands in for a function; ``at`` is what has it."""
    if command is None:
        return
    if not command or not command[0].strip():
        yield Finding((*at, "command"), 'must name a program: ["node", "guard.js"]')
    if any("\0" in argument for argument in command):
        yield Finding((*at, "command"), "must not hold a NUL character")
    yield from secret_findings(command, (*at, "command"))

"""From raw values to models, collecting every fault on the way instead of stopping at the first.

A value of a wrong type is reported and replaced by a stand-in, so that the rules that look at several fields can
still be applied to the rest; what the rules then say about a stand-in is dropped.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from pydantic import ValidationError

from .fields import OBJECT_TAG, SWITCH_TAG, Model
from .findings import Finding, Path, covers, did_you_mean, one_of
from .handlers import PythonHandler

M = TypeVar("M", bound=Model)

_FUNCTION = PythonHandler()
_FOR_MISSING: Mapping[str, Any] = {"provider": "github", "scopes": ["stand-in"], "type": "none"}
"""By field, for those that must have a value, chosen so that no rule speaks of them. Others get an empty string."""
_FOR_WRONG: Mapping[str, Any] = {
    "handler": _FUNCTION,
    "render": _FUNCTION,
    "run": _FUNCTION,
    "decision": "allow",
    "updated_input": {},
}
"""By field, where the mere presence of a value counts. Others are left out."""

_REASONS = {
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "int_type": "must be a whole number",
    "tuple_type": "must be a list",
    "dict_type": "must be an object (a table of keys)",
    "model_type": "must be an object (a table of keys)",
    "model_attributes_type": "must be an object (a table of keys)",
}
_KEY = "[key]"
"""Pydantic's way to say that a key itself is at fault."""
_ROUNDS = 8


def parse(model: type[M], raw: Any, context: Mapping[str, Any]) -> tuple[M | None, list[Finding]]:
    """The model, complete or with stand-ins, and what was wrong. ``raw`` is changed where it was wrong."""
    findings: list[Finding] = []
    reported: list[Path] = []
    for _ in range(_ROUNDS):
        try:
            return model.model_validate(raw, context=context), findings
        except ValidationError as error:
            for fault in error.errors(include_url=False):
                path = _path(fault["loc"])
                if not covers(reported, path):
                    findings.append(_finding(fault, path))
                    reported.append(path)
                _put_stand_in(raw, path, "key" if _KEY in fault["loc"] else fault["type"])
    return None, findings


def _path(location: tuple[str | int, ...]) -> Path:
    return tuple(part for part in location if part not in (SWITCH_TAG, OBJECT_TAG, _KEY))


def _finding(fault: Any, path: Path) -> Finding:
    kind, context, given = fault["type"], fault.get("ctx", {}), fault["input"]
    if kind == "missing":
        return Finding(path, "is required")
    if kind == "refused":
        return Finding(path, context["reason"], context["hint"])
    if _KEY in fault["loc"]:
        return Finding(path, "has a key that is not a string", "write the key in quotes")
    if kind == "literal_error":
        allowed = [part.strip().strip("'") for part in context["expected"].replace(" or ", ", ").split(", ")]
        return Finding(path, one_of(allowed), did_you_mean(given, allowed) if isinstance(given, str) else "")
    hint = "write it in quotes" if kind == "string_type" and isinstance(given, (bool, int, float)) else ""
    if kind == "int_type" and isinstance(given, str) and given.strip().isdigit():
        hint = "write it without quotes"
    if kind == "tuple_type" and isinstance(given, str):
        hint = "put it into brackets"
    return Finding(path, _REASONS.get(kind, fault["msg"]), hint)


def _put_stand_in(raw: Any, path: Path, kind: str) -> None:
    *parents, last = path
    holder = raw
    for part in parents:
        try:
            holder = holder[part]
        except LookupError:  # another fault of this round has replaced it
            return
    if isinstance(holder, list) and isinstance(last, int):
        holder[last] = "" if kind == "string_type" else {}
    elif isinstance(holder, dict):
        if kind == "missing":
            holder[last] = _for_missing(str(last), holder)
        elif kind == "string_type":
            holder[last] = ""
        elif kind == "tuple_type" and last == "command":
            holder[last] = ["stand-in"]
        elif last in _FOR_WRONG and holder.get(last) is not _FOR_WRONG[str(last)]:
            holder[last] = _FOR_WRONG[str(last)]
        else:
            holder.pop(last, None)


def _for_missing(name: str, holder: Mapping[str, Any]) -> Any:
    if name == "transport":
        return "http" if "url" in holder else "stdio"
    return _FOR_MISSING.get(name, "")

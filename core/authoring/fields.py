"""The base of the models, and field types that do not guess: ``"30"`` is no number and ``1`` is no truth value."""

import math
from collections.abc import Mapping
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Discriminator, Strict, Tag, WithJsonSchema
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

T = TypeVar("T")


def refuse(reason: str, hint: str = "") -> PydanticCustomError:
    """What a field's own validator raises."""
    return PydanticCustomError("refused", "{reason}", {"reason": reason, "hint": hint})


def _unicode(text: str) -> str:
    try:
        text.encode()
    except UnicodeEncodeError:
        raise refuse("must be text: it holds half of a character (a lone surrogate)") from None
    return text


class _Text:
    """A strict string, then ``_unicode``. As a schema, because pydantic inspects a validator anew for every field."""

    @staticmethod
    def __get_pydantic_core_schema__(_source: Any, _handler: Any) -> CoreSchema:
        return core_schema.no_info_after_validator_function(_unicode, core_schema.str_schema(strict=True))


Text = Annotated[str, _Text]
Flag = Annotated[bool, Strict()]
Whole = Annotated[int, Strict()]

SWITCH_TAG = "\0switch"
OBJECT_TAG = "\0object"
"""Tags of the branches of ``Switch | object``; they never show in a path."""


def _branch(value: Any) -> str:
    return SWITCH_TAG if isinstance(value, bool) else OBJECT_TAG


SwitchOr = Annotated[Annotated[Flag, Tag(SWITCH_TAG)] | Annotated[T, Tag(OBJECT_TAG)], Discriminator(_branch)]
"""``true``, ``false``, or an object with details."""


class Model(BaseModel):
    """Frozen; unknown keys are errors. ``also`` maps other accepted spellings to field names.

    Modules with models do without ``from __future__ import annotations``: pydantic would compile each of them again.
    """

    # Built at first validation: a process that only needs the types pays nothing.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True, protected_namespaces=())

    also: ClassVar[Mapping[str, str]] = {}


_DEEPEST = 64
"""Levels a JSON value may have: hosts' own parsers have limits too, and a value that holds itself has no end."""


def plain_json(value: Any) -> Any:
    """A copy of a JSON value, tuples as lists. Raises for anything JSON cannot say."""
    return _plain(value, _DEEPEST)


def _plain(value: Any, levels: int) -> Any:
    if isinstance(value, str):
        return _unicode(value)
    if value is None or isinstance(value, (bool, int)):
        return value
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        raise refuse("must be JSON: it holds a number that is not finite")
    if not levels:
        raise refuse("is nested too deeply")
    if isinstance(value, (list, tuple)):
        return [_plain(item, levels - 1) for item in value]
    if isinstance(value, Mapping):
        if all(isinstance(key, str) for key in value):
            return {_unicode(key): _plain(item, levels - 1) for key, item in value.items()}
        raise refuse("must be JSON: it holds a key that is not a string", "write the key in quotes")
    raise refuse(f"must be JSON: it holds a {type(value).__name__}", "write it as a string")


JsonValue = Annotated[Any, BeforeValidator(plain_json)]
JsonObject = Annotated[dict[str, Any], BeforeValidator(plain_json)]


def _listed(value: Any) -> Any:
    return (value,) if isinstance(value, str) else value


OneOrMany = Annotated[
    tuple[Text, ...],
    BeforeValidator(_listed),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}),
]
"""A list of strings, or one alone."""
Texts = tuple[Text, ...]

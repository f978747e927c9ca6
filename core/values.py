"""Immutable values, made without writing code.

``@dataclass(frozen=True)`` writes the source of six methods per class and compiles it: nearly a millisecond each, and
a command needs a hundred such classes. These have the same methods, written once.
"""

from __future__ import annotations

from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields
from typing import Any, NoReturn, TypeVar, dataclass_transform

C = TypeVar("C")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[C]) -> type[C]:
    """The class as a dataclass that is frozen and has slots; all of :mod:`dataclasses` works with it.

    An instance takes some microseconds to make, three times as long as of a dataclass with code of its own: what is
    made by the hundred thousand stays one.
    """
    for name in _METHODS:
        if name not in vars(cls):
            setattr(cls, name, vars(_Methods)[name])
    cls.__doc__ = cls.__doc__ or cls.__name__  # else dataclass() inspects the signature to make one up
    return dataclass(init=False, repr=False, eq=False, slots=True)(cls)


class _Methods:
    """Of every frozen class."""

    def __init__(self, *given: Any, **named: Any) -> None:
        known = _fields(self)
        if len(given) > len(known):
            raise TypeError(f"{type(self).__name__} has {len(known)} fields, {len(given)} were given")
        for one, item in zip(known, given, strict=False):
            object.__setattr__(self, one.name, item)
        for one in known[len(given) :]:
            object.__setattr__(self, one.name, named.pop(one.name) if one.name in named else _default(self, one))
        if named:
            raise TypeError(f"{type(self).__name__} has no field {', '.join(named)}, or it was given twice")

    def __eq__(self, other: object) -> bool:
        return _compared(self) == _compared(other) if type(self) is type(other) else NotImplemented

    def __hash__(self) -> int:
        return hash(_compared(self))

    def __repr__(self) -> str:
        said = ", ".join(f"{one.name}={getattr(self, one.name)!r}" for one in _fields(self) if one.repr)
        return f"{type(self).__name__}({said})"

    def __setattr__(self, name: str, _item: object) -> NoReturn:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self, name: str) -> NoReturn:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), _items(self)


_METHODS = ("__init__", "__eq__", "__hash__", "__repr__", "__setattr__", "__delattr__", "__reduce__")


def _fields(instance: Any) -> tuple[Field[Any], ...]:
    return fields(instance)


def _items(instance: Any) -> tuple[Any, ...]:
    return tuple(getattr(instance, one.name) for one in fields(instance))


def _compared(instance: Any) -> tuple[Any, ...]:
    return tuple(getattr(instance, one.name) for one in fields(instance) if one.compare)


def _default(instance: object, one: Field[Any]) -> Any:
    if one.default is not MISSING:
        return one.default
    if one.default_factory is not MISSING:
        return one.default_factory()
    raise TypeError(f"{type(instance).__name__} needs a value for {one.name}")

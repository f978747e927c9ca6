"""Keys of a definition in one spelling: camelCase becomes snake_case, and unknown keys are named."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Union, get_args, get_origin

from .fields import Model
from .findings import Finding, Path, camel_case, nearest

HIDDEN = frozenset({"secret_env"})
"""Fields that are worked out, never written."""


def tidy(value: Any, annotation: Any, at: Path, findings: list[Finding]) -> Any:
    """A copy of ``value`` with keys as ``annotation``'s models have them. Unknown keys are reported and left out."""
    annotation = _fitting(annotation, value)
    arguments = get_args(annotation)
    if isinstance(value, Mapping):
        if isinstance(annotation, type) and issubclass(annotation, Model):
            return _tidy_model(value, annotation, at, findings)
        if get_origin(annotation) is dict:
            return {key: tidy(item, arguments[1], (*at, key), findings) for key, item in value.items()}
    if isinstance(value, (list, tuple)) and get_origin(annotation) is tuple:
        return [tidy(item, arguments[0], (*at, index), findings) for index, item in enumerate(value)]
    return value


def _tidy_model(value: Mapping[Any, Any], model: type[Model], at: Path, findings: list[Finding]) -> dict[str, Any]:
    spellings = field_spellings(model)
    given = {spellings[key] for key in value if key in spellings}
    tidied: dict[str, Any] = {}
    for key, item in value.items():
        name = spellings.get(key)
        if name is None:
            name = nearest(str(key), dict.fromkeys(spellings.values()))
            hint = f'did you mean "{name}"?' if name else ""
            findings.append(Finding((*at, key), "is not a known key", hint))
            # Taken for what was probably meant, so that the same slip is not reported as a missing key too.
            if not name or name in given:
                continue
        elif name in tidied:
            findings.append(Finding((*at, key), f'is given twice (also as "{_other(value, key, name, spellings)}")'))
            continue
        tidied[name] = tidy(item, model.model_fields[name].annotation, (*at, name), findings)
    return tidied


def _other(value: Mapping[Any, Any], key: Any, name: str, spellings: Mapping[str, str]) -> str:
    return next(str(other) for other in value if other != key and spellings.get(other) == name)


def field_spellings(model: type[Model]) -> dict[str, str]:
    """Every accepted spelling of the model's fields -> the field's name."""
    names = [name for name in model.model_fields if name not in HIDDEN]
    also = {
        **model.also,
        **{camel_case(other): name for other, name in model.also.items()},
    }
    return {**also, **{camel_case(name): name for name in names}, **{name: name for name in names}}


def _fitting(annotation: Any, value: Any) -> Any:
    """The branch of a union that could hold ``value``, without its annotations."""
    for branch in _branches(annotation):
        shape = get_origin(branch) or branch
        if isinstance(value, Mapping) and isinstance(shape, type) and issubclass(shape, (dict, Model)):
            return branch
        if isinstance(value, (list, tuple)) and shape is tuple:
            return branch
    return None


def _branches(annotation: Any) -> Iterator[Any]:
    origin = get_origin(annotation)
    if origin is Annotated:
        yield from _branches(get_args(annotation)[0])
    elif origin is Union or origin is types.UnionType:
        for branch in get_args(annotation):
            yield from _branches(branch)
    else:
        yield annotation

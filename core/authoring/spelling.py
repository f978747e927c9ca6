"""Keys of a definition in one spelling: camelCase becomes snake_case, and unknown keys are named."""

from __future__ import annotations

import types
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Union, get_args, get_origin

from ..values import frozen
from .fields import Model
from .findings import Finding, Path, camel_case, nearest
from .shapes import hook_lists

_SHAPES = {"hooks": hook_lists, "native_hooks": hook_lists}
"""Fields that may be written in many ways."""
HIDDEN = frozenset({"secret_env"})
"""Fields that are worked out, never written."""


def tidy(
    raw: Mapping[str, Any], model: type[Model], findings: list[Finding], slips: dict[Path, str]
) -> dict[str, Any]:
    """A copy of ``raw`` with keys as the models have them. Unknown keys are added to ``findings``.

    One that is like a key that is not given is taken for it, so that one slip is not two findings, and added to
    ``slips`` (its path -> what was written).
    """
    return _Tidying(findings, slips).model(raw, model, ())


@frozen
class _Tidying:
    findings: list[Finding]
    slips: dict[Path, str]

    def any(self, value: Any, annotation: Any, at: Path) -> Any:
        annotation = _fitting(annotation, value)
        arguments = get_args(annotation)
        if isinstance(value, Mapping):
            if isinstance(annotation, type) and issubclass(annotation, Model):
                return self.model(value, annotation, at)
            if get_origin(annotation) is dict:
                return {key: self.any(item, arguments[1], (*at, key)) for key, item in value.items()}
        if isinstance(value, (list, tuple)) and get_origin(annotation) is tuple:
            return [self.any(item, arguments[0], (*at, index)) for index, item in enumerate(value)]
        return value

    def model(self, value: Mapping[Any, Any], model: type[Model], at: Path) -> dict[str, Any]:
        spellings = field_spellings(model)
        given = {spellings[key] for key in value if key in spellings}
        tidied: dict[str, Any] = {}
        for key, item in value.items():
            name = spellings.get(key)
            if name is None:
                name = nearest(str(key), dict.fromkeys(spellings.values()))
                hint = f'did you mean "{name}"?' if name else ""
                self.findings.append(Finding((*at, key), "is not a known key", hint))
                if not name or name in given or name in tidied:
                    continue
                self.slips[*at, name] = key
            elif name in tidied:
                twice = f'is given twice (also as "{_other(value, key, name, spellings)}")'
                self.findings.append(Finding((*at, key), twice))
                continue
            shape = _SHAPES.get(name)
            tidied[name] = self.any(shape(item) if shape else item, model.model_fields[name].annotation, (*at, name))
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

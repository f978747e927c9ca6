"""``${env:VAR}``, ``${env:VAR:-default}`` and ``${secret:NAME}`` inside strings of a definition.

Parsing only: nothing here reads an environment. A user's own config values are never looked at with it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping

from .values import frozen

_REFERENCE = re.compile(
    r"\$\{env:(?P<env>[A-Za-z_][A-Za-z0-9_]*)(?::-(?P<default>[^}]*))?\}"
    r"|\$\{secret:(?P<secret>[^}]*)\}"
)


@frozen
class EnvReference:
    """``default`` is ``None`` where none was given, which is not the same as an empty one."""

    name: str
    default: str | None = None


@frozen
class SecretReference:
    name: str


Part = str | EnvReference | SecretReference


def split(template: str) -> tuple[Part, ...]:
    """The template as literal text and references, in order."""
    parts: list[Part] = []
    end = 0
    for match in _REFERENCE.finditer(template):
        if match.start() > end:
            parts.append(template[end : match.start()])
        if match["env"] is not None:
            parts.append(EnvReference(match["env"], match["default"]))
        else:
            parts.append(SecretReference(match["secret"]))
        end = match.end()
    if end < len(template):
        parts.append(template[end:])
    return tuple(parts)


def env_references(templates: Iterable[str]) -> tuple[EnvReference, ...]:
    return tuple(part for text in templates for part in split(text) if isinstance(part, EnvReference))


def secret_names(templates: Iterable[str]) -> tuple[str, ...]:
    return tuple(part.name for text in templates for part in split(text) if isinstance(part, SecretReference))


def value_in(reference: EnvReference, env: Mapping[str, str]) -> str | None:
    """What the reference stands for there: as in a shell, the default counts for a variable that is unset or empty;
    ``None`` for one that is unset and has none."""
    value = env.get(reference.name)
    return value or (value if reference.default is None else reference.default)


def has_reference(template: str) -> bool:
    return _REFERENCE.search(template) is not None


def translate(template: str, spell: Callable[[EnvReference], str | None]) -> str | None:
    """The template with each environment reference in a host's own spelling; ``None`` if one has none.

    Secret references have no spelling in any host.
    """
    spelled = []
    for part in split(template):
        if isinstance(part, str):
            spelled.append(part)
            continue
        text = spell(part) if isinstance(part, EnvReference) else None
        if text is None:
            return None
        spelled.append(text)
    return "".join(spelled)

"""Rules for ``${env:…}`` and ``${secret:…}`` references inside the strings of a definition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..references import SecretReference, split
from .findings import Finding, Path
from .names import SECRET_NAME, matches

SECRET_OPENING = "${secret:"  # noqa: S105  the opening of a reference
ENV_OPENING = "${env:"


def strings(value: Any, at: Path) -> Iterator[tuple[Path, str]]:
    """Every string in a JSON-like value, keys included, with its path."""
    if isinstance(value, str):
        yield at, value
    elif isinstance(value, Mapping):
        for key, item in value.items():
            yield (*at, key), str(key)
            yield from strings(item, (*at, key))
    elif isinstance(value, (list, tuple)):
        for index, item in enumerate(value):
            yield from strings(item, (*at, index))


def secret_findings(value: Any, at: Path) -> Iterator[Finding]:
    """Secret references in a place that cannot have any."""
    for path in dict.fromkeys(path for path, text in strings(value, at) if SECRET_OPENING in text):
        yield Finding(
            path,
            "secret references are possible only in server.env of a stdio server",
            "put ${secret:NAME} into server.env and let the server read the variable",
        )


def reference_faults(value: Any, at: Path) -> Iterator[tuple[Path, str]]:
    """References that are not spelled right, so that they would stay literal text."""
    for path, text in strings(value, at):
        parts = split(text)
        literal = [part for part in parts if isinstance(part, str)]
        if any(ENV_OPENING in part for part in literal):
            yield path, "has a malformed reference: write ${env:NAME} or ${env:NAME:-default}"
        if any(SECRET_OPENING in part for part in literal):
            yield path, "has a malformed reference: write ${secret:NAME}"
        for part in parts:
            if isinstance(part, SecretReference) and not matches(SECRET_NAME, part.name):
                yield path, f'"{part.name}" is not a valid secret name (a secret has no default)'


def is_one_secret(text: str) -> bool:
    """Whether the text is exactly one well-formed ``${secret:NAME}``."""
    parts = split(text)
    return len(parts) == 1 and isinstance(parts[0], SecretReference) and matches(SECRET_NAME, parts[0].name)

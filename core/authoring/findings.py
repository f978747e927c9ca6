"""What the rules find, and where: the words between the models and the error that an author reads."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

Path = tuple[str | int, ...]
"""Keys and indexes from the root of the definition, in snake_case."""

_PLAIN_KEY = re.compile(r"[A-Za-z0-9_$-]+")


class Finding(NamedTuple):
    """One broken rule before its path is spelled the author's way."""

    path: Path
    reason: str
    hint: str = ""


def nearest(word: str, known: Iterable[str]) -> str:
    """The known name that is most like ``word``, or an empty one. Case, ``_`` and ``-`` do not count."""
    by_letters = {_letters(name): name for name in known}
    near = difflib.get_close_matches(_letters(word), by_letters, n=1, cutoff=0.6)
    return by_letters[near[0]] if near else ""


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """A hint with the nearest known name, or an empty one."""
    name = nearest(word, known)
    return f'did you mean "{name}"?' if name else ""


def one_of(names: Collection[str]) -> str:
    return f"must be one of {', '.join(names)}"


def camel_case(name: str) -> str:
    head, *tail = name.split("_")
    return head + "".join(word.capitalize() for word in tail)


def spelled(path: Path, raw: Any) -> str:
    """The path as the author wrote it: camelCase where they did, no index where they gave a single thing."""
    text = ""
    for part in path:
        if isinstance(raw, (list, tuple)):
            text += f"[{part}]"
            raw = raw[part] if isinstance(part, int) and part < len(raw) else None
            continue
        if isinstance(part, int) and not (isinstance(raw, Mapping) and part in raw):
            continue
        key = _given(part, raw)
        raw = raw.get(key) if isinstance(raw, Mapping) else None
        if not _PLAIN_KEY.fullmatch(str(key)):
            text += f"[{key!r}]"
        else:
            text += f".{key}" if text else str(key)
    return text


def position(path: Path, raw: Any) -> tuple[int, ...]:
    """Where in the definition the path points: sorts findings as an author reads. What is missing comes last."""
    places = []
    for part in path:
        if isinstance(raw, Mapping):
            key = _given(part, raw)
            if key in raw:
                places.append(list(raw).index(key))
                raw = raw[key]
                continue
            if isinstance(part, int):
                continue
            places.append(len(raw))
        elif isinstance(part, int):
            places.append(part)
        raw = raw[part] if isinstance(raw, (list, tuple)) and isinstance(part, int) and part < len(raw) else None
    return tuple(places)


def covers(reported: Iterable[Path], path: Path) -> bool:
    """Whether something at ``path``, or what holds it, has been reported already."""
    return any(path[: len(earlier)] == earlier for earlier in reported)


_OTHER_WORDS = {"platforms": "hosts", "hosts": "platforms"}


def _given(part: str | int, raw: Any) -> Any:
    """The key of ``raw`` that stands for ``part``, else ``part`` itself."""
    if isinstance(raw, Mapping) and isinstance(part, str):
        for candidate in (part, camel_case(part), _OTHER_WORDS.get(part, part)):
            if candidate in raw:
                return candidate
    return part


def _letters(word: str) -> str:
    return word.replace("_", "").replace("-", "").casefold()

"""What the rules find, and where: the words between the models and the error that an author reads."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

Path = tuple[str | int, ...]
"""Keys and indexes from the root of the definition, in snake_case."""

_OTHER_WORDS = {"platforms": "hosts", "hosts": "platforms"}
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


class Written:
    """A definition as its author wrote it, to find paths of ours in it.

    ``slips`` holds misspelled keys that were taken for what was probably meant: our path -> the key that was written.
    """

    def __init__(self, raw: Any) -> None:
        self.raw = raw
        self.slips: dict[Path, str] = {}

    def spelled(self, path: Path) -> str:
        """The path in the author's words: camelCase where they wrote so, no index where they gave a single thing."""
        text = ""
        for key, is_index, _ in self._steps(path):
            if is_index:
                text += f"[{key}]"
            elif not _PLAIN_KEY.fullmatch(str(key)):
                text += f"[{key!r}]"
            else:
                text += f".{key}" if text else str(key)
        return text

    def position(self, path: Path) -> tuple[int, ...]:
        """Where the path points: sorts as an author reads. What is missing comes last in its object."""
        return tuple(place for _, _, place in self._steps(path))

    def _steps(self, path: Path) -> Iterator[tuple[Any, bool, int]]:
        """Per part that the author wrote or should have: the key, whether it is an index, and its position."""
        raw = self.raw
        for depth, part in enumerate(path):
            if isinstance(raw, Mapping):
                key = self._key(path[: depth + 1], raw)
                if key in raw:
                    yield key, False, list(raw).index(key)
                    raw = raw[key]
                    continue
                if isinstance(part, int):
                    continue
                yield part, False, len(raw)
                raw = None
            elif isinstance(raw, (list, tuple)) and isinstance(part, int):
                yield part, True, part
                raw = raw[part] if part < len(raw) else None
            elif not isinstance(part, int):
                yield part, False, 0
                raw = None

    def _key(self, path: Path, raw: Mapping[Any, Any]) -> Any:
        part = path[-1]
        if not isinstance(part, str):
            return part
        candidates = (part, camel_case(part), _OTHER_WORDS.get(part, part), self.slips.get(path, part))
        return next((candidate for candidate in candidates if candidate in raw), part)


def covers(reported: Iterable[Path], path: Path) -> bool:
    """Whether something at ``path``, or what holds it, has been reported already."""
    return any(path[: len(earlier)] == earlier for earlier in reported)


def _letters(word: str) -> str:
    return word.replace("_", "").replace("-", "").casefold()

"""Counting tokens on this machine, without network.

Texts are cut into pieces where the encoding would cut them anyway, so that the sum over the pieces is the count of
the whole: one piece of a million blanks makes the engine's regular expressions fail.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Literal, Protocol

from .ranks import shipped

Source = Literal["o200k_base", "heuristic"]

PIECE = 65536
"""Characters that the engine is given at once."""
BYTES_PER_TOKEN = 4
"""Where nothing counts: what prose and code have in UTF-8, in any script."""
BYTES_PER_TOKEN_OF_JSON = 3

# As tiktoken has it for o200k_base: words with their contractions in two cases, digits by three, punctuation, blanks.
_ALTERNATIVES = (
    r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
    r"""[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?""",
    r"""\p{N}{1,3}""",
    r""" ?[^\s\p{L}\p{N}]+[\r\n/]*""",
    r"""\s*[\r\n]+""",
    r"""\s+(?!\S)""",
    r"""\s+""",
)
# No token has a blank behind something else, and none goes on after a line's end but with a slash or white space.
_BOUNDARY = re.compile(r"(?<=\S) |(?<=[\r\n])(?=[^\s/])")
_NEAR = 4096
_BOM = "\ufeff"


class Tokens(Protocol):
    """What counts. ``source`` says how, and so how far to trust it."""

    @property
    def source(self) -> Source: ...

    def count(self, text: str) -> int:
        """Tokens of ``text``; never fails."""

    def measure(self, text: str) -> tuple[int, bool]:
        """The same, and whether every part of it was counted by the encoding."""


class Heuristic:
    """So many bytes to a token, for want of an encoding."""

    source: Source = "heuristic"

    def count(self, text: str) -> int:
        size = len(text.encode(errors="replace"))
        return -(-size // (BYTES_PER_TOKEN_OF_JSON if text.startswith(("{", "[")) else BYTES_PER_TOKEN))

    def measure(self, text: str) -> tuple[int, bool]:
        return self.count(text), False


class O200kBase:
    """The encoding o200k_base. Making one takes most of a second and 80 MiB; raises what reading the ranks raises,
    and ``ImportError``."""

    source: Source = "o200k_base"

    def __init__(self) -> None:
        import tiktoken

        # Not get_encoding: that asks the network for the ranks.
        self._encoding = tiktoken.Encoding(
            "o200k_base", pat_str="|".join(_ALTERNATIVES), mergeable_ranks=shipped(), special_tokens={}
        )

    def count(self, text: str) -> int:
        return self.measure(text)[0]

    def measure(self, text: str) -> tuple[int, bool]:
        total, exact = 0, True
        for piece in pieces(_whole(text.removeprefix(_BOM))):
            try:
                total += len(self._encoding.encode_ordinary(piece))
            except BaseException as error:
                # A panic in Rust is no Exception, and its class cannot be imported.
                if type(error).__name__ != "PanicException" and not isinstance(error, Exception):
                    raise
                total += Heuristic().count(piece)
                exact = False
        return total, exact


@cache
def tokens() -> Tokens:
    """The best there is in this process, loaded at the first call and kept."""
    try:
        return O200kBase()
    except Exception:  # noqa: BLE001 - whatever an engine or a damaged file does, rows are still written
        return Heuristic()


def pieces(text: str, size: int = PIECE) -> Iterator[str]:
    """``text`` in parts of at most ``size`` characters, cut between tokens wherever there is such a place."""
    start = 0
    while len(text) - start > size:
        end = _boundary(text, start, start + size)
        yield text[start:end]
        start = end
    yield text[start:]


def _boundary(text: str, start: int, end: int) -> int:
    """The last place after ``start`` and up to ``end`` between two tokens; ``end`` itself if there is none."""
    for first in (max(start + 1, end - _NEAR), start + 1):
        places = [match.start() for match in _BOUNDARY.finditer(text, first, end + 1)]
        if places:
            return min(places[-1], end)
    return end


def _whole(text: str) -> str:
    """Half a surrogate pair is counted as the replacement character, which is what any host makes of it."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text

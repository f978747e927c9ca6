"""What the texts of a connector cost that are installed beside its server: commands, skills, subagents, memory.

Counted on demand from the text as it is installed, never stored. A host loads a command, a skill or a subagent when
it is used; memory is in every prompt.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from ..values import frozen

if TYPE_CHECKING:
    from ..surfaces.target import Desired, Target
    from .tokens import Tokens

TextSurface = Literal["command", "skill", "subagent", "memory"]
_SURFACES: dict[str, TextSurface] = {
    "commands": "command",
    "skills": "skill",
    "subagents": "subagent",
    "memory": "memory",
}


@frozen
class Footprint:
    """Tokens of one surface of one connector in the host where they are most; ``texts``: files or blocks there."""

    connector: str
    surface: TextSurface
    host: str
    tokens: int
    texts: int


def footprints(targets: Iterable[Target], tokens: Tokens) -> list[Footprint]:
    """One per connector and surface that has any text; the dearest of its hosts."""
    from ..surfaces.content import desired_content
    from ..surfaces.memory import desired_memory

    dearest: dict[tuple[str, TextSurface], Footprint] = {}
    for target in targets:
        for found in _of(target, [desired_content(target), desired_memory(target)], tokens):
            key = (found.connector, found.surface)
            if key not in dearest or dearest[key].tokens < found.tokens:
                dearest[key] = found
    return [dearest[key] for key in sorted(dearest)]


def _of(target: Target, parts: Iterable[Desired], tokens: Tokens) -> Iterable[Footprint]:
    texts: dict[TextSurface, list[str]] = {}
    for part in parts:
        for want in part.wanted:
            surface = _SURFACES.get(want.surface)
            if surface is not None and isinstance(want.value, str) and want.value:
                texts.setdefault(surface, []).append(want.value)
    for surface, some in texts.items():
        count = sum(tokens.count(text) for text in some)
        yield Footprint(target.connector.id, surface, target.host.id, count, len(some))

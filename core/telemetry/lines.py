"""Lines of the spool, read: what is whole and makes sense becomes a :class:`Line`, the rest is counted."""

from __future__ import annotations

from typing import Annotated, Literal, TypeVar

import msgspec

_Count = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]
_Time = Annotated[int, msgspec.Meta(ge=0, lt=1 << 53)]
_Id = Annotated[int, msgspec.Meta(ge=0, le=(1 << 63) - 1)]
_Text = Annotated[str, msgspec.Meta(max_length=1024)]


class Line(msgspec.Struct, gc=False, kw_only=True):
    """One line as it was written; absent keys are empty or nought. ``tokens_in``, ``tokens_out``: ``None`` where
    nobody counted."""

    t: _Time
    u: _Id | None = None
    scope: Literal["call", "tool_defs", "hook", "model_turn"]
    connector: _Text = ""
    host: _Text = ""
    tool: _Text = ""
    event: _Text = ""
    verdict: _Text = ""
    defs: _Text = ""
    session: _Text = ""
    project: _Text = ""
    client: _Text = ""
    conf: Literal["heuristic", "tokenizer-approx", "tokenizer-calibrated", "tokenizer-exact", "host-native"] = (
        "heuristic"
    )
    inb: _Count = 0
    outb: _Count = 0
    tokens_in: _Count | None = msgspec.field(default=None, name="in")
    tokens_out: _Count | None = msgspec.field(default=None, name="out")
    error: int | bool = 0
    ms: Annotated[float, msgspec.Meta(ge=0, le=1e12)] | None = None


# Where the parts of a line's values begin and end: its names, and of these what was counted and who was there.
NAMES, HOW_MUCH = slice(2, 13), slice(13, None)
WHAT, WHO, CONFIDENCE = slice(0, 7), slice(7, 10), 10


class ProjectLine(msgspec.Struct, gc=False):
    project: _Text
    path: Annotated[str, msgspec.Meta(max_length=32768)]
    t: _Time = 0


_L = TypeVar("_L", Line, ProjectLine)
_LINES = msgspec.json.Decoder(Line)
_PROJECTS = msgspec.json.Decoder(ProjectLine)
_START = b'{"'


def read_lines(data: bytes) -> tuple[list[Line], int]:
    """The rows of whole lines, and how many lines were none."""
    return _read(data, _LINES)


def read_projects(data: bytes) -> tuple[list[ProjectLine], int]:
    return _read(data, _PROJECTS)


def _read(data: bytes, decoder: msgspec.json.Decoder[_L]) -> tuple[list[_L], int]:
    try:
        return decoder.decode_lines(data), 0
    except (msgspec.MsgspecError, UnicodeDecodeError):
        pass
    found: list[_L] = []
    damaged = 0
    for line in data.split(b"\n"):
        if not line.strip():
            continue
        try:
            found.append(decoder.decode(line))
        except (msgspec.MsgspecError, UnicodeDecodeError):
            damaged += 1
            found.extend(_rescued(line, decoder))
    return found, damaged


def _rescued(line: bytes, decoder: msgspec.json.Decoder[_L]) -> list[_L]:
    """A writer that was killed left the beginning of a line, and the next one wrote behind it: that one is whole."""
    start = line.rfind(_START)
    while start > 0:
        try:
            return [decoder.decode(line[start:])]
        except (msgspec.MsgspecError, UnicodeDecodeError):
            start = line.rfind(_START, 0, start)
    return []

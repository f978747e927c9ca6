"""What a host's own log says: what a reply of a model cost, which server's tool was called, who belongs together.

A reader turns lines or documents into these; two that say the same of one reply have the same ``key``.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Confidence = Literal["host-reported", "host-estimated"]


class UsageRecord(msgspec.Struct, kw_only=True, gc=False, frozen=True):
    """One reply of a model (of hosts that log no replies: one session). Tokens are disjoint: ``input`` is what was
    not cached, ``output`` includes reasoning; ``reasoning`` is a part of it that is shown and never added."""

    key: str
    """By which the same reply is known wherever else it is logged."""
    session: str
    t: int
    """Milliseconds since 1970."""
    model: str = ""
    provider: str = ""
    parent: str = ""
    """The session this one was started by; of a subagent."""
    project: str = ""
    """The folder it worked in, as the host logged it."""
    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    cache_write_1h: int = 0
    """Of ``cache_write``, what was written for an hour: it has another price."""
    reasoning: int = 0
    cost: float | None = None
    """US dollars, where the host says so."""
    confidence: Confidence = "host-reported"
    subagent: bool = False
    reply: str = ""
    """The model's own id of the reply. A subagent's record gives way to one that is none of the same reply."""
    thread: str = ""
    """Where keys mean something in one session alone: that one. What a session that it came from (:class:`Kin`) says
    under the same key is the same reply, told again by the one that went on from it."""

    @property
    def total(self) -> int:
        return self.input + self.output + self.cache_read + self.cache_write


class ServerCall(msgspec.Struct, kw_only=True, gc=False, frozen=True):
    """A call of a tool of an MCP server. It has no tokens of its own: no log says them."""

    key: str
    session: str
    server: str
    t: int


class Kin(msgspec.Struct, gc=False, frozen=True):
    """A session that came from another: it was forked from it, or started by it."""

    session: str
    came_from: str


Upsert = UsageRecord | ServerCall | Kin

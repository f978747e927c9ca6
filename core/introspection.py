"""What hosts can do, for programs that ask before they install anything.

Core names no host: the catalogue is that of the composed package, which an entry point leads to (:mod:`.faces`).
Unknown hosts raise :class:`~agent_connector.errors.UsageError` with the nearest names.
"""

from __future__ import annotations

from typing import Literal, get_args

from .errors import UsageError
from .faces import composed
from .host import Host
from .operations.detect import surface_scopes
from .operations.honor import honor_rows
from .operations.reports import HonorRow
from .values import frozen
from .vocabulary import Scope, Surface

__all__ = ["Capabilities", "capabilities_of", "explain_hooks", "hosts_supporting", "surface_support"]


@frozen
class Capabilities:
    """What a host's description has. ``surfaces``: those it takes; ``scopes``: where each can be installed."""

    host: str
    name: str
    paradigm: Literal["json-stdio", "ts-plugin", "mcp-only"]
    surfaces: tuple[Surface, ...]
    scopes: dict[Surface, tuple[Scope, ...]]
    hook_events: tuple[str, ...] = ()


def capabilities_of(host: str) -> Capabilities:
    """Read off the host's description."""
    return _capabilities(composed().catalogue.get(host))


def hosts_supporting(surface: Surface) -> tuple[str, ...]:
    """The ids of all hosts that take the surface. Raises :class:`UsageError` for a surface that there is not."""
    known: tuple[Surface, ...] = get_args(Surface)
    if surface not in known:
        raise UsageError(f"no surface is called {surface!r}", hint=f"Surfaces: {', '.join(known)}.")
    catalogue = composed().catalogue
    return tuple(host for host in catalogue.ids() if surface in _capabilities(catalogue.get(host)).surfaces)


def surface_support(host: str, surface: Surface) -> bool:
    """Whether the host takes the surface."""
    composed().catalogue.get(host)
    return host in hosts_supporting(surface)


def explain_hooks(host: str) -> tuple[HonorRow, ...]:
    """What the host makes of every decision at every event it has; nothing for a host without hooks."""
    return honor_rows(host, composed().catalogue)


def _capabilities(host: Host) -> Capabilities:
    scopes = surface_scopes(host)
    return Capabilities(
        host.id, host.name, host.paradigm, tuple(scopes), scopes, tuple(host.hooks.events) if host.hooks else ()
    )

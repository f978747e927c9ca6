"""Hosts that run hooks as a module inside their own process: what their descriptions say of that module.

The module is a bridge, the same for every host, and the host's own shell around it. The bridge keeps one child
process, ``agent-connector hook <host> --stream --connector <id>``, and asks it about each event; the shell registers
with the host, hands over what the host tells and carries the replies out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from typing import Any

from .location import Location, Place
from .values import frozen
from .vocabulary import Scope


@frozen
class PluginSpec:
    """One connector's plugin. ``events``: canonical and native names of those it has hooks on."""

    name: str
    version: str
    module: str
    """The text of the whole module."""
    events: frozenset[str] = frozenset()


@frozen
class PluginEntry:
    """What must stand in a config file so that the host runs the module."""

    place: Place
    value: Callable[[PluginSpec], Any]
    """``None`` where this plugin needs nothing there."""


@frozen
class PluginDialect:
    """``files``: path below the folder -> text; the text of one of them is ``spec.module``."""

    folders: Mapping[Scope, Location]
    files: Callable[[PluginSpec], Mapping[str, str]]
    source: Callable[[], str]
    """The module with its placeholders, :data:`ABOUT` and :data:`SETTINGS`, each of which stands in it once."""
    entries: Mapping[Scope, tuple[PluginEntry, ...]] = field(default_factory=dict)


ABOUT = '"@about@"'
"""Becomes an object: ``connector``, ``version``, ``host``, ``scope``, ``command``, ``digest``."""
SETTINGS = '"@settings@"'
"""Becomes an object: ``launcher`` (``""``: in whoever's home), ``events`` (name -> milliseconds until the bridge
gives up), ``statics`` (event -> what holds without the child: ``match`` and ``reply``)."""

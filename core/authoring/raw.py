"""A definition as its author wrote it, recorded and not yet checked. Light: hook processes load this."""

from __future__ import annotations

from .shapes import hook_lists

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Collection
    from typing import Any

    from .definition import Connector
    from .identity import Identity


class Definition:
    """What an author wrote: ``raw``, the mapping as given, and ``source``, the file it came from (or empty)."""

    __slots__ = ("raw", "source")

    def __init__(self, raw: dict[str, Any], source: str = "") -> None:
        self.raw = raw
        self.source = source

    def resolve(self, *, identity: Identity | None = None, known_hosts: Collection[str] | None = None) -> Connector:
        """The checked connector with every default filled in. Raises :class:`ConnectorConfigError`."""
        from .resolve import resolve

        return resolve(self, identity=identity, known_hosts=known_hosts)

    def hook_handler(self, event: str, index: int, host: str = "") -> Any:
        """The handler as written (callable or reference), by the place it has in the checked definition.

        ``host``: look in that host's override of ``hooks`` instead. Raises :class:`LookupError`.
        """
        hooks = self.raw.get("hooks", {})
        if host:
            overrides = self.raw.get("platforms", self.raw.get("hosts", {}))
            hooks = overrides.get(host, {}).get("hooks", {})
        return hook_lists(hooks)[event][index]["handler"]

    def __repr__(self) -> str:
        return f"Definition({sorted(self.raw)}, source={self.source!r})"

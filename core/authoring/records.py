"""A connector as JSON, for ``connectors/<id>/connector.json``: enough to upgrade, check and remove it later.

The record is a definition again, with everything said that was derived. Functions that stand in the definition
itself are kept as the place of their code; they are loaded from there, or not at all.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .definition import Connector
from .fields import Model
from .identity import Identity
from .raw import Definition
from .resolve import resolve
from .server import Server


def to_record(connector: Connector) -> dict[str, Any]:
    """The definition as JSON values. ``from_record(to_record(c)) == c``."""
    definition: dict[str, Any] = {
        "id": connector.id,
        "display_name": connector.display_name,
        "version": connector.version,
        "mcp": _plain(connector.mcp),
        "telemetry": _plain(connector.telemetry),
        "targets": connector.targets if connector.targets == "auto" else list(connector.targets),
    }
    for name in (
        "server",
        "hooks",
        "commands",
        "skills",
        "subagents",
        "memory",
        "statusline",
        "actions",
        "platforms",
        "publish",
        "oauth",
    ):
        value = getattr(connector, name)
        if value not in (None, (), {}):
            definition[name] = _plain(value)
    return definition


def from_record(record: Mapping[str, Any], *, source: str = "") -> Connector:
    """The connector again, without live functions. ``source``: the file it came from.

    Raises :class:`ConnectorConfigError` for what is no record of ours.
    """
    return resolve(Definition(dict(record), source), identity=Identity(), stored=True)


def _plain(value: Any) -> Any:
    if isinstance(value, Model):
        said = value.model_dump(mode="json", exclude_unset=True)
        # Nested models are dumped one by one: a server's secrets must go back to where an author writes them.
        said.update({name: _plain(getattr(value, name)) for name in said if _holds_models(getattr(value, name))})
        if isinstance(value, Server):
            said["env"] = {**value.env, **value.secret_env}
        return said
    if isinstance(value, Mapping):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def _holds_models(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(_holds_models(item) for item in value.values())
    return isinstance(value, Model) or (isinstance(value, tuple) and any(map(_holds_models, value)))

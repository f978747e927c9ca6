"""The record by which a connector's proxies work (see :mod:`.serving`), made of the checked definition at install."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..host import Catalogue, Host
from .own_files import VERSION
from .records import read_record, write_record

if TYPE_CHECKING:
    from ..authoring.models import Connector

NAME = "serve"


def write_serve_record(connector: Connector, catalogue: Catalogue, data_root: Path) -> None:
    """Have the record say what the definition says. Raises ``OSError``."""
    record = serve_record(connector, catalogue)
    try:
        before = read_record(data_root, connector.id, name=NAME)
    except ValueError:  # damaged: it is made anew
        before = None
    if record != before:
        write_record(data_root, connector.id, record, name=NAME)


def serve_record(connector: Connector, catalogue: Catalogue) -> dict[str, Any]:
    telemetry = connector.telemetry
    return {
        "version": VERSION,
        "connector": connector.id,
        "telemetry": telemetry.enabled,
        "tool_defs": telemetry.measure_tool_defs,
        "log_only": telemetry.store == "ndjson",
        "calibrate": telemetry.calibration.anthropic_count_tokens,
        "hosts": {host_id: _host(connector, catalogue.get(host_id)) for host_id in catalogue.ids()},
    }


def _host(connector: Connector, host: Host) -> dict[str, Any]:
    hint = connector.telemetry.model_family_hint
    own: dict[str, Any] = {
        "family": host.model_family if hint == "auto" else hint,
        "session": list(host.detection.runtime.session),
    }
    server = connector.server_for(host.id)
    if server is None or host.server is None:
        return own
    include, exclude = tuple(server.tools.include), tuple(server.tools.exclude)
    return {
        **own,
        "include": list(include),
        "exclude": list(exclude),
        "host_chooses": host.server.chooses(include, exclude),
    }

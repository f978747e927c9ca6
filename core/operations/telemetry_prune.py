"""Letting go of old rows, or of where projects are. It is done by itself once a day; here it is done now."""

from __future__ import annotations

from ..telemetry import retention, store
from .context import Context
from .telemetry import TelemetryPruneReport, TelemetryPruneRequest


def telemetry_prune(request: TelemetryPruneRequest, context: Context) -> TelemetryPruneReport:
    """Raises :class:`TelemetryError` where the database cannot be written."""
    if not store.exists(context.data_root):
        return TelemetryPruneReport(0, 0, 0, 0, ("nothing has been counted yet",))

    def question(opened: store.Store) -> retention.Pruned:
        prune = retention.forget_paths if request.paths else retention.prune
        return opened.ask(lambda connection: prune(connection, opened.folder))

    done, notes = store.ask(context.data_root, question)
    return TelemetryPruneReport(done.rows, done.paths, done.bytes_before, done.bytes_after, notes)

"""What becomes of a connector in each host, before anything is installed: surface by surface, hook answer by answer.

What a host lacks follows from its description, by asking what would be installed into a machine on which nothing is
there yet; nothing is read of this one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING, get_args

from ..errors import UsageError
from ..runtime.records import list_records
from ..surfaces.all import desired
from ..surfaces.target import Desired, Target
from ..values import frozen
from ..vocabulary import Scope, Surface
from .connectors import load_connector, nearest, recorded_connector
from .context import Context
from .honor import honor_rows
from .reports import ExplainReport, ExplainRow
from .requests import ConnectorSource, ExplainRequest

if TYPE_CHECKING:
    from ..authoring.models import Connector

_SWITCHES: tuple[Surface, ...] = ("commands", "skills", "subagents", "memory", "statusline", "actions")


def explain(request: ExplainRequest, context: Context) -> ExplainReport:
    """An installed connector is taken as it was installed: none of its code is run.

    Raises :class:`UsageError` for an unknown host or connector, :class:`ConnectorConfigError`.
    """
    if request.source == ConnectorSource():
        hosts = [context.catalogue.get(name).id for name in request.targets or context.catalogue.ids()]
        return ExplainReport("", (), tuple(row for host in hosts for row in honor_rows(host, context.catalogue)))
    connector = known_connector(request.source, context, request.project)
    hosts = hosts_of(connector, request.targets, context)
    where = context.project(request.project)
    return ExplainReport(
        connector.id,
        explain_rows(connector, hosts, context, request.scope, where),
        tuple(row for host in hosts for row in honor_rows(host, context.catalogue, events_for(connector, host))),
    )


def known_connector(source: ConnectorSource, context: Context, project: str) -> Connector:
    """An installed connector by its record, any other by its definition."""
    if not source.id:
        return load_connector(source, context, context.project(project)).connector
    known = list_records(context.data_root)
    if source.id not in known:
        text = f"no connector {source.id!r} is installed here"
        raise UsageError(text, hint=nearest(source.id, known, "Installed are"))
    return recorded_connector(source.id, context)


def explain_rows(
    connector: Connector, hosts: Iterable[str], context: Context, scope: Scope | str, project: PurePath
) -> tuple[ExplainRow, ...]:
    """One row for each host and declared surface; surfaces of one host alone (config patches, native hooks) have
    rows there only, and every action has one of its own."""
    rows: list[ExplainRow] = []
    for host_id in hosts:
        host = context.catalogue.get(host_id)
        chosen = scope or connector.override_for(host_id).scope or "user"
        target = Target(connector, host, chosen, context.machine, project, _NoFiles())  # type: ignore[arg-type]
        rows += _rows(target)
    return tuple(rows)


def hosts_of(connector: Connector, named: Iterable[str], context: Context) -> list[str]:
    declared = context.catalogue.ids() if connector.targets == "auto" else connector.targets
    return [context.catalogue.get(name).id for name in dict.fromkeys(named) or declared]


def events_for(connector: Connector, host: str) -> list[str]:
    return [event for event, definitions in connector.hooks_for(host).items() if definitions]


def _rows(target: Target) -> Iterator[ExplainRow]:
    everything = desired(target)
    surfaces: tuple[Surface, ...] = get_args(Surface)
    for surface in surfaces:
        if _is_off(target, surface):
            text = f"platforms.{target.host.id}.{surface} is false in the definition"
            yield ExplainRow(target.host.id, surface, "disabled", text)
        elif target.wants(surface) and surface == "actions":
            for action in target.connector.actions:
                alone = replace(target, connector=replace(target.connector, actions=(action,)))
                yield _row(target, surface, desired(alone), action.id)
        elif target.wants(surface):
            yield _row(target, surface, everything)


def _is_off(target: Target, surface: Surface) -> bool:
    """Whether the definition declares the surface and switches it off here."""
    connector, override = target.connector, target.connector.override_for(target.host.id)
    if surface == "server":
        return connector.server is not None and override.server is False
    if surface == "hooks":
        return any(connector.hooks.values()) and override.hooks is False
    return surface in _SWITCHES and bool(getattr(connector, surface)) and getattr(override, surface) is False


def _row(target: Target, surface: Surface, wish: Desired, item: str = "") -> ExplainRow:
    """As much as would be put in place, and what there is to say of it."""
    alike = _in_one_module(target, surface)
    places = {str(wanted.path): None for wanted in wish.wanted if wanted.surface in alike}
    told = [
        f"{change.detail}. {change.fix}" if change.fix and not places else change.detail
        for change in wish.changes
        if change.surface == surface
    ]
    where = [_where(list(places))] if places else []
    return ExplainRow(target.host.id, surface, "native" if places else "skip-warn", "; ".join([*where, *told]), item)


def _in_one_module(target: Target, surface: Surface) -> tuple[Surface, ...]:
    """The surfaces that stand together with this one: a plugin holds all hooks."""
    both: tuple[Surface, ...] = ("hooks", "nativeHooks")
    plugin = target.host.hooks.plugin if target.host.hooks else None
    return both if plugin is not None and surface in both else (surface,)


def _where(places: list[str]) -> str:
    return f"in {places[0]}" if len(places) == 1 else f"in {places[0]} and {len(places) - 1} more"


@frozen
class _NoFiles:
    """A machine on which nothing is there yet."""

    def read(self, path: PurePath) -> bytes | None:
        del path
        return None

    def exists(self, path: PurePath) -> bool:
        del path
        return False

    def real(self, path: PurePath) -> PurePath:
        return path

"""Which hosts an operation is for, each on the machine as its install root sees it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal

from ..detection import presence
from ..host import Host
from ..machine import Machine
from ..values import frozen
from ..vocabulary import USER_WIDE, Scope
from .context import Context

if TYPE_CHECKING:
    from ..authoring.models import Connector
    from ..changes.ledger import Install


@frozen
class HostTarget:
    """``roots``: the override that moved this host's files (``{"CODEX_HOME": "/x"}``), empty for the usual place."""

    host: Host
    machine: Machine
    scope: Scope
    project: PurePath
    roots: Mapping[str, str] = field(default_factory=dict)

    @property
    def project_key(self) -> str:
        return "" if self.scope in USER_WIDE else str(self.project)

    def holds(self, path: str, known_roots: Iterable[str]) -> bool:
        """Whether a file of this host belongs to this install root and not to another of its roots."""
        own = set(self.roots.values())
        for root in known_roots:
            if PurePath(path).is_relative_to(root):
                return root in own
        return not own or self.scope not in USER_WIDE


def install_targets(
    connector: Connector, names: Iterable[str], scope: Scope | Literal[""], project: PurePath, context: Context
) -> list[HostTarget]:
    """The hosts to install into: those named, else those of the definition, else every detected one.

    Raises :class:`UsageError` for an unknown host id.
    """
    machine = context.machine
    named = list(dict.fromkeys(names))
    if named:
        hosts = [context.catalogue.get(name) for name in named]
    else:
        allowed = context.catalogue.ids() if connector.targets == "auto" else connector.targets
        hosts = [context.catalogue.get(host_id) for host_id in allowed]
        hosts = [host for host in hosts if presence(host, machine, project).installed]
    targets = []
    for host in hosts:
        chosen = scope or connector.override_for(host.id).scope or "user"
        targets.append(HostTarget(host, machine, chosen, project, roots_of(host, machine)))
    return targets


def roots_of(host: Host, machine: Machine) -> dict[str, str]:
    variable = host.detection.home_override
    root = machine.env_path(variable) if variable else None
    return {variable: str(root)} if root is not None else {}


def installed_targets(
    installs: Iterable[Install], names: Iterable[str], scope: Scope | Literal[""], project: str, context: Context
) -> list[HostTarget]:
    """Every place where something is installed already, narrowed by host, scope and project if given."""
    wanted = {context.catalogue.get(name).id for name in names}
    targets = []
    for install in installs:
        if (wanted and install.host not in wanted) or (scope and install.scope != scope):
            continue
        if project and install.project and install.project != project:
            continue
        if install.host not in context.catalogue.ids():
            continue
        machine = context.machine.with_env(install.roots)
        where = machine.path(install.project) if install.project else machine.cwd
        targets.append(
            HostTarget(context.catalogue.get(install.host), machine, install.scope, where, dict(install.roots))
        )
    return targets

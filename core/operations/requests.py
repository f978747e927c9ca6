"""What can be asked of an operation. Plain values: the command line, the MCP tools and scripts fill them in.

An empty ``targets`` means every detected host (or, for what is installed already, every host it is installed in);
an empty ``project`` means the working directory.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal

from ..values import frozen
from ..vocabulary import Scope

if TYPE_CHECKING:
    from ..authoring.identity import Identity


@frozen
class ConnectorSource:
    """Which connector: the id of an installed one, a definition file, or a definition in place. All empty: the
    definition found by walking up from the project, else the only installed one.

    ``identity``: who the package of ``path`` is, where the files around it do not say (installed distributions).
    """

    id: str = ""
    path: str = ""
    inline: Mapping[str, Any] | None = None
    identity: Identity | None = None


@frozen
class DetectRequest:
    project: str = ""
    targets: tuple[str, ...] = ()


@frozen
class InstallRequest:
    """``plan_id``: apply exactly this plan or fail. ``force``: also overwrite what the user edited in things of ours.
    ``strict``: any warning makes the outcome a failure. ``trust``: also trust it for the person, where the host has a
    stable way."""

    source: ConnectorSource = ConnectorSource()
    targets: tuple[str, ...] = ()
    scope: Scope | Literal[""] = ""
    project: str = ""
    dry_run: bool = False
    force: bool = False
    strict: bool = False
    trust: bool = False
    plan_id: str = ""


@frozen
class UninstallRequest:
    """``purge``: also forget the connector's record and, with the last connector, the launcher and its runtime."""

    source: ConnectorSource = ConnectorSource()
    targets: tuple[str, ...] = ()
    scope: Scope | Literal[""] = ""
    project: str = ""
    dry_run: bool = False
    purge: bool = False
    strict: bool = False
    plan_id: str = ""


@frozen
class UpgradeRequest:
    """Without a resolvable connector only launcher and runtime are refreshed. ``trust``: as for an install."""

    source: ConnectorSource = ConnectorSource()
    targets: tuple[str, ...] = ()
    scope: Scope | Literal[""] = ""
    project: str = ""
    channel: Literal["stable", "latest"] = "stable"
    dry_run: bool = False
    force: bool = False
    strict: bool = False
    trust: bool = False
    plan_id: str = ""


@frozen
class StatusRequest:
    source: ConnectorSource = ConnectorSource()
    targets: tuple[str, ...] = ()
    scope: Scope | Literal[""] = ""
    project: str = ""


@frozen
class DoctorRequest:
    source: ConnectorSource = ConnectorSource()
    targets: tuple[str, ...] = ()
    scope: Scope | Literal[""] = ""
    project: str = ""
    probe: bool = False
    heal: bool = False
    dry_run: bool = False


@frozen
class ExplainRequest:
    """Without a source: what the hosts can do, whatever the connector. ``targets`` empty: those of the definition,
    else every host that is known. ``scope`` empty: the one at which it would be installed."""

    source: ConnectorSource = ConnectorSource()
    targets: tuple[str, ...] = ()
    scope: Scope | Literal[""] = ""
    project: str = ""


@frozen
class SimulateRequest:
    """``event``: the shared name, or the host's own. ``input``: what the host would write; ``None`` for a sample of
    the host's."""

    source: ConnectorSource = ConnectorSource()
    host: str = ""
    event: str = ""
    input: bytes | None = None
    surface: Literal["hooks", "statusline"] = "hooks"
    project: str = ""

"""Which hosts are installed here, where they keep things, what they can do, and which one we run in."""

from __future__ import annotations

from pathlib import PurePath

from ..detection import current_host, presence
from ..host import Host
from ..machine import Machine
from ..vocabulary import Scope, Surface
from .context import Context
from .reports import DetectedHost, DetectReport, HostRoot
from .requests import DetectRequest
from .versions import host_versions


def detect(request: DetectRequest, context: Context) -> DetectReport:
    """Raises :class:`UsageError` for an unknown host among ``request.targets``."""
    project = context.project(request.project)
    hosts = [context.catalogue.get(host_id) for host_id in request.targets or context.catalogue.ids()]
    found = {host.id: presence(host, context.machine, project) for host in hosts}
    versions = host_versions(context, {host.id: here.binary for host in hosts if (here := found[host.id]).binary})
    current, reason = current_host(context.catalogue, context.machine.env)
    return DetectReport(
        hosts=tuple(
            DetectedHost(
                id=host.id,
                name=host.name,
                installed=found[host.id].installed,
                confidence=found[host.id].confidence,
                reason=found[host.id].reason,
                paradigm=host.paradigm,
                config_path=config_path(host, context.machine, project),
                binary=found[host.id].binary,
                version=versions.get(host.id, ""),
                scopes=tuple(host.server.places) if host.server else (),
                surfaces=surfaces(host),
                hook_events=tuple(host.hooks.events) if host.hooks else (),
                roots=roots(host, context.machine, project),
            )
            for host in hosts
        ),
        current=current,
        current_reason=reason,
    )


def surfaces(host: Host) -> tuple[str, ...]:
    """What this host can take, read off its description."""
    return tuple(surface_scopes(host))


def surface_scopes(host: Host) -> dict[Surface, tuple[Scope, ...]]:
    """Every surface this host has, with the scopes at which it can be installed there."""
    hooks = host.hooks.scopes if host.hooks else ()
    offered: dict[Surface, tuple[Scope, ...]] = {
        "server": tuple(host.server.places) if host.server else (),
        "hooks": hooks,
        "nativeHooks": hooks if host.native_hooks else (),
        "commands": tuple(host.commands.folders) if host.commands else (),
        "skills": tuple(host.skills.folders) if host.skills else (),
        "subagents": tuple(host.subagents.folders) if host.subagents else (),
        "memory": host.memory.scopes if host.memory else (),
        "statusline": tuple(host.statusline.places) if host.statusline else (),
        "configPatch": tuple(host.config_patch.places) if host.config_patch else (),
    }
    return {surface: scopes for surface, scopes in offered.items() if scopes}


def config_path(host: Host, machine: Machine, project: PurePath) -> str:
    if host.server is None or "user" not in host.server.places:
        return ""
    return str(host.server.places["user"].location.resolve(machine, project))


def roots(host: Host, machine: Machine, project: PurePath) -> tuple[HostRoot, ...]:
    """Where the host's files are: the usual place, and the one an override of this environment names."""
    variable = host.detection.home_override
    usual = machine.with_env({variable: ""}) if variable else machine
    found = [HostRoot(config_path(host, usual, project), "usual place")]
    if variable and machine.env.get(variable):
        path = config_path(host, machine, project)
        found.insert(0, HostRoot(path, f"{variable} is set", {variable: machine.env[variable]}))
    return tuple(found)

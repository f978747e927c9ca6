"""Which hosts are on this machine, and which one started this process. Reading only; nothing is imported for it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePath
from typing import Literal

from .host import Catalogue, Host
from .machine import Machine
from .values import frozen

Confidence = Literal["high", "medium", "low", "none"]

HOST_VARIABLES = ("AGENT_CONNECTOR_HOST", "AGENT_CONNECTOR_PLATFORM")
"""A person's or a launcher's word on which host this is; it beats every sign."""


@frozen
class Presence:
    """``installed``: a binary on the search path or the host's own files in the home. A project's files alone say
    only that somebody uses the host there."""

    installed: bool
    confidence: Confidence
    reason: str
    binary: str = ""


def presence(host: Host, machine: Machine, project: PurePath) -> Presence:
    binary = next((found for name in host.detection.binaries if (found := which(machine, name))), "")
    marker = _first_existing(location.resolve(machine, project) for location in host.detection.markers)
    in_project = _first_existing(location.resolve(machine, project) for location in host.detection.project_markers)
    if binary and marker:
        return Presence(
            installed=True,
            confidence="high",
            reason=f"{PurePath(binary).name} is on the search path and {marker} exists",
            binary=binary,
        )
    if marker:
        return Presence(
            installed=True, confidence="medium", reason=f"{marker} exists (no {_names(host)} on the search path)"
        )
    if binary:
        return Presence(
            installed=True,
            confidence="medium",
            reason=f"{binary} is on the search path (no settings yet)",
            binary=binary,
        )
    if in_project:
        return Presence(installed=False, confidence="low", reason=f"only this project's {in_project} says so")
    return Presence(installed=False, confidence="none", reason="no sign of it")


def _names(host: Host) -> str:
    return " or ".join(host.detection.binaries) or "program"


def _first_existing(paths: Iterable[PurePath]) -> str:
    return next((str(path) for path in paths if _exists(path)), "")


def _exists(path: PurePath) -> bool:
    try:
        return Path(path).exists()
    except OSError:  # a path that this system cannot even spell, or may not look at
        return False


def which(machine: Machine, name: str) -> str:
    """The program that ``machine``'s search path finds, or ``""``; a name with folders in it is a path."""
    endings = machine.env.get("PATHEXT", ".EXE;.CMD;.BAT").split(";") if machine.os == "windows" else [""]
    separator = ";" if machine.os == "windows" else ":"
    folders = machine.env.get("PATH", "").split(separator)
    if os.path.dirname(name):  # noqa: PTH120
        folders, endings = [str(machine.cwd)], ["", *endings]
    for folder in folders:
        for ending in endings:
            candidate = os.path.join(folder, name + ending)  # noqa: PTH118 - this loop is most of what detect does
            if folder and os.path.isfile(candidate) and os.access(candidate, os.X_OK):  # noqa: PTH113
                return candidate
    return ""


def current_host(catalogue: Catalogue, env: Mapping[str, str], client_name: str = "") -> tuple[str, str]:
    """(host id, how we know); the id is ``""`` if it cannot be told.

    Hosts are asked in catalogue order, forks before parents: several set variables of the host they descend from.
    """
    unknown = ""
    for variable in HOST_VARIABLES:
        if env.get(variable) in catalogue.ids():
            return env[variable], f"{variable} says so"
        if env.get(variable):
            unknown = unknown or f"{variable} names no host that is known: {env[variable]}"
    for host in _hosts(catalogue):
        mark = host.detection.runtime
        if client_name and any(_is_called(client_name, known) for known in mark.client_names):
            return host.id, _both(f"the MCP client calls itself {client_name}", unknown)
        sign = next((name for name in mark.env if env.get(name)), "")
        if sign and not any(env.get(name) for name in mark.not_env):
            return host.id, _both(f"{sign} is set", unknown)
    return "", unknown


def _is_called(name: str, known: str) -> bool:
    return name.startswith(known[:-1]) if known.endswith("*") else name == known


def _both(reason: str, besides: str) -> str:
    return f"{reason}; {besides}" if besides else reason


def _hosts(catalogue: Catalogue) -> Iterator[Host]:
    return (catalogue.get(host_id) for host_id in catalogue.ids())

"""Why a host would not run what is registered with it: its description's conditions, looked up in its files."""

from __future__ import annotations

from codecs import BOM_UTF8
from collections.abc import Iterator
from pathlib import PurePath
from typing import Any, Literal

from ..changes.workfile import naming
from ..documents.base import MISSING
from ..documents.opening import open_document
from ..errors import AgentConnectorError
from ..host import Blocker, Files, HookFile, Host, Note
from ..location import PROJECT, Place
from ..machine import Machine
from ..values import frozen
from ..vocabulary import USER_WIDE, Scope, Surface


@frozen
class Site:
    """Where something of ours is registered. ``project`` is absolute."""

    host: Host
    scope: Scope
    machine: Machine
    project: PurePath
    files: Files


@frozen
class Hindrance:
    """``warn``: the host asks about it by itself, or it holds in one project only. ``noted``: the dialect says so
    in its notes, at every install."""

    status: Literal["warn", "fail"]
    text: str
    fix: str
    noted: bool = False


def hindrances(site: Site, surface: Surface) -> Iterator[Hindrance]:
    """The settings that keep ``surface`` from running. A file that cannot be read blocks nothing here: whoever puts
    something into it says so."""
    for blocker in site.host.hooks.blockers if site.host.hooks else ():
        if surface in blocker.surfaces and (not blocker.scopes or site.scope in blocker.scopes):
            place = stands_in_the_way(blocker, site)
            if place is not None:
                elsewhere = site.scope in USER_WIDE and place.location.root == "project"
                path = place.location.resolve(site.machine, site.project)
                status: Literal["warn", "fail"] = "warn" if blocker.kind == "question" or elsewhere else "fail"
                yield Hindrance(status, f"{blocker.text} ({path})", blocker.fix, noted=blocker.kind != "switch")


def stands_in_the_way(blocker: Blocker, site: Site) -> Place | None:
    """The place that decides it, where ``blocker`` keeps something of ours from running."""
    found = [_deciding(blocker, site, project) for project in blocker.projects(site.project, site.files)]
    return found[0][1] if all(blocker.blocks(value) for value, _ in found) else None


def _deciding(blocker: Blocker, site: Site, project: PurePath) -> tuple[Any, Place]:
    """What stands at the first place that says anything; ``None`` where none does."""
    for place in blocker.places:
        value = _value(site, place, project)
        if value is not MISSING:
            return value, place
    return None, blocker.places[0]


def _value(site: Site, place: Place, project: PurePath) -> Any:
    path = place.location.resolve(site.machine, site.project)
    at = tuple(str(project) if key == PROJECT else key for key in place.at)
    try:
        data = site.files.read(path)
        return open_document(place.format, data).get(at) if data else MISSING
    except AgentConnectorError:
        return MISSING


def refusals(host: Host, file: HookFile, path: PurePath, files: Files) -> list[Note]:
    """Why the host would not read a hooks file as it stands, with ours in it or without. Raises what reading and
    parsing the file raises."""
    data = files.read(path) or b""
    if not data.strip():
        return []
    with naming(path):
        content = open_document(file.place.format, data).value()
    if not isinstance(content, dict):
        return []
    return [
        Note("warn", f"{host.name} refuses the whole of {path} {fault}: no hook in it runs", fix)
        for fault, fix in _faults(file, data, content)
    ]


def _faults(file: HookFile, data: bytes, content: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in file.scaffold.items():
        if key not in content:
            yield f"without {key}", f'Add "{key}": {value!r} at its top level'
    others = sorted(content.keys() - set(file.allowed_keys)) if file.allowed_keys else []
    if others:
        allowed = ", ".join(file.allowed_keys)
        yield f"because of {', '.join(others)}", f"Only {allowed} may stand at its top level"
    if file.refuses_bom and data.startswith(BOM_UTF8):
        yield "because of the byte order mark it begins with", "Save it as UTF-8 without a byte order mark"
    yield from file.faults(content)

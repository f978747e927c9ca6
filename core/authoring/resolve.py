"""A recorded definition becomes a checked connector, or one error with everything that is wrong."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from pathlib import Path as FilePath
from typing import Any

from ..errors import ConnectorConfigError, Problem
from ..machine import Machine
from . import hooks as hook_rules
from . import oauth as oauth_rules
from . import server as server_rules
from .content import command_findings, memory_findings, skill_findings, subagent_findings
from .definition import Connector, ConnectorConfig
from .findings import Finding, Written, covers
from .identity import Identity, connector_id, find_identity
from .names import kebab_fault
from .parsing import parse
from .platforms import PlatformOverride, override_findings
from .publish import PackageIdentity, publish_findings
from .raw import Definition
from .server import Server, server_findings
from .spelling import tidy
from .surfaces import action_findings, host_findings, statusline_findings

_OBJECTS = ("server", "statusline")
_LISTS = ("hooks", "commands", "skills", "subagents", "memory", "actions")
_SURFACES = (*_OBJECTS, *_LISTS)
_NOTHING: tuple[Any, ...] = (None, True, False, {}, [], ())
_HOST_SURFACES = ("native_hooks", "config_patch", "server", "hooks")


def resolve(
    definition: Definition | Mapping[str, Any],
    *,
    identity: Identity | None = None,
    known_hosts: Collection[str] | None = None,
    stored: bool = False,
) -> Connector:
    """The checked connector with every default filled in.

    ``identity``: who the package is; by default it is looked for around the definition's file. ``known_hosts``: the
    ids that platforms, targets and overrides may name; ``None`` judges only their form. ``stored``: read back from
    our own record. Raises :class:`ConnectorConfigError` with all problems.
    """
    if not isinstance(definition, Definition):
        definition = Definition(dict(definition))
    if identity is None:
        identity = _identity_around(definition.source)
    findings: list[Finding] = []
    written = Written(definition.raw)
    raw = {key: value for key, value in definition.raw.items() if key != "$schema"}  # a link for editors
    tidied = tidy(raw, ConnectorConfig, findings, written.slips)
    overridden = _merge_servers(tidied)
    declared = _declares_something(tidied)
    config, wrong = parse(ConnectorConfig, tidied, {"stored": stored})
    findings += wrong
    if config is not None:
        reported = [finding.path for finding in findings]
        rules = _rule_findings(config, identity, known_hosts)
        findings += [finding for finding in rules if not covers(reported, finding.path)]
    findings = [finding for finding in findings if not _is_echo(finding, findings, overridden)]
    if not declared:
        findings.append(Finding((), "declares nothing", f"add at least one of {', '.join(_SURFACES)}"))
    if config is None or findings:
        findings.sort(key=lambda one: written.position(one.path))
        problems = (Problem(written.spelled(one.path), one.reason, one.hint) for one in findings)
        raise ConnectorConfigError(tuple(dict.fromkeys(problems)), source=definition.source)
    return _settled(config, identity, definition.source)


def _identity_around(source: str) -> Identity:
    if not source:
        return Identity()
    return find_identity(FilePath(source).absolute().parent, home=Machine.current().home)


# --- before the models ------------------------------------------------------------------------------------------


def _merge_servers(tidied: dict[str, Any]) -> dict[str, set[str]]:
    """Put the connector's server under each host's partial one. Returns per host the keys of its own."""
    base, platforms = tidied.get("server"), tidied.get("platforms")
    overridden: dict[str, set[str]] = {}
    if not isinstance(base, dict) or not isinstance(platforms, dict):
        return overridden
    for host, override in platforms.items():
        own = override.get("server") if isinstance(override, dict) else None
        if isinstance(own, dict):
            overridden[host] = set(own)
            override["server"] = {**base, **own}
    return overridden


def _is_echo(finding: Finding, findings: list[Finding], overridden: Mapping[str, set[str]]) -> bool:
    """Whether it is a fault of the connector's own server, seen again through a host's override."""
    match finding.path:
        case ("platforms", str(host), "server", str(key), *rest) if key not in overridden.get(host, {key}):
            return Finding(("server", key, *rest), finding.reason, finding.hint) in findings
    return False


def _declares_something(tidied: Mapping[str, Any]) -> bool:
    if any(tidied.get(surface) not in _NOTHING for surface in _LISTS) or any(
        tidied.get(surface) is not None for surface in _OBJECTS
    ):
        return True
    platforms = tidied.get("platforms")
    overrides = platforms.values() if isinstance(platforms, Mapping) else ()
    return any(
        override.get(surface) not in _NOTHING
        for override in overrides
        if isinstance(override, Mapping)
        for surface in _HOST_SURFACES
    )


# --- the rules --------------------------------------------------------------------------------------------------


def _rule_findings(
    config: ConnectorConfig, identity: Identity, known_hosts: Collection[str] | None
) -> Iterator[Finding]:
    yield from _identity_findings(config, identity)
    if config.server is not None:
        yield from server_findings(config.server, ("server",))
    yield from hook_rules.hooks_findings(config.hooks, ("hooks",))
    yield from command_findings(config.commands, ("commands",))
    yield from skill_findings(config.skills, ("skills",))
    yield from subagent_findings(config.subagents, ("subagents",))
    yield from memory_findings(config.memory, ("memory",))
    if config.statusline is not None:
        yield from statusline_findings(config.statusline, ("statusline",), known_hosts)
    yield from action_findings(config.actions, ("actions",), known_hosts)
    yield from host_findings(config.platforms, ("platforms",), known_hosts)
    for host, override in config.platforms.items():
        place = ("platforms", host)
        yield from override_findings(override, place)
        if isinstance(override.server, Server):
            yield from server_findings(override.server, (*place, "server"))
        elif override.server is True and config.server is None:
            yield Finding((*place, "server"), "is true, but the connector has no server")
    if config.targets != "auto":
        yield from host_findings(config.targets, ("targets",), known_hosts)
        if not config.targets:
            yield Finding(("targets",), "names no host", 'write "auto" for all that are found')
    if config.publish is not None:
        yield from publish_findings(config.publish, ("publish",))
    yield from oauth_rules.oauth_findings(config.oauth, ("oauth",))


def _identity_findings(config: ConnectorConfig, identity: Identity) -> Iterator[Finding]:
    if config.id is not None:
        fault = kebab_fault(config.id)
        if fault:
            yield Finding(("id",), fault)
    else:
        derived = _derived_id(config, identity)
        if not derived:
            yield Finding(
                ("id",),
                "is required where no pyproject.toml or package.json names the package",
                'for example "acme-db"',
            )
        elif kebab_fault(derived):
            yield Finding(
                ("id",), f'"{derived}", derived from the package name, {kebab_fault(derived)}', "give an id"
            )
    for name in ("display_name", "version"):
        value = getattr(config, name)
        if value is not None and (not value.strip() or not value.isprintable()):
            yield Finding((name,), "must be a non-empty line of text")


def _derived_id(config: ConnectorConfig, identity: Identity) -> str:
    names = (config.mcp.name, identity.name, config.mcp.mcp_name, identity.mcp_name)
    return connector_id(next(filter(None, names), ""))


# --- after the rules --------------------------------------------------------------------------------------------


def _settled(config: ConnectorConfig, identity: Identity, source: str) -> Connector:
    id_ = config.id or _derived_id(config, identity)
    mcp = PackageIdentity.model_construct(
        name=config.mcp.name or identity.name,
        mcp_name=config.mcp.mcp_name or identity.mcp_name,
        command=config.mcp.command or identity.command,
        version=config.mcp.version or identity.version,
    )
    return Connector(
        id=id_,
        display_name=config.display_name or id_,
        version=config.version or mcp.version or "0.0.0",
        mcp=mcp,
        server=server_rules.settled(config.server) if config.server else None,
        hooks=_settled_hooks(config.hooks),
        telemetry=config.telemetry,
        commands=config.commands,
        skills=config.skills,
        subagents=config.subagents,
        memory=config.memory,
        statusline=config.statusline,
        actions=config.actions,
        platforms={host: _settled_override(override) for host, override in config.platforms.items()},
        targets=config.targets if config.targets == "auto" else tuple(dict.fromkeys(config.targets)),
        publish=config.publish,
        oauth={key: oauth_rules.settled(key, login) for key, login in config.oauth.items()},
        source=source,
    )


def _settled_hooks(hooks: hook_rules.Hooks) -> hook_rules.Hooks:
    return {event: tuple(map(hook_rules.settled, definitions)) for event, definitions in hooks.items()}


def _settled_override(override: PlatformOverride) -> PlatformOverride:
    changes: dict[str, Any] = {}
    if isinstance(override.server, Server):
        changes["server"] = server_rules.settled(override.server)
    if not isinstance(override.hooks, bool):
        changes["hooks"] = _settled_hooks(override.hooks)
    return override.model_copy(update=changes) if changes else override

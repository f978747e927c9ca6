"""Status line and actions: code that a host or a user calls by name."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Annotated, ClassVar

from pydantic import Field

from .fields import Flag, Model, OneOrMany, SwitchOr, Text, Texts, Whole
from .findings import Finding, Path, did_you_mean
from .handlers import Handler, program_findings
from .names import kebab_fault


class StatuslineOptions(Model):
    """Asked of hosts that know them; ``max_lines`` we keep ourselves, everywhere. ``None``: not said."""

    refresh_interval: Annotated[Whole | None, Field(json_schema_extra={"minimum": 1})] = None
    respect_user_colors: Flag | None = None
    """Keep the user's own colours."""
    hide_context_indicator: Flag | None = None
    """Hide the host's own indicator."""
    max_lines: Annotated[Whole | None, Field(json_schema_extra={"minimum": 1})] = None


class StatuslineHost(Model):
    """What differs in one host."""

    render: Handler | None = None
    command: Texts | None = None
    options: StatuslineOptions = StatuslineOptions.model_construct()


class Statusline(Model):
    """``render`` (or ``command``, in any language) turns a host's status into the text of its status line."""

    also: ClassVar[Mapping[str, str]] = {"platforms": "hosts"}

    render: Handler | None = None
    command: Texts | None = None
    name: Text = "statusline"
    description: Text = ""
    options: StatuslineOptions = StatuslineOptions.model_construct()
    hosts: dict[Text, StatuslineHost] = Field(default_factory=dict)

    def options_for(self, host: str) -> dict[str, int | bool]:
        """The options that are said for one host, by name."""
        said = self.options.model_dump(exclude_none=True)
        if host in self.hosts:
            said.update(self.hosts[host].options.model_dump(exclude_none=True))
        return said


class Confirm(Model):
    """What to ask before an action runs."""

    title: Text = ""
    message: Text = ""


class ActionHost(Model):
    """What differs in one host; ``None`` stands for "as everywhere"."""

    run: Handler | None = None
    command: Texts | None = None
    label: Text | None = None
    description: Text | None = None
    icon: Text | None = None
    placement: OneOrMany | None = None
    confirm: SwitchOr[Confirm] | None = None


class Action(Model):
    """Something a user triggers by name; ``run`` (or ``command``) does it. The rest is for hosts that show it."""

    also: ClassVar[Mapping[str, str]] = {"platforms": "hosts"}

    id: Text
    run: Handler | None = None
    command: Texts | None = None
    label: Text = ""
    description: Text = ""
    icon: Text = ""
    placement: OneOrMany = ()
    confirm: SwitchOr[Confirm] = False
    hosts: dict[Text, ActionHost] = Field(default_factory=dict)


def statusline_findings(statusline: Statusline, at: Path, known_hosts: Collection[str] | None) -> Iterator[Finding]:
    fault = kebab_fault(statusline.name)
    if fault:
        yield Finding((*at, "name"), fault)
    yield from _code_findings(statusline.render, statusline.command, "render", at)
    yield from _option_findings(statusline.options, (*at, "options"))
    yield from host_findings(statusline.hosts, (*at, "hosts"), known_hosts)
    for host, override in statusline.hosts.items():
        place = (*at, "hosts", host)
        if override.render is not None or override.command is not None:
            yield from _code_findings(override.render, override.command, "render", place)
        yield from _option_findings(override.options, (*place, "options"))


def _option_findings(options: StatuslineOptions, at: Path) -> Iterator[Finding]:
    for name in ("refresh_interval", "max_lines"):
        value = getattr(options, name)
        if value is not None and value < 1:
            yield Finding((*at, name), "must be a whole number of at least 1")


def action_findings(actions: Sequence[Action], at: Path, known_hosts: Collection[str] | None) -> Iterator[Finding]:
    first: dict[str, int] = {}
    for index, action in enumerate(actions):
        place = (*at, index)
        fault = kebab_fault(action.id)
        if fault:
            yield Finding((*place, "id"), fault)
        if action.id in first and action.id:
            yield Finding((*place, "id"), f'"{action.id}" is taken by entry {first[action.id] + 1}')
        first.setdefault(action.id, index)
        yield from _code_findings(action.run, action.command, "run", place)
        yield from _placement_findings(action.placement, place)
        yield from host_findings(action.hosts, (*place, "hosts"), known_hosts)
        for host, override in action.hosts.items():
            if override.run is not None or override.command is not None:
                yield from _code_findings(override.run, override.command, "run", (*place, "hosts", host))
            yield from _placement_findings(override.placement or (), (*place, "hosts", host))


def _placement_findings(placement: tuple[str, ...], at: Path) -> Iterator[Finding]:
    if any(not name.strip() for name in placement):
        yield Finding((*at, "placement"), "must not be empty")


def _code_findings(handler: object, command: tuple[str, ...] | None, name: str, at: Path) -> Iterator[Finding]:
    if (handler is None) == (command is None):
        yield Finding((*at, name) if handler is None else at, f"needs exactly one of {name} and command")
    yield from program_findings(command, at)


def host_findings(
    hosts: Mapping[str, object] | Sequence[str], at: Path, known_hosts: Collection[str] | None
) -> Iterator[Finding]:
    """Ids that no host has. Without a list of known ones only their form is judged."""
    for position, host in enumerate(hosts):
        place = (*at, host) if isinstance(hosts, Mapping) else (*at, position)
        if known_hosts is None:
            if kebab_fault(host):
                yield Finding(place, f'"{host}" is not the id of a host')
        elif host not in known_hosts:
            yield Finding(place, f'"{host}" is not a known host', did_you_mean(host, known_hosts))

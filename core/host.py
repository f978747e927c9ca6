"""The port that an adapter fills in: what is known of one AI coding-agent host.

A host is a description: data, plus small pure functions where data cannot say it. An adapter never writes,
never prints and never decides; the engine asks the description and never the id. What a host can do follows from
what its description has: no hook dialect, no hooks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, Generic, Literal, Protocol, TypeVar

from .location import Location, Place
from .machine import Machine, OperatingSystem
from .plugin import PluginDialect
from .values import frozen
from .vocabulary import Scope, Shell, Surface, Transport

if TYPE_CHECKING:
    from .authoring.models import Command, Skill, Subagent

Item = TypeVar("Item")
Json = Any
"""A JSON value: None, bool, int, float, str, list, dict with string keys."""


class Files(Protocol):
    """Read-only eyes for the few adapters whose facts must be probed."""

    def read(self, path: PurePath) -> bytes | None:
        """The file's bytes, or ``None`` if there is none."""

    def exists(self, path: PurePath) -> bool: ...

    def real(self, path: PurePath) -> PurePath:
        """The path with links followed, as far as it exists."""


@frozen
class Note:
    """Something to tell the person. ``info``: a fact, or a surface this host lacks; ``warn``: not done as asked."""

    level: Literal["info", "warn"]
    text: str
    fix: str = ""
    gate: bool = False
    """Whether what is installed is not active before the person has done something about it (trust, approval)."""


# --- detection -------------------------------------------------------------------------------------------------


@frozen
class RuntimeMark:
    """How a process we run as a child of this host can tell: any of ``env`` set and none of ``not_env``."""

    env: tuple[str, ...]
    not_env: tuple[str, ...] = ()
    client_names: tuple[str, ...] = ()
    """``clientInfo.name`` values this host sends in MCP; a ``*`` at the end stands for any ending."""
    payload_keys: tuple[str, ...] = ()
    """Top-level keys that every hook payload of this host has, and no other host's."""
    payload_shape: tuple[frozenset[str], frozenset[str]] = (frozenset(), frozenset())
    """Where no key is this host's alone: top-level keys that every hook payload of it has, all together, and those
    that none has."""
    payload_text: tuple[str, tuple[str, ...]] = ("", ())
    """Where not even the keys differ: a top-level key whose text holds one of these pieces in every payload of this
    host, and in none of another; backslashes count as slashes."""
    session: tuple[str, ...] = ()
    """Variables that name the session in what this host starts."""


@frozen
class Detection:
    binaries: tuple[str, ...] = ()
    markers: tuple[Location, ...] = ()
    """Folders or files whose presence says that the host is used here."""
    project_markers: tuple[Location, ...] = ()
    home_override: str = ""
    """The variable that moves the host's config folder; each value is an install root of its own."""
    version: tuple[str, ...] = ()
    """Command that prints the version; run only when asked for, cached by the binary's mtime."""
    runtime: RuntimeMark = RuntimeMark(())


# --- server ----------------------------------------------------------------------------------------------------


@frozen
class ServerSpec:
    """What a dialect renders. Strings may hold ``${env:VAR}`` references, never secrets.

    For stdio ``command`` and ``args`` are what the host shall start (the wrapper included, if any).
    Times are milliseconds.
    """

    name: str
    transport: Transport
    command: str = ""
    args: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict)
    cwd: str = ""
    url: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    bearer_env: str = ""
    """Variable that holds the bearer token (auth ``bearerEnv``)."""
    pass_env: tuple[str, ...] = ()
    """Variables the started process needs from the host's own environment, where that is not handed on anyway."""
    include: tuple[str, ...] = ("*",)
    exclude: tuple[str, ...] = ()
    timeout_ms: int | None = None
    startup_timeout_ms: int | None = None
    enabled: bool = True
    extra: Mapping[str, Json] = field(default_factory=dict)
    """Verbatim keys of the author's for this host; they win over rendered ones."""


@frozen
class Rendered:
    """``value`` is ``None`` where the host cannot express the thing at all; a note says why."""

    value: Json
    notes: tuple[Note, ...] = ()


@frozen
class Copy:
    """The file of one more program that the host runs in. It is written where ``marker`` exists; the usual place is
    then written only where the first of ``Detection.markers`` exists too."""

    marker: Location
    place: Place


@frozen
class ServerDialect:
    places: Mapping[Scope, Place]
    render: Callable[[ServerSpec], Rendered]
    expresses: Callable[[str, str], bool] = lambda _key, _template: True
    """(environment key, template) -> whether the host itself can resolve the template's references there. The key is
    ``""`` for any other place (command, args, cwd). What it cannot resolve, the wrapper must."""
    env_pass: bool = True
    """Whether the host hands its whole environment to servers. Where not, what the wrapper resolves must be listed in
    ``ServerSpec.pass_env``."""
    has_cwd: bool = True
    """Whether an entry can say in which folder the server starts."""
    absent: Note | None = None
    """Said where there is no file to put a server into, and none is made: one that holds nothing else would harm."""
    reads_name: Callable[[str], str] = lambda name: name
    """Where entries are elements of a list (a place ends in :func:`~.location.element`): how the host reads the name
    of one. Two that it reads alike are one to it, or break its file."""
    chooses: Callable[[tuple[str, ...], tuple[str, ...]], bool] = lambda _include, _exclude: False
    """(include, exclude) -> whether the host itself keeps to this choice of tools. Where not, the proxy does."""
    copies: Mapping[Scope, tuple[Copy, ...]] = field(default_factory=dict)
    """Where the host keeps its servers once more at this scope, each for itself."""
    instead: Mapping[Scope, tuple[Place, ...]] = field(default_factory=dict)
    """Files that the host reads together, the one of ``places`` among them: the one that has an entry of the name is
    written, else the first that is there, else that of ``places``."""
    faults: Callable[[Json, Mapping[str, str]], Iterable[tuple[str, str]]] = lambda _content, _env: ()
    """(content of the file, environment) -> what in it, whoever wrote it, makes the host drop all servers of the
    file: ("because …", what to do)."""
    notes: Mapping[Scope, tuple[Note, ...]] = field(default_factory=dict)
    """What a person must still do (trust, approval) after an install at this scope."""


# --- hooks -----------------------------------------------------------------------------------------------------

DEFAULT_HOOK_MS = 60_000
"""What a hook that asks for no time gets at least, in most hosts."""


@frozen
class HookSpec:
    """One registration: ``command`` is a complete line for the host's shell."""

    event: str
    native_event: str
    command: str
    matcher: str = ""
    timeout_ms: int | None = None
    command_windows: str = ""
    """The line for Windows where a committed file must serve every system."""
    shell: Shell = "sh"
    """What ``command`` is a line for."""


@frozen
class HookFile:
    """A file hooks may stand in; ``scaffold`` are keys the host demands in a file that we create."""

    place: Place
    scaffold: Mapping[str, Json] = field(default_factory=dict)
    beside: tuple[tuple[Location, str], ...] = ()
    """Whole files of ours without which the host does not read this one, and their text; ``{name}`` is filled in."""
    allowed_keys: tuple[str, ...] = ()
    """Where the host refuses the file for any other top-level key: all that may stand there."""
    refuses_bom: bool = False
    """Whether the host cannot read the file when it begins with a byte order mark."""
    faults: Callable[[Json], Iterable[tuple[str, str]]] = lambda _content: ()
    """(the file's content) -> what else in it makes the host refuse the whole file: ("because of …", what to do)."""
    spelled: Callable[[Json, str], str] = lambda _events, event: event
    """(what stands where the events stand, the host's name of one) -> the name by which this file holds that event,
    where the host knows two and refuses both together."""


@frozen
class Blocker:
    """A setting of a person's or of an organisation's that keeps what is registered from running.

    The first of ``places`` where anything stands decides, so the one that wins comes first. ``{project}`` in a place
    is each of ``projects``: what one of them lets run, runs.
    """

    places: tuple[Place, ...]
    blocks: Callable[[Json], bool]
    """(what stands there, ``None`` for nothing) -> whether it keeps ours from running."""
    text: str
    fix: str
    scopes: frozenset[Scope] = frozenset()
    """Whose registrations it concerns; empty for all."""
    surfaces: frozenset[Surface] = frozenset({"hooks", "nativeHooks"})
    projects: Callable[[PurePath, Files], tuple[PurePath, ...]] = lambda project, _files: (project,)
    kind: Literal["switch", "trust", "question"] = "switch"
    """``switch``: somebody switched it off. ``trust``: nobody trusts it yet, which the dialect's notes say at every
    install. ``question``: the same, but the host asks by itself."""


TrustState = Literal["trusted", "untrusted", "changed", "off"]
"""``changed``: trusted once, in another form. ``off``: switched off by the person."""


@frozen
class HookTrust:
    """Where the host keeps which hooks a person has trusted, by position: what we remove leaves its key behind, and
    what stood behind it must be trusted anew."""

    place: Place
    key: Callable[[PurePath, str, int], str]
    """(hooks file, native event, index in its array) -> the key at ``place``."""
    state: Callable[[str, Json, Json], TrustState]
    """(native event, element of its array, what stands under the key or ``None``) -> whether the host runs it."""
    told: Mapping[TrustState, tuple[str, str]]
    """State that keeps a hook from running -> (what the host does, what to do about it)."""
    grant: Callable[[str, Json, Json, OperatingSystem], Json] | None = None
    """(native event, element, what stands under the key or ``None``, system) -> what stands there once it is trusted;
    ``None`` where the person switched it off, or it is nothing the host could trust."""
    notes: tuple[Note, ...] = ()
    """Of the dialect's notes: those that are done with it."""


@frozen
class Grant:
    """A step of trust that a person may have us take for them (``--trust``): what then stands where. Only where the
    host keeps it in a file, in a form that it documents or that a run has shown.

    ``{project}`` and ``{name}`` are filled in, in ``place`` and as ``value``.
    """

    place: Place
    value: Json
    text: str
    """What the host does from then on."""
    scopes: frozenset[Scope] = frozenset({"project"})
    surfaces: frozenset[Surface] = frozenset({"server", "hooks", "nativeHooks", "commands", "skills", "subagents"})
    """What waits for it."""
    kind: Literal["leaf", "item"] = "leaf"
    """``leaf``: the key at ``place``. ``item``: an element of the array there."""
    gate: Blocker | None = None
    """Where given: while it does not block, nothing is to be granted."""
    notes: tuple[Note, ...] = ()
    """Of the dialects' notes: those that are done with it."""


@frozen
class HookDialect:
    """``files``: per scope, in order of preference; the first that already holds hooks is used, else the first.

    A file "holds hooks" when an array stands at its place for some native event; other keys beside the events (Codex
    keeps ``[hooks.state]`` there) are not hooks. ``events`` maps canonical event names to native ones and comes from
    the host's light ``hooks.py``.
    """

    files: Mapping[Scope, tuple[HookFile, ...]]
    events: Mapping[str, str]
    item: Callable[[HookSpec], Json]
    """The array element that registers a hook."""
    matcher: Callable[[str, str], str]
    """(canonical event, regex of the definition) -> native matcher: a superset, or ``""`` for all."""
    plugin: PluginDialect | None = None
    """Where hooks are a module that runs inside the host: see :func:`plugin_hooks`, which makes such a dialect."""
    shells: Mapping[OperatingSystem, Shell] = field(
        default_factory=lambda: {"linux": "sh", "macos": "sh", "windows": "cmd"}
    )
    committed_shell: Shell = "sh"
    """The shell whose line stands in a file that people of every system commit and read."""
    committed_windows_shell: Shell = "cmd"
    """The shell of ``HookSpec.command_windows``."""
    fails_closed: bool = False
    """Whether a hook that cannot be started forbids what it was asked about. Then a line says nothing, and ends well,
    where the launcher is gone."""
    spoken: Callable[[str], str] = lambda _event: ""
    """(canonical event) -> what such a line says instead, where silence forbids too: one line of plain text."""
    native_events: Callable[[str], bool] = lambda _event: True
    """Whether a native hook may be registered under this event name."""
    notes: Mapping[Scope, tuple[Note, ...]] = field(default_factory=dict)
    trust: HookTrust | None = None
    blockers: tuple[Blocker, ...] = ()
    """Settings under which the host runs no hook, or no status line, that is registered."""
    time_limit: Callable[[str, int | None], int] = lambda _event, asked: asked or DEFAULT_HOOK_MS
    """(event, milliseconds a registration asks for, ``None`` for none) -> milliseconds the host really gives it."""
    event_key: str = ""
    """The key under which a registration names its event, where all of them stand in one list."""
    usage_event: str = ""
    """The native event whose payload says what a turn cost, by the host's own count: the light module's
    ``turn(payload)`` reads it. Registered only where that is asked for."""

    @property
    def scopes(self) -> tuple[Scope, ...]:
        """Where hooks can be registered."""
        return tuple(self.plugin.folders if self.plugin else self.files)


def plugin_hooks(plugin: PluginDialect, events: Mapping[str, str], **more: Any) -> HookDialect:
    """The dialect of a host that runs hooks as a module: it has no registrations, and no matchers of its own."""
    return HookDialect({}, events, lambda _spec: None, lambda _event, _pattern: "", plugin=plugin, **more)


# --- content ---------------------------------------------------------------------------------------------------


@frozen
class ContentFiles:
    """The files of one content item, relative to the surface's folder."""

    files: Mapping[str, str]
    notes: tuple[Note, ...] = ()


@frozen
class ContentDialect(Generic[Item]):
    """Where items of one kind (commands, skills, subagents) stand, and the files each becomes."""

    folders: Mapping[Scope, Location]
    render: Callable[[Item], ContentFiles]
    degraded: str = ""
    """Set where the host has another kind in their place: what becomes of them, in one sentence."""


@frozen
class MemoryBlock:
    """A managed block to put: ``shared`` blocks belong to all connectors together (``_shared/<name>``)."""

    path: PurePath
    content: str | None = None
    """``None``: the definition's own content."""
    shared: str = ""


@frozen
class MemoryDialect:
    """``targets`` decides, by reading only, in which file or files the block must stand for the host to see it."""

    targets: Callable[[MemoryRequest, Files], tuple[MemoryBlock, ...]]
    scopes: tuple[Scope, ...]
    modes: tuple[str, ...] = ("block",)
    budget: int | None = None
    """Bytes per file beyond which the host cuts: a warning."""


@frozen
class MemoryRequest:
    machine: Machine
    project: PurePath
    scope: Scope
    mode: str = "block"


@frozen
class StatuslineDialect:
    """One slot in a settings file: set if absent, never over somebody else's."""

    places: Mapping[Scope, Place]
    render: Callable[[str, Mapping[str, Any]], Json]
    """(command line, options of the definition) -> the value of the slot."""
    shells: Mapping[OperatingSystem, Shell]
    parse: Callable[[dict[str, Json]], dict[str, Json]]
    """(payload as the host sends it) -> the fields of a statusline context it has. A function called ``parse`` in a
    light module of its own (``statusline.py``), which is all of an adapter that a statusline process loads."""
    options: tuple[str, ...] = ()
    """Definition options this host has a key for."""
    refuses: Callable[[str], str] = lambda _line: ""
    """(command line) -> why the host cannot start it, or ``""``."""


@frozen
class ConfigPatchDialect:
    places: Mapping[Scope, Place]
    refuses: Callable[[str], str]
    """Dotted key -> why it is refused (sensitive), or ``""``."""


@frozen
class AlsoReads:
    """This host also loads another host's files for these surfaces (unless switched off by ``unless``)."""

    host: str
    surfaces: frozenset[Surface]
    unless: str = ""
    scopes: frozenset[Scope] = frozenset()
    """At which scopes; empty for all."""


@frozen
class Host:
    """Everything known of one host. A surface that is ``None`` does not exist there."""

    id: str
    name: str
    detection: Detection
    server: ServerDialect | None = None
    hooks: HookDialect | None = None
    native_hooks: bool = False
    model_family: Literal["openai", "anthropic", "generic"] = "generic"
    """Whose models it runs, where it runs one maker's only: by that tokens are counted."""
    commands: ContentDialect[Command] | None = None
    skills: ContentDialect[Skill] | None = None
    subagents: ContentDialect[Subagent] | None = None
    memory: MemoryDialect | None = None
    statusline: StatuslineDialect | None = None
    config_patch: ConfigPatchDialect | None = None
    also_reads: tuple[AlsoReads, ...] = ()
    grants: tuple[Grant, ...] = ()
    verify: str = ""
    """A command a person can run to see that the host lists our server; empty where the host has none."""
    facts: tuple[str, ...] = ()
    """How what is said here was established, and where it differs from what is said elsewhere: whole sentences."""

    @property
    def paradigm(self) -> Literal["json-stdio", "ts-plugin", "mcp-only"]:
        if self.hooks is None:
            return "mcp-only"
        return "ts-plugin" if self.hooks.plugin else "json-stdio"


HOSTS_GROUP = "agent_connector.hosts"
"""Entry points by which other packages add hosts: the name is the host's id, the value ``module:HOST``."""


class Catalogue(Protocol):
    """The hosts there are, in the order in which runtime detection asks them (forks before parents)."""

    def ids(self) -> tuple[str, ...]: ...

    def get(self, host_id: str) -> Host:
        """Raises :class:`UsageError` with the nearest names for an unknown id."""

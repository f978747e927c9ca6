"""What the code of a status line and of an action is called with. Light: processes with such code load this.

Two classes, because an action is asked for by a person and has no status to look at; a status line has all that an
action has, so a function that takes a :class:`HostCtx` takes both.
"""

from __future__ import annotations

import sys

from .appending import make_folders
from .process import system

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from datetime import datetime, timedelta
    from typing import Any, ClassVar

    from ..telemetry.totals import ToolTotals


_MAPPING_PROXY: Any = type(type.__dict__)
"""A read-only view of a mapping, without the module that has its name."""


class Fields:
    """Named values, as attributes and as items. One that the host did not send is ``None``; any other name is an
    error. It is true where anything is known."""

    __slots__ = ("_fields",)
    NAMES: ClassVar[tuple[str, ...]] = ()

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    def __getattr__(self, name: str) -> Any:
        if name in type(self).NAMES:
            return object.__getattribute__(self, "_fields").get(name)
        raise AttributeError(f"a {type(self).__name__} has no field {name!r}")

    def __getitem__(self, name: str) -> Any:
        if name not in type(self).NAMES:
            raise KeyError(name)
        return getattr(self, name)

    def __contains__(self, name: object) -> bool:
        return name in type(self).NAMES

    def __iter__(self) -> Iterator[str]:
        return iter(type(self).NAMES)

    def __bool__(self) -> bool:
        return any(value is not None for value in self._fields.values())

    def get(self, name: str, default: Any = None) -> Any:
        if name not in type(self).NAMES:
            return default
        value = self[name]
        return default if value is None else value

    def __repr__(self) -> str:
        known = [name for name in type(self).NAMES if self._fields.get(name) is not None]
        return f"{type(self).__name__}(fields={known})"


class Model(Fields):
    """The session's model."""

    __slots__ = ()
    NAMES = ("id", "display_name")
    if TYPE_CHECKING:
        id: str | None
        display_name: str | None


class Cost(Fields):
    """What the session has cost, in US dollars, by the host's own reckoning."""

    __slots__ = ()
    NAMES = ("total_usd",)
    if TYPE_CHECKING:
        total_usd: float | None


class ContextWindow(Fields):
    """How full the model's context is. ``percent``: 0 to 100, as the host says it."""

    __slots__ = ()
    NAMES = ("used_tokens", "max_tokens", "percent")
    if TYPE_CHECKING:
        used_tokens: int | None
        max_tokens: int | None
        percent: float | None


class Telemetry:
    """The connector's own counts on this machine, to read."""

    __slots__ = ("_connector", "_data_root")

    def __init__(self, connector: str, data_root: str) -> None:
        self._connector = connector
        self._data_root = data_root

    def totals(self, since: datetime | timedelta | None = None) -> tuple[ToolTotals, ...]:
        """One :class:`ToolTotals` per tool, the most called first.

        ``since``: a point in time (one without a zone is local), or how long ago; ``None`` for all there is. Raises
        ``TypeError`` for anything else.
        """
        from ..telemetry.totals import tool_totals

        return tool_totals(self._data_root, self._connector, _milliseconds(since))


def _milliseconds(since: datetime | timedelta | None) -> int | None:
    """Since the epoch. Told apart by what they can do: importing their module costs as much as a hook's own work."""
    if since is None:
        return None
    if hasattr(since, "total_seconds"):
        from time import time

        return int((time() - since.total_seconds()) * 1000)
    if hasattr(since, "timestamp"):
        return int(since.timestamp() * 1000)
    raise TypeError(f"since must be a datetime or a timedelta, not a {type(since).__name__}")


class HostCtx(Fields):
    """What an action is called with.

    ``cwd`` and ``project`` are absolute folders, as text; ``env`` is the environment of the call, read-only;
    ``data_dir`` the connector's own folder, private to the person and there when it is first asked for: it stays when
    the connector is upgraded and goes with ``uninstall --purge``.
    """

    __slots__ = ("_data_root",)
    NAMES: ClassVar[tuple[str, ...]] = (
        "host",
        "connector",
        "session_id",
        "cwd",
        "project",
        "env",
        "data_dir",
        "telemetry",
    )
    if TYPE_CHECKING:
        host: str
        connector: str
        session_id: str | None
        cwd: str | None
        project: str | None

    def __init__(self, fields: dict[str, Any], data_root: str) -> None:
        super().__init__(fields)
        self._data_root = data_root

    @property
    def env(self) -> Mapping[str, str]:
        if sys.platform == "win32":
            variables = dict(system.environ)
        else:
            variables = {_text(name): _text(value) for name, value in system.environ.items()}
        read_only: Mapping[str, str] = _MAPPING_PROXY(variables)
        return read_only

    @property
    def data_dir(self) -> str:
        """Raises ``OSError`` where the folder cannot be made."""
        name = f"connectors/{self.connector}/data"
        make_folders(self._data_root, f"{name}/")
        return f"{self._data_root}/{name}"

    @property
    def telemetry(self) -> Telemetry:
        return Telemetry(self.connector, self._data_root)

    def __bool__(self) -> bool:
        return True


def _text(value: bytes) -> str:
    return value.decode("utf-8", "surrogateescape")


class StatuslineContext(HostCtx):
    """What the renderer of a status line is called with. ``raw`` is the host's own payload, untouched."""

    __slots__ = ()
    NAMES = (*HostCtx.NAMES, "model", "cost", "context", "transcript_path", "raw")
    if TYPE_CHECKING:
        transcript_path: str | None
        raw: dict[str, Any]

    @property
    def model(self) -> Model:
        return Model(self._fields.get("model") or {})

    @property
    def cost(self) -> Cost:
        return Cost(self._fields.get("cost") or {})

    @property
    def context(self) -> ContextWindow:
        return ContextWindow(self._fields.get("context") or {})


def context_json(context: HostCtx) -> dict[str, Any]:
    """A context for a program in any language: every field, unknown ones as ``null``. The environment is that of the
    program itself."""
    said: dict[str, Any] = {}
    for name in type(context).NAMES:
        if name not in ("env", "telemetry"):
            value = context[name]
            said[name] = {part: value[part] for part in value} if isinstance(value, Fields) else value
    return said

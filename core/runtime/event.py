"""What a Python handler is called with. Light: a hook process with a Python handler loads this."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

KNOWN = frozenset(
    (
        "event",
        "host",
        "connector_id",
        "session_id",
        "project_dir",
        "raw",
        "source",
        "reason",
        "prompt",
        "tool_name",
        "tool_input",
        "tool_output",
        "is_error",
        "trigger",
        "stop_hook_active",
        "message",
        "permission_suggestions",
        "tool_use_id",
        "error",
        "is_interrupt",
        "duration_ms",
        "agent_id",
        "agent_type",
        "agent_transcript_path",
        "last_assistant_message",
    )
)
"""Every field some event has. One that the host did not send is ``None``; any other name is an error."""


class Event:
    """One lifecycle event: its fields as attributes and as items. ``raw`` is the host's own payload, untouched."""

    __slots__ = ("_fields",)

    def __init__(self, fields: dict[str, Any]) -> None:
        self._fields = fields

    def __getattr__(self, name: str) -> Any:
        fields: dict[str, Any] = object.__getattribute__(self, "_fields")
        if name in fields:
            return fields[name]
        if name in KNOWN:
            return None
        raise AttributeError(f"an event has no field {name!r}; what else the host sent is in event.raw")

    def __getitem__(self, name: str) -> Any:
        return self._fields[name]

    def __contains__(self, name: object) -> bool:
        return name in self._fields

    def __iter__(self) -> Iterator[str]:
        return iter(self._fields)

    def get(self, name: str, default: Any = None) -> Any:
        return self._fields.get(name, default)

    def to_dict(self) -> dict[str, Any]:
        """The fields that are there, by name."""
        return dict(self._fields)

    def __repr__(self) -> str:
        return f"Event({self._fields.get('event', '')!r}, fields={sorted(self._fields)})"

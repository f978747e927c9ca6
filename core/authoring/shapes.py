"""The many ways to write hooks, brought into one shape. Light: hook processes load this to find a handler.

Nothing is judged here: what is not understood is passed on as it is, and the rules name it.
"""

from __future__ import annotations

from ..response import Response

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeVar

    F = TypeVar("F")

HOOKS_ATTRIBUTE = "agent_connector_hooks"
"""Where the ``@hook`` decorator leaves its registrations on a function."""


class Hook:
    """A hook registration. Called with a function it registers that function and gives it back (a decorator)."""

    __slots__ = ("event", "fields")

    def __init__(self, event: str, fields: dict[str, Any]) -> None:
        self.event = event
        self.fields = fields

    def __call__(self, handler: F) -> F:
        registrations = getattr(handler, HOOKS_ATTRIBUTE, None)
        if registrations is None:
            registrations = []
            setattr(handler, HOOKS_ATTRIBUTE, registrations)
        registrations.append(Hook(self.event, {**self.fields, "handler": handler}))
        return handler

    def __repr__(self) -> str:
        return f"Hook({self.event!r}, {self.fields!r})"


def hook_lists(hooks: Any) -> Any:
    """``hooks`` as ``{event: [entry, …]}``, each entry a mapping with ``handler``, ``command`` or response keys.

    Accepts a mapping from events to entries, or a list of ``hook(…)`` registrations and decorated functions. An
    entry may be a mapping, a function, a reference string, a :class:`Response`, or a list of these.
    """
    if isinstance(hooks, dict):
        return {event: _entries(event, value) for event, value in hooks.items()}
    if not isinstance(hooks, (list, tuple)):
        return hooks
    lists: dict[str, Any] = {}
    for element in hooks:
        for event, entry in _registrations(element):
            lists.setdefault(event, []).append(entry)
    return lists


def _entries(event: str, value: Any) -> list[Any]:
    entries: list[Any] = []
    for element in value if isinstance(value, (list, tuple)) else (value,):
        registered = getattr(element, HOOKS_ATTRIBUTE, None)
        if registered is not None:
            own = [registration.fields for registration in registered if registration.event == event]
            entries.extend(own or [{"handler": element}])
        else:
            entries.append(_entry(element))
    return entries


def _registrations(element: Any) -> list[tuple[str, Any]]:
    registered = getattr(element, HOOKS_ATTRIBUTE, None)
    if registered is not None:
        return [(registration.event, registration.fields) for registration in registered]
    if isinstance(element, Hook):
        return [(element.event, element.fields)]
    if isinstance(element, dict) and "event" in element:
        return [(str(element["event"]), {key: value for key, value in element.items() if key != "event"})]
    return [("", _entry(element))]


def _entry(element: Any) -> Any:
    if isinstance(element, Hook):
        return element.fields
    if isinstance(element, Response):
        return element.to_dict()
    if isinstance(element, str) or callable(element):
        return {"handler": element}
    return element

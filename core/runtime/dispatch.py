"""From a payload to a reply, by a connector's record: who called, which entries fit, what they answer.

The record is ``connectors/<id>/hooks.json`` (see :mod:`.hook_record`). Everything here is paid on every tool call:
what only some connectors need is imported where it is needed.
"""

from __future__ import annotations

import sys

from .jsontext import payload_in
from .neutral import module_of
from .own_files import is_installed, read_record
from .process import variable
from .reply import Reply

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, Literal

TOOL_EVENTS = ("PreToolUse", "PostToolUse", "PermissionRequest", "PostToolUseFailure")
AGENT_EVENTS = ("SubagentStart", "SubagentStop")
"""Events whose matchers look at a tool's name, and at an agent's type; the others have none."""

RESTRAINING = ("deny", "ask")
"""What a static response says also of a payload that can be read in part only."""
LAST = 1 << 20
"""The place of what is said behind all entries."""


class CodeNeededError(Exception):
    """What an author wrote must run for an answer."""


class Dispatch:
    """One event that a host told one connector, and what came of it.

    ``give_up`` is called when an author's code ignores that its time is up: it must answer with what there is
    (:meth:`reply`) and end the process.
    """

    kind = "hook"
    __slots__ = (
        "caller",
        "code",
        "connector",
        "data_root",
        "event",
        "faults",
        "give_up",
        "host",
        "live",
        "matched",
        "module",
        "muted",
        "only",
        "output",
        "partial",
        "payload",
        "record",
        "responses",
        "session",
        "started",
        "tool",
    )

    def __init__(
        self,
        host: str,
        event: str,
        connector: str,
        data_root: str,
        *,
        only: int | None = None,
        give_up: Callable[[], object] = lambda: None,
    ) -> None:
        self.host = host
        self.event = event
        self.connector = connector
        self.data_root = data_root
        self.only = only
        """The one native hook that is meant, where several stand on an event."""
        self.give_up = give_up
        self.record: dict[str, Any] | None = None
        self.caller = host
        """The host that really called."""
        self.module: Any = None
        """Its light module."""
        self.muted = False
        """Whether another copy of the connector answers this call."""
        self.matched: list[int] = []
        """The places of the entries that fit."""
        self.faults: list[tuple[str, str]] = []
        """(word, where): what went wrong, for the log."""
        self.responses: dict[int, dict[str, Any]] = {}
        """What the entries have answered so far, by their place."""
        self.payload: dict[str, Any] = {}
        self.partial = False
        """Whether ``payload`` is no more than what could be told of one that is no whole JSON."""
        self.session = ""
        self.tool = ""
        self.output = -1
        """Where handlers' output goes, once there is a handler that may print."""
        self.started: float | None = None
        """When an author's code first ran: all of it together has the time the host gives."""
        self.code: Literal["run", "needed", "left out"] = "run"
        """Whether an author's code runs here. ``needed``: where an answer takes any, :class:`CodeNeededError` is
        raised. ``left out``: the answer is what is said without."""
        self.live: Any = None
        """What stands in for a process of our own in an author's tests: ``function(entry, index)`` gives a handler
        at hand, ``within(seconds, work)`` its answer in time."""

    def answer(self, data: bytes) -> Reply | None:
        """The reply to a payload as the host wrote it; ``None`` for no opinion. Faults are in ``faults``."""
        try:
            record = self.record = self.record or read_record(self.data_root, self.connector, "hooks")
        except ValueError:
            self.faults.append(("bad-record", ""))
            return None
        if record is None:
            if is_installed(self.data_root, self.connector):
                self.faults.append(("no-record", ""))
            return None
        own = record["hosts"].get(self.host)
        if own is None:  # it was uninstalled, or knows no such host
            return None
        entries = own["events"].get(self.event)
        native = own["native"].get(self.event) if entries is None else None
        if entries is None and not native:
            return None
        payload = payload_in(data, self.faults)
        if payload is None and not native:
            from .outline import outline

            payload = outline(data)
            self.partial = True
        if payload is None:
            return None
        self.payload = payload
        self.module = module_of(record, self.host)
        if native:
            return self._native(native, data)
        if own["readers"] and not self._is_for_us(record, own["readers"]):
            return None
        if self.caller != self.host:
            entries = record["hosts"][self.caller]["events"].get(self.event, [])
        return self._normalized(entries)

    def reply(self) -> Reply | None:
        """What the entries that have answered so far come to, in the words of the host that called."""
        if not self.responses or self.module is None:
            return None
        if len(self.responses) == 1:
            (response,) = self.responses.values()
        else:
            from .answers import merged

            response = merged(self.responses[index] for index in sorted(self.responses))
        reply: Reply = self.module.format(self.event, response, self.payload)
        return reply

    def said_so_far(self) -> Reply | None:
        """The same behind a fault of another entry's."""
        try:
            return self.reply()
        except Exception:  # noqa: BLE001
            return None

    def mark(self, index: int, *, broken: bool) -> None:
        """Remember that an entry's code cannot be started, or that it can again."""
        from .hook_log import handler_key, mark

        mark(self.data_root, self.connector, handler_key(self.caller, self.event, index), broken=broken)

    def handed(self, event: dict[str, Any]) -> Any:
        """What a Python handler is called with."""
        from .event import Event

        return Event(event)

    def _is_for_us(self, record: dict[str, Any], readers: list[dict[str, Any]]) -> bool:
        """Work out which host called; whether it is this copy of the connector that answers."""
        from .caller import caller_of, has_own_copy

        caller = caller_of(readers, self.payload, variable)
        if not caller or caller == self.host or caller not in record["hosts"]:
            return True
        try:
            module = module_of(record, caller)
            project = module.parse(self.event, self.payload).get("project_dir", "")
        except Exception:  # noqa: BLE001 - as installed, where the other host's dialect cannot be had
            return True
        self.caller, self.module = caller, module
        self.muted = has_own_copy(record["installed"], caller, project)
        return not self.muted

    def _normalized(self, entries: list[dict[str, Any]]) -> Reply | None:
        repeats = getattr(self.module, "repeats", None)
        if repeats is not None and repeats(self.event, self.payload):
            return None
        fields = self.module.parse(self.event, self.payload)
        self.session = fields.get("session_id", "")
        names = self._names(fields)
        self.tool = names[-1] if names and self.event in TOOL_EVENTS else ""
        waiting = []
        for index, entry in enumerate(entries):
            if (self.partial and not _restrains(entry)) or not self._fits(entry, index, names):
                continue
            self.matched.append(index)
            if entry["kind"] == "static":
                self.responses[index] = entry["response"]
            else:
                waiting.append((index, entry))
        if self.code != "run":
            self._needs_code(waiting)
            waiting = []
        # What needs no code is said whatever the code of the others does.
        event = self._event(fields) if waiting else {}
        if self.responses and waiting and self._runs_code_here(waiting):
            from .standby import goes_on_in_a_copy

            if not goes_on_in_a_copy(self, waiting):
                waiting = []
        for index, entry in waiting:
            response = self._called(entry, index, event)
            if response:
                self.responses[index] = response
        if self.event == "SessionStart":
            self._tell_of_broken_handlers()
        return self.reply()

    def _needs_code(self, what: object) -> None:
        if what and self.code == "needed":
            raise CodeNeededError

    def _runs_code_here(self, waiting: list[tuple[int, dict[str, Any]]]) -> bool:
        """Whether an author's code may end this very process, and another one can stand by."""
        if self.live is not None or self.record is None or sys.platform == "win32":
            return False
        from .author import python_tag

        python = any(entry["kind"] == "python" for _, entry in waiting)
        return python and bool(self.record["python"]["tag"] == python_tag())

    def _names(self, fields: dict[str, Any]) -> tuple[str, ...]:
        """What matchers are tested against: the native name and the bare one, or the agent's type."""
        if self.event in TOOL_EVENTS:
            name = fields.get("tool_name")
            names: tuple[str, ...] = self.module.tool_names(name) if name else ()
            return names
        agent = fields.get("agent_type") if self.event in AGENT_EVENTS else None
        return (agent,) if agent else ()

    def _fits(self, entry: dict[str, Any], index: int, names: tuple[str, ...]) -> bool:
        matcher = entry["match"]
        if matcher is None:
            return True
        from .matching import fits

        if len(matcher) > 1:  # literal texts beside the expression
            return fits(matcher, names)
        if self.code != "run":
            self._needs_code(matcher)
            return False
        from .author import limited  # an expression of an author's may take for ever

        fitting: bool = limited(self, entry, index, lambda: fits(matcher, names), failed=False)
        return fitting

    def _event(self, fields: dict[str, Any]) -> dict[str, Any]:
        return {
            "event": self.event,
            "host": self.caller,
            "connector_id": self.connector,
            "session_id": "",
            **fields,
            "raw": self.payload,
        }

    def _called(self, entry: dict[str, Any], index: int, event: dict[str, Any]) -> dict[str, Any]:
        from .answers import response_of
        from .author import answer_of, limited

        response: dict[str, Any] = limited(
            self, entry, index, lambda: response_of(answer_of(self, entry, index, event)), failed={}
        )
        return response

    def _native(self, entries: list[dict[str, Any]], data: bytes) -> Reply | None:
        """A hook on an event of the host's own: the raw payload in, what is answered out as it is."""
        from .native import native_reply

        if self.code != "run":
            self._needs_code(entries)
            return None
        fields = self.module.parse(self.event, self.payload)
        self.session = fields.get("session_id", "")
        common = {name: fields[name] for name in ("session_id", "project_dir") if name in fields}
        for index, entry in enumerate(entries):
            if self.only in (None, index):
                self.matched.append(index)
                reply = native_reply(self, entry, index, self._event(common), data)
                if reply is not None:
                    return reply
        return None

    def _tell_of_broken_handlers(self) -> None:
        from .hook_log import unloadable

        broken = unloadable(self.data_root, self.connector)
        if not broken or self.code == "left out":
            return
        self._needs_code(broken)
        from .broken import still_broken

        for text in still_broken(self, broken):
            self.responses[len(self.responses) + LAST] = {"decision": "context", "additional_context": text}


def _restrains(entry: dict[str, Any]) -> bool:
    return entry["kind"] == "static" and entry["response"].get("decision") in RESTRAINING

"""What a host makes of each answer at each event: its own ``format``, asked with a payload that it once sent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from importlib.resources import files
from typing import Any

from ..host import Catalogue
from ..runtime.jsontext import loads
from ..runtime.neutral import hooks_module, load
from .reports import Asked, HonorRow, HookVerdict

DECISIONS: tuple[Asked, ...] = ("deny", "ask", "modify", "context", "output", "allow")
_BEFORE_A_CALL = "PreToolUse"


def honor_rows(host_id: str, catalogue: Catalogue, events: Iterable[str] | None = None) -> tuple[HonorRow, ...]:
    """A row for each event and decision: of ``events``, else of all that the host has. None for a host without hooks,
    or whose package has no module that answers them.

    Raises :class:`UsageError` for an unknown host.
    """
    host = catalogue.get(host_id)
    if host.hooks is None:
        return ()
    try:
        module = light_module(host_id)
    except ImportError:
        return ()
    wanted = tuple(host.hooks.events) if events is None else tuple(events)
    rows: list[HonorRow] = []
    for event in wanted:
        if event in host.hooks.events:
            rows += _event_rows(host_id, module, event)
        else:
            why = f"{host.name} has no {event} event"
            rows += [HonorRow(host_id, event, decision, "dropped", why) for decision in DECISIONS]
    return tuple(rows)


def light_module(host_id: str) -> Any:
    """The module that hook processes load of a host, also of another package's. Raises ``ImportError``."""
    try:
        return hooks_module(host_id)
    except ImportError:
        from ..runtime.distributions import hooks_modules

        name = hooks_modules().get(host_id)
        if name is None:
            raise
        return load(name)


def fires_when(module: Any, event: str) -> str:
    """Under which conditions the host runs hooks of this event; ``""`` for none."""
    return str(getattr(module, "FIRES_WHEN", {}).get(event, ""))


def sample(module: str, event: str) -> bytes | None:
    """A payload of this event as the host sent it, ``None`` without one. ``module``: one of the host's."""
    folder = files(module.rpartition(".")[0]) / "samples"
    file = folder / f"{event}.json"
    return file.read_bytes() if file.is_file() else None


def _samples(module: Any, event: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """(variant, payload) of the event, the plain one (``""``) first; an empty payload where there is none."""
    yield "", loads(sample(module.__name__, event) or b"{}")
    folder = files(module.__name__.rpartition(".")[0]) / "samples"
    if folder.is_dir():
        for file in sorted(folder.iterdir(), key=lambda one: one.name):
            name, variant, *rest = file.name.split(".")
            if name == event and rest == ["json"]:
                yield variant, loads(file.read_bytes())


def _event_rows(host_id: str, module: Any, event: str) -> Iterator[HonorRow]:
    payloads = list(_samples(module, event))
    condition = fires_when(module, event)
    for decision in DECISIONS:
        verdict, why = _verdict(module, event, decision, payloads[0][1])
        texts = [why] if why else []
        others = [("other tools", _of_another_tool(payloads[0][1]))] if decision == "output" else []
        for variant, payload in (*payloads[1:], *others):
            other, other_why = _verdict(module, event, decision, payload)
            if other != verdict:
                texts.append(f"for {variant}: {other}{f' ({other_why})' if other_why else ''}")
        yield HonorRow(host_id, event, decision, verdict, "; ".join(texts), condition)


def _of_another_tool(payload: dict[str, Any]) -> dict[str, Any]:
    """Whether an output can be replaced depends on whose it is; no sample shows a host's other tools."""
    return {**payload, "tool_name": "AnotherTool"} if "tool_name" in payload else payload


def _verdict(module: Any, event: str, decision: Asked, payload: dict[str, Any]) -> tuple[HookVerdict, str]:
    try:
        reply = module.format(event, _response(module, event, decision, payload), payload)
    except Exception as fault:  # noqa: BLE001 - another package's code may fail in any way
        return "dropped", f"the host's description fails on it ({type(fault).__name__})"
    silent = (reply.stdout, reply.exit_code) == module.neutral(event)
    if decision == "allow" and event == _BEFORE_A_CALL and silent:
        return reply.verdict, "no opinion: whether the tool may run is decided as without the hook"
    return reply.verdict, reply.why


def _response(module: Any, event: str, decision: Asked, payload: dict[str, Any]) -> dict[str, Any]:
    """What a handler would answer that wants just this."""
    if decision == "output":
        return {"updated_output": "another output"}
    if decision == "context":
        return {"decision": "context", "additional_context": "to know"}
    if decision == "modify":
        return {"decision": "modify", "updated_input": _changed(module.parse(event, payload).get("tool_input", {}))}
    return {"decision": decision, "reason": "because"} if decision != "allow" else {"decision": "allow"}


def _changed(tool_input: dict[str, Any]) -> dict[str, Any]:
    """The same input with its first text changed."""
    key = next((name for name, value in tool_input.items() if isinstance(value, str)), "text")
    return {**tool_input, key: "another"}

"""What a simulated call means: whether the host does what was decided, and why, in words for a person."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Literal

from ..host import Host
from ..runtime.answers import merged
from ..values import frozen
from .honor import fires_when
from .reports import HandlerOutcome, SimulateReport

_FAULTS: Mapping[str, str] = {
    "no-payload": "the input is empty",
    "bad-payload": "the input cannot be read as one JSON object",
    "timeout": "it took longer than its time",
    "unavailable": "it cannot be started",
    "bad-answer": "what it answered is no response",
    "exit": "it ended the process",
    "unheard": "it closed what the host listens to",
    "raised": "it raised an exception",
    "changed": "its file is not what was installed",
    "internal": "a fault of agent-connector's",
    "died": "the hook process ended before it could answer",
}
_NO_PAYLOAD = ("no-payload", "bad-payload")
_NO_FAILURE = ("changed",)


@frozen
class Call:
    """One call of a connector's hook: ``entries`` as the record has them, ``module`` the host's light one."""

    connector: str
    host: Host
    event: str
    entries: tuple[dict[str, Any], ...]
    module: Any = None
    native: bool = False
    notes: tuple[str, ...] = ()


def not_called(call: Call, reason: str) -> SimulateReport:
    """The host runs nothing for it."""
    condition = fires_when(call.module, call.event) if call.module else ""
    return SimulateReport(
        call.connector,
        call.host.id,
        "hooks",
        call.event,
        honored=False,
        verdict="none",
        reason=reason,
        notes=call.notes,
        fires_when=condition,
    )


def judged(call: Call, told: Mapping[str, Any] | None, printed: str = "", exit_status: int = 0) -> SimulateReport:
    """``told``: see :func:`agent_connector.runtime.simulation.told`; ``None`` where the process ended, with
    ``exit_status``, before it could."""
    told = told or _died(call, exit_status)
    responses = {int(index): response for index, response in told["responses"].items()}
    faults = [(word, where) for word, where in told["faults"]]
    handlers = tuple(_handler(call, index, told["matched"], responses, faults) for index in range(len(call.entries)))
    response = merged(responses[index] for index in sorted(responses)) or None
    verdict = _verdict(call, told)
    return SimulateReport(
        connector=call.connector,
        host=call.host.id,
        surface="hooks",
        event=call.event,
        honored=verdict in ("honored", "verbatim") and not any(_failures(handlers, faults)),
        verdict=verdict,
        reason=_reason(call, told, verdict, handlers, response, faults),
        host_reply=_parsed(told["stdout"]),
        response=response,
        handlers=handlers,
        faults=tuple(f"{word}: {where}" if where else word for word, where in faults),
        notes=call.notes,
        fires_when=fires_when(call.module, call.event),
        stdout=told["stdout"],
        stderr=told["stderr"],
        exit_status=told["exit_status"],
        printed=printed,
    )


def _handler(
    call: Call, index: int, matched: list[int], responses: Mapping[int, Any], faults: list[tuple[str, str]]
) -> HandlerOutcome:
    entry = call.entries[index]
    own = [(word, where) for word, where in faults if where.split(":")[0] == str(index) and word not in _NO_FAILURE]
    fault = "; ".join(_fault_text(word, where) for word, where in own)
    return HandlerOutcome(index, entry["kind"], what_of(entry), index in matched, responses.get(index), fault)


def what_of(entry: Mapping[str, Any]) -> str:
    """An entry of a hook record, for a person."""
    if entry["kind"] == "static":
        return str(entry["response"].get("decision", "response"))
    if entry["kind"] == "command":
        from shlex import join

        return join(entry["command"])
    handler = entry["handler"]
    name = handler.get("name") or handler.get("qualname") or "function"
    where = handler.get("module") or handler.get("file", "").replace("\\", "/").rpartition("/")[2]
    return f"{where}:{name}" if where else str(name)


def _fault_text(word: str, where: str) -> str:
    detail = where.partition(":")[2].strip()
    return f"{_FAULTS.get(word, word)} ({detail})" if detail else _FAULTS.get(word, word)


def _verdict(call: Call, told: Mapping[str, Any]) -> Literal["honored", "degraded", "dropped", "none", "verbatim"]:
    verdict: Literal["honored", "degraded", "dropped", "none"] = told["verdict"]
    return "verbatim" if call.native and verdict != "none" else verdict


def _reason(
    call: Call,
    told: Mapping[str, Any],
    verdict: str,
    handlers: tuple[HandlerOutcome, ...],
    response: Mapping[str, Any] | None,
    faults: list[tuple[str, str]],
) -> str:
    failed = list(_failures(handlers, faults))
    if verdict == "verbatim":
        return "; ".join(
            ["the native hook's answer goes out as it is; what the host makes of it is not judged", *failed]
        )
    if verdict != "none":
        return "; ".join([_of_a_decision(call, verdict, told["why"], response), *failed])
    if told["muted"]:
        return f"the input is {told['caller']}'s, whose own copy of the connector answers; this one says nothing"
    if failed:
        return f"{'; '.join(failed)}: {call.host.name} hears no opinion and goes on as without the hook"
    if not told["matched"]:
        names = f" ({told['tool']})" if told["tool"] else ""
        return f"the matcher excludes this input{names}: no handler was run. {_how_to_match(call.event)}"
    return f"the handler gave no opinion: {call.host.name} goes on as without the hook"


def _how_to_match(event: str) -> str:
    key = "agent type" if event.startswith("Subagent") else "tool_name"
    return f"Give an input whose {key} the matcher finds."


def _failures(handlers: tuple[HandlerOutcome, ...], faults: list[tuple[str, str]]) -> Iterator[str]:
    for handler in handlers:
        if handler.fault:
            yield f"handler {handler.index + 1} ({handler.what}): {handler.fault}"
    told = {str(handler.index) for handler in handlers}
    for word, where in faults:
        if word not in _NO_FAILURE and where.split(":")[0] not in told:
            text = _FAULTS.get(word, word)
            yield f"{text}, so no handler was run" if word in _NO_PAYLOAD else text


def _of_a_decision(call: Call, verdict: str, why: str, response: Mapping[str, Any] | None) -> str:
    said = response or {}
    decision = said.get("decision") or "the answer"
    if "updated_output" in said and decision in ("allow", "the answer"):
        decision = "the replaced output"
    name = call.host.name
    if verdict == "degraded":
        return f"{decision} degrades: {why}"
    if verdict == "dropped":
        return f"{name} drops {decision} on {call.event}: {why}"
    if decision == "allow" and call.event != "PermissionRequest":
        return f"allow is no opinion on {call.event}: {name} decides as without the hook"
    return f"{name} honors {decision} on {call.event}{f': {why}' if why else ''}"


def _died(call: Call, code: int) -> dict[str, Any]:
    return {
        "stdout": "",
        "stderr": "",
        "exit_status": code,
        "verdict": "none",
        "why": "",
        "caller": call.host.id,
        "muted": False,
        "tool": "",
        "matched": [],
        "faults": [["died", ""]],
        "responses": {},
    }


def _parsed(stdout: str) -> Any:
    if not stdout:
        return None
    try:
        return json.loads(stdout)
    except ValueError:
        return stdout


# --- status lines ----------------------------------------------------------------------------------------------


def not_drawn(connector: str, host: Host, reason: str, notes: tuple[str, ...] = ()) -> SimulateReport:
    """The host shows nothing of the connector's."""
    return SimulateReport(
        connector, host.id, "statusline", "", honored=False, verdict="none", reason=reason, notes=notes
    )


def drawn(
    connector: str, host: Host, told: Mapping[str, Any] | None, printed: str, notes: tuple[str, ...]
) -> SimulateReport:
    """``told``: ``text`` and ``faults`` of the renderer; ``None`` where its process ended before it could tell."""
    told = told or {"text": "", "faults": [["died", ""]]}
    text, faults = told["text"], [(word, where) for word, where in told["faults"]]
    failures = "; ".join(_fault_text(word, where) for word, where in faults if word not in _NO_FAILURE)
    if text:
        reason = f"{host.name} shows it"
    else:
        reason = f"{host.name} shows nothing: {failures or 'the renderer gave no text'}"
    return SimulateReport(
        connector=connector,
        host=host.id,
        surface="statusline",
        event="",
        honored=bool(text) and not failures,
        verdict="verbatim" if text else "none",
        reason=reason,
        host_reply=text or None,
        faults=tuple(f"{word}: {where}" if where else word for word, where in faults),
        notes=notes,
        stdout=text and text + "\n",
        printed=printed,
    )

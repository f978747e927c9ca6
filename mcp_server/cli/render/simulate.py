"""One simulated call: whether the host does what was decided, why, and what led there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from agent_connector.operations.reports import HandlerOutcome, SimulateReport

from ..terminal import Look, visible, visible_lines


def lines(report: SimulateReport, look: Look, names: Mapping[str, str]) -> Iterator[str]:
    """``names``: host id -> the name people know it by."""
    host = names.get(report.host) or report.host
    what = "status line" if report.surface == "statusline" else report.event
    yield look.paint(f"simulate {visible(report.connector)}: {visible(what)} in {visible(host)}", "strong")
    answer = look.paint("honored", "good") if report.honored else look.paint("not honored", "bad")
    yield f"{answer}: {look.prose(report.reason)}"
    yield ""
    for handler in report.handlers:
        what = f"{visible(handler.kind)} {look.prose(handler.what)}"
        yield f"  handler {handler.index + 1}: {what}: {_outcome(handler)}"
    yield from _text("the host reads", report.stdout or "nothing")
    if report.stderr:
        yield from _text("on stderr", report.stderr)
    if report.exit_status:
        yield f"  exit code: {report.exit_status}"
    if report.printed:
        yield from _text("printed", report.printed)
    for fault in report.faults:
        yield f"  fault: {look.prose(fault)}"
    if report.fires_when:
        yield f"  runs {look.prose(report.fires_when)}"
    for note in report.notes:
        yield f"  note: {look.prose(note)}"


def _outcome(handler: HandlerOutcome) -> str:
    if not handler.matched:
        return "not run"
    if handler.fault:
        return f"failed, {visible(handler.fault)}"
    if not handler.response:
        return "no opinion"
    return visible(str(handler.response.get("decision", "answered")))


def _text(title: str, text: str) -> Iterator[str]:
    first, *more = visible_lines(text)
    yield f"  {title}: {first}"
    yield from (f"  {'':<{len(title)}}  {line}" for line in more)

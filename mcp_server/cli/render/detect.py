"""Which hosts are on this machine, as a table."""

from __future__ import annotations

from collections.abc import Iterator

from agent_connector.operations.reports import DetectedHost, DetectReport

from ..terminal import Look, columns, visible

_HEAD = ("HOST", "ID", "VERSION", "SURE", "HOOKS", "CONFIG")


def lines(report: DetectReport, look: Look) -> Iterator[str]:
    found = [host for host in report.hosts if host.installed]
    missing = [host for host in report.hosts if not host.installed]
    if found:
        rows = columns([_HEAD, *(_row(host, look) for host in found)])
        yield look.paint(rows[0], "strong")
        for row, host in zip(rows[1:], found, strict=True):
            yield row
            yield from (look.paint(f"  {line}", "faint") for line in _about(host, look))
    else:
        yield "No AI coding agent found on this machine."
    if missing:
        yield ""
        yield "Not found: " + ", ".join(f"{visible(host.name)} ({visible(host.id)})" for host in missing)
    if report.current:
        yield ""
        reason = f" ({visible(report.current_reason)})" if report.current_reason else ""
        yield f"Running inside {visible(report.current)}{reason}."


def _row(host: DetectedHost, look: Look) -> tuple[str, ...]:
    return (
        visible(host.name),
        visible(host.id),
        visible(host.version) or "-",
        host.confidence,
        visible(host.paradigm),
        look.path(host.config_path),
    )


def _about(host: DetectedHost, look: Look) -> Iterator[str]:
    if host.reason:
        yield look.prose(host.reason)
    parts = [f"{len(host.hook_events)} hook events"] if host.hook_events else []
    parts += [visible(surface) for surface in host.surfaces if surface != "hooks"]
    scopes = f"scopes {', '.join(host.scopes)}" if host.scopes else ""
    capable = "; ".join(part for part in (", ".join(parts), scopes) if part)
    if capable:
        yield capable
    for root in host.roots[1:]:
        yield f"also at {look.path(root.path)} ({visible(root.source)})"

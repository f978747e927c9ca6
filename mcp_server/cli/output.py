"""A report on standard output: the versioned envelope, or lines for a person."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from agent_connector.errors import UsageError
from agent_connector.operations.reports import (
    ChangeReport,
    DetectReport,
    DoctorReport,
    ExplainReport,
    Report,
    SimulateReport,
    StatusReport,
    to_json,
)
from agent_connector.operations.telemetry import LeaderboardReport, TelemetryPruneReport, TelemetryReport

from .terminal import Look, look_of, say

if TYPE_CHECKING:
    from agent_connector.machine import Machine
    from agent_connector.operations.context import Context


def print_report(operation: str, report: Report, context: Context, *, as_json: bool, plan: bool = False) -> None:
    """``plan``: nothing was written yet and a person shall judge it: show each file's diff and the commands that
    hosts will run."""
    if as_json:
        print_json(to_json(operation, report))
    else:
        say(report_lines(report, look(context.machine), host_names(report, context), plan=plan))


def report_lines(report: Report, look: Look, names: Mapping[str, str], *, plan: bool = False) -> Iterator[str]:
    if isinstance(report, TelemetryReport | LeaderboardReport | TelemetryPruneReport):
        from .render import telemetry

        return telemetry.lines(report, look)
    if isinstance(report, ChangeReport):
        from .render import changes

        return changes.lines(report, look, names, plan=plan)
    if isinstance(report, DetectReport):
        from .render import detect

        return detect.lines(report, look)
    if isinstance(report, StatusReport):
        from .render import status

        return status.lines(report, look)
    if isinstance(report, DoctorReport):
        from .render import doctor

        return doctor.lines(report, look)
    if isinstance(report, ExplainReport):
        from .render import explain

        return explain.lines(report, look, names)
    from .render import simulate

    return simulate.lines(report, look, names)


def print_json(envelope: Mapping[str, Any]) -> None:
    """ASCII only, so that neither an encoding nor a control character in a name can spoil it."""
    import json

    say([json.dumps(envelope, indent=2, default=str)])


def look(machine: Machine) -> Look:
    return look_of(sys.stdout, machine.env, str(machine.home))


def host_names(report: Report, context: Context) -> dict[str, str]:
    """Host id -> name, for the hosts that a report mentions by their ids."""
    mentioned: set[str] = set()
    if isinstance(report, ChangeReport):
        mentioned = {change.host for change in report.changes} - {""}
    elif isinstance(report, ExplainReport):
        mentioned = {row.host for row in report.rows} | {row.host for row in report.honor}
    elif isinstance(report, SimulateReport):
        mentioned = {report.host}
    names = {}
    for host in mentioned:
        try:
            names[host] = context.catalogue.get(host).name
        except UsageError:  # recorded by a version that knew more hosts
            names[host] = ""
    return names
